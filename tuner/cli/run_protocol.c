/* A run's protocol: the effort's numbers, those of --set, and a list of all. */
#include <stdio.h>
#include <string.h>

#include "tuner/base/arena.h"
#include "tuner/cli/run.h"
#include "tuner/device/traits.h"
#include "tuner/terminal/rows.h"
#include "tuner/terminal/style.h"

enum { NUMBERS_MAX = 96, KINDS_MAX = 4 };

enum status run_protocol(const struct run *run, const char *kind, struct protocol *out,
                         struct error *error)
{
    enum status status = STATUS_OK;
    protocol_defaults(run->session.effort, device_traits(kind)->is_shared, out);
    if (run->loss > 0)
        out->within = run->loss;
    for (size_t i = 0; i < run->text.set.count && status == STATUS_OK; i++) {
        status = protocol_set(out, run->text.set.items[i], error);
        if (status != STATUS_OK)
            (void)error_prefix(error, "--set");
    }
    return status;
}

enum status run_check_protocol(const struct run *run, struct error *error)
{
    struct protocol protocol;
    for (size_t i = 0; device_kinds[i]; i++)
        TRY(run_protocol(run, device_kinds[i]->kind, &protocol, error));
    return STATUS_OK;
}

/* The numbers of several kinds of device beside each other. */
struct number_list {
    struct arena arena;
    bool failed;
    size_t kind_count, kind; /* kind: being filled */
    size_t count, next;
    const char *names[NUMBERS_MAX], *abouts[NUMBERS_MAX];
    const char *values[NUMBERS_MAX][KINDS_MAX];
};

static void take_number(void *context, const char *name, const char *value, const char *about)
{
    struct number_list *list = context;
    size_t i = list->next++;
    if (i >= NUMBERS_MAX)
        return;
    list->count = i + 1;
    list->names[i] = arena_strdup(&list->arena, name);
    list->abouts[i] = arena_strdup(&list->arena, about);
    list->values[i][list->kind] = arena_strdup(&list->arena, value);
    list->failed =
        list->failed || !list->names[i] || !list->abouts[i] || !list->values[i][list->kind];
}

static const char *const words =
    "Shares are fractions: 0.0025 is a quarter of a percent. The sweep times every configuration "
    "alone. The race times those near the best in rounds: a reference (the anchor), every "
    "candidate once in random order, one of them again (its twin), and the reference. A round is "
    "valid if nothing else changed. Slow candidates leave: at a screen if they were clearly slower "
    "in each round, at a look if statistics show that they are slower. Fresh processes then time "
    "the finalists again: the confirmation. docs/measuring.md has the details.";

enum status run_list_protocol(const struct run *run, struct error *error)
{
    struct number_list list = {0};
    const char *kinds[KINDS_MAX] = {NULL};
    enum status status = STATUS_OK;
    for (size_t i = 0; device_kinds[i]; i++) {
        struct protocol protocol;
        if (list.kind_count == KINDS_MAX || device_traits(device_kinds[i]->kind)->by_name_only)
            continue;
        TRY_OR_CLEANUP(run_protocol(run, device_kinds[i]->kind, &protocol, error));
        list.kind = list.kind_count++;
        kinds[list.kind] = device_kinds[i]->kind;
        list.next = 0;
        protocol_each(&protocol, take_number, &list);
    }
    if (list.failed)
        TRY_OR_CLEANUP(error_no_memory(error));
    int width[1 + KINDS_MAX] = {(int)strlen("name")};
    for (size_t k = 0; k < list.kind_count && kinds[k]; k++)
        width[1 + k] = (int)strlen(kinds[k]);
    for (size_t i = 0; i < list.count; i++) {
        width[0] = (int)strlen(list.names[i]) > width[0] ? (int)strlen(list.names[i]) : width[0];
        for (size_t k = 0; k < list.kind_count; k++) {
            int length = (int)strlen(list.values[i][k]);
            width[1 + k] = length > width[1 + k] ? length : width[1 + k];
        }
    }
    printf("%-*s", width[0], "name");
    for (size_t k = 0; k < list.kind_count; k++)
        printf("  %*s", width[1 + k], kinds[k]);
    puts("  meaning");
    for (size_t i = 0; i < list.count; i++) {
        printf("%-*s", width[0], list.names[i]);
        for (size_t k = 0; k < list.kind_count; k++)
            printf("  %*s", width[1 + k], list.values[i][k]);
        printf("  %s\n", list.abouts[i]);
    }
    putchar('\n');
    rows_put_paragraph("", "", words, style_page_columns());
cleanup:
    arena_free(&list.arena);
    return status;
}
