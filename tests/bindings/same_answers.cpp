/* same_answers TUNED_CONF QUESTIONS ASKED: the same random questions of libtuned in C, by name and
 * by handle, of tuned.hpp, and of the header that `tune export --header` made of the file: every
 * answer is the same. The first ASKED questions, each with C's answer, go to the standard output
 * for other languages. */
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "made.h"
#include "tuned.hpp"

namespace
{

std::uint64_t seed = 20;

std::uint64_t draw(std::uint64_t bound)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (seed >> 20) % bound;
}

/* Devices of the file, such as differ from these a little, and others. */
struct tuned_device draw_device(const tune::configurations &all)
{
    static const char *const names[] = {"NVIDIA A100", "NVIDIA L4", "Tesla T4",
                                        "NVIDIA GH200 480GB"};
    static const int capabilities[] = {70, 75, 80, 86, 89, 90, 100, 103, 120};
    struct tuned_device device = *tuned_entry_device(all[draw(all.size())]);
    device.reserved[0] = 0;
    if (std::strcmp(device.name, "*") == 0 || draw(4) == 0)
        device.name = names[draw(4)];
    if (draw(4) == 0) {
        device.compute_capability_major = capabilities[draw(9)] / 10;
        device.compute_capability_minor = capabilities[draw(9)] % 10;
    }
    if (draw(4) == 0)
        device.unit_count = static_cast<int>(draw(200));
    device.memory_bytes = 0; /* other languages are told neither */
    device.bandwidth_gbs = 0;
    return device;
}

/* Sizes near those of entries, and any. */
long long draw_size(const tune::configurations &all)
{
    const struct tuned_entry *entry = all[draw(all.size())];
    const long long near[] = {tuned_entry_n(entry), tuned_entry_n_low(entry),
                              tuned_entry_n_high(entry)};
    if (draw(2) == 0)
        return near[draw(3)] + static_cast<long long>(draw(5)) - 2;
    return static_cast<long long>(draw(std::uint64_t(1) << (1 + draw(40))));
}

bool is_same_made(const struct tuned *held, const struct tuned_device &device, const char *problem,
                  const tune::answer &right)
{
#define PROBLEM(KEY, FUNCTION)                                                                     \
    if (std::strcmp(problem, KEY) == 0) {                                                          \
        const auto made = FUNCTION(held, &device, right.get().n);                                  \
        return made.grade == right.grade() &&                                                      \
               (made.grade == TUNED_NONE || (made.block == right.integer("block", -1) &&           \
                                             made.grid == right.integer("grid", 0) &&              \
                                             made.low == tuned_entry_n_low(right.entry()) &&       \
                                             made.high == tuned_entry_n_high(right.entry())));     \
    }
#include "problems.inc"
    return right.grade() == TUNED_NONE;
}

} // namespace

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    const tune::configurations all(argv[1]);
    try {
        const tune::configurations none("no such file");
        return 3;
    } catch (const tune::load_error &error) {
        if (error.code() != TUNED_NO_FILE)
            return 3;
    }
    const long questions = std::strtol(argv[2], nullptr, 10),
               lookups = std::strtol(argv[3], nullptr, 10);
    long different = 0, found = 0;
    struct tuned *const held = tuned_header_load(nullptr);
    for (long i = 0; i < questions; i++) {
        const struct tuned_device device = draw_device(all);
        const char *problem = tuned_entry_problem(all[draw(all.size())]);
        const long long n = draw_size(all);
        struct tuned_answer right;
        struct tuned_launch launch = tuned_launch(), same = tuned_launch();
        const int grade = tuned_find(all.get(), &device, problem, n, &right);
        const tune::answer wrapped = all.find(device, problem, n);
        const tune::handle handle = all.resolve(device, problem);
        const tune::answer resolved = handle.find(n);
        const int is_told = tuned_answer_launch(&right, 0, &launch);
        found += grade > TUNED_NONE;
        const bool is_same =
            wrapped.grade() == grade && resolved.grade() == grade &&
            wrapped.entry() == right.entry && resolved.entry() == right.entry &&
            !(wrapped.distance() < right.distance) && !(wrapped.distance() > right.distance) &&
            wrapped.launch(&same) == (is_told != 0) &&
            std::memcmp(&launch, &same, sizeof same) == 0 &&
            wrapped.text("variant", "?") == tuned_text(right.entry, "variant", "?") &&
            is_same_made(held, device, problem, wrapped);
        if (!is_same && different++ < 10)
            std::fprintf(stderr, "%s %d.%d %d units, %s n=%lld: not the same\n", device.name,
                         device.compute_capability_major, device.compute_capability_minor,
                         device.unit_count, problem, n);
        if (i < lookups)
            std::printf("%s\t%s\t%d\t%d\t%d\t%s\t%lld\t%d\t%d\t%lld\t%d\t%lld\n", device.kind,
                        device.name, device.compute_capability_major,
                        device.compute_capability_minor, device.unit_count, problem, n, grade,
                        right.entry ? tuned_entry_line(right.entry) : 0,
                        tuned_answer_integer(&right, "grid", -7), is_told, launch.grid[0]);
    }
    tuned_free(held);
    std::fprintf(stderr, "%ld questions, %ld of them answered, %ld answers differ\n", questions,
                 found, different);
    return different != 0 || found < questions / 4;
}
