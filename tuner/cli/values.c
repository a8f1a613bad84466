/* Values of a draft's parameters, each tried beside the defaults of all others. */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/clock.h"
#include "tuner/base/process.h"
#include "tuner/cli/replaying.h"
#include "tuner/device/traits.h"
#include "tuner/session/binaries.h"
#include "tuner/worker/worker.h"

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
    size_t count, begun, ended; /* values; those of these that were tried */
    struct together together;   /* `tried` counts the one that is being tried */
    bool is_whole;              /* there is nothing left to try */
    struct tried {
        uint64_t point; /* of the space: the defaults but for this value */
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
    if (!replaying_run(replaying) ||
        replaying->api->guards_intact(replaying->device, &replaying->plan, &same, detail,
                                      sizeof detail, replaying->error) != STATUS_OK)
        return false;
    for (size_t v = 0; same && v < replaying->set->vector_count; v++) {
        const struct captured_vector *vector = &replaying->set->vectors[v];
        struct finding found = {0};
        if (!vector->is_written)
            continue;
        same = replaying_look(replaying, v, launch, &found) &&
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
    const bool is_compiled = replaying_prepare(replaying, &point);
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
    for (size_t k = 0; k < found->count; k++)
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

static struct tried *add_value(struct value_findings *out, const struct named_value *value,
                               uint64_t point)
{
    struct tried *tried = &out->items[out->count++];
    tried->point = point;
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
                          const struct space *space, const struct value_findings *found)
{
    struct binaries binaries = {0};
    struct error ignored = {0};
    struct configuration other;
    cpu_set_t processors;
    const int cores =
        sched_getaffinity(0, sizeof processors, &processors) == 0 ? CPU_COUNT(&processors) : 1;
    const size_t workers = cores < COMPILERS_MAX ? (size_t)cores : COMPILERS_MAX;
    if (binaries_start(&binaries, host_local(),
                       experiment_head(replaying->experiment)->device->section, workers, NULL,
                       &replaying->facts, &ignored) != STATUS_OK)
        return;
    for (size_t i = 0; i < found->count; i++) {
        struct binary_request request;
        size_t index = 0;
        space_configuration(space, found->items[i].point, &other);
        const struct point point = {replaying->experiment, problem, &replaying->facts, &other, 0};
        if (point_binary(&point, &replaying->arena, &request, &ignored) == STATUS_OK)
            (void)binaries_request(&binaries, &request, &index, &ignored);
    }
    const int64_t now_ns = clock_now_ns(), end_ns = now_ns + (replaying->deadline_ns - now_ns) / 2;
    while (compile_pool_pending(binaries.pool) > 0 && clock_now_ns() < end_ns &&
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
        for (size_t at = 0; at < other.count && out->count < VALUES_MAX; at++) {
            const struct value value = other.values[at].value;
            if (value_equal(usual->values[at].value, value) || trial_of(out, &other.values[at]))
                continue;
            struct tried *tried = add_value(out, &other.values[at], i);
            out->begun++;
            if (!try_far_value(replaying, problem, space, usual, at, value, tried, out))
                return false;
            out->ended++;
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
    struct replaying replaying = {
        .set = errand->set, .deadline_ns = errand->deadline_ns, .error = &error};
    struct problem problem;
    struct configuration usual, other;
    struct space *space = NULL;
    size_t at = 0;
    if (!replaying_open(&replaying, errand->is, errand->index))
        return;
    experiment_problem(replaying.experiment, errand->set->default_launch, &problem);
    bool right =
        experiment_default(replaying.experiment, &problem, &replaying.facts, &usual, &error) ==
            STATUS_OK &&
        space_create(replaying.experiment, &problem, &replaying.facts, &space, &error) == STATUS_OK;
    const uint64_t points = right ? space_count(space) : 0;
    if (out->begun == 0) {
        for (uint64_t i = 0; i < points && i < POINTS_MAX && out->count < VALUES_MAX; i++) {
            space_configuration(space, i, &other);
            if (differences(&usual, &other, &at) == 1)
                (void)add_value(out, &other.values[at], i);
        }
        compile_ahead(&replaying, &problem, space, out);
    }
    while (right && out->begun < out->count) {
        struct tried *tried = &out->items[out->begun++];
        space_configuration(space, tried->point, &other);
        right = try_configuration(&replaying, &problem, &other, &tried->is_right);
        out->ended = out->begun;
    }
    /* Where the device may be unusable, the next child goes on. */
    if (right && try_far_values(&replaying, &problem, space, &usual, out))
        try_together(&replaying, &problem, space, &usual, out);
    temporary_folder_remove(&replaying.folder);
}

/* Lists values: "BLOCK 512, 1024; ITEMS 8". */
static void list_values(const struct tried *values, size_t count, struct text *out)
{
    for (size_t i = 0; i < count; i++) {
        const bool is_new = i == 0 || strcmp(values[i - 1].parameter, values[i].parameter) != 0;
        text_printf(out, "%s%s%s%s",
                    i == 0   ? ""
                    : is_new ? "; "
                             : ", ",
                    is_new ? values[i].parameter : "", is_new ? " " : "", values[i].value);
    }
}

enum status values_try(const struct unpacked *is, const struct captured_set *set,
                       int64_t deadline_ns, struct value_trials *out, struct error *error)
{
    struct errand errand = {is, set, 0, deadline_ns, process_shared(sizeof(struct value_findings))};
    struct value_findings *found = errand.shared;
    struct text untried = {0};
    *out = (struct value_trials){0};
    TRY_MEMORY(found);
    for (size_t before = SIZE_MAX;
         !found->is_whole && found->begun + found->together.tried != before;) {
        before = found->begun + found->together.tried;
        const int64_t left_ns = deadline_ns - clock_now_ns();
        if (left_ns <= 0 || process_apart(try_values, &errand, left_ns) < 0)
            break;
        if (found->begun > found->ended && clock_now_ns() < deadline_ns)
            found->ended = found->begun; /* ended the process, and is wrong */
    }
    if (!found->is_whole && clock_now_ns() >= deadline_ns) { /* the last one is not known */
        if (found->together.tried > 0)
            found->together.tried--;
        list_values(found->items + found->ended, found->count - found->ended, &untried);
        if (untried.length == 0)
            text_append(&untried, found->count > 0 ? "several values at once" : "other values");
    }
    out->together = found->together;
    for (size_t i = 0; i < found->ended; i++) {
        struct wrong_value *wrong = &out->wrong[out->wrong_count];
        if (found->items[i].is_right)
            continue;
        wrong->parameter = arena_strdup(set->arena, found->items[i].parameter);
        wrong->value = arena_strdup(set->arena, found->items[i].value);
        out->wrong_count++;
    }
    const bool is_short = untried.length > 0;
    const char *list = text_to_arena(&untried, set->arena);
    out->untried = is_short ? list : NULL;
    process_unshare(found, sizeof *found);
    return set->arena->failed ? error_no_memory(error) : STATUS_OK;
}
