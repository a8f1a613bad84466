// bench_lookup_peers: libtuned against what one would take instead, in the same run: a JSON file
// with cJSON, a table in SQLite, a std::unordered_map of strings. The same configurations for all,
// the same questions, taken in turns; medians. What gives another answer than the others ends it.
#include "peers.h"

#include <algorithm>
#include <chrono>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>

#include <malloc.h>
#include <sys/stat.h>
#include <unistd.h>

namespace lookup
{

static std::string folder; // of the files, removed at the end

static void remove_files()
{
    if (!folder.empty() && std::system(("rm -rf '" + folder + "'").c_str()) != 0)
        std::fprintf(stderr, "bench_lookup_peers: %s was left\n", folder.c_str());
}

[[noreturn]] void fail(const std::string &what)
{
    std::fprintf(stderr, "bench_lookup_peers: %s\n", what.c_str());
    std::exit(1);
}

std::string read_whole(const std::string &path)
{
    std::ifstream file(path, std::ios::binary);
    std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    if (!file)
        fail(path + ": cannot be read");
    return text;
}

void write_whole(const std::string &path, const std::string &text)
{
    std::ofstream file(path, std::ios::binary);
    file << text;
    file.close();
    if (!file)
        fail(path + ": cannot be written");
}

namespace
{

struct options {
    int devices = 20, kernels = 100, ranges = 20, samples = 31;
    const char *csv = nullptr;
};

struct figures {
    double file_bytes = 0, load_ns = 0, memory_bytes = 0, lookup_ns = 0;
};

enum : int { QUESTIONS = 1000 };

__attribute__((format(printf, 1, 2))) std::string format(const char *pattern, ...)
{
    char text[256];
    va_list list;
    va_start(list, pattern);
    std::vsnprintf(text, sizeof text, pattern, list);
    va_end(list);
    return text;
}

std::vector<row> make_rows(const options &of)
{
    std::vector<row> rows;
    uint32_t state = 1;
    for (int device = 0; device < of.devices; device++)
        for (int kernel = 0; kernel < of.kernels; kernel++)
            for (int range = 0; range < of.ranges; range++) {
                state = state * 1664525u + 1013904223u;
                const int block = 32 * (1 + (int)(state >> 27));
                rows.push_back({format("Device %02d", device),
                                format("kernel_%02d.sum.i32", kernel),
                                256LL << range,
                                (512LL << range) - 1,
                                {{"variant", "last_block"},
                                 {"step", "shuffle"},
                                 {"block", std::to_string(block)},
                                 {"blocks_per_sm", "8"},
                                 {"vector", "4"},
                                 {"loads", "4"},
                                 {"grid", "1056"}},
                                {{"at", std::to_string(300LL << range)},
                                 {"time_ns", "93870.5"},
                                 {"mad_ns", "120.5"},
                                 {"gain.textbook", "1.68"},
                                 {"ceiling_percent", "94.1"},
                                 {"samples", "30"}}});
            }
    return rows;
}

// Of the device in the middle of the file, so that who searches from its beginning has half the
// way.
std::vector<question> make_questions(const options &of, const std::vector<row> &rows)
{
    std::vector<question> questions;
    const size_t per_kernel = (size_t)of.ranges, per_device = per_kernel * (size_t)of.kernels;
    const size_t first = (size_t)of.devices / 2 * per_device;
    uint32_t state = 7;
    for (int i = 0; i < QUESTIONS; i++) {
        state = state * 1664525u + 1013904223u;
        const size_t within = (state >> 8) % per_device;
        const row &requested = rows[first + within];
        long long block = -1;
        for (const auto &[name, value] : requested.values)
            if (name == "block")
                block = std::stoll(value);
        questions.push_back({requested.device, requested.kernel,
                             requested.low + (state >> 4) % requested.low,
                             (int)(within / per_kernel), block});
    }
    return questions;
}

double now_ns()
{
    return (double)std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

// Bytes that the C library has given out.
double allocated()
{
    const struct mallinfo2 info = mallinfo2();
    return (double)info.uordblks + (double)info.hblkhd;
}

double median(std::vector<double> values)
{
    std::nth_element(values.begin(), values.begin() + (long)values.size() / 2, values.end());
    return values[values.size() / 2];
}

void check(contender &of, const std::vector<question> &questions)
{
    std::vector<long long> answers(questions.size());
    of.answer(questions, answers.data());
    for (size_t i = 0; i < questions.size(); i++)
        if (answers[i] != questions[i].expected)
            fail(of.name() +
                 format(": block %lld, not %lld, for ", answers[i], questions[i].expected) +
                 questions[i].kernel + format(", n = %lld", questions[i].n));
}

using contenders = std::vector<std::unique_ptr<contender>>;

std::string path_of(size_t index)
{
    return folder + "/" + std::to_string(index);
}

// Memory: what is there once all questions have been asked, caches included.
void measure_memory(contenders &all, const std::vector<question> &questions,
                    std::vector<figures> &out)
{
    for (size_t i = 0; i < all.size(); i++) {
        struct stat file;
        if (stat(path_of(i).c_str(), &file) != 0)
            fail(path_of(i) + ": is not there");
        out[i].file_bytes = (double)file.st_size;
        const double before = allocated();
        all[i]->load(path_of(i), questions);
        check(*all[i], questions);
        out[i].memory_bytes = allocated() - before;
        all[i]->unload();
    }
}

void measure_loads(contenders &all, const std::vector<question> &questions, int samples,
                   std::vector<figures> &out)
{
    std::vector<std::vector<double>> times(all.size());
    for (int sample = 0; sample < samples; sample++)
        for (size_t i = 0; i < all.size(); i++) {
            malloc_trim(0); // what another gave back is not this one's to tidy up
            const double start = now_ns();
            all[i]->load(path_of(i), questions);
            times[i].push_back(now_ns() - start);
            all[i]->unload();
        }
    for (size_t i = 0; i < all.size(); i++)
        out[i].load_ns = median(times[i]);
}

void measure_lookups(contenders &all, const std::vector<question> &questions, int samples,
                     std::vector<figures> &out)
{
    std::vector<std::vector<double>> times(all.size());
    std::vector<long long> answers(questions.size());
    for (size_t i = 0; i < all.size(); i++)
        all[i]->load(path_of(i), questions);
    for (int sample = 0; sample < samples; sample++)
        for (size_t i = 0; i < all.size(); i++) {
            all[i]->answer(questions, answers.data()); // what others left in the caches goes
            const double start = now_ns();
            all[i]->answer(questions, answers.data());
            times[i].push_back((now_ns() - start) / (double)questions.size());
        }
    for (size_t i = 0; i < all.size(); i++) {
        out[i].lookup_ns = median(times[i]);
        all[i]->unload();
    }
}

void print(const contenders &all, const std::vector<figures> &of)
{
    std::printf("%-20s %9s %9s %9s %9s %9s %9s %9s\n", "", "file MB", "load ms", "x libtuned",
                "memory MB", "of file", "look-up ns", "x libtuned");
    for (size_t i = 0; i < all.size(); i++)
        std::printf("%-20s %9.2f %9.3f %9.2f %9.2f %9.2f %9.1f %9.2f\n", all[i]->name().c_str(),
                    of[i].file_bytes / 1e6, of[i].load_ns / 1e6, of[i].load_ns / of[0].load_ns,
                    of[i].memory_bytes / 1e6, of[i].memory_bytes / of[i].file_bytes,
                    of[i].lookup_ns, of[i].lookup_ns / of[0].lookup_ns);
}

void write_csv(const char *path, const options &how, const contenders &all,
               const std::vector<figures> &of)
{
    std::string text = "contender,devices,kernels,ranges,samples,file_bytes,load_ns,memory_bytes,"
                       "lookup_ns,load_ratio,lookup_ratio\n";
    for (size_t i = 0; i < all.size(); i++)
        text += "\"" + all[i]->name() + "\"" +
                format(",%d,%d,%d,%d,%.0f,%.0f,%.0f,%.2f,%.4f,%.4f\n", how.devices, how.kernels,
                       how.ranges, how.samples, of[i].file_bytes, of[i].load_ns, of[i].memory_bytes,
                       of[i].lookup_ns, of[i].load_ns / of[0].load_ns,
                       of[i].lookup_ns / of[0].lookup_ns);
    write_whole(path, text);
}

[[noreturn]] void usage()
{
    std::fprintf(stderr, "usage: bench_lookup_peers [--devices N] [--kernels N] [--ranges N] "
                         "[--samples N] [--csv FILE]\n"
                         "       devices and kernels from 1 to 100, ranges from 1 to 40\n");
    std::exit(2);
}

options read_options(int argc, char **argv)
{
    options out;
    struct {
        const char *name;
        int *value, most;
    } const numbers[] = {{"--devices", &out.devices, 100},
                         {"--kernels", &out.kernels, 100},
                         {"--ranges", &out.ranges, 40},
                         {"--samples", &out.samples, 10000}};
    for (int i = 1; i < argc; i += 2) {
        bool is_known = std::strcmp(argv[i], "--csv") == 0;
        if (i + 1 == argc)
            usage();
        if (is_known)
            out.csv = argv[i + 1];
        for (const auto &number : numbers)
            if (std::strcmp(argv[i], number.name) == 0) {
                is_known = true;
                *number.value = std::atoi(argv[i + 1]);
                if (*number.value < 1 || *number.value > number.most)
                    usage();
            }
        if (!is_known)
            usage();
    }
    return out;
}

void print_heading(const options &how)
{
    char date[32] = "";
    const std::time_t seconds = std::time(nullptr);
    std::string line, model = "unknown";
    std::ifstream cpus("/proc/cpuinfo");
    while (std::getline(cpus, line))
        if (line.rfind("model name", 0) == 0 && line.find(": ") != std::string::npos)
            model = line.substr(line.find(": ") + 2);
    std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&seconds));
    std::printf("%d devices x %d kernels x %d ranges on %s, %s; medians of %d.\n"
                "A look-up: a kernel and a size on one device, and one value of what is found.\n\n",
                how.devices, how.kernels, how.ranges, model.c_str(), date, how.samples);
}

void measure(const options &how)
{
    contenders all;
    all.push_back(make_tuned()); // ratios are to the first
    for (auto make : {make_resolved, make_map, make_json, make_sqlite})
        if (auto made = make())
            all.push_back(std::move(made));
    const std::vector<row> rows = make_rows(how);
    const std::vector<question> questions = make_questions(how, rows);
    std::vector<figures> found(all.size());
    for (size_t i = 0; i < all.size(); i++)
        all[i]->write(rows, path_of(i));
    measure_memory(all, questions, found);
    measure_loads(all, questions, how.samples, found);
    measure_lookups(all, questions, how.samples, found);
    print_heading(how);
    print(all, found);
    if (how.csv)
        write_csv(how.csv, how, all, found);
}

} // namespace
} // namespace lookup

int main(int argc, char **argv)
{
    const lookup::options how = lookup::read_options(argc, argv);
    char name[] = "/tmp/lookup-peers-XXXXXX";
    if (!mkdtemp(name))
        lookup::fail("/tmp: cannot be written to");
    lookup::folder = name;
    std::atexit(lookup::remove_files);
    lookup::measure(how);
    return 0;
}
