#include "tuner/cli/commands.h"

#include <stdlib.h>
#include <string.h>

#include "libtuned/tuned_record.h"
#include "tuner/base/array.h"
#include "tuner/base/text.h"
#include "tuner/cli/experiments.h"
#include "tuner/device/traits.h"
#include "tuner/terminal/style.h"

/* A request that was missed, on all devices of its kind together. */
struct miss {
    struct tuned_recorded request;
    bool is_taken;                 /* some experiment has the problem */
    bool fits;                     /* known to the present experiment ... */
    int64_t sizes[SIZE_NAMES_MAX]; /* ... at these sizes */
};

struct misses {
    struct miss *items;
    size_t count, capacity;
    unsigned long long looked_up, missed, left_out; /* look-ups */
    char device[sizeof((struct tuned_recorded *)0)->device];
    bool has_others; /* more devices than this one */
};

static bool is_same(const struct tuned_recorded *a, const struct tuned_recorded *b)
{
    return a->n == b->n && a->size_count == b->size_count &&
           memcmp(a->sizes, b->sizes, (size_t)a->size_count * sizeof *a->sizes) == 0 &&
           memcmp(a->names, b->names, (size_t)a->size_count * sizeof *a->names) == 0 &&
           strcmp(a->problem, b->problem) == 0 && strcmp(a->kind, b->kind) == 0;
}

/* Orders by look-ups, the most first; then by problem and n, so that equal records give equal runs.
 */
static int compare_misses(const void *left, const void *right)
{
    const struct tuned_recorded *a = &((const struct miss *)left)->request;
    const struct tuned_recorded *b = &((const struct miss *)right)->request;
    const int problem = strcmp(a->problem, b->problem);
    if (a->count != b->count)
        return a->count < b->count ? 1 : -1;
    return problem != 0 ? problem : (a->n > b->n) - (a->n < b->n);
}

static enum status read_misses(const char *path, struct misses *misses, struct error *error)
{
    struct tuned_error refused;
    struct tuned_recorded request;
    struct tuned_record *record = tuned_record_load(path, &refused);
    if (!record)
        return error_set(error, refused.code == TUNED_NO_FILE ? STATUS_NOT_FOUND : STATUS_BAD_INPUT,
                         "--recorded %s", refused.text);
    enum status status = STATUS_OK;
    misses->left_out = tuned_record_left_out(record);
    for (size_t at = 0; status == STATUS_OK && tuned_record_next(record, &at, &request);) {
        size_t i = 0;
        misses->looked_up += request.count;
        if (request.grade >= TUNED_IN_RANGE)
            continue;
        misses->missed += request.count;
        misses->has_others |= misses->device[0] && strcmp(misses->device, request.device) != 0;
        (void)string_format(misses->device, sizeof misses->device, "%s", request.device);
        while (i < misses->count && !is_same(&misses->items[i].request, &request))
            i++;
        if (i < misses->count)
            misses->items[i].request.count += request.count;
        else if (array_grow(&misses->items, i, &misses->capacity, sizeof *misses->items))
            misses->items[misses->count++] = (struct miss){.request = request};
        else
            status = error_no_memory(error);
    }
    tuned_record_close(record);
    if (misses->count > 0)
        qsort(misses->items, misses->count, sizeof *misses->items, compare_misses);
    return status;
}

/* Finds the sizes of a request in the experiment's order. False: some are unknown. */
static bool find_sizes(const struct experiment *experiment, const struct tuned_recorded *request,
                       int64_t sizes[SIZE_NAMES_MAX])
{
    const char *names[SIZE_NAMES_MAX];
    size_t first = 0;
    const size_t count = experiment_size_names(experiment, names, &first);
    sizes[0] = request->n;
    for (size_t i = 0; i < count; i++) {
        sizes[i] = i == first ? request->n : 0;
        for (int j = 0; j < request->size_count && i != first; j++)
            if (strcmp(request->names[j], names[i]) == 0)
                sizes[i] = request->sizes[j];
        if (sizes[i] < 1)
            return false;
    }
    return sizes[0] >= 1 || !experiment_head(experiment)->has_size;
}

/* Returns whether the problem is the request's, at any size. */
static bool is_problem(const struct problem *problem, const struct tuned_recorded *request)
{
    const size_t length = problem->shape ? problem->family_length : strlen(problem->key);
    return strlen(request->problem) == length &&
           memcmp(problem->key, request->problem, length) == 0;
}

/* Gives the experiment the sizes of misses, of problems that are selected, as many as fit. */
static enum status add_sizes(struct experiment *experiment, const bool *wanted,
                             struct misses *misses, struct error *error)
{
    const size_t problem_count = experiment_problem_count(experiment);
    for (size_t i = 0; i < misses->count; i++) {
        struct miss *miss = &misses->items[i];
        miss->fits = false;
        if (strcmp(experiment_head(experiment)->device->section,
                   device_traits(miss->request.kind)->section) == 0 &&
            find_sizes(experiment, &miss->request, miss->sizes))
            for (size_t j = 0; j < problem_count && !miss->fits; j++) {
                struct problem problem;
                experiment_problem(experiment, j, &problem);
                miss->fits = wanted[j] && is_problem(&problem, &miss->request);
            }
    }
    for (size_t i = 0; i < misses->count; i++) {
        struct miss *miss = &misses->items[i];
        const enum status status =
            miss->fits ? experiment_add_size(experiment, miss->sizes, error) : STATUS_OK;
        miss->fits = miss->fits && status == STATUS_OK;
        if (status == STATUS_NOT_FOUND)
            print_clean(stderr, "tune: --recorded: %s; n=%lld is left out\n", error->text,
                        miss->request.n);
        else if (status != STATUS_OK)
            return status;
        error_clear(error);
    }
    return STATUS_OK;
}

/* Returns whether the problem is at the sizes that the miss has. */
static bool is_at_sizes(const struct experiment *experiment, const struct problem *problem,
                        const struct miss *miss)
{
    int64_t sizes[SIZE_NAMES_MAX];
    const size_t count = problem_sizes(problem, sizes);
    return count > 0 ? memcmp(sizes, miss->sizes, count * sizeof *sizes) == 0
                     : !experiment_head(experiment)->has_size || problem->n == miss->sizes[0];
}

/* Selects the problems of the misses that fit, in their order; *rank: the place of the first among
 * all misses. The lists of list item `at` are made anew, since there are more problems now. */
static enum status select_misses(struct experiment_list *list, size_t at, struct misses *misses,
                                 size_t *rank, struct error *error)
{
    const struct experiment *experiment = list->items[at];
    const size_t problem_count = experiment_problem_count(experiment);
    size_t turn = 0;
    free(list->wanted[at]);
    list->wanted[at] = calloc(problem_count, sizeof(bool));
    list->order[at] = calloc(problem_count, sizeof(size_t));
    TRY_MEMORY(list->wanted[at] && list->order[at]);
    *rank = misses->count;
    for (size_t i = 0; i < misses->count; i++)
        for (size_t j = 0; j < problem_count && misses->items[i].fits; j++) {
            struct problem problem;
            experiment_problem(experiment, j, &problem);
            if (list->wanted[at][j] || !is_problem(&problem, &misses->items[i].request) ||
                !is_at_sizes(experiment, &problem, &misses->items[i]))
                continue;
            *rank = i < *rank ? i : *rank;
            list->wanted[at][j] = true;
            list->order[at][turn++] = j;
            misses->items[i].is_taken = true;
        }
    for (size_t j = 0; j < problem_count; j++)
        if (!list->wanted[at][j])
            list->order[at][turn++] = j;
    return STATUS_OK;
}

/* Appends the first three misses that were taken, or were not: "blur n=1000 (800), ...". */
static void append_misses(struct text *line, const struct misses *misses, bool is_taken)
{
    int shown = 0;
    for (size_t i = 0; i < misses->count && shown < 4; i++) {
        const struct tuned_recorded *request = &misses->items[i].request;
        if (misses->items[i].is_taken != is_taken)
            continue;
        if (++shown == 4) {
            text_append(line, " ...");
            return;
        }
        text_printf(line, "%s%s n=%lld", shown > 1 ? ", " : "", request->problem, request->n);
        for (int j = 0; j < request->size_count; j++)
            text_printf(line, " %s=%lld", request->names[j], request->sizes[j]);
        text_append(line, " (");
        text_append_count(line, request->count);
        text_append(line, ")");
    }
}

static void print_misses(const struct experiment_list *list, const struct misses *misses)
{
    size_t taken = 0;
    struct text line = {0};
    for (size_t i = 0; i < misses->count; i++)
        taken += misses->items[i].is_taken;
    text_printf(&line, "tune: %s: ", list->record);
    text_append_count(&line, misses->missed);
    text_append(&line, " of ");
    text_append_count(&line, misses->looked_up);
    text_printf(&line, " look-ups missed%s%s%s", misses->count > 0 ? " on " : "", misses->device,
                misses->has_others ? " and others" : "");
    if (misses->count == 0) {
        text_append(&line, "; there is nothing to tune");
    } else {
        text_printf(&line, "; %s, the most frequent first: ", count_text(taken, "problem").text);
        append_misses(&line, misses, true);
    }
    if (!list->is_quiet)
        print_clean(stderr, "%s\n", text_string(&line));
    text_free(&line);
    if (taken > 0 && taken < misses->count) {
        append_misses(&line, misses, false);
        print_clean(stderr,
                    "tune: %s: %zu more %s of no problem here; name the experiment files of: %s\n",
                    list->record, misses->count - taken, misses->count - taken == 1 ? "is" : "are",
                    text_string(&line));
        text_free(&line);
    }
    if (misses->left_out > 0)
        print_clean(stderr,
                    "tune: %s: %llu look-ups found no place in it; tune these, then begin a new "
                    "record\n",
                    list->record, misses->left_out);
}

enum status misses_select(struct experiment_list *list, struct error *error)
{
    struct misses misses = {.items = NULL};
    size_t ranks[EXPERIMENTS_MAX], taken = 0;
    enum status status = read_misses(list->record, &misses, error);
    for (size_t i = 0; status == STATUS_OK && i < list->count; i++) {
        status = add_sizes(list->items[i], list->wanted[i], &misses, error);
        if (status == STATUS_OK)
            status = select_misses(list, i, &misses, &ranks[i], error);
    }
    for (size_t i = 0; i < misses.count; i++)
        taken += misses.items[i].is_taken;
    if (status == STATUS_OK && (taken > 0 || misses.count == 0)) {
        /* Sorts the experiments by rank, the smallest first. */
        for (size_t k = 1; k < list->count; k++)
            for (size_t j = k; j > 0 && ranks[j] < ranks[j - 1]; j--) {
                struct experiment *const item = list->items[j];
                bool *const wanted = list->wanted[j];
                size_t *const order = list->order[j], rank = ranks[j];
                list->items[j] = list->items[j - 1], list->items[j - 1] = item;
                list->wanted[j] = list->wanted[j - 1], list->wanted[j - 1] = wanted;
                list->order[j] = list->order[j - 1], list->order[j - 1] = order;
                ranks[j] = ranks[j - 1], ranks[j - 1] = rank;
            }
        print_misses(list, &misses);
    } else if (status == STATUS_OK) {
        struct text line = {0};
        append_misses(&line, &misses, false);
        status = error_set(error, STATUS_NOT_FOUND,
                           "%s: its misses are of no problem here; name the experiment files of: "
                           "%s",
                           list->record, text_string(&line));
        text_free(&line);
    }
    free(misses.items);
    return status;
}
