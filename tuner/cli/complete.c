/* Completion from the program, the data folder and the database. */
#include "tuner/cli/commands.h"

#include <stdio.h>
#include <string.h>

#include "tuner/base/launch.h"
#include "tuner/base/text.h"
#include "tuner/cli/experiments.h"
#include "tuner/device/traits.h"
#include "tuner/search/search.h"
#include "tuner/stats/protocol.h"
#include "tuner/terminal/rows.h"
#include "views/plot/plot.h"
#include "views/show/embedded.h"

/* The typed word: its complete part ("--format=png,"), and the part to be completed. */
struct typed {
    char before[256];
    const char *rest;
    const char *db; /* the database that the command line names, or the default */
};

/* Prints the word if the typed part is its beginning. `about`: NULL, or a text whose first line is
 * shown. */
static void complete_offer(const struct typed *typed, const char *word, const char *about)
{
    if (strncmp(word, typed->rest, strlen(typed->rest)) != 0)
        return;
    printf("%s%s", typed->before, word);
    if (about)
        putchar('\t');
    for (const char *c = about; c && *c && *c != '\n'; c++)
        if (*c != '`')
            putchar(*c);
    putchar('\n');
}

/* ---- offered words ---- */

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

/* Offers the first column of a query of the database, if present. */
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

static void offer_strategies(const struct typed *typed)
{
    complete_offer(typed, "auto", "chosen by the size of the space and the number of trials");
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

static void offer_modes(const struct typed *typed)
{
    for (int mode = 0; mode < L2_STATES; mode++)
        complete_offer(typed, l2_mode_name((enum l2_mode)mode), NULL);
}

static void offer_issues(const struct typed *typed)
{
    for (int issue = 0; issue < ISSUES; issue++)
        complete_offer(typed, issue_names[issue], NULL);
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
    complete_offer(typed, "replay", "a recorded GPU: needs none");
}

static void offer_statuses(const struct typed *typed)
{
    for (int status = TRIAL_OK + 1; status < TRIAL_STATUS_COUNT; status++)
        complete_offer(typed, trial_status_name((enum trial_status)status),
                       trial_status_text((enum trial_status)status));
}

/* Moves behind the last comma, "png,s": the part before is complete. */
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
    const char *words; /* NULL: words come from `offer` or `sql` */
    void (*offer)(const struct typed *typed);
    const char *sql;
} values[] = {
    {.option = "arch",
     .words = "sm_75 sm_80 sm_86 sm_87 sm_89 sm_90 sm_100 sm_103 sm_110 sm_120 sm_121"},
    {.option = "device", .offer = offer_devices},
    {.option = "dialect", .words = "kernel_tuner ktt"},
    {.option = "effort", .words = "quick normal thorough"},
    {.option = "format", .words = "png svg pdf"},
    {.option = "as", .offer = offer_issues},
    {.option = "l2", .offer = offer_modes},
    {.option = "n", .sql = show_query_sizes},
    {.option = "objective", .words = "energy edp time"},
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
    } endings[] = {{"db", " db"},        {"from", " db"},  {"conf", " conf"}, {"report", " html"},
                   {"overlay", " json"}, {"header", " h"}, {"list", " cap"}};
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

/* Offers words of the command other than options. */
static void complete_word(const struct typed *typed, const char *command)
{
    static const struct {
        const char *command, *files; /* NULL: no file is expected */
    } words[] = {{"run", ":files yaml json"},  {"init", ":files cu"},
                 {"export", ":files conf"},    {"check", ":files conf yaml"},
                 {"hash", ":files yaml json"}, {"merge", ":files db"},
                 {"import", ":files csv"},     {"watch", ":files db"},
                 {"capture", ":files"},        {"apply", ":files"}};
    if (strcmp(command, "run") == 0 || strcmp(command, "hash") == 0)
        experiments_complete(typed->rest);
    if (strcmp(command, "show") == 0 || strcmp(command, "report") == 0)
        offer_rows(typed, show_query_words);
    if (strcmp(command, "plot") == 0) {
        struct arena arena = {0};
        struct error ignored = {0};
        const struct plot_name *figures = NULL;
        size_t count = 0;
        if (plot_names(&arena, &figures, &count, &ignored) == STATUS_OK)
            for (size_t i = 0; i < count; i++)
                complete_offer(typed, figures[i].name, figures[i].about);
        arena_free(&arena);
    }
    for (size_t i = 0; i < COUNT(words); i++)
        if (strcmp(words[i].command, command) == 0)
            puts(words[i].files);
}

/* ---- the line ---- */

/* The line as read so far. */
struct line {
    const struct command *command;
    struct typed typed;
    const char *name; /* name of the sought option, without dashes */
    size_t name_length;
    char letter;
    const struct option_spec *found;
    struct option_spec copy; /* copy, as rows live only while visited */
};

static void match_option(void *context, const struct option_spec *option)
{
    struct line *line = context;
    if (line->letter ? option->letter == line->letter
                     : strlen(option->name) == line->name_length &&
                           strncmp(option->name, line->name, line->name_length) == 0) {
        line->copy = *option;
        line->found = &line->copy;
    }
}

/* Finds the option that the word names, "--db", "--db=x" or "-d"; NULL: none. */
static const struct option_spec *find_option(struct line *line, const char *word)
{
    line->found = NULL;
    line->letter = 0;
    if (word[0] != '-' || word[1] == '\0')
        return NULL;
    if (word[1] == '-') {
        line->name = word + 2;
        line->name_length = strcspn(line->name, "=");
    } else if (word[2] == '\0') {
        line->letter = word[1];
    } else {
        return NULL;
    }
    options_each(line->command, match_option, line);
    return line->found;
}

static void offer_option(void *context, const struct option_spec *option)
{
    char word[64];
    (void)string_format(word, sizeof word, "--%s", option->name);
    complete_offer(context, word, option->about);
}

/* Finds the option whose value is being typed; bash makes words of "--name", "=" and "value". */
static const struct option_spec *option_before(struct line *line, int count, char *const *words)
{
    const char *last = words[count - 1];
    const bool is_equal = strcmp(last, "=") == 0;
    const int before = count - 2 - (!is_equal && count > 2 && strcmp(words[count - 2], "=") == 0);
    const char *equal = strchr(last, '=');
    if (is_equal)
        line->typed.rest = "";
    if (last[0] == '-' && equal && equal - last < (long)sizeof line->typed.before - 1) {
        (void)string_format(line->typed.before, sizeof line->typed.before, "%.*s",
                            (int)(equal + 1 - last), last);
        line->typed.rest = equal + 1;
        return find_option(line, last);
    }
    if (before < 0 || strchr(words[before], '='))
        return NULL;
    return find_option(line, words[before]);
}

void complete(const struct command *const *commands, size_t command_count, int word_count,
              char *const *words)
{
    if (word_count == 0)
        return;
    const bool is_first = word_count == 1;
    struct line line = {.command = commands[0], .typed = {.rest = words[word_count - 1]}};
    for (size_t i = 0; !is_first && i < command_count; i++)
        if (strcmp(commands[i]->name, words[0]) == 0)
            line.command = commands[i];
    /* --db FILE or --db=FILE among the words; the last one counts. */
    line.typed.db = DEFAULT_DATABASE;
    for (int i = 0; i + 1 < word_count; i++) {
        if (strcmp(words[i], "--db") == 0)
            line.typed.db =
                strcmp(words[i + 1], "=") == 0 && i + 2 < word_count ? words[i + 2] : words[i + 1];
        else if (strncmp(words[i], "--db=", 5) == 0)
            line.typed.db = words[i] + 5;
    }
    const struct option_spec *option = option_before(&line, word_count, words);
    if (option && !option->flag) {
        /* Values of the option. */
        if (strstr(option->value, "LIST") || strchr(option->value, ','))
            go_behind_comma(&line.typed);
        if (strcmp(option->name, "set") == 0) {
            struct protocol protocol;
            protocol_defaults(EFFORT_NORMAL, false, &protocol);
            protocol_each(&protocol, offer_number, &line.typed);
        }
        for (size_t i = 0; i < COUNT(values); i++) {
            if (strcmp(values[i].option, option->name) != 0)
                continue;
            if (values[i].words)
                offer_words(&line.typed, values[i].words);
            if (values[i].offer)
                values[i].offer(&line.typed);
            if (values[i].sql)
                offer_rows(&line.typed, values[i].sql);
        }
        offer_files(option);
        return;
    }
    if (words[word_count - 1][0] == '-') {
        options_each(line.command, offer_option, &line.typed);
        complete_offer(&line.typed, "--help", "print help and exit");
        if (is_first)
            complete_offer(&line.typed, "--version", "print the version and exit");
        return;
    }
    for (size_t i = 0; is_first && i < command_count; i++)
        complete_offer(&line.typed, commands[i]->name, commands[i]->about);
    /* Alone, the many names of problems would bury the commands. */
    if (!is_first || line.typed.rest[0] != '\0')
        complete_word(&line.typed, line.command->name);
    else
        puts(":files yaml json");
}
