/* Every struct that a caller passes to libtuned, between bytes that must stay unchanged. Compiled
 * with the header of an earlier library (canary.sh). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tuned.h>

static const char conf[] =
    "tuned-conf 4\n"
    "[cuda \"A\"] compute_capability=9.0 sm_count=132\n"
    "p n=1-100 m@5 block=64 grid=7 | at=50 launch.grid=\"ceil_div(n,block)\" launch.block=block "
    "formula.grid=\"ceil_div(n,block)\" source=abc\n"
    "end\n";

enum { GUARD = 256, BYTE = 0xa5 };

/* Returns zeroed memory for a struct, with guards on both sides. */
static void *guarded(size_t bytes)
{
    unsigned char *memory = malloc(bytes + 2 * GUARD);
    if (!memory)
        exit(2);
    memset(memory, BYTE, bytes + 2 * GUARD);
    memset(memory + GUARD, 0, bytes);
    return memory + GUARD;
}

static int is_intact(const void *of, size_t bytes)
{
    const unsigned char *memory = (const unsigned char *)of - GUARD;
    size_t i = 0;
    while (i < GUARD && memory[i] == BYTE && memory[GUARD + bytes + i] == BYTE)
        i++;
    return i == GUARD;
}

static int failures;

static void expect(int holds, const char *what)
{
    if (!holds) {
        printf("not so: %s\n", what);
        failures++;
    }
}
#define EXPECT(condition) expect((condition) != 0, #condition)

int main(void)
{
    struct tuned_error *error = guarded(sizeof *error);
    struct tuned_device *device = guarded(sizeof *device);
    struct tuned_options *options = guarded(sizeof *options);
    struct tuned_answer *answer = guarded(sizeof *answer);
    struct tuned_handle *handle = guarded(sizeof *handle);
    struct tuned_launch *launch = guarded(sizeof *launch);
    struct tuned_build *build = guarded(sizeof *build);
    struct tuned_size *sizes = guarded(sizeof *sizes);
    char *reason = guarded(TUNED_REASON_BYTES);
    options->skip = TUNED_SKIP_ENVIRONMENT | TUNED_SKIP_USER | TUNED_SKIP_SYSTEM;
    options->built_in = conf;
    options->built_in_bytes = sizeof conf - 1;
    struct tuned *tuned = tuned_open(options, error);
    device->kind = "cuda";
    device->name = "A";
    device->compute_capability_major = 9;
    device->unit_count = 132;
    sizes->name = "m";
    sizes->size = 5;
    EXPECT(tuned && error->text[0] == '\0');
    EXPECT(tuned_find_sizes(tuned, device, "p", 50, sizes, 1, answer) == TUNED_EXACT);
    EXPECT(answer->grade == TUNED_EXACT && answer->distance == 0 && answer->n == 50);
    EXPECT(tuned_resolve(tuned, device, "p", handle) == TUNED_EXACT);
    EXPECT(tuned_find_resolved_sizes(handle, 99, sizes, 1, answer) == TUNED_IN_RANGE);
    EXPECT(tuned_answer_integer(answer, "grid", 0) == 2);
    EXPECT(tuned_answer_launch(answer, 0, launch) && launch->grid[0] == 2);
    EXPECT(launch->block[0] == 64 && launch->cluster[2] == 1 && launch->shared_bytes == 0);
    build->source = "abd";
    EXPECT(tuned_stale(answer->entry, build, reason, TUNED_REASON_BYTES) == 1);
    tuned_reason(answer, reason, TUNED_REASON_BYTES);
    EXPECT(strcmp(reason, "tuned on A for n from 1 to 100 (measured at 50), m = 5") == 0);
    EXPECT(is_intact(error, sizeof *error) && is_intact(device, sizeof *device));
    EXPECT(is_intact(options, sizeof *options) && is_intact(answer, sizeof *answer));
    EXPECT(is_intact(handle, sizeof *handle) && is_intact(launch, sizeof *launch));
    EXPECT(is_intact(build, sizeof *build) && is_intact(sizes, sizeof *sizes));
    EXPECT(is_intact(reason, TUNED_REASON_BYTES));
    tuned_free(tuned);
    if (failures == 0)
        printf("header %s, library %s: all is as it was\n", TUNED_VERSION, tuned_version());
    return failures != 0;
}
