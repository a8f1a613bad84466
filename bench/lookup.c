/* bench_lookup [TUNED_CONF]: times loading a tuned.conf and one look-up, by name and through a
 * handle, for the file and for a generated one of 20 devices x 100 kernels x 20 ranges. Medians of
 * many. */
#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <tuned_record.h>

enum { DEVICES = 20, KERNELS = 100, RANGES = 20, SAMPLES = 201, LOOKUPS = 1000 };

static double now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static int compare_reals(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static double median(double *samples)
{
    qsort(samples, SAMPLES, sizeof *samples, compare_reals);
    return samples[SAMPLES / 2];
}

static bool write_generated(FILE *file)
{
    fputs("tuned-conf 4\n", file);
    for (int device = 0; device < DEVICES; device++) {
        fprintf(file, "\n[cuda \"Device %02d\"] compute_capability=9.0 sm_count=%d driver=580.95\n",
                device, 100 + device);
        for (int kernel = 0; kernel < KERNELS; kernel++)
            for (int range = 0; range < RANGES; range++)
                fprintf(file,
                        "kernel_%02d.sum.i32 n=%lld-%lld variant=last_block step=shuffle block=512 "
                        "blocks_per_sm=8 vector=4 loads=4 grid=1056 | at=%lld time_ns=93870.5 "
                        "mad_ns=120.5 gain.textbook=1.68 ceiling_percent=94.1 samples=30 "
                        "threads=512 registers=32 capability=7.0 derived=grid "
                        "formula.grid=\"min(units*8,ceil_div(n,block))\" launch.grid=grid "
                        "launch.block=block\n",
                        kernel, 256LL << range, (512LL << range) - 3, 300LL << range);
    }
    fputs("\nend\n", file);
    return !ferror(file);
}

/* Loads a problem of three sizes, whose box is cut into `along` boxes along each of them. */
static struct tuned *load_boxes(int along)
{
    static char text[1 << 16];
    size_t used = (size_t)snprintf(text, sizeof text,
                                   "tuned-conf 5\n[cuda \"GPU\"] compute_capability=9.0\n");
    for (int n = 0; n < along; n++)
        for (int m = 0; m < along; m++)
            for (int k = 0; k < along; k++)
                used += (size_t)snprintf(
                    text + used, sizeof text - used,
                    "gemm n=%d-%d m@%d-%d k@%d-%d block=256 | at=%d,%d,%d capability=9.0\n",
                    n * 1000 + 1, n * 1000 + 1000, m * 1000 + 1, m * 1000 + 1000, k * 1000 + 1,
                    k * 1000 + 1000, n * 1000 + 1, m * 1000 + 1, k * 1000 + 1);
    used += (size_t)snprintf(text + used, sizeof text - used, "end\n");
    return tuned_load_memory(text, used, "boxes", NULL);
}

/* Times random tuples within the box, then as many beyond it. */
static void time_boxes(int along)
{
    static const struct tuned_device device = {
        .kind = "cuda", .name = "GPU", .compute_capability_major = 9};
    struct tuned *tuned = load_boxes(along);
    struct tuned_handle handle;
    double medians[2];
    uint32_t state = 1;
    volatile long long sink = 0;
    (void)tuned_resolve(tuned, &device, "gemm", &handle);
    for (int beyond = 0; beyond < 2; beyond++) {
        double samples[SAMPLES];
        for (int i = 0; i < SAMPLES; i++) {
            double start = now_ns();
            for (int j = 0; j < LOOKUPS; j++) {
                long long size[3];
                struct tuned_answer answer;
                for (int k = 0; k < 3; k++) {
                    state = state * 1664525u + 1013904223u;
                    size[k] = (state >> 8) % ((unsigned)along * 1000) + 1;
                }
                const struct tuned_size further[] = {{"m", size[1]}, {"k", size[2]}};
                size[0] += beyond ? along * 1000 : 0;
                sink += tuned_find_resolved_sizes(&handle, size[0], further, 2, &answer);
            }
            samples[i] = (now_ns() - start) / LOOKUPS;
        }
        medians[beyond] = median(samples);
    }
    (void)sink;
    printf("%d boxes of three sizes, through a handle: %.1f in a box, %.1f beyond all\n",
           along * along * along, medians[0], medians[1]);
    tuned_free(tuned);
}

/* Bytes that the C library has given out. */
static double allocated(void)
{
    struct mallinfo2 info = mallinfo2();
    return (double)info.uordblks + (double)info.hblkhd;
}

static double file_bytes(const char *path)
{
    struct stat file;
    return stat(path, &file) == 0 ? (double)file.st_size : 1.0;
}

static double time_load(const char *path)
{
    double samples[SAMPLES];
    for (int i = 0; i < SAMPLES; i++) {
        double start = now_ns();
        struct tuned *tuned = tuned_load(path, NULL);
        samples[i] = now_ns() - start;
        tuned_free(tuned);
    }
    return median(samples);
}

/* A look-up: the problem of a pseudo-random entry, and its size, on the entry's device; on the
 * file's first device for a portable entry. */
struct question {
    struct tuned_device device;
    const char *problem;
    long long n;
};

static void make_questions(const struct tuned *tuned, struct question *out)
{
    uint32_t state = 1;
    for (int i = 0; i < LOOKUPS; i++) {
        state = state * 1664525u + 1013904223u;
        const struct tuned_entry *entry =
            tuned_entry_at(tuned, (state >> 8) % tuned_entry_count(tuned));
        if (strcmp(tuned_entry_device(entry)->name, "*") == 0)
            entry = tuned_entry_at(tuned, 0);
        out[i] = (struct question){*tuned_entry_device(entry), tuned_entry_problem(entry),
                                   tuned_entry_n(entry)};
    }
}

enum place { MEASURED, BEGIN, BEYOND }; /* the n of its entry that a look-up uses */

static void place_questions(const struct tuned *tuned, struct question *questions, enum place place)
{
    for (int i = 0; i < LOOKUPS; i++) {
        struct tuned_answer answer;
        struct question *question = &questions[i];
        tuned_find(tuned, &question->device, question->problem, question->n, &answer);
        question->n = place == MEASURED ? tuned_entry_n(answer.entry)
                      : place == BEGIN  ? tuned_entry_n_low(answer.entry)
                                        : tuned_entry_n_high(answer.entry) + 1;
    }
}

/* Times one look-up, and one parameter read if requested; `name` is a device's that the file lacks.
 */
static double time_lookup(const struct tuned *tuned, const struct question *questions,
                          const char *name, bool reads)
{
    double samples[SAMPLES];
    volatile long long sink = 0;
    for (int i = 0; i < SAMPLES; i++) {
        double start = now_ns();
        for (int j = 0; j < LOOKUPS; j++) {
            struct tuned_answer answer;
            struct question question = questions[j];
            if (name)
                question.device.name = name;
            tuned_find(tuned, &question.device, question.problem, question.n, &answer);
            sink += reads ? tuned_integer(answer.entry, "block", 0) : (long long)answer.grade;
        }
        samples[i] = (now_ns() - start) / LOOKUPS;
    }
    (void)sink;
    return median(samples);
}

/* Times look-ups through handles and an index, resolved before. */
static double time_resolved(const struct tuned *tuned, const struct question *questions, bool reads)
{
    static struct tuned_handle handles[LOOKUPS];
    double samples[SAMPLES];
    volatile long long sink = 0;
    int block = tuned_value_index(tuned, "block");
    for (int j = 0; j < LOOKUPS; j++)
        (void)tuned_resolve(tuned, &questions[j].device, questions[j].problem, &handles[j]);
    for (int i = 0; i < SAMPLES; i++) {
        double start = now_ns();
        for (int j = 0; j < LOOKUPS; j++) {
            /* A program asks one problem again and again, of sizes that differ. */
            struct tuned_answer answer;
            (void)tuned_find_resolved(&handles[i], questions[j].n, &answer);
            sink += reads ? tuned_integer_at(answer.entry, block, 0) : (long long)answer.grade;
        }
        samples[i] = (now_ns() - start) / LOOKUPS;
    }
    (void)sink;
    return median(samples);
}

static bool measure(const char *label, const char *path)
{
    static struct question questions[LOOKUPS];
    struct tuned_error error;
    double before = allocated(), lookup_ns[3];
    struct tuned *tuned = tuned_load(path, &error);
    double used = allocated() - before;
    if (!tuned) {
        fprintf(stderr, "bench_lookup: %s\n", error.text);
        return false;
    }
    size_t count = tuned_entry_count(tuned);
    if (count == 0) {
        fprintf(stderr, "bench_lookup: %s: has no entries\n", path);
        tuned_free(tuned);
        return false;
    }
    make_questions(tuned, questions);
    for (int place = BEYOND; place >= MEASURED; place--) {
        place_questions(tuned, questions, (enum place)place);
        lookup_ns[place] = time_lookup(tuned, questions, NULL, false);
    }
    printf("%-24.24s %8zu %9.2f %9.2f %9.1f %9.1f %9.1f %9.1f %9.1f %9.1f %9.1f\n", label, count,
           time_load(path) / 1e6, used / file_bytes(path), lookup_ns[MEASURED], lookup_ns[BEGIN],
           lookup_ns[BEYOND], time_lookup(tuned, questions, "another", false),
           time_lookup(tuned, questions, NULL, true), time_resolved(tuned, questions, false),
           time_resolved(tuned, questions, true));
    tuned_free(tuned);
    return true;
}

/* Prints the cost of a look-up that is counted in a record (tuned_record.h), through a handle,
 * where all requests are known to it. */
static bool measure_record(const char *path)
{
    static struct question questions[LOOKUPS];
    char record_path[] = "/tmp/tuned-record-XXXXXX";
    const int descriptor = mkstemp(record_path);
    struct tuned_record *record = descriptor >= 0 ? tuned_record_open(record_path, NULL) : NULL;
    double medians[2] = {0, 0};
    for (int counts = 0; record && counts < 2; counts++) {
        struct tuned *tuned =
            tuned_open(&(struct tuned_options){.paths = &path,
                                               .path_count = 1,
                                               .skip = TUNED_SKIP_USER | TUNED_SKIP_SYSTEM,
                                               .on_find = counts ? tuned_record_find : NULL,
                                               .on_find_context = record},
                       NULL);
        if (tuned) {
            make_questions(tuned, questions);
            medians[counts] = time_resolved(tuned, questions, false);
        }
        tuned_free(tuned);
    }
    if (descriptor >= 0) {
        close(descriptor);
        unlink(record_path);
    }
    tuned_record_close(record);
    if (record)
        printf("counted in a record, through a handle: %.1f, %.1f without; a record takes %.1f\n",
               medians[1], medians[0], medians[1] - medians[0]);
    return record != NULL;
}

static void print_machine(void)
{
    struct utsname system;
    char line[512], model[256] = "", date[32] = "";
    time_t seconds = time(NULL);
    struct tm utc;
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && !model[0] && fgets(line, sizeof line, file))
        if (strncmp(line, "model name", 10) == 0 && strchr(line, ':'))
            snprintf(model, sizeof model, "%.200s", strchr(line, ':') + 2);
    if (file)
        fclose(file);
    model[strcspn(model, "\n")] = '\0';
    if (uname(&system) != 0)
        memset(&system, 0, sizeof system);
    if (gmtime_r(&seconds, &utc))
        strftime(date, sizeof date, "%Y-%m-%d", &utc);
    printf("libtuned %s on %s (%s), %s; medians of %d\n\n", tuned_version(),
           model[0] ? model : system.machine, system.sysname, date, SAMPLES);
}

int main(int argc, char **argv)
{
    char path[] = "/tmp/tuned-conf-XXXXXX";
    if (argc > 2 || (argc == 2 && argv[1][0] == '-')) {
        fprintf(stderr, "usage: bench_lookup [TUNED_CONF]\n");
        return 2;
    }
    int descriptor = mkstemp(path);
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
    bool written = file && write_generated(file);
    if (file)
        written = fclose(file) == 0 && written;
    if (!written) {
        fprintf(stderr, "bench_lookup: %s: cannot write\n", path);
        return 1;
    }
    print_machine();
    puts("In ns: a look-up at a measured size, at the beginning of a range, beyond its end; at a "
         "measured\n"
         "size on another device, with one parameter read, through a handle, through a handle with "
         "a\n"
         "parameter by its index. Memory: allocated once loaded, over the file's size.\n");
    printf("%-24s %8s %9s %9s %9s %9s %9s %9s %9s %9s %9s\n", "file", "entries", "load ms",
           "memory x", "measured", "in range", "beyond", "other dev", "+ value", "handle",
           "+ value");
    bool done = argc < 2 || measure(argv[1], argv[1]);
    done = measure("20 x 100 x 20 generated", path) && done;
    putchar('\n');
    done = measure_record(path) && done;
    unlink(path);
    for (int along = 2; along < 5; along++)
        time_boxes(along);
    return done ? 0 : 1;
}
