// Ways for a program to keep tuned configurations and look one up.
#ifndef TUNE_BENCH_LOOKUP_PEERS
#define TUNE_BENCH_LOOKUP_PEERS

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace lookup
{

// One configuration: a device, a kernel, a range of sizes, the launch and its evidence.
struct row {
    std::string device, kernel;
    long long low, high;
    std::vector<std::pair<std::string, std::string>> values, evidence;
};

// A program's look-up: one device, any of its kernels, any size.
struct question {
    std::string device, kernel;
    long long n;
    int kernel_index;   // for a way that resolves the kernel once
    long long expected; // the value of "block"
};

class contender
{
  public:
    virtual ~contender() = default;
    virtual std::string name() const = 0;
    // Writes the contender's file, before any measurement. A failure ends the program with a
    // message.
    virtual void write(const std::vector<row> &rows, const std::string &path) const = 0;
    virtual void load(const std::string &path, const std::vector<question> &questions) = 0;
    virtual void unload() = 0;
    // The value of "block" for each, looked for anew; -1: none.
    virtual void answer(const std::vector<question> &questions, long long *out) = 0;
};

std::unique_ptr<contender> make_tuned();    // tuned_find
std::unique_ptr<contender> make_resolved(); // tuned_find_resolved, value by its index
std::unique_ptr<contender> make_map();      // std::unordered_map of strings
std::unique_ptr<contender> make_json();     // cJSON; NULL if it is not installed
std::unique_ptr<contender> make_sqlite();   // a prepared statement, an index

[[noreturn]] void fail(const std::string &what);
std::string read_whole(const std::string &path);
void write_whole(const std::string &path, const std::string &text);

} // namespace lookup

#endif
