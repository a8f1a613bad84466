/* Any bytes as a tuned.conf: refused with a reason, or usable for look-ups. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "libtuned/tuned.h"

/* Returns true if a section's heading has a word of an entry's needs, which libtuned gives as
 * evidence of the section's entries, and does not take for their needs. */
static bool heading_has_needs(const char *data, size_t size)
{
    static const char *const words[] = {"threads=", "shared_bytes=", "registers="};
    for (const char *line = data, *end = data + size; line < end;) {
        const char *next = memchr(line, '\n', (size_t)(end - line));
        next = next ? next + 1 : end;
        for (size_t i = 0; *line == '[' && i < sizeof words / sizeof *words; i++)
            if (memmem(line, (size_t)(next - line), words[i], strlen(words[i])))
                return true;
        line = next;
    }
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Tells whether a given entry could be launched, as far as a file of version 3 or 4 has its needs.
 */
static bool fits(const struct tuned_entry *entry, const struct tuned_device *device)
{
    double threads = tuned_evidence(entry, "threads", 0);
    return (device->max_threads_per_block == 0 || threads <= device->max_threads_per_block) &&
           (device->max_shared_bytes == 0 ||
            tuned_evidence(entry, "shared_bytes", 0) <= (double)device->max_shared_bytes) &&
           (device->registers_per_unit == 0 ||
            tuned_evidence(entry, "registers", 0) * threads <= device->registers_per_unit);
}

static void ask(const struct tuned *tuned, const struct tuned_device *device, const char *problem,
                long long n, bool has_limits)
{
    static const struct tuned_size sizes[] = {{"k", 50}, {"m", 64}};
    struct tuned_answer answer, resolved;
    struct tuned_handle handle;
    char reason[TUNED_REASON_BYTES];
    enum tuned_grade most = tuned_resolve(tuned, device, problem, &handle);
    for (size_t count = 0; count <= 2; count += 2) {
        enum tuned_grade grade = tuned_find_sizes(tuned, device, problem, n, sizes, count, &answer);
        if ((grade == TUNED_NONE) != (answer.entry == NULL) || grade > most ||
            tuned_find_resolved_sizes(&handle, n, sizes, count, &resolved) != grade ||
            resolved.entry != answer.entry)
            abort();
        tuned_reason(&answer, reason, sizeof reason);
        if (reason[0] == '\0')
            abort();
        if (!answer.entry)
            continue;
        long long first = 0, last = 0;
        bool within = n >= tuned_entry_n_low(answer.entry) && n <= tuned_entry_n_high(answer.entry);
        bool has_sizes = tuned_entry_size_at(answer.entry, 0, &first, &last) != NULL;
        if ((grade >= TUNED_IN_RANGE && !within) ||
            (grade == TUNED_NEAREST_SIZE && within && !has_sizes) ||
            (has_limits && !fits(answer.entry, device)))
            abort();
        (void)tuned_answer_integer(&answer, "grid", 1);
        for (int i = -1; i < 3; i++) {
            struct tuned_launch launch;
            if (tuned_answer_launch(&answer, i, &launch) &&
                (launch.grid[0] < 1 || launch.block[2] < 1 || launch.cluster[1] < 1 ||
                 launch.shared_bytes < 0))
                abort();
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct tuned_device devices[] = {
        {.kind = "cuda",
         .name = "NVIDIA H200",
         .compute_capability_major = 9,
         .unit_count = 132,
         .memory_bytes = 150754820096},
        {.kind = "cuda",
         .name = "another",
         .compute_capability_major = 9,
         .unit_count = 66,
         .bandwidth_gbs = 2000,
         .max_threads_per_block = 512,
         .max_shared_bytes = 49152,
         .registers_per_unit = 65536},
        {.kind = "cpu", .name = "A CPU", .unit_count = 8},
    };
    struct tuned_error error = {0};
    struct tuned *tuned = tuned_load_memory(data, size, "f", &error);
    if (!tuned) {
        if (error.text[0] == '\0')
            abort();
        return 0;
    }
    bool has_limits =
        size > 12 && !heading_has_needs((const char *)data, size) &&
        (memcmp(data, "tuned-conf 3", 12) == 0 || memcmp(data, "tuned-conf 4", 12) == 0);
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
        for (long long n = 1; n < 1LL << 40; n *= 1000) {
            ask(tuned, &devices[i], "reduce.sum.i32", n, has_limits);
            ask(tuned, &devices[i], "gemm", n, has_limits);
        }
    for (size_t i = 0; i < tuned_entry_count(tuned); i++) {
        const struct tuned_entry *entry = tuned_entry_at(tuned, i);
        long long n = tuned_entry_n(entry);
        struct tuned_answer answer;
        if (n < tuned_entry_n_low(entry) || n > tuned_entry_n_high(entry) ||
            /* "*" is no device to look up; a device may lack the needs of its own entries. */
            (strcmp(tuned_entry_device(entry)->name, "*") != 0 &&
             !tuned_evidence_text(entry, "capability", NULL) &&
             !tuned_evidence_text(entry, "cluster", NULL) &&
             !tuned_evidence_text(entry, "capabilities", NULL) &&
             !tuned_text(entry, "cluster", NULL) && !tuned_text(entry, "cluster_size", NULL) &&
             tuned_find(tuned, tuned_entry_device(entry), tuned_entry_problem(entry), n, &answer) <
                 TUNED_NEAREST_SIZE))
            abort();
        const struct tuned_build have = {"a", "b", "c", "d", {NULL}};
        char reason[TUNED_REASON_BYTES];
        long long low = 0, high = 0;
        (void)tuned_stale(entry, &have, reason, sizeof reason);
        for (size_t j = 0; j < tuned_value_count(entry); j++) {
            const char *name = NULL, *value = NULL;
            tuned_value_at(entry, j, &name, &value);
            int index = tuned_value_index(tuned, name);
            if (index < 0 || tuned_text_at(entry, index, NULL) != value)
                abort();
            (void)tuned_real_at(entry, index, 0);
        }
        for (size_t j = 0; tuned_entry_size_at(entry, j, &low, &high); j++)
            if (low > high)
                abort();
    }
    tuned_free(tuned);
    return 0;
}
