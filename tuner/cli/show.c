/* tune show: questions to the database. Each is a file of db/queries/, built in. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/cli/command.h"
#include "tuner/cli/show.h"
#include "tuner/cli/style.h"

extern const char show_query_winners[];
extern const char show_query_baselines[];
extern const char show_query_top[];
extern const char show_query_failures[];
extern const char show_query_runs[];
extern const char show_query_contenders[];
extern const char show_query_ranges[];
extern const char show_query_searches[];
extern const char show_query_trial[];
extern const char show_query_trial_launches[];
extern const char show_query_trial_samples[];

struct question {
    const char *sql;
    const char *none; /* said on stderr when there are no rows */
    const struct row_column *columns;
    size_t column_count;
};

#define COLUMNS(array) array, sizeof array / sizeof array[0]

static const struct row_column winner_columns[] = {
    {"problem", "problem"},
    {"n", "n"},
    {"time_ns", "time"},
    {"gbs", "GB/s"},
    {"ceiling_percent", "of ceiling"},
    {"value", "value"},
    {"tied", "tied"},
    {"trust", "trust"},
    /* the baselines, then: */
    {"configuration", "configuration"},
};
static const struct row_column baseline_columns[] = {
    {"problem", "problem"},   {"n", "n"},
    {"baseline", "baseline"}, {"time_ns", "time"},
    {"gbs", "GB/s"},          {"ceiling_percent", "of ceiling"},
    {"winner_ns", "winner"},  {"winner_gain", "gain"},
    {"status", "status"},     {"configuration", "configuration"},
};
static const struct row_column top_columns[] = {
    {"problem", "problem"},
    {"n", "n"},
    {"place", "#"},
    {"time_ns", "time"},
    {"spread_percent", "spread"},
    {"stage", "stage"},
    {"value", "value"},
    {"gbs", "GB/s"},
    {"ceiling_percent", "of ceiling"},
    {"occupancy_percent", "occupancy"},
    {"registers", "registers"},
    {"grid", "grid"},
    {"block", "block"},
    {"trial_id", "trial"},
    {"mark", "mark"},
    {"configuration", "configuration"},
};
static const struct row_column failure_columns[] = {
    {"problem", "problem"}, {"n", "n"},           {"trial_id", "trial"},
    {"stage", "stage"},     {"status", "status"}, {"configuration", "configuration"},
    {"detail", "why"},
};
static const struct row_column run_columns[] = {
    {"run", "run"},
    {"device", "device"},
    {"started_at", "started"},
    {"outcome", "outcome"},
    {"l2_mode", "L2"},
    {"wall_ns", "wall time"},
    {"measuring_percent", "measuring"},
    {"compile_wait_percent", "compiler"},
    {"idle_percent", "idle"},
    {"binaries_compiled", "compiled"},
    {"binaries_cached", "cached"},
    {"trial_count", "trials"},
    {"duplicate_count", "duplicates"},
    {"failed_count", "failed"},
    {"driver", "driver"},
    {"tool_version", "tune"},
};
static const struct row_column tie_columns[] = {
    {"problem", "problem"},
    {"n", "n"},
    {"place", "#"},
    {"standing", "standing"},
    {"time_ns", "time"},
    {"value", "value"},
    {"difference_percent", "worse by"},
    {"low_percent", "at least"},
    {"high_percent", "at most"},
    {"out", "why out"},
    {"baseline", "baseline"},
    {"trial_id", "trial"},
    {"configuration", "configuration"},
};
static const struct row_column range_columns[] = {
    {"problem", "problem"},
    {"n_low", "from n"},
    {"n_high", "to n"},
    {"bound_percent", "loses at most"},
    {"sizes_measured", "measured sizes"},
    {"measured_loss_percent", "worst"},
    {"sizes_between", "looked at between"},
    {"between_loss_percent", "worst"},
    {"configuration", "configuration"},
};
static const struct row_column search_columns[] = {
    {"problem", "problem"},
    {"n", "n"},
    {"product_count", "product"},
    {"space_count", "legal"},
    {"points", "tried"},
    {"points_percent", "of legal"},
    {"unlaunchable", "do not fit"},
    {"duplicates", "duplicates"},
    {"failures", "failed"},
    {"run_count", "runs"},
    {"strategy", "last by"},
};
static const struct row_column launch_columns[] = {
    {"launch", "launch"},
    {"kernel", "kernel"},
    {"grid_x", "grid x"},
    {"grid_y", "y"},
    {"grid_z", "z"},
    {"block_x", "block x"},
    {"block_y", "y"},
    {"block_z", "z"},
    {"threads", "threads"},
    {"registers", "registers"},
    {"static_shared_bytes", "static shared"},
    {"dynamic_shared_bytes", "dynamic shared"},
    {"local_bytes", "local"},
    {"spill_bytes", "spilled"},
    {"active_blocks_per_sm", "blocks per SM"},
    {"occupancy_percent", "occupancy"},
};
static const struct row_column sample_columns[] = {
    {"ordinal", "sample"}, {"round", "round"}, {"runs", "runs"}, {"elapsed_ns", "time of one"}};

static const struct show_word tie_words[] = {
    {"worse by",
     "how much more it takes than the fastest, in the rounds that both were in; 'at least' "
     "and 'at most' are the ends of the 99 % interval."},
    {"as fast", "shown to be no slower, but for what counts as equal."},
    {"tied", "not shown to be slower."},
    {"slower", "shown to be slower."},
    {"out", "could not win: 'why out' says why."},
};
static const struct show_word range_words[] = {
    {"from n, to n", "programs with such a size get the configuration beside it."},
    {"loses at most",
     "what it takes more than the best at a measured size; 'worst' is the most that "
     "was seen at the sizes where it was not the winner."},
    {"looked at between",
     "sizes between the measured ones at which it was tried, and the most that was "
     "lost there."},
};

static const struct question winners_question = {
    show_query_winners,
    "no winner yet; 'tune show --top 10' shows what was measured, 'tune run' goes on",
    COLUMNS(winner_columns)};
static const struct question baselines_question = {show_query_baselines, "no baselines",
                                                   COLUMNS(baseline_columns)};
static const struct question top_question = {
    show_query_top, "no configuration has a time yet; 'tune show --failures' says why",
    COLUMNS(top_columns)};
static const struct question failures_question = {show_query_failures, "no configuration failed",
                                                  COLUMNS(failure_columns)};
static const struct question ties_question = {
    show_query_contenders, "no winner yet that was chosen among contenders", COLUMNS(tie_columns)};
static const struct question ranges_question = {
    show_query_ranges, "no ranges of sizes yet: 'tune run' finds them at its end",
    COLUMNS(range_columns)};
static const struct question searches_question = {show_query_searches, "nothing was searched yet",
                                                  COLUMNS(search_columns)};
static const struct question runs_question = {show_query_runs, "no run yet", COLUMNS(run_columns)};

static void put_words(const struct question *question)
{
    if (question == &ties_question)
        show_put_words(COLUMNS(tie_words));
    else if (question == &ranges_question)
        show_put_words(COLUMNS(range_words));
}

/* One table for each device, environment and mode. */
static void print_groups(const struct rows *rows, const struct row_column *columns, size_t count)
{
    for (size_t first = 0; first < rows->row_count;) {
        size_t end = show_group_end(rows, first);
        if (first > 0)
            putchar('\n');
        show_heading(rows, first);
        rows_print_table(rows, first, end, columns, count);
        first = end;
    }
}

/* The objective's value is told where it is not the time. */
static size_t choose_columns(const struct show *show, const struct question *question,
                             struct row_column out[SHOW_COLUMNS_MAX])
{
    size_t count = 0;
    bool by_time = strcmp(show->by, "time") == 0;
    for (size_t i = 0; i < question->column_count; i++)
        if (!by_time || strcmp(question->columns[i].name, "value") != 0)
            out[count++] = question->columns[i];
    return count;
}

static enum status answer(const struct show *show, const struct question *question,
                          struct store *store, struct error *error)
{
    struct store_parameter parameters[SHOW_PARAMETERS];
    struct row_column columns[SHOW_COLUMNS_MAX];
    struct rows rows = {0};
    size_t column_count = 0;
    show_parameters(show, parameters);
    column_count = choose_columns(show, question, columns);
    enum status status = rows_read(store, question->sql, parameters, SHOW_PARAMETERS, &rows, error);
    if (status == STATUS_OK && !show->json)
        status = show_spread_baselines(&rows, columns, &column_count, !show->csv, error);
    if (status == STATUS_OK && !show->json && !show->csv && !show_tell_gains(&rows))
        status = error_no_memory(error);
    if (status == STATUS_OK && !show->json && !show->csv)
        show_tell_differences(&rows, "difference_percent");
    if (status == STATUS_OK && !show->json)
        status = show_spread_metrics(&rows, columns, &column_count, error);
    if (status == STATUS_OK && rows.row_count == 0)
        fprintf(stderr, "%s: %s\n", show->db, question->none);
    if (status == STATUS_OK && show->json) {
        rows_print_json(&rows);
        putchar('\n');
    } else if (status == STATUS_OK && show->csv) {
        rows_print_csv(&rows);
    } else if (status == STATUS_OK && question == &winners_question && !show->wide) {
        status = show_winners(&rows, error);
    } else if (status == STATUS_OK && question == &runs_question && rows.row_count > 0) {
        rows_print_table(&rows, 0, rows.row_count, columns, column_count);
    } else if (status == STATUS_OK) {
        print_groups(&rows, columns, column_count);
        if (rows.row_count > 0)
            put_words(question);
    }
    rows_free(&rows);
    return status;
}

static void print_trial(const struct show *show, const struct rows *trial,
                        const struct rows *launches, const struct rows *samples)
{
    if (show->csv) {
        rows_print_csv(samples);
    } else if (show->json) {
        fputs("{\"trial\": ", stdout);
        rows_print_json_row(trial, 0);
        fputs(",\n\"launches\": ", stdout);
        rows_print_json(launches);
        fputs(",\n\"samples\": ", stdout);
        rows_print_json(samples);
        fputs("}\n", stdout);
    } else {
        rows_print_list(trial, 0);
        if (launches->row_count > 0)
            putchar('\n');
        rows_print_table(launches, 0, launches->row_count, COLUMNS(launch_columns));
        if (samples->row_count > 0)
            putchar('\n');
        rows_print_table(samples, 0, samples->row_count, COLUMNS(sample_columns));
    }
}

static enum status answer_trial(const struct show *show, struct store *store, struct error *error)
{
    struct rows trial = {0};
    struct rows launches = {0};
    struct rows samples = {0};
    struct store_parameter parameters[SHOW_PARAMETERS];
    show_parameters(show, parameters);
    enum status status =
        rows_read(store, show_query_trial, parameters, SHOW_PARAMETERS, &trial, error);
    if (status == STATUS_OK && trial.row_count == 0)
        status = error_set(error, STATUS_NOT_FOUND,
                           "no trial %s in %s; --top and --failures print their numbers",
                           show->trial, show->db);
    if (status == STATUS_OK)
        status = rows_read(store, show_query_trial_launches, parameters, SHOW_PARAMETERS, &launches,
                           error);
    if (status == STATUS_OK)
        status = rows_read(store, show_query_trial_samples, parameters, SHOW_PARAMETERS, &samples,
                           error);
    if (status == STATUS_OK)
        print_trial(show, &trial, &launches, &samples);
    rows_free(&trial);
    rows_free(&launches);
    rows_free(&samples);
    return status;
}

static enum status check_use(struct show *show, struct error *error)
{
    long long number = 0;
    int questions = (show->top != NULL) + show->baselines + show->failures + show->trust +
                    show->ties + show->ranges + show->searches + show->why + (show->trial != NULL) +
                    show->runs;
    if (questions > 1)
        return error_set(error, STATUS_USAGE,
                         "give one of --top, --baselines, --failures, --trust, --ties, --ranges, "
                         "--searches, --why, --trial and --runs");
    if (show->json && show->csv)
        return error_set(error, STATUS_USAGE, "give one of --json and --csv");
    if ((show->trial || show->runs) && (show->word_count > 0 || show->n))
        return error_set(error, STATUS_USAGE, "--%s takes neither names nor --n",
                         show->runs ? "runs" : "trial");
    if (show->top && option_integer("top", show->top, 1, 1000000, &number, error) != STATUS_OK)
        return error->status;
    if (show->trial &&
        option_integer("trial", show->trial, 1, INT64_MAX, &number, error) != STATUS_OK)
        return error->status;
    return show->n ? show_parse_size(show, error) : STATUS_OK;
}

static const struct question *question_of(const struct show *show)
{
    return show->top         ? &top_question
           : show->baselines ? &baselines_question
           : show->failures  ? &failures_question
           : show->runs      ? &runs_question
           : show->ties      ? &ties_question
           : show->ranges    ? &ranges_question
           : show->searches  ? &searches_question
                             : &winners_question;
}

static enum status show_all(struct show *show, struct error *error)
{
    struct store *store = NULL;
    enum status status = check_use(show, error);
    if (status == STATUS_OK)
        status = store_open(show->db, STORE_READ, &store, error);
    if (status == STATUS_OK)
        status = show_check_names(show, store, error);
    if (status == STATUS_OK)
        status = show->trial   ? answer_trial(show, store, error)
                 : show->trust ? show_trust(show, store, error)
                 : show->why   ? show_why(show, store, error)
                               : answer(show, question_of(show), store, error);
    store_close(store);
    free(show->words_json);
    return status;
}

static enum status run_show(const struct command *command, int argc, char **argv,
                            struct error *error)
{
    struct show show = {.db = DEFAULT_DATABASE};
    const struct option_spec options[] = {
        {.name = "db", .value = "FILE", .about = OPTION_DB_ABOUT, .text = &show.db},
        {.name = "n", .value = "N", .about = "only this size: 16777216 or 2**24", .text = &show.n},
        {.name = "top",
         .value = "K",
         .about = "the K fastest configurations of each problem: first those\nthat were compared "
                  "to the end, then by their first timing",
         .text = &show.top},
        {.name = "wide",
         .about = "the winners with every column: the baselines' times and gains,\nGB/s, ties, "
                  "the experiment's own metrics, whole configurations",
         .flag = &show.wide},
        {.name = "baselines", .about = "each baseline beside the winner", .flag = &show.baselines},
        {.name = "failures",
         .about = "configurations without a time, and why",
         .flag = &show.failures},
        {.name = "trust",
         .about = "how sure each choice is, and why: clocks, throttling,\ntemperature, other "
                  "processes, noise",
         .flag = &show.trust},
        {.name = "ties",
         .about = "what is as fast as each winner, what is slower and by how\nmuch, and what could "
                  "not win",
         .flag = &show.ties},
        {.name = "ranges",
         .about = "which sizes share one configuration, and what that costs\nat most",
         .flag = &show.ranges},
        {.name = "searches",
         .about = "how many configurations of each problem were tried, and\nby which strategy",
         .flag = &show.searches},
        {.name = "why",
         .about = "each winner against the runner-up and the baselines, what\nlimits it, and what "
                  "changing a parameter costs",
         .flag = &show.why},
        {.name = "objective",
         .value = "NAME",
         .about = "winners by this: time (default), energy, edp, a formula",
         .text = &show.objective},
        {.name = "trial",
         .value = "ID",
         .about = "one trial (a configuration as it was measured): its\nlaunches and every sample",
         .text = &show.trial},
        {.name = "runs",
         .about = "runs: how they ended and what their time went to",
         .flag = &show.runs},
        {.name = "json", .about = "as JSON", .flag = &show.json},
        {.name = "csv",
         .about =
             "as CSV: of a trial its samples, of --trust the verdicts,\nof --why what is compared",
         .flag = &show.csv},
    };
    bool helped = false;
    enum status status =
        options_parse(command, options, sizeof options / sizeof options[0], argc, argv, show.words,
                      SHOW_WORDS_MAX, &show.word_count, &helped, error);
    return status != STATUS_OK || helped ? status : show_all(&show, error);
}

const struct command command_show = {
    .name = "show",
    .usage = "[EXPERIMENT|PROBLEM...] [options]",
    .about = "Answers from the database: what to launch, how much faster it is, how sure that is.",
    .run = run_show,
};
