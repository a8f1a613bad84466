/* devices FILE...: the entries that real devices get from each file, at 1,000 sizes of each
 * problem, compared with a table of their abilities. Prints the distinct answers of reduce as
 * "POINT(...)" of tests/kernels/reduce_point.h. Exit code 1: an entry that the table rules out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tuned.h>

/* Multiprocessors, shared memory of a block (opt-in), blocks of the largest cluster: the CUDA C++
 * Programming Guide's tables of compute capabilities, NVIDIA's data sheets for the multiprocessors.
 * All have 1,024 threads per block and 65,536 registers per multiprocessor. A cluster of 16 is
 * promised on 9.0 and 10.0 alone. */
static const struct {
    const char *name;
    int major, minor, units, shared_kib, cluster;
} table[] = {
    {"Tesla V100-SXM2-32GB", 7, 0, 80, 96, 1},
    {"Tesla T4", 7, 5, 40, 64, 1},
    {"NVIDIA GeForce RTX 2080 Ti", 7, 5, 68, 64, 1},
    {"NVIDIA GeForce GTX 1650", 7, 5, 14, 64, 1},
    {"NVIDIA A100-SXM4-40GB", 8, 0, 108, 163, 1},
    {"NVIDIA A100-SXM4-80GB", 8, 0, 108, 163, 1},
    {"NVIDIA A100-SXM4-80GB MIG 1g.10gb", 8, 0, 14, 163, 1},
    {"NVIDIA A30", 8, 0, 56, 163, 1},
    {"NVIDIA A30 MIG 1g.6gb", 8, 0, 14, 163, 1},
    {"NVIDIA A10", 8, 6, 72, 99, 1},
    {"NVIDIA A40", 8, 6, 84, 99, 1},
    {"NVIDIA GeForce RTX 3060", 8, 6, 28, 99, 1},
    {"NVIDIA GeForce RTX 3090", 8, 6, 82, 99, 1},
    {"Jetson AGX Orin", 8, 7, 16, 163, 1},
    {"Jetson Orin Nano", 8, 7, 8, 163, 1},
    {"NVIDIA L4", 8, 9, 58, 99, 1},
    {"NVIDIA L40S", 8, 9, 142, 99, 1},
    {"NVIDIA GeForce RTX 4060", 8, 9, 24, 99, 1},
    {"NVIDIA GeForce RTX 4090", 8, 9, 128, 99, 1},
    {"NVIDIA H100 80GB HBM3", 9, 0, 132, 227, 16},
    {"NVIDIA H100 PCIe", 9, 0, 114, 227, 16},
    {"NVIDIA H100 80GB HBM3 MIG 1g.10gb", 9, 0, 16, 227, 16},
    {"NVIDIA H100 80GB HBM3 MIG 1c.2g.20gb", 9, 0, 10, 227, 8},
    {"NVIDIA H200", 9, 0, 132, 227, 16},
    {"NVIDIA GH200 480GB", 9, 0, 132, 227, 16},
    {"NVIDIA H20", 9, 0, 78, 227, 16},
    {"NVIDIA B200", 10, 0, 148, 227, 16},
    {"NVIDIA B300", 10, 3, 148, 227, 16},
    {"NVIDIA Thor", 11, 0, 20, 227, 8},
    {"NVIDIA GeForce RTX 5060", 12, 0, 30, 99, 8},
    {"NVIDIA GeForce RTX 5090", 12, 0, 170, 99, 8},
    {"NVIDIA RTX PRO 6000 Blackwell", 12, 0, 188, 99, 8},
};
enum { DEVICES = sizeof table / sizeof table[0], SIZES = 1000 };

static int failures;
static int asks_for_far; /* also requests entries measured on far devices */

static void fail(const char *what, int device, const struct tuned_answer *answer)
{
    char reason[TUNED_REASON_BYTES];
    tuned_reason(answer, reason, sizeof reason);
    if (failures++ < 20)
        printf("%s cannot: %s: %s:%d at n = %lld (%s)\n", table[device].name, what,
               tuned_entry_file(answer->entry), tuned_entry_line(answer->entry), answer->n, reason);
}

/* Tells whether the text is one of the words between bars. */
static int is_among(const char *text, const char *words)
{
    const char *at = strstr(words, text);
    return at && at[-1] == '|' && at[strlen(text)] == '|';
}

/* Checks an answer by facts of the kernels, not by the needs in the entry. */
static void check(int device, const struct tuned_answer *answer, int knows_limits)
{
    const struct tuned_entry *entry = answer->entry;
    const int capability = table[device].major * 10 + table[device].minor;
    const char *variant = tuned_text(entry, "variant", "-");
    const long long cluster = tuned_integer(entry, "cluster_size", 1);
    const long long tile = tuned_integer(entry, "tile", 0);
    const double threads = tuned_evidence(entry, "threads", 0);
    const double registers = tuned_evidence(entry, "registers", 0);
    struct tuned_launch launch;
    if (is_among(variant, "|cluster|bulk|dependent_launches|") && capability < 90)
        fail(variant, device, answer);
    if (cluster > table[device].cluster || cluster > table[device].units)
        fail("a cluster so large", device, answer);
    if (is_among(tuned_text(entry, "step", "-"), "|redux|") && capability < 80)
        fail("redux", device, answer);
    if (is_among(tuned_text(entry, "cache", "-"), "|l2_256b|evict_first|") && capability < 80)
        fail("the cache hint", device, answer);
    if (answer->grade < TUNED_DEFAULT && !asks_for_far)
        fail("a far device that nobody asked for", device, answer);
    if (answer->grade == TUNED_PORTABLE && table[device].major != 9)
        fail("what is portable among compute capabilities 9", device, answer);
    if (knows_limits &&
        (threads > 1024 ||
         tuned_evidence(entry, "shared_bytes", 0) > table[device].shared_kib * 1024.0 ||
         threads * registers > 65536))
        fail("such a block", device, answer);
    if (!tuned_answer_launch(answer, 0, &launch))
        return;
    if (launch.grid[0] < 1 || launch.grid[0] > 2147483647 ||
        launch.block[0] != tuned_integer(entry, "block", launch.block[0]) ||
        (cluster > 1 && launch.grid[0] % cluster != 0))
        fail("such a grid", device, answer);
    if (is_among(tuned_text(entry, "map", "-"), "|tile|") && tile > 0 &&
        !is_among(variant, "|one_warp|one_block|") && /* whose block goes on to the next tile */
        launch.grid[0] < (answer->n + tile - 1) / tile)
        fail("a grid that does not cover n", device, answer);
}

/* ---- points to emulate ---- */

enum { POINTS_MAX = 4096 };
static char points[POINTS_MAX][192];
static int point_count;

/* Keeps the kernel of an answer of reduce, once. */
static void keep_point(const struct tuned_entry *entry)
{
    char op[16], type[16], line[sizeof points[0]];
    const char *variant = tuned_text(entry, "variant", "");
    int i = 0;
    if (sscanf(tuned_entry_problem(entry), "reduce.%15[a-z].%15[a-z0-9]", op, type) != 2)
        return;
    snprintf(line, sizeof line, "%s, %s, %s, %s, %s, %lld, %lld, %lld, %lld",
             strcmp(variant, "one_warp") == 0 ? "one_block" : variant,
             strcmp(op, "min") == 0   ? "minimum"
             : strcmp(op, "max") == 0 ? "maximum"
                                      : op,
             type, tuned_text(entry, "step", "shuffle"), tuned_text(entry, "map", "strided"),
             tuned_integer(entry, "block", 0), tuned_integer(entry, "count", 0),
             tuned_integer(entry, "loads", 0),
             strcmp(variant, "cluster") == 0 ? tuned_integer(entry, "cluster_size", 0)
                                             : tuned_integer(entry, "stages", 0));
    while (i < point_count && strcmp(points[i], line) != 0)
        i++;
    if (i == point_count && point_count < POINTS_MAX)
        memcpy(points[point_count++], line, sizeof line);
}

static long long lookups, answered;

static void ask(const struct tuned *tuned, int device, int knows_limits, const char *problem)
{
    struct tuned_device asking;
    unsigned long long seed = 1;
    memset(&asking, 0, sizeof asking);
    asking.kind = "cuda";
    asking.name = table[device].name;
    asking.compute_capability_major = table[device].major;
    asking.compute_capability_minor = table[device].minor;
    asking.unit_count = table[device].units;
    if (knows_limits) {
        asking.max_threads_per_block = 1024;
        asking.max_shared_bytes = table[device].shared_kib * 1024LL;
        asking.registers_per_unit = 65536;
    }
    for (int i = 0; i < SIZES; i++) {
        struct tuned_answer answer;
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        lookups++;
        tuned_find(tuned, &asking, problem, (long long)(seed >> 30 >> (seed >> 12) % 34), &answer);
        if (!answer.entry)
            continue;
        answered++;
        check(device, &answer, knows_limits);
        keep_point(answer.entry);
    }
}

int main(int argc, char **argv)
{
    for (int i = 2; i < 2 * argc; i++) {
        const char *const path = argv[i / 2], *last = "";
        const struct tuned_options options = {
            .paths = &path,
            .path_count = 1,
            .skip = TUNED_SKIP_ENVIRONMENT | TUNED_SKIP_USER | TUNED_SKIP_SYSTEM,
            .least_grade = i % 2 ? TUNED_FAR_DEVICE : TUNED_DEFAULT};
        struct tuned_error error;
        struct tuned *tuned = tuned_open(&options, &error);
        asks_for_far = i % 2;
        if (!tuned) {
            printf("%s\n", error.text);
            return 2;
        }
        for (size_t entry = 0; entry < tuned_entry_count(tuned); entry++) {
            const char *problem = tuned_entry_problem(tuned_entry_at(tuned, entry));
            if (strcmp(problem, last) == 0)
                continue;
            last = problem;
            for (int device = 0; device < 2 * DEVICES; device++)
                ask(tuned, device / 2, device % 2, problem);
        }
        tuned_free(tuned);
    }
    for (int i = 0; i < point_count; i++)
        printf("POINT(\"answer\", %s)\n", points[i]);
    fprintf(stderr,
            "%d devices asked %lld times: %lld answers, %d kernels of reduce, %d ruled out\n",
            DEVICES, lookups, answered, point_count, failures);
    return failures > 0 || answered == 0;
}
