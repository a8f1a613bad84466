/* Survey of a space for a device that may be absent: compiled points, with the facts of binaries
 * and the occupancy calculator. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tuner/base/array.h"
#include "tuner/base/files.h"
#include "tuner/base/limits.h"
#include "tuner/base/text.h"
#include "tuner/cli/dry_run.h"
#include "tuner/experiment/domain.h"
#include "tuner/session/binaries.h"
#include "tuner/terminal/style.h"

/* Points that are looked at for a sample of binaries, and kinds of points that a table tells. */
enum { SAMPLE_POINTS = 100000, ROWS_MAX = 256, FAILURES_SHOWN = 5, LIBRARY_BYTES_MAX = 256 << 20 };

struct landscape {
    struct landscape_options options;
    struct binaries binaries;
    struct binaries references; /* libraries of checks, for the host */
    bool terminal;              /* standard error is one */
    struct error
        none; /* error of the first problem without a launchable point, or without a check */
};

static const char not_compiled[] = "does not compile: ";

/* Points of the same occupancy, or with the same reason against launching. */
struct row {
    char reason[160]; /* "": launchable */
    double occupancy;
    uint64_t points;
    int32_t registers[2]; /* least and most, of the first launch */
    int32_t shared[2];    /* static and dynamic */
    int32_t spill_most;
    uint64_t spilling;
};

/* One problem's. */
struct tally {
    struct landscape *landscape;
    const struct experiment *experiment;
    const struct problem *problem;
    const struct space *space;
    struct row rows[ROWS_MAX];
    size_t row_count;
    uint64_t looked_at;
    uint64_t alike; /* points that do the same as an earlier one */
    struct index doings;
    uint64_t doing_count;
    bool *used; /* for each binary: needed by a point of this problem */
    size_t used_room;
    size_t binary_count;
};

enum status landscape_start(const struct landscape_options *options, struct landscape **out,
                            struct error *error)
{
    struct landscape *landscape = calloc(1, sizeof *landscape);
    TRY_MEMORY(landscape);
    landscape->options = *options;
    struct machine machine;
    machine_describe(&machine);
    size_t cores = machine.cores > 1 ? (size_t)machine.cores : 1;
    size_t workers = options->workers > 0 ? options->workers : cores;
    enum status status = binaries_start(&landscape->binaries, host_local(), options->api->kind,
                                        workers, NULL, options->facts, error);
    if (status == STATUS_OK)
        status = binaries_start(&landscape->references, host_local(), device_host()->kind, 1, NULL,
                                options->facts, error);
    landscape->terminal = isatty(STDERR_FILENO);
    if (status == STATUS_OK)
        *out = landscape;
    else
        landscape_free(landscape);
    return status;
}

void landscape_free(struct landscape *landscape)
{
    if (!landscape)
        return;
    binaries_free(&landscape->references);
    binaries_free(&landscape->binaries);
    free(landscape);
}

/* Reads a kernel's resources with its launch from the binary. */
static enum status resources_of(struct landscape *landscape, size_t binary,
                                const struct launch *launch, struct kernel_resources *out,
                                struct error *error)
{
    if (launch->is_function) {
        *out = resources_unknown();
        return STATUS_OK;
    }
    if (!binaries_inspect(&landscape->binaries, binary, launch->kernel, out))
        return error_set(error, STATUS_UNAVAILABLE,
                         "kernel %s: its binary has none of that name (%s): where the source only "
                         "declares it, name the one that has its body",
                         launch->kernel, landscape->binaries.items[binary].path);
    return landscape->options.api->occupancy(landscape->options.facts, launch, out, error);
}

/* Waits for the point's binary. */
static enum status await_binary(struct landscape *landscape, const struct point *point,
                                struct arena *arena, size_t *binary, struct error *error)
{
    struct binary_request request;
    enum status status = point_binary(point, arena, &request, error);
    if (status == STATUS_OK)
        status = binaries_request(&landscape->binaries, &request, binary, error);
    return status == STATUS_OK ? binaries_await(&landscape->binaries, *binary, error) : status;
}

enum status landscape_active_blocks(struct landscape *landscape, const struct point *point,
                                    int64_t *active_blocks, struct error *error)
{
    struct arena arena = {0};
    struct launch kernels[LAUNCHES_MAX];
    struct kernel_resources resources = {.active_blocks_per_sm = 0};
    size_t binary = 0, count = 0;
    enum status status = await_binary(landscape, point, &arena, &binary, error);
    if (status == STATUS_OK)
        status = point_kernels(point, &arena, kernels, &count, error);
    if (status == STATUS_OK && count > 0)
        status = resources_of(landscape, binary, &kernels[0], &resources, error);
    *active_blocks = status == STATUS_OK ? resources.active_blocks_per_sm : 0;
    arena_free(&arena);
    return status;
}

enum status landscape_fits(struct landscape *landscape, const struct point *point,
                           const struct launch_plan *plan, struct error *error)
{
    struct arena arena = {0};
    size_t binary = 0;
    const struct device_api *api = landscape->options.api;
    enum status status = await_binary(landscape, point, &arena, &binary, error);
    if (status == STATUS_OK && api->arguments_fit)
        status = api->arguments_fit(landscape->binaries.items[binary].path, plan, error);
    arena_free(&arena);
    return status;
}

/* ---- checks ---- */

/* Tells whether the library of a reference has the function: in its table of names, a zero byte
 * ends each name. */
static enum status find_reference(const struct output_check *check, const char *library,
                                  struct arena *arena, struct error *error)
{
    char *bytes = NULL;
    size_t length = 0;
    const size_t name_length =
        strlen(check->reference) + 2; /* including the zero bytes around the name */
    char *name = arena_alloc(arena, name_length, 1);
    TRY(name ? file_read(arena, library, LIBRARY_BYTES_MAX, &bytes, &length, error)
             : error_no_memory(error));
    memcpy(name + 1, check->reference, name_length - 2);
    return memmem(bytes, length, name, name_length)
               ? STATUS_OK
               : error_set(error, STATUS_COMPILE_FAILED, "%s: no function '%s' in it",
                           check->binary.source_path, check->reference);
}

enum status landscape_checks(struct landscape *landscape, const struct point *point,
                             struct error *error)
{
    struct arena arena = {0};
    size_t count = 0;
    const char *part = "the check";
    struct output_check *checks = calloc(CHECKS_MAX, sizeof *checks);
    enum status status =
        checks ? point_checks(point, &arena, checks, &count, error) : error_no_memory(error);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        struct binaries *binaries =
            checks[i].kind == REFERENCE_PLAN ? &landscape->binaries : &landscape->references;
        size_t index = 0;
        if (checks[i].kind == REFERENCE_FILL)
            continue;
        /* Without a check the plan is the default configuration's. */
        part = checks[i].kind == REFERENCE_PLAN ? "the plan that makes the expected results"
                                                : "the reference that results are compared with";
        status = binaries_request(binaries, &checks[i].binary, &index, error);
        if (status == STATUS_OK)
            status = binaries_await(binaries, index, error);
        if (status == STATUS_OK && checks[i].kind == REFERENCE_FUNCTION)
            status = find_reference(&checks[i], binaries->items[index].path, &arena, error);
    }
    arena_free(&arena);
    free(checks);
    if (status != STATUS_COMPILE_FAILED && status != STATUS_BAD_INPUT)
        return status;
    const char *why = status == STATUS_BAD_INPUT ? "cannot be made" : "does not compile";
    /* The first is the command's error, which says why. */
    if (landscape->none.status != STATUS_OK && !strstr(landscape->none.text, error->text))
        print_clean(stdout, "      the check %s: %s\n", why, error->text);
    else
        print_clean(stdout, "      the check %s\n", why);
    if (landscape->none.status == STATUS_OK)
        (void)error_set(&landscape->none, STATUS_NOT_FOUND, "%s: %s %s: %s",
                        problem_title(point->problem).text, part, why, error->text);
    error_clear(error);
    return STATUS_OK;
}

/* ---- which points ---- */

/* Chooses the step through all points that spreads any beginning of the way over the space. */
static uint64_t stride_of(uint64_t count)
{
    uint64_t stride = (uint64_t)((double)count * 0.6180339887);
    while (stride > 1 && common_divisor(stride, count) != 1)
        stride--;
    return stride > 0 ? stride : 1;
}

static bool mark_used(struct tally *tally, size_t binary)
{
    if (binary >= tally->used_room) {
        const size_t before = tally->used_room;
        if (!array_grow_by(&tally->used, before, binary + 1 - before, &tally->used_room,
                           sizeof *tally->used))
            return false;
        memset(tally->used + before, 0, (tally->used_room - before) * sizeof *tally->used);
    }
    tally->binary_count += !tally->used[binary];
    tally->used[binary] = true;
    return true;
}

/* Calls `each` with every examined point, in the same order each time: a sample begins with the
 * default configuration, which the author expects to work. */
static enum status for_points(struct tally *tally,
                              enum status (*each)(struct tally *tally, const struct point *point,
                                                  struct arena *arena, struct error *error),
                              struct error *error)
{
    const struct landscape_options *options = &tally->landscape->options;
    const uint64_t count = space_count(tally->space), stride = stride_of(count);
    const bool all = options->binary_most == 0 || count < SAMPLE_POINTS;
    const uint64_t sample = all ? count : SAMPLE_POINTS;
    const uint64_t most =
        options->point_most > 0 && options->point_most < sample ? options->point_most : sample;
    uint64_t number = 0;
    struct configuration usual;
    enum status status = experiment_default(tally->experiment, tally->problem,
                                            tally->landscape->options.facts, &usual, error);
    if (status != STATUS_OK || !space_find(tally->space, &usual, &number))
        number = 0; /* reported where the number is used */
    error_clear(error);
    status = STATUS_OK;
    for (uint64_t i = 0; i < most && status == STATUS_OK; i++) {
        struct configuration configuration;
        struct arena arena = {0};
        space_configuration(tally->space, number, &configuration);
        const struct point point = {.experiment = tally->experiment,
                                    .problem = tally->problem,
                                    .facts = tally->landscape->options.facts,
                                    .configuration = &configuration};
        status = each(tally, &point, &arena, error);
        arena_free(&arena);
        number = number >= count - stride ? number - (count - stride) : number + stride;
    }
    return status;
}

/* Requests the point's binary, while more binaries are allowed. */
static enum status request_point(struct tally *tally, const struct point *point,
                                 struct arena *arena, struct error *error)
{
    struct binaries *binaries = &tally->landscape->binaries;
    size_t most = tally->landscape->options.binary_most;
    struct binary_request request;
    size_t binary = 0;
    enum status status = point_binary(point, arena, &request, error);
    if (status == STATUS_OK)
        status = binaries_know(binaries, &request, &binary, error);
    if (status == STATUS_BAD_INPUT) { /* counted later, without a binary */
        error_clear(error);
        return STATUS_OK;
    }
    TRY(status);
    bool used = binary < tally->used_room && tally->used[binary];
    if (!used && most > 0 && tally->binary_count >= most)
        return STATUS_OK;
    TRY(binaries_request(binaries, &request, &binary, error));
    TRY_MEMORY(mark_used(tally, binary));
    return binaries_collect(binaries, 0, error);
}

/* Draws the compilers' progress on a terminal; with done 0, clears the line. */
static void draw(const struct tally *tally, size_t done)
{
    if (tally->landscape->terminal && done > 0)
        (void)fprintf(stderr, "\r\033[K%s: %zu of %zu binaries", problem_title(tally->problem).text,
                      done, tally->binary_count);
    else if (tally->landscape->terminal)
        (void)fprintf(stderr, "\r\033[K");
}

/* ---- ranges of facts ---- */

static void widen(int32_t range[2], int64_t value)
{
    int32_t number = value > INT32_MAX ? INT32_MAX : (int32_t)value;
    range[0] = number < range[0] ? number : range[0];
    range[1] = number > range[1] ? number : range[1];
}

static struct row *row_of(struct tally *tally, const char *reason, double occupancy)
{
    for (size_t i = 0; i < tally->row_count; i++) {
        struct row *row = &tally->rows[i];
        if (strcmp(row->reason, reason) == 0 && (*reason || row->occupancy == occupancy))
            return row;
    }
    size_t place = tally->row_count < ROWS_MAX ? tally->row_count++ : ROWS_MAX - 1;
    struct row *row = &tally->rows[place];
    if (row->points == 0) {
        *row = (struct row){
            .occupancy = occupancy, .registers = {INT32_MAX, -1}, .shared = {INT32_MAX, -1}};
        (void)string_format(row->reason, sizeof row->reason, "%s", reason);
    }
    return row;
}

static void append_reason(const struct facts *facts, const struct launch *launch,
                          const struct kernel_resources *resources, char *out, size_t bytes)
{
    int64_t threads = facts_integer(facts, "max_threads_per_block", 1024);
    int64_t optin = facts_integer(facts, "shared_bytes_per_block_optin", 0);
    int64_t shared = (int64_t)launch->shared_bytes +
                     (resources->static_shared_bytes > 0 ? resources->static_shared_bytes : 0);
    if (launch_cluster_blocks(launch) > 1)
        (void)string_format(out, bytes,
                            "no cluster of %u such blocks fits on a device of compute capability "
                            "%s",
                            launch_cluster_blocks(launch),
                            facts_text(facts, "compute_capability", "unknown"));
    else if (launch_block_threads(launch) > threads)
        (void)string_format(out, bytes, "more than %lld threads per block", (long long)threads);
    else if (resources->max_threads_per_block > 0 &&
             launch_block_threads(launch) > (uint32_t)resources->max_threads_per_block)
        (void)string_format(out, bytes, "more threads per block than the kernel is bound to");
    else if (shared > optin)
        (void)string_format(out, bytes, "more than %lld bytes of shared memory per block",
                            (long long)optin);
    else
        (void)string_format(out, bytes, "more registers than a block can have");
}

/* Returns the index of the launch with the most threads. */
static size_t largest_launch(const struct launch_plan *plan)
{
    size_t largest = 0;
    double most = 0;
    for (size_t i = 0; i < plan->launch_count; i++) {
        const struct launch *launch = &plan->launches[i];
        const double threads = (double)launch->grid[0] * launch->grid[1] * launch->grid[2] *
                               launch_block_threads(launch);
        if (threads > most) {
            most = threads;
            largest = i;
        }
    }
    return largest;
}

/* Counts a kernel's resources into the row. */
static void widen_row(struct row *row, const struct kernel_resources *resources,
                      const struct launch *kernel)
{
    if (resources->registers < 0)
        return;
    widen(row->registers, resources->registers);
    widen(row->shared, (int64_t)resources->static_shared_bytes + kernel->shared_bytes);
    if (resources->spill_bytes > row->spill_most)
        row->spill_most = resources->spill_bytes;
}

/* Counts the point as launchable if each of its kernels is, into the row of the occupancy of its
 * largest launch. */
static enum status count_launchable(struct tally *tally, const struct point *point, size_t binary,
                                    struct arena *arena, struct error *error)
{
    struct launch kernels[LAUNCHES_MAX];
    struct kernel_resources resources[LAUNCHES_MAX];
    const struct facts *facts = tally->landscape->options.facts;
    const struct launch_limits limits = launch_limits(facts);
    struct launch_plan *plan = arena_alloc(arena, 1, sizeof *plan);
    char reason[160] = "";
    size_t count = 0;
    TRY_MEMORY(plan);
    TRY(point_kernels(point, arena, kernels, &count, error));
    for (size_t i = 0; i < count; i++) {
        TRY(resources_of(tally->landscape, binary, &kernels[i], &resources[i], error));
        if (resources[i].active_blocks_per_sm == 0 && !*reason)
            append_reason(facts, &kernels[i], &resources[i], reason, sizeof reason);
    }
    if (count == 0)
        return STATUS_OK;
    struct point whole = *point;
    whole.active_blocks = resources[0].active_blocks_per_sm;
    if (!*reason)
        TRY(point_plan(&whole, arena, plan, error));
    for (size_t i = 0; !*reason && i < count; i++)
        (void)launch_refused(&plan->launches[i], &limits, resources[i].active_blocks_per_sm, reason,
                             sizeof reason);
    const size_t largest = *reason ? 0 : largest_launch(plan);
    struct row *row = row_of(tally, reason, resources[largest].occupancy);
    bool is_spilling = false;
    row->points++;
    for (size_t i = 0; i < count; i++) {
        widen_row(row, &resources[i], &kernels[i]);
        is_spilling = is_spilling || resources[i].spill_bytes > 0;
    }
    row->spilling += is_spilling;
    if (*reason)
        return STATUS_OK;
    /* An earlier point may have the same code and launches. */
    const struct binary *built = &tally->landscape->binaries.items[binary];
    const bool by_code = built->code_hash[0] != '\0';
    const uint64_t doing = plan_hash(plan, by_code ? built->code_hash : built->hash, by_code);
    size_t before = 0;
    if (index_find(&tally->doings, doing, &before))
        tally->alike++;
    else
        TRY_MEMORY(index_put(&tally->doings, doing, tally->doing_count++));
    return STATUS_OK;
}

/* Counts a point whose expressions have no possible value, and goes on: a run skips such a point,
 * too. */
static enum status count_impossible(struct tally *tally, struct error *error)
{
    const char *path = experiment_head(tally->experiment)->path;
    const char *why = error->text;
    char reason[160], line[16] = "";
    int length = 0;
    if (strncmp(why, path, strlen(path)) == 0 &&
        sscanf(why + strlen(path), ":%15[0-9]:%*[0-9]: %n", line, &length) == 1 && length > 0)
        (void)string_format(reason, sizeof reason, "%s (line %s)", why + strlen(path) + length,
                            line);
    else
        (void)string_format(reason, sizeof reason, "%s", why);
    row_of(tally, reason, 0)->points++;
    error_clear(error);
    return STATUS_OK;
}

static enum status count_point(struct tally *tally, const struct point *point, struct arena *arena,
                               struct error *error)
{
    struct binaries *binaries = &tally->landscape->binaries;
    struct binary_request request;
    size_t index = 0;
    enum status status = point_binary(point, arena, &request, error);
    if (status == STATUS_OK)
        status = binaries_know(binaries, &request, &index, error);
    if (status == STATUS_BAD_INPUT)
        return count_impossible(tally, error);
    if (status != STATUS_OK || index >= tally->used_room || !tally->used[index])
        return status;
    const struct binary *binary = &binaries->items[index];
    tally->looked_at++;
    if (binary->state != BINARY_FAILED) {
        status = count_launchable(tally, point, index, arena, error);
        return status == STATUS_BAD_INPUT ? count_impossible(tally, error) : status;
    }
    char reason[160];
    (void)string_format(reason, sizeof reason, "%s%s", not_compiled, binary->detail);
    row_of(tally, reason, 0)->points++;
    return STATUS_OK;
}

/* ---- the table ---- */

static int by_occupancy(const void *a, const void *b)
{
    const struct row *one = a;
    const struct row *other = b;
    if (!*one->reason != !*other->reason)
        return *one->reason ? 1 : -1;
    if (*one->reason)
        return one->points < other->points ? 1 : one->points > other->points ? -1 : 0;
    return one->occupancy < other->occupancy ? 1 : one->occupancy > other->occupancy ? -1 : 0;
}

static void print_range(const int32_t range[2], int width)
{
    char text[32] = "-";
    if (range[1] >= 0 && range[0] == range[1])
        (void)string_format(text, sizeof text, "%d", range[0]);
    else if (range[1] >= 0)
        (void)string_format(text, sizeof text, "%d-%d", range[0], range[1]);
    print_clean(stdout, "  %*s", width, text);
}

static size_t distinct_codes(const struct tally *tally)
{
    const struct binaries *binaries = &tally->landscape->binaries;
    struct index codes = {0};
    size_t count = 0;
    for (size_t i = 0; i < binaries->count && i < tally->used_room; i++) {
        const char *code = binaries->items[i].code_hash;
        size_t before = 0;
        uint64_t number = hash_u64(code, strlen(code), 0);
        if (tally->used[i] && *code && !index_find(&codes, number, &before) &&
            index_put(&codes, number, i))
            count++;
    }
    index_free(&codes);
    return count;
}

/* Counts failures among the points examined. */
static uint64_t failed_points(const struct tally *tally)
{
    uint64_t failed = 0;
    for (size_t i = 0; i < tally->row_count; i++)
        if (strncmp(tally->rows[i].reason, not_compiled, strlen(not_compiled)) == 0)
            failed += tally->rows[i].points;
    return failed;
}

static void print_table(struct tally *tally)
{
    size_t failures = 0;
    const uint64_t failed = failed_points(tally);
    /* The command's own error will contain this reason. */
    if (failed > 0 && failed == tally->looked_at && tally->row_count == 1) {
        const char *why = tally->rows[0].reason + strlen(not_compiled);
        const bool is_printed = strstr(tally->landscape->none.text, why) != NULL;
        print_clean(stdout, "      none of %s compiles%s%s\n", count_text(failed, "point").text,
                    is_printed ? "" : ": ", is_printed ? "" : why);
        return;
    }
    /* A host function has none of a kernel's resources. */
    const bool of_functions = tally->row_count > 0 && tally->rows[0].occupancy < 0;
    printf("      compiled: %llu of these points; binaries: %zu; ",
           (unsigned long long)(tally->looked_at - failed), tally->binary_count);
    if (!of_functions)
        printf("different machine codes: %zu; ", distinct_codes(tally));
    printf("points that repeat another: %llu\n", (unsigned long long)tally->alike);
    if (!of_functions)
        print_clean(stdout, "      %9s  %8s  %9s  %13s  %8s  %11s\n", "occupancy", "points",
                    "registers", "shared bytes", "spilling", "spill bytes");
    for (size_t i = 0; i < tally->row_count; i++) {
        const struct row *row = &tally->rows[i];
        if (*row->reason && failures++ < FAILURES_SHOWN)
            print_clean(stdout, "      %9s  %8llu  %s\n", "none", (unsigned long long)row->points,
                        row->reason);
        if (*row->reason || of_functions)
            continue;
        printf("      %7.1f %%  %8llu", 100 * row->occupancy, (unsigned long long)row->points);
        print_range(row->registers, 9);
        print_range(row->shared, 13);
        printf("  %8llu  %11d\n", (unsigned long long)row->spilling, row->spill_most);
    }
    if (failures > FAILURES_SHOWN)
        printf("      and %s why there is none\n",
               count_text(failures - FAILURES_SHOWN, "more reason").text);
}

/* Compares rows: those without a reason come first, then the most frequent one. */
static void note_failure(const struct tally *tally)
{
    struct landscape *landscape = tally->landscape;
    bool none = tally->row_count > 0 && *tally->rows[0].reason;
    if (none && landscape->none.status == STATUS_OK && failed_points(tally) == tally->looked_at)
        (void)error_set(&landscape->none, STATUS_NOT_FOUND, "%s: none of %s compiles: %s",
                        problem_title(tally->problem).text,
                        count_text(tally->looked_at, "point").text,
                        tally->rows[0].reason + strlen(not_compiled));
    else if (none && landscape->none.status == STATUS_OK)
        (void)error_set(&landscape->none, STATUS_NOT_FOUND,
                        "%s: none of %s that compiled can be launched; the most frequent reason: "
                        "%s",
                        problem_title(tally->problem).text,
                        count_text(tally->looked_at, "point").text, tally->rows[0].reason);
}

enum status landscape_judge(const struct landscape *landscape, struct error *error)
{
    if (landscape && landscape->none.status != STATUS_OK)
        *error = landscape->none;
    return landscape ? landscape->none.status : STATUS_OK;
}

enum status landscape_print(struct landscape *landscape, const struct experiment *experiment,
                            const struct problem *problem, const struct space *space,
                            struct error *error)
{
    struct tally *tally = calloc(1, sizeof *tally);
    TRY_MEMORY(tally);
    tally->landscape = landscape;
    tally->experiment = experiment;
    tally->problem = problem;
    tally->space = space;
    (void)fflush(stdout);
    enum status status = for_points(tally, request_point, error);
    if (status == STATUS_OK) {
        size_t done = 0;
        for (size_t i = 0; i < tally->used_room && status == STATUS_OK; i++) {
            if (tally->used[i])
                draw(tally, ++done);
            if (tally->used[i] &&
                binaries_await(&tally->landscape->binaries, i, error) != STATUS_OK &&
                error->status != STATUS_COMPILE_FAILED)
                status = error->status;
            else
                error_clear(error);
        }
        draw(tally, 0);
    }
    if (status == STATUS_OK)
        status = for_points(tally, count_point, error);
    if (status == STATUS_OK) {
        qsort(tally->rows, tally->row_count, sizeof *tally->rows, by_occupancy);
        note_failure(tally);
        print_table(tally);
    }
    index_free(&tally->doings);
    free(tally->used);
    free(tally);
    return status;
}
