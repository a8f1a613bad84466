#include "tuner/cli/replays.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/clock.h"
#include "tuner/base/files.h"
#include "tuner/base/fill.h"
#include "tuner/base/pack.h"
#include "tuner/base/process.h"
#include "tuner/base/seal.h"
#include "tuner/base/temporary.h"
#include "tuner/device/device.h"
#include "tuner/device/traits.h"
#include "tuner/experiment/experiment.h"
#include "tuner/experiment/point.h"
#include "tuner/session/binaries.h"
#include "tuner/worker/child.h"
#include "tuner/worker/worker.h"

enum { REPLAYS = 3 };
/* Counts that are drawn at random, or that threads add to in a race, differ from launch to launch
 * by this part of the magnitude at most; flags, indices and places differ by more. */
static const double integers_differ = 0.01;
/* Time limits of all launches: these are the program's own, and so end. */
static const int64_t try_patience_ns = INT64_C(30) * 1000000000;
static const int64_t patience_ns = INT64_C(600) * 1000000000;
static const int64_t values_ns = INT64_C(20) * 1000000000; /* all values of all parameters */

/* Findings of replays about a vector, over all launches. */
struct finding {
    uint64_t elements,
        other;         /* elements replayed, and those of these that differ from the program's */
    double difference; /* largest difference by magnitude; infinite: not of an order or of chance */
    bool is_output;    /* earlier contents do not matter */
    bool were_reals;   /* words of no known type, which would be reals */
};
struct replay_findings {
    bool is_tried; /* there is a device */
    bool is_whole; /* else the process ended before all was told */
    enum status status;
    char text[ERROR_TEXT_BYTES];
    struct finding items[CAPTURED_POINTERS_MAX];
};

enum { PIECE_BYTES = CAP_BLOCK_BYTES };

/* Reads the next piece of expected elements. Returns its bytes; 0 behind the last. */
static size_t read_piece(const struct captured_content *expected, size_t bytes, size_t at,
                         void *out)
{
    const size_t left = bytes - at, part = left < PIECE_BYTES ? left : PIECE_BYTES;
    return captured_read(expected, at, part, out) ? part : 0;
}

/* Returns the largest difference, relative to the larger of the expected element and the root mean
 * square, as in checks. Infinite where one is no number that a program would compute with. */
static double difference_of(const struct captured_content *expected, const char *got, size_t bytes,
                            enum element_type type)
{
    _Alignas(16) char piece[PIECE_BYTES];
    const size_t size = element_bytes(type), count = bytes / size;
    double squares = 0, largest = 0;
    size_t part = 0;
    for (size_t at = 0; (part = read_piece(expected, bytes, at, piece)) > 0; at += part)
        for (size_t i = 0; i + size <= part; i += size) {
            const double real = element_to_real(piece + i, type);
            squares += isfinite(real) ? real * real : 0;
        }
    const double mean = sqrt(squares / (double)(count ? count : 1));
    for (size_t at = 0; (part = read_piece(expected, bytes, at, piece)) > 0; at += part) {
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
    return largest;
}

/* Compares a vector, which may be as large as the memory, piece by piece. */
static void compare(const struct captured_vector *vector, const struct captured_content *expected,
                    const char *got, size_t bytes, struct finding *out)
{
    _Alignas(16) char piece[PIECE_BYTES];
    const size_t size = element_bytes(vector->type), count = bytes / size;
    uint64_t other = 0;
    size_t part = 0;
    for (size_t at = 0; (part = read_piece(expected, bytes, at, piece)) > 0; at += part) {
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
    double difference = is_number ? difference_of(expected, got, bytes, type) : INFINITY;
    if (!element_is_real(type) && difference > integers_differ)
        difference = INFINITY;
    out->difference = fmax(out->difference, difference);
}

/* One launch in a separate process. */
struct replaying {
    const struct device_api *api;
    struct device *device;
    const struct captured_set *set;
    struct experiment *experiment;
    struct facts facts;
    struct arena whole, arena; /* for all launches, for one */
    struct temporary folder;   /* for binaries */
    struct launch_plan plan;
    const void *inputs[ARGUMENTS_MAX];
    struct replay_findings *findings;
    struct error *error;
};

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

/* Prepares the configuration's binary and plan. */
static bool prepare(struct replaying *replaying, const struct point *point)
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
           prepare(replaying, &point);
}

/* Opens the draft and the device. `index`: of the device. */
static bool open_draft(struct replaying *replaying, const struct unpacked *is, int index)
{
    static const struct warm_up none = {0};
    struct error *error = replaying->error;
    const char *folder = NULL, *scratch = NULL;
    const bool right =
        data_folder(&replaying->whole, &folder, error) == STATUS_OK &&
        scratch_prefix(&replaying->whole, &scratch, error) == STATUS_OK &&
        experiment_load_text(text_string(&is->path), text_string(&is->text), is->text.length,
                             folder, &replaying->experiment, error) == STATUS_OK;
    replaying->folder.file = -1;
    replaying->api =
        right ? device_kind(experiment_head(replaying->experiment)->device->section) : NULL;
    return right && replaying->api &&
           replaying->api->describe(index, NULL, &replaying->facts, error) == STATUS_OK &&
           replaying->api->open(index, &none, &replaying->device, NULL, error) == STATUS_OK &&
           temporary_folder_make(scratch, &replaying->folder, error) == STATUS_OK;
}

static bool run(struct replaying *replaying)
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

static bool look_at(struct replaying *replaying, size_t vector, size_t launch, struct finding *out)
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
        TRY_OR_FALSE(run(replaying));
        for (size_t w = 0; w < set->vector_count; w++) {
            TRY_OR_FALSE(!set->vectors[w].is_written || look_at(replaying, w, launch, &found[w]));
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

/* Replays a launch three times unchanged, then with other contents of each written vector in turn.
 */
static bool replay_launch(struct replaying *replaying, size_t launch)
{
    const struct captured_set *set = replaying->set;
    struct finding *items = replaying->findings->items;
    for (int k = 0; k < REPLAYS; k++) {
        TRY_OR_FALSE(run(replaying) && stays_inside(replaying));
        for (size_t v = 0; v < set->vector_count; v++)
            TRY_OR_FALSE(!set->vectors[v].is_written || look_at(replaying, v, launch, &items[v]));
    }
    for (size_t v = 0; v < set->vector_count; v++) {
        const size_t at = place_of(&replaying->plan, set->vectors[v].name);
        bool ignored = false;
        if (!set->vectors[v].is_written || replaying->plan.arguments[at].role != ARGUMENT_UPDATE ||
            items[v].other)
            continue;
        TRY_OR_FALSE(ignores_contents(replaying, launch, v, &ignored));
        items[v].is_output = (launch == 0 || items[v].is_output) && ignored;
    }
    return true;
}

/* A child's task, and its results in shared memory. */
struct errand {
    const struct unpacked *is;
    const struct captured_set *set;
    int index; /* the device's */
    void *shared;
};

static void replay_all(void *context)
{
    const struct errand *errand = context;
    struct replay_findings *out = errand->shared;
    struct error error = {0};
    struct replaying replaying = {.set = errand->set, .findings = out, .error = &error};
    bool right = open_draft(&replaying, errand->is, errand->index);
    for (size_t i = 0; right && i < errand->set->launch_count; i++) {
        memset(replaying.inputs, 0, sizeof replaying.inputs);
        right = prepare_default(&replaying, i) && replay_launch(&replaying, i);
        arena_free(&replaying.arena);
    }
    temporary_folder_remove(&replaying.folder);
    out->status = right ? STATUS_OK : error.status;
    (void)string_format(out->text, sizeof out->text, "%s", right ? "" : error.text);
    out->is_whole = true;
}

/* Replays in a separate process, in which the state left by a failed driver ends. */
static enum status replay_apart(const struct unpacked *is, int index,
                                const struct captured_set *set, struct replay_findings *out,
                                struct error *error)
{
    struct errand errand = {is, set, index, process_shared(sizeof *out)};
    TRY_MEMORY(errand.shared);
    const int signal_number = process_apart(replay_all, &errand, patience_ns);
    *out = *(struct replay_findings *)errand.shared;
    process_unshare(errand.shared, sizeof *out);
    if (!out->is_whole)
        return error_set(error, STATUS_BAD_INPUT,
                         "replayed as the program launched it, %.100s ends the process (signal %d)",
                         set->kernel->name, signal_number);
    return out->status == STATUS_OK
               ? STATUS_OK
               : error_set(error, out->status, "replayed as the program launched it: %s",
                           out->text);
}

/* ---- other values of a parameter ---- */

enum {
    VALUES_MAX = WRONG_VALUES_MAX,
    POINTS_MAX = 1 << 20,
    TOGETHER_MAX = 8,         /* configurations with several other values */
    STEPS_MAX = 256,          /* to the next of these */
    FAR_POINTS_MAX = 1 << 14, /* among which values that need others are looked for */
    FAR_TRIES = 3,
    COMPILERS_MAX = 16,
    LOOK_MS = 200,
};

struct value_findings {
    size_t begun;             /* values tried so far */
    struct together together; /* `tried` counts the one that is being tried */
    bool is_whole;            /* there is nothing left to try */
    struct tried {
        bool is_right;
        char parameter[64], value[VALUE_TEXT_BYTES];
    } items[VALUES_MAX];
};

/* Returns the number of parameters in which the configurations differ; *at is the last of these. */
static size_t differences(const struct configuration *a, const struct configuration *b, size_t *at)
{
    size_t count = 0;
    for (size_t i = 0; i < a->count; i++)
        if (!value_equal(a->values[i].value, b->values[i].value)) {
            *at = i;
            count++;
        }
    return count;
}

/* Returns true if the launch's results are the program's, within the tolerance of the checks. */
static bool leaves_the_same(struct replaying *replaying, size_t launch)
{
    char detail[ERROR_TEXT_BYTES];
    bool same = true;
    if (!run(replaying) ||
        replaying->api->guards_intact(replaying->device, &replaying->plan, &same, detail,
                                      sizeof detail, replaying->error) != STATUS_OK)
        return false;
    for (size_t v = 0; same && v < replaying->set->vector_count; v++) {
        const struct captured_vector *vector = &replaying->set->vectors[v];
        struct finding found = {0};
        if (!vector->is_written)
            continue;
        same = look_at(replaying, v, launch, &found) &&
               (found.other == 0 || found.difference <= captured_tolerance(vector, false));
    }
    return same;
}

/* Runs the default launch in another configuration. Returns false if the device may be unusable
 * afterwards. */
static bool try_configuration(struct replaying *replaying, const struct problem *problem,
                              const struct configuration *configuration, bool *is_right)
{
    const struct point point = {replaying->experiment, problem, &replaying->facts, configuration,
                                0};
    const bool is_compiled = prepare(replaying, &point);
    *is_right = is_compiled && leaves_the_same(replaying, replaying->set->default_launch);
    if (is_compiled && replaying->error->status != STATUS_OK)
        return false;
    error_clear(replaying->error);
    return true;
}

/* Returns the trial of a value; NULL: not tried. */
static const struct tried *trial_of(const struct value_findings *found,
                                    const struct named_value *value)
{
    char text[VALUE_TEXT_BYTES];
    (void)value_format(value->value, text, sizeof text);
    for (size_t k = 0; k < found->begun; k++)
        if (strcmp(found->items[k].value, text) == 0 &&
            strcmp(found->items[k].parameter, value->name) == 0)
            return &found->items[k];
    return NULL;
}

/* Returns true if each value that differs from the default was tried and is right. */
static bool are_right_alone(const struct value_findings *found, const struct configuration *usual,
                            const struct configuration *other)
{
    for (size_t i = 0; i < usual->count; i++) {
        const struct tried *tried = trial_of(found, &other->values[i]);
        if (!value_equal(usual->values[i].value, other->values[i].value) &&
            !(tried && tried->is_right))
            return false;
    }
    return true;
}

static struct tried *begin_value(struct value_findings *out, const struct named_value *value)
{
    struct tried *tried = &out->items[out->begun++];
    (void)string_format(tried->parameter, sizeof tried->parameter, "%s", value->name);
    (void)value_format(value->value, tried->value, sizeof tried->value);
    return tried;
}

/* Tries some configurations of values that are right alone. */
static void try_together(struct replaying *replaying, const struct problem *problem,
                         const struct space *space, const struct configuration *usual,
                         struct value_findings *out)
{
    const uint64_t points = space_count(space);
    struct configuration other;
    size_t at = 0, count = 0;
    for (uint64_t part = 0; part < TOGETHER_MAX; part++) {
        const uint64_t first = points / TOGETHER_MAX * part, end = first + points / TOGETHER_MAX;
        bool is_one = false, is_right = false;
        for (uint64_t i = first; i < end && i < first + STEPS_MAX && !is_one; i++) {
            space_configuration(space, i, &other);
            is_one = differences(usual, &other, &at) > 1 && are_right_alone(out, usual, &other);
        }
        if (!is_one || count++ < out->together.tried)
            continue;
        out->together.tried++;
        if (!try_configuration(replaying, problem, &other, &is_right))
            return;
        out->together.right += is_right;
    }
    out->is_whole = true;
}

/* Compiles the configurations that differ from the default in one value, on all processors: one
 * after the other they would take longer than there is. Failures are left to the trials. */
static void compile_ahead(struct replaying *replaying, const struct problem *problem,
                          const struct space *space, const struct configuration *usual)
{
    struct binaries binaries = {0};
    struct error ignored = {0};
    struct configuration other;
    cpu_set_t processors;
    const uint64_t points = space_count(space);
    const int cores =
        sched_getaffinity(0, sizeof processors, &processors) == 0 ? CPU_COUNT(&processors) : 1;
    const size_t workers = cores < COMPILERS_MAX ? (size_t)cores : COMPILERS_MAX;
    size_t at = 0, count = 0;
    if (binaries_start(&binaries, host_local(),
                       experiment_head(replaying->experiment)->device->section, workers, NULL,
                       &replaying->facts, &ignored) != STATUS_OK)
        return;
    for (uint64_t i = 0; i < points && i < POINTS_MAX && count < VALUES_MAX; i++) {
        struct binary_request request;
        size_t index = 0;
        space_configuration(space, i, &other);
        if (differences(usual, &other, &at) != 1)
            continue;
        count++;
        const struct point point = {replaying->experiment, problem, &replaying->facts, &other, 0};
        if (point_binary(&point, &replaying->arena, &request, &ignored) == STATUS_OK)
            (void)binaries_request(&binaries, &request, &index, &ignored);
    }
    const int64_t end_ns = clock_running_ns() + values_ns / 2;
    while (compile_pool_pending(binaries.pool) > 0 && clock_running_ns() < end_ns &&
           binaries_collect(&binaries, LOOK_MS, &ignored) == STATUS_OK)
        ;
    binaries_free(&binaries);
}

/* Tries a value in the nearest configurations that have it and no wrong value, until it is right in
 * one. Returns false if the device may be unusable. */
static bool try_far_value(struct replaying *replaying, const struct problem *problem,
                          const struct space *space, const struct configuration *usual, size_t at,
                          struct value value, struct tried *tried,
                          const struct value_findings *found)
{
    const uint64_t points = space_count(space);
    struct configuration other;
    size_t last = 0, tries = 0;
    for (size_t distance = 2; distance <= usual->count; distance++)
        for (uint64_t i = 0; i < points && i < FAR_POINTS_MAX && tries < FAR_TRIES; i++) {
            space_configuration(space, i, &other);
            bool may_be = value_equal(other.values[at].value, value) &&
                          differences(usual, &other, &last) == distance;
            for (size_t k = 0; may_be && k < other.count; k++) {
                const struct tried *others = trial_of(found, &other.values[k]);
                may_be = k == at || !others || others->is_right;
            }
            if (!may_be)
                continue;
            tries++;
            if (!try_configuration(replaying, problem, &other, &tried->is_right))
                return false;
            if (tried->is_right)
                return true;
        }
    return true;
}

/* Tries the values that no legal configuration has beside the defaults of all others: a width of
 * 128 wants a height of 8 where the default is 16 by 16. Returns false as above. */
static bool try_far_values(struct replaying *replaying, const struct problem *problem,
                           const struct space *space, const struct configuration *usual,
                           struct value_findings *out)
{
    const uint64_t points = space_count(space);
    struct configuration other;
    for (uint64_t i = 0; i < points && i < FAR_POINTS_MAX; i++) {
        space_configuration(space, i, &other);
        for (size_t at = 0; at < other.count && out->begun < VALUES_MAX; at++) {
            const struct value value = other.values[at].value;
            if (value_equal(usual->values[at].value, value) || trial_of(out, &other.values[at]))
                continue;
            struct tried *tried = begin_value(out, &other.values[at]);
            if (!try_far_value(replaying, problem, space, usual, at, value, tried, out))
                return false;
        }
    }
    return true;
}

/* Tries the values of each parameter beside the defaults of all others, from the first that no
 * earlier child has begun; then the values that need others than the defaults, and several at once.
 */
static void try_values(void *context)
{
    const struct errand *errand = context;
    struct value_findings *out = errand->shared;
    struct error error = {0};
    struct replaying replaying = {.set = errand->set, .error = &error};
    struct problem problem;
    struct configuration usual, other;
    struct space *space = NULL;
    size_t at = 0, count = 0;
    if (!open_draft(&replaying, errand->is, errand->index))
        return;
    experiment_problem(replaying.experiment, errand->set->default_launch, &problem);
    bool right =
        experiment_default(replaying.experiment, &problem, &replaying.facts, &usual, &error) ==
            STATUS_OK &&
        space_create(replaying.experiment, &problem, &replaying.facts, &space, &error) == STATUS_OK;
    const uint64_t points = right ? space_count(space) : 0;
    if (right && out->begun == 0)
        compile_ahead(&replaying, &problem, space, &usual);
    for (uint64_t i = 0; right && i < points && i < POINTS_MAX && count < VALUES_MAX; i++) {
        space_configuration(space, i, &other);
        if (differences(&usual, &other, &at) != 1 || count++ < out->begun)
            continue;
        struct tried *tried = begin_value(out, &other.values[at]);
        right = try_configuration(&replaying, &problem, &other, &tried->is_right);
    }
    /* Where the device may be unusable, the next child goes on. */
    if (right && try_far_values(&replaying, &problem, space, &usual, out))
        try_together(&replaying, &problem, space, &usual, out);
    temporary_folder_remove(&replaying.folder);
}

enum status values_try(const struct unpacked *is, const struct captured_set *set,
                       struct wrong_value out[WRONG_VALUES_MAX], size_t *count,
                       struct together *together, struct error *error)
{
    const int64_t end_ns = clock_running_ns() + values_ns;
    struct errand errand = {is, set, 0, process_shared(sizeof(struct value_findings))};
    struct value_findings *found = errand.shared;
    *count = 0;
    TRY_MEMORY(found);
    for (size_t before = SIZE_MAX;
         !found->is_whole && found->begun + found->together.tried != before;) {
        before = found->begun + found->together.tried;
        const int64_t left_ns = end_ns - clock_running_ns();
        if (left_ns <= 0 || process_apart(try_values, &errand, left_ns) < 0)
            break;
    }
    if (!found->is_whole && clock_running_ns() >= end_ns) { /* the last one is not known */
        if (found->together.tried > 0)
            found->together.tried--;
        else if (found->begun > 0)
            found->items[found->begun - 1].is_right = true;
    }
    *together = found->together;
    for (size_t i = 0; i < found->begun; i++) {
        struct wrong_value *wrong = &out[*count];
        if (found->items[i].is_right)
            continue;
        wrong->parameter = arena_strdup(set->arena, found->items[i].parameter);
        wrong->value = arena_strdup(set->arena, found->items[i].value);
        *count += 1;
    }
    process_unshare(found, sizeof *found);
    return set->arena->failed ? error_no_memory(error) : STATUS_OK;
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
    bool right = open_draft(&replaying, errand->is, errand->index);
    out->is_tried = replaying.device; /* else there is none */
    right = right && prepare_default(&replaying, 0) && run(&replaying) &&
            find_faults(&replaying, out->text);
    temporary_folder_remove(&replaying.folder);
    out->status = right ? STATUS_OK : error.status;
    if (!right)
        (void)string_format(out->text, sizeof out->text, "%s", error.text);
    out->is_whole = true;
}

bool try_draft(const struct unpacked *is, char text[ERROR_TEXT_BYTES])
{
    struct errand errand = {is, NULL, 0, process_shared(sizeof(struct replay_findings))};
    const struct replay_findings *shared = errand.shared;
    *text = '\0';
    if (!shared)
        return false;
    const bool tried = process_apart(try_all, &errand, try_patience_ns) >= 0 && shared->is_tried;
    if (tried)
        (void)string_format(text, ERROR_TEXT_BYTES, "%s",
                            shared->is_whole ? shared->text
                                             : "it ends the process, or does not end itself");
    process_unshare(errand.shared, sizeof *shared);
    return tried;
}

enum status replay_captured(const struct unpacked *is, const char *device, struct captured_set *set,
                            bool *replayed, struct error *error)
{
    const struct device_api *api = NULL;
    struct error ignored = {0};
    int index = 0; /* the first of several, or where none is named */
    if (device && device_parse(device, &api, &index, &ignored) != STATUS_OK)
        index = 0;
    struct replay_findings *findings = arena_alloc(set->arena, 1, sizeof *findings);
    *replayed = false;
    TRY_MEMORY(findings);
    enum status status = replay_apart(is, index, set, findings, error);
    if (status == STATUS_UNAVAILABLE)
        return STATUS_OK;
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
                             "%.100s: replayed as the program launched it, %llu of %llu elements "
                             "of %s are not as the program left them, or not the same each time: "
                             "not deterministic, or it depends on data that was not captured",
                             set->kernel->name, (unsigned long long)finding->other,
                             (unsigned long long)finding->elements, vector->name);
        if (finding->were_reals) {
            vector->is_known = true;
            vector->type = ELEMENT_F32;
        }
        vector->differs = finding->difference;
    }
    *replayed = true;
    return STATUS_OK;
}
