#include "tuner/cli/replays.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/clock.h"
#include "tuner/base/files.h"
#include "tuner/base/fill.h"
#include "tuner/base/pack.h"
#include "tuner/base/process.h"
#include "tuner/base/seal.h"
#include "tuner/cli/replaying.h"
#include "tuner/device/traits.h"
#include "tuner/session/binaries.h"
#include "tuner/worker/child.h"
#include "tuner/worker/worker.h"

enum { REPLAYS = 3 };
/* Counts that are drawn at random, or that threads add to in a race, differ from launch to launch
 * by this part of the magnitude at most; flags, indices and places differ by more. */
static const double integers_differ = 0.01;

/* Returns the largest difference, relative to the larger of the expected element and the root mean
 * square, as in checks. Infinite where one is no number that a program would compute with. */
static double difference_of(const struct captured_content *expected, const char *got, size_t bytes,
                            enum element_type type, double *mean_out)
{
    const size_t size = element_bytes(type), count = bytes / size;
    double squares = 0, largest = 0;
    uint64_t part = 0;
    for (size_t at = 0; at < bytes; at += part) {
        const char *piece = captured_part(expected, at, &part);
        for (size_t i = 0; i + size <= part; i += size) {
            const double real = element_to_real(piece + i, type);
            squares += isfinite(real) ? real * real : 0;
        }
    }
    const double mean = sqrt(squares / (double)(count ? count : 1));
    for (size_t at = 0; at < bytes; at += part) {
        const char *piece = captured_part(expected, at, &part);
        if (memcmp(piece, got + at, part) == 0)
            continue;
        for (size_t i = 0; i + size <= part; i += size) {
            const double a = element_to_real(piece + i, type);
            const double b = element_to_real(got + at + i, type);
            if (a == b || (isnan(a) && isnan(b)))
                continue;
            const double ratio = fabs(a - b) / fmax(fabs(a), mean);
            largest = isfinite(ratio) ? fmax(largest, ratio) : INFINITY;
        }
    }
    *mean_out = *mean_out > 0 ? fmin(*mean_out, mean) : mean;
    return largest;
}

/* Compares a vector, which may be as large as the memory, piece by piece. */
static void compare(const struct captured_vector *vector, const struct captured_content *expected,
                    const char *got, size_t bytes, struct finding *out)
{
    const size_t size = element_bytes(vector->type), count = bytes / size;
    uint64_t other = 0, part = 0;
    for (size_t at = 0; at < bytes; at += part) {
        const char *piece = captured_part(expected, at, &part);
        if (memcmp(piece, got + at, part) == 0)
            continue;
        for (size_t i = 0; i + size <= part; i += size)
            other += memcmp(piece + i, got + at + i, size) != 0;
    }
    out->elements = count > out->elements ? count : out->elements;
    if (other == 0)
        return;
    out->other = other > out->other ? other : out->other;
    out->were_reals = !vector->is_known && size == 4;
    const enum element_type type = out->were_reals ? ELEMENT_F32 : vector->type;
    const bool is_number = out->were_reals || (vector->is_known && size >= sizeof(int32_t));
    double difference =
        is_number ? difference_of(expected, got, bytes, type, &out->mean) : INFINITY;
    if (!element_is_real(type) && difference > integers_differ)
        difference = INFINITY;
    out->difference = fmax(out->difference, difference);
}

static size_t place_of(const struct launch_plan *plan, const char *name)
{
    size_t i = 0;
    while (i < plan->argument_count && strcmp(plan->arguments[i].name, name) != 0)
        i++;
    return i;
}

static bool take_inputs(struct replaying *replaying)
{
    for (size_t i = 0; i < replaying->plan.argument_count; i++) {
        const struct argument *argument = &replaying->plan.arguments[i];
        char *data = NULL;
        size_t bytes = 0;
        struct error why = {0};
        if (!role_is_filled(argument->role) || replaying->inputs[i])
            continue;
        const uint64_t count = (uint64_t)argument->count;
        const bool is_file = argument->fill == FILL_FILE;
        if (!is_file && replaying->api->generates &&
            replaying->api->generates(replaying->device, argument, &why))
            continue;
        if (is_file)
            TRY_OR_FALSE(file_read(&replaying->arena, argument->fill_text, SIZE_MAX / 2, &data,
                                   &bytes, replaying->error) == STATUS_OK);
        else if ((data = arena_alloc(&replaying->arena, count + 1, element_bytes(argument->type))))
            fill_vector(data, argument, 0, count);
        else
            TRY_OR_FALSE(error_no_memory(replaying->error) == STATUS_OK);
        replaying->inputs[i] = data;
    }
    return true;
}

/* Compiles the request, unless the cache has its binary, in which `tune run` finds it, too. */
static bool compile(struct replaying *replaying, const struct binary_request *request,
                    const char **path)
{
    const char *hash = NULL;
    const char *fresh = arena_printf(&replaying->arena, "%s/binary", replaying->folder.path);
    struct text log = {0};
    struct error *error = replaying->error;
    const bool is_placed = fresh && binary_cache_path(request, &replaying->facts, &replaying->arena,
                                                      path, &hash, error) == STATUS_OK;
    bool right = is_placed;
    if (is_placed && !file_exists(*path)) {
        right = replaying->api->compile(request, fresh, &log, error) == STATUS_OK &&
                seal_file(fresh, error) == STATUS_OK;
        if (right && rename(fresh, *path) != 0)
            *path = fresh; /* the cache cannot be written */
    }
    text_free(&log);
    return right;
}

bool replaying_prepare(struct replaying *replaying, const struct point *point)
{
    struct binary_request request;
    struct error *error = replaying->error;
    const char *binary = NULL;
    return point_binary(point, &replaying->arena, &request, error) == STATUS_OK &&
           point_plan(point, &replaying->arena, &replaying->plan, error) == STATUS_OK &&
           compile(replaying, &request, &binary) &&
           replaying->api->load(replaying->device, binary, error) == STATUS_OK &&
           take_inputs(replaying);
}

/* Prepares the default configuration at one size. */
static bool prepare_default(struct replaying *replaying, size_t problem)
{
    struct problem at;
    struct configuration configuration;
    experiment_problem(replaying->experiment, problem, &at);
    const struct point point = {replaying->experiment, &at, &replaying->facts, &configuration, 0};
    return experiment_default(replaying->experiment, &at, &replaying->facts, &configuration,
                              replaying->error) == STATUS_OK &&
           replaying_prepare(replaying, &point);
}

bool replaying_open(struct replaying *replaying, const struct unpacked *is, int index)
{
    static const struct warm_up none = {0};
    struct error *error = replaying->error;
    const char *folder = NULL, *scratch = NULL;
    const bool right =
        data_folder(&replaying->whole, &folder, error) == STATUS_OK &&
        scratch_prefix(&replaying->whole, &scratch, error) == STATUS_OK &&
        experiment_load_draft(text_string(&is->path), text_string(&is->text), is->text.length,
                              folder, &replaying->experiment, error) == STATUS_OK;
    replaying->folder.file = -1;
    replaying->api =
        right ? device_kind(experiment_head(replaying->experiment)->device->section) : NULL;
    return right && replaying->api &&
           replaying->api->describe(index, NULL, &replaying->facts, error) == STATUS_OK &&
           replaying->api->open(index, &none, &replaying->device, NULL, error) == STATUS_OK &&
           temporary_folder_make(scratch, &replaying->folder, error) == STATUS_OK;
}

bool replaying_run(struct replaying *replaying)
{
    double elapsed_ns = 0;
    return replaying->api->bind(replaying->device, &replaying->plan, replaying->inputs, 0, NULL,
                                replaying->error) == STATUS_OK &&
           replaying->api->run(replaying->device, &replaying->plan, RUN_FIRST, &elapsed_ns,
                               replaying->error) == STATUS_OK;
}

/* Reads the contents that the program's launch left; NULL with the error. */
static const void *left_by_program(struct replaying *replaying,
                                   const struct captured_buffer *buffer)
{
    void *data = arena_alloc(&replaying->arena, buffer->is.bytes, 1);
    if (data && captured_read(buffer->after, 0, buffer->is.bytes, data))
        return data;
    (void)error_no_memory(replaying->error);
    return NULL;
}

bool replaying_look(struct replaying *replaying, size_t vector, size_t launch, struct finding *out)
{
    const struct captured_vector *is = &replaying->set->vectors[vector];
    const struct captured_buffer *buffer = is->buffers[launch];
    const size_t bytes = buffer->is.bytes;
    const void *got = NULL;
    if (replaying->api->look(replaying->device, place_of(&replaying->plan, is->name), &got, bytes,
                             replaying->error) != STATUS_OK)
        return false;
    compare(is, buffer->after, got, bytes, out);
    return true;
}

/* Tells whether the launch's results stay the same when the written vector starts with poison and
 * with the program's results: poison that is a small number hardly changes a sum. */
static bool ignores_contents(struct replaying *replaying, size_t launch, size_t vector, bool *out)
{
    const struct captured_set *set = replaying->set;
    const size_t at = place_of(&replaying->plan, set->vectors[vector].name);
    struct argument *argument = &replaying->plan.arguments[at];
    const void *before = replaying->inputs[at];
    const void *after = left_by_program(replaying, set->vectors[vector].buffers[launch]);
    struct finding found[CAPTURED_POINTERS_MAX] = {0};
    TRY_OR_FALSE(after);
    *out = true;
    for (int start = 0; start < 2 && *out; start++) {
        argument->role = start == 0 ? ARGUMENT_OUTPUT : ARGUMENT_UPDATE;
        replaying->inputs[at] = start == 0 ? before : after;
        TRY_OR_FALSE(replaying_run(replaying));
        for (size_t w = 0; w < set->vector_count; w++) {
            TRY_OR_FALSE(!set->vectors[w].is_written ||
                         replaying_look(replaying, w, launch, &found[w]));
            *out = *out && found[w].other <= replaying->findings->items[w].other;
        }
    }
    replaying->inputs[at] = before;
    argument->role = *out ? ARGUMENT_OUTPUT : ARGUMENT_UPDATE;
    return true;
}

/* Tells whether the launch stays within its vectors: `tune run` would find no configuration right
 * otherwise. */
static bool stays_inside(struct replaying *replaying)
{
    char detail[ERROR_TEXT_BYTES] = "";
    bool intact = true;
    if (replaying->api->guards_intact(replaying->device, &replaying->plan, &intact, detail,
                                      sizeof detail, replaying->error) != STATUS_OK)
        return false;
    if (!intact)
        (void)error_set(replaying->error, STATUS_BAD_INPUT,
                        "%s: let the program allocate what the kernel writes, or the kernel test "
                        "its index",
                        detail);
    return intact;
}

/* Tells whether there is time for more launches; else something is left out. */
static bool has_time(const struct replaying *replaying, int launches)
{
    const bool has = clock_now_ns() + launches * replaying->step_ns < replaying->deadline_ns;
    replaying->findings->is_partial |= !has;
    return has;
}

/* Replays a launch three times unchanged, then with other contents of each written vector in turn:
 * at least once, and the others as there is time. */
static bool replay_launch(struct replaying *replaying, size_t launch)
{
    const struct captured_set *set = replaying->set;
    struct finding *items = replaying->findings->items;
    for (int k = 0; k < REPLAYS && (k == 0 || has_time(replaying, 1)); k++) {
        const int64_t begun_ns = clock_now_ns();
        TRY_OR_FALSE(replaying_run(replaying) && stays_inside(replaying));
        for (size_t v = 0; v < set->vector_count; v++)
            TRY_OR_FALSE(!set->vectors[v].is_written ||
                         replaying_look(replaying, v, launch, &items[v]));
        replaying->step_ns = clock_now_ns() - begun_ns;
    }
    for (size_t v = 0; v < set->vector_count; v++) {
        const size_t at = place_of(&replaying->plan, set->vectors[v].name);
        bool ignored = false;
        if (!set->vectors[v].is_written || replaying->plan.arguments[at].role != ARGUMENT_UPDATE ||
            items[v].other)
            continue;
        if (has_time(replaying, 3)) /* two, and an upload of the vector */
            TRY_OR_FALSE(ignores_contents(replaying, launch, v, &ignored));
        items[v].is_output = (launch == 0 || items[v].is_output) && ignored;
    }
    return true;
}

static void replay_all(void *context)
{
    const struct errand *errand = context;
    struct replay_findings *out = errand->shared;
    struct error error = {0};
    struct replaying replaying = {
        .set = errand->set, .findings = out, .deadline_ns = errand->deadline_ns, .error = &error};
    bool right = replaying_open(&replaying, errand->is, errand->index);
    for (size_t i = 0; right && i < errand->set->launch_count; i++) {
        if (i > 0 && !has_time(&replaying, 2))
            break;
        memset(replaying.inputs, 0, sizeof replaying.inputs);
        right = prepare_default(&replaying, i) && replay_launch(&replaying, i);
        arena_free(&replaying.arena);
    }
    temporary_folder_remove(&replaying.folder);
    out->status = right ? STATUS_OK : error.status;
    (void)string_format(out->text, sizeof out->text, "%s", right ? "" : error.text);
    out->is_whole = true;
}

/* Replays in a separate process, in which the state left by a failed driver ends. Returns
 * STATUS_TIMED_OUT without the time for one launch. */
static enum status replay_apart(const struct unpacked *is, int index,
                                const struct captured_set *set, int64_t deadline_ns,
                                struct replay_findings *out, struct error *error)
{
    struct errand errand = {is, set, index, deadline_ns, process_shared(sizeof *out)};
    TRY_MEMORY(errand.shared);
    const int64_t most_ns = deadline_ns - clock_now_ns();
    const int signal_number = most_ns > 0 ? process_apart(replay_all, &errand, most_ns) : 0;
    *out = *(struct replay_findings *)errand.shared;
    process_unshare(errand.shared, sizeof *out);
    if (!out->is_whole && clock_now_ns() >= deadline_ns)
        return STATUS_TIMED_OUT;
    if (!out->is_whole)
        return error_set(error, STATUS_BAD_INPUT,
                         "replayed as the program launched it, %.100s ends the process (signal %d)",
                         set->kernel->name, signal_number);
    return out->status == STATUS_OK
               ? STATUS_OK
               : error_set(error, out->status, "replayed as the program launched it: %s",
                           out->text);
}

/* ---- a draft without launches of a program ---- */

/* Tells whether all bytes are equal: poison (0xa5), or untouched. */
static bool is_all(const unsigned char *bytes, size_t count, unsigned char byte)
{
    for (size_t i = 0; i < count; i++)
        if (bytes[i] != byte)
            return false;
    return count > 0;
}

/* Lists signs in the default configuration's results that the kernel does not compute as intended.
 */
static bool find_faults(struct replaying *replaying, char text[ERROR_TEXT_BYTES])
{
    const struct launch_plan *plan = &replaying->plan;
    struct text found = {0};
    char detail[ERROR_TEXT_BYTES] = "";
    bool intact = true, right = true;
    right = replaying->api->guards_intact(replaying->device, plan, &intact, detail, sizeof detail,
                                          replaying->error) == STATUS_OK;
    if (right && !intact)
        text_printf(&found, "%s: its count is too small, or the grid too large", detail);
    for (size_t i = 0; right && i < plan->argument_count; i++) {
        const struct argument *argument = &plan->arguments[i];
        const size_t bytes = (size_t)argument->count * element_bytes(argument->type);
        const void *got = NULL;
        if (argument->role != ARGUMENT_OUTPUT)
            continue;
        right =
            replaying->api->look(replaying->device, i, &got, bytes, replaying->error) == STATUS_OK;
        if (right && is_all(got, bytes, POISON))
            text_printf(&found,
                        "%s%s is not written at all: a guard lets nothing pass, or it is "
                        "another argument that is written",
                        found.length ? "; " : "", argument->name);
        else if (right && is_all(got, bytes, 0))
            text_printf(&found, "%s%s is all zero", found.length ? "; " : "", argument->name);
    }
    (void)string_format(text, ERROR_TEXT_BYTES, "%s", text_string(&found));
    text_free(&found);
    return right;
}

static void try_all(void *context)
{
    const struct errand *errand = context;
    struct replay_findings *out = errand->shared;
    struct error error = {0};
    struct replaying replaying = {.findings = out, .error = &error};
    bool right = replaying_open(&replaying, errand->is, errand->index);
    out->is_tried = replaying.device; /* else there is none */
    right = right && prepare_default(&replaying, 0) && replaying_run(&replaying) &&
            find_faults(&replaying, out->text);
    temporary_folder_remove(&replaying.folder);
    out->status = right ? STATUS_OK : error.status;
    if (!right)
        (void)string_format(out->text, sizeof out->text, "%s", error.text);
    out->is_whole = true;
}

bool try_draft(const struct unpacked *is, int64_t deadline_ns, char text[ERROR_TEXT_BYTES])
{
    struct errand errand = {is, NULL, 0, deadline_ns,
                            process_shared(sizeof(struct replay_findings))};
    const struct replay_findings *shared = errand.shared;
    *text = '\0';
    if (!shared)
        return false;
    const bool tried =
        process_apart(try_all, &errand, deadline_ns - clock_now_ns()) >= 0 && shared->is_tried;
    if (tried)
        (void)string_format(text, ERROR_TEXT_BYTES, "%s",
                            shared->is_whole ? shared->text
                                             : "it ends the process, or does not end itself");
    process_unshare(errand.shared, sizeof *shared);
    return tried;
}

enum status replay_captured(const struct unpacked *is, const char *device, struct captured_set *set,
                            int64_t deadline_ns, enum replayed *replayed, struct error *error)
{
    const struct device_api *api = NULL;
    struct error ignored = {0};
    int index = 0; /* the first of several, or where none is named */
    if (device && device_parse(device, &api, &index, &ignored) != STATUS_OK)
        index = 0;
    struct replay_findings *findings = arena_alloc(set->arena, 1, sizeof *findings);
    *replayed = REPLAYED_NOWHERE;
    TRY_MEMORY(findings);
    enum status status = replay_apart(is, index, set, deadline_ns, findings, error);
    if (status == STATUS_UNAVAILABLE)
        return STATUS_OK;
    if (status == STATUS_TIMED_OUT) {
        *replayed = REPLAYED_LATE;
        return STATUS_OK;
    }
    if (status != STATUS_OK)
        return status;
    for (size_t v = 0; v < set->vector_count; v++) {
        const struct finding *finding = &findings->items[v];
        struct captured_vector *vector = &set->vectors[v];
        vector->is_output |= finding->is_output;
        if (finding->other == 0)
            continue;
        /* Another order of computing does not make a difference of a tenth. */
        if (!(finding->difference < 0.1))
            return error_set(error, STATUS_BAD_INPUT,
                             "%.100s: replayed as the program launched it, %llu of %s "
                             "of %s are not as the program left them, or not the same each time: "
                             "not deterministic, or it depends on data that was not captured",
                             set->kernel->name, (unsigned long long)finding->other,
                             count_text(finding->elements, "element").text, vector->name);
        if (finding->were_reals) {
            vector->is_known = true;
            vector->type = ELEMENT_F32;
        }
        vector->differs = finding->difference;
        vector->mean = finding->mean;
    }
    *replayed = findings->is_partial ? REPLAYED_IN_PART : REPLAYED;
    return STATUS_OK;
}
