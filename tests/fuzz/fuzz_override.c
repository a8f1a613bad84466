/* Any first line as TUNED_OVERRIDE, any bytes behind it as its tuned.conf: refused with a reason,
 * or answered with the first line's values if it names an entry. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "libtuned/tuned.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { OVERRIDE_BYTES = 4096 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct tuned_device device = {.kind = "cuda",
                                               .name = "NVIDIA H200",
                                               .compute_capability_major = 9,
                                               .unit_count = 132,
                                               .memory_bytes = 150754820096};
    char override[OVERRIDE_BYTES];
    struct tuned_error error = {0};
    const uint8_t *end = memchr(data, '\n', size);
    const size_t length = end ? (size_t)(end - data) : size;
    if (length >= sizeof override)
        return 0;
    memcpy(override, data, length);
    override[length] = '\0';
    if (setenv("TUNED_OVERRIDE", override, 1) != 0)
        abort();
    const struct tuned_options options = {.skip = TUNED_SKIP_USER | TUNED_SKIP_SYSTEM,
                                          .built_in = data + length + (end ? 1 : 0),
                                          .built_in_bytes = size - length - (end ? 1 : 0)};
    struct tuned *tuned = tuned_open(&options, &error);
    if (!tuned && error.text[0] == '\0')
        abort();
    for (size_t i = 0; tuned && i < tuned_entry_count(tuned); i++) {
        const struct tuned_entry *entry = tuned_entry_at(tuned, i);
        struct tuned_answer answer;
        struct tuned_launch launch;
        char reason[TUNED_REASON_BYTES];
        (void)tuned_find(tuned, &device, tuned_entry_problem(entry), tuned_entry_n(entry), &answer);
        tuned_reason(&answer, reason, sizeof reason);
        if (reason[0] == '\0' || (answer.entry && tuned_answer_launch(&answer, 0, &launch) &&
                                  (launch.grid[0] < 1 || launch.block[0] < 1)))
            abort();
    }
    tuned_free(tuned);
    return 0;
}
