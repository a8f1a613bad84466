/* What completion offers: what the program, its data folder and the database have. */
#include <stdio.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/launch.h"
#include "tuner/base/status.h"
#include "tuner/base/text.h"
#include "tuner/cli/complete.h"
#include "tuner/cli/experiments.h"
#include "tuner/cli/rows.h"
#include "tuner/device/traits.h"
#include "tuner/plot/plot.h"
#include "tuner/search/search.h"
#include "tuner/stats/protocol.h"

extern const char show_query_words[];
extern const char show_query_sizes[];
extern const char show_query_objectives[];

static void offer_words(const struct typed *typed, const char *words)
{
    char word[64];
    for (const char *at = words; *at; at += strspn(at, " ")) {
        const size_t length = strcspn(at, " ");
        (void)string_format(word, sizeof word, "%.*s", (int)length, at);
        complete_offer(typed, word, NULL);
        at += length;
    }
}

/* The first column of a query of the database; nothing where there is none. */
static void offer_rows(const struct typed *typed, const char *sql)
{
    struct error ignored = {0};
    struct store *store = NULL;
    struct rows rows = {0};
    if (store_open(typed->db, STORE_READ, &store, &ignored) != STATUS_OK)
        return;
    if (rows_read(store, sql, NULL, 0, &rows, &ignored) == STATUS_OK)
        for (size_t i = 0; i < rows.row_count; i++)
            complete_offer(typed, rows.cells[i][0].text, NULL);
    rows_free(&rows);
    store_close(store);
}

static void offer_figures(const struct typed *typed)
{
    struct arena arena = {0};
    struct error ignored = {0};
    const struct plot_name *figures = NULL;
    size_t count = 0;
    if (plot_names(&arena, &figures, &count, &ignored) == STATUS_OK)
        for (size_t i = 0; i < count; i++)
            complete_offer(typed, figures[i].name, figures[i].about);
    arena_free(&arena);
}

static void offer_strategies(const struct typed *typed)
{
    complete_offer(typed, "auto", "by the size of the space and what may be tried of it");
    for (size_t i = 0; search_strategy_name(i); i++)
        complete_offer(typed, search_strategy_name(i), search_strategy_about(i));
}

static void offer_number(void *context, const char *name, const char *value, const char *about)
{
    char word[64];
    (void)value;
    (void)string_format(word, sizeof word, "%s=", name);
    complete_offer(context, word, about);
}

static void offer_numbers(struct typed *typed)
{
    struct protocol protocol;
    protocol_defaults(EFFORT_NORMAL, false, &protocol);
    protocol_each(&protocol, offer_number, typed);
}

static void offer_objectives(const struct typed *typed)
{
    offer_words(typed, "energy edp");
    complete_offer(typed, "time", NULL);
}

static void offer_modes(const struct typed *typed)
{
    for (int mode = 0; mode < L2_MODES; mode++)
        complete_offer(typed, l2_mode_name((enum l2_mode)mode), NULL);
}

static void offer_devices(const struct typed *typed)
{
    for (size_t i = 0; i < device_traits_count; i++) {
        char name[DEVICE_NAME_BYTES];
        device_name(device_traits_list[i].kind, 0, name);
        if (!device_traits_list[i].by_name_only)
            complete_offer(typed, name, NULL);
    }
    complete_offer(typed, "all", NULL);
}

static void offer_statuses(const struct typed *typed)
{
    for (int status = TRIAL_OK + 1; status < TRIAL_STATUS_COUNT; status++)
        complete_offer(typed, trial_status_name((enum trial_status)status),
                       trial_status_text((enum trial_status)status));
}

/* "png,s": what stands before the last comma is done with. */
static void go_behind_comma(struct typed *typed)
{
    const char *comma = strrchr(typed->rest, ',');
    const size_t length = strlen(typed->before);
    if (!comma || length + (size_t)(comma + 1 - typed->rest) >= sizeof typed->before)
        return;
    (void)string_format(typed->before + length, sizeof typed->before - length, "%.*s",
                        (int)(comma + 1 - typed->rest), typed->rest);
    typed->rest = comma + 1;
}

static const struct {
    const char *option;
    const char *words; /* NULL: `offer` or `sql` has them */
    void (*offer)(const struct typed *typed);
    const char *sql;
} values[] = {
    {.option = "arch",
     .words = "sm_75 sm_80 sm_86 sm_87 sm_89 sm_90 sm_100 sm_103 sm_110 sm_120 sm_121"},
    {.option = "device", .offer = offer_devices},
    {.option = "dialect", .words = "kernel_tuner ktt"},
    {.option = "effort", .words = "quick normal thorough"},
    {.option = "format", .words = "png svg pdf"},
    {.option = "l2", .offer = offer_modes},
    {.option = "n", .sql = show_query_sizes},
    {.option = "objective", .offer = offer_objectives},
    {.option = "problem", .sql = show_query_words},
    {.option = "retry", .offer = offer_statuses},
    {.option = "sizes", .sql = show_query_sizes},
    {.option = "strategy", .offer = offer_strategies},
    {.option = "t4-version", .words = "1.1.0 1.0.0"},
};

static void offer_files(const struct option_spec *option)
{
    static const struct {
        const char *option, *endings;
    } endings[] = {{"db", " db"},       {"from", " db"},      {"conf", " conf"},
                   {"report", " html"}, {"overlay", " json"}, {"header", " h"}};
    if (strcmp(option->value, "FOLDER") == 0 || strcmp(option->value, "DIR") == 0) {
        puts(":folders");
        return;
    }
    if (strcmp(option->value, "FILE") != 0)
        return;
    const char *fitting = "";
    for (size_t i = 0; i < COUNT(endings); i++)
        if (strcmp(endings[i].option, option->name) == 0)
            fitting = endings[i].endings;
    printf(":files%s\n", fitting);
}

void complete_value(struct typed *typed, const struct option_spec *option)
{
    if (strstr(option->value, "LIST") || strchr(option->value, ','))
        go_behind_comma(typed);
    if (strcmp(option->name, "set") == 0)
        offer_numbers(typed);
    for (size_t i = 0; i < COUNT(values); i++) {
        if (strcmp(values[i].option, option->name) != 0)
            continue;
        if (values[i].words)
            offer_words(typed, values[i].words);
        if (values[i].offer)
            values[i].offer(typed);
        if (values[i].sql)
            offer_rows(typed, values[i].sql);
    }
    offer_files(option);
}

void complete_word(const struct typed *typed, const char *command)
{
    static const struct {
        const char *command, *files; /* NULL: no file is expected */
    } words[] = {{"run", ":files yaml json"},   {"init", ":files cu"},  {"export", ":files conf"},
                 {"check", ":files conf yaml"}, {"merge", ":files db"}, {"import", ":files csv"}};
    if (strcmp(command, "run") == 0)
        experiments_complete(typed->rest);
    if (strcmp(command, "show") == 0 || strcmp(command, "report") == 0)
        offer_rows(typed, show_query_words);
    if (strcmp(command, "plot") == 0)
        offer_figures(typed);
    for (size_t i = 0; i < COUNT(words); i++)
        if (strcmp(words[i].command, command) == 0)
            puts(words[i].files);
}
