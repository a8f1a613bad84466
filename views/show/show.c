/* tune show: questions to the database. Each is a file of db/queries/, built in. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/json.h"
#include "tuner/terminal/reading.h"
#include "tuner/terminal/style.h"
#include "views/show/embedded.h"
#include "views/show/internal.h"
#include "views/show/show.h"

/* ---- the questions that are a query and a table ---- */

static const struct row_column winner_columns[] = {
    {"problem", "problem"},
    {"n", "n"},
    {"time_ns", "time"},
    {"gbs", "GB/s"},
    {"ceiling_percent", "of ceiling"},
    {"value", "value"},
    {"as_fast", "as fast"},
    {"not_compared", "not compared"},
    {"verdict", "verdict"},
    {"coverage", "space"},
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
    {"deviation", "off by"},
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
    {"further", "other sizes"},
    {"domain", "only where"},
    {"bound_percent", "loses at most"},
    {"sizes_measured", "measured sizes"},
    {"measured_loss_percent", "worst"},
    {"sizes_between", "checked between"},
    {"between_loss_percent", "lost there"},
    {"configuration", "configuration"},
};
static const struct row_column search_columns[] = {
    {"problem", "problem"},
    {"n", "n"},
    {"product_count", "product"},
    {"space_count", "legal"},
    {"points_tried", "tried"},
    {"points_percent", "of legal"},
    {"unlaunchable", "do not fit"},
    {"duplicates", "duplicates"},
    {"failures", "failed"},
    {"run_count", "runs"},
    {"strategy", "strategy"},
    {"near_percent", "time near the best"},
    {"chance_percent", "chance of 1 % better"},
    {"most_percent", "better by at most"},
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
    {"cluster", "blocks of a cluster"},
    {"cooperative", "cooperative"},
    {"threads", "threads"},
    {"registers", "registers"},
    {"static_shared_bytes", "static shared"},
    {"dynamic_shared_bytes", "dynamic shared"},
    {"local_bytes", "local"},
    {"spill_bytes", "spilled"},
    {"active_blocks_per_sm", "blocks per SM"},
    {"occupancy_percent", "occupancy"},
};
static const struct row_column issue_columns[] = {
    {"problem", "problem"},
    {"n", "n"},
    {"issue", "as"},
    {"time_ns", "time"},
    {"choice", "choice"},
    {"difference_percent", "worse by"},
    {"low_percent", "at least"},
    {"high_percent", "at most"},
    {"configuration", "configuration"},
};
static const struct row_column sample_columns[] = {
    {"ordinal", "sample"}, {"round", "round"}, {"runs", "runs"}, {"elapsed_ns", "time of one"}};

static const struct show_word tie_words[] = {
    {"worse by",
     "how much more it takes than the fastest, in the rounds that both were in: finalists in the "
     "mean over the states of the cache (--trust --wide: caches), of which 'time' is the first; "
     "others in that one. 'at least' and 'at most' are the ends of the 99 % interval."},
    {"winner",
     "one of those that are as fast: the winner from before, or else the first in a fixed order "
     "(docs/measuring.md)."},
    {"as fast", "shown to be no slower by more than counts as equal."},
    {"slower", "shown to be slower."},
    {"not compared", "not in rounds long enough to show either."},
    {"out",
     "could not win: 'why out' says why; 'gauntlet' is the check of finalists at other sizes and "
     "alignments."},
};
static const struct show_word range_words[] = {
    {"from n, to n",
     "programs with such a size get the configuration beside it, as tuned.conf has it; "
     "another entry where that is not legal at their size (domain)."},
    {"only where",
     "sizes of the range at which the constraints allow it and its results were right; no other "
     "gets it."},
    {"loses at most", "its greatest excess over the best at a measured size."},
    {"worst", "the most that was seen at the measured sizes where it was not the winner."},
    {"checked between, lost there",
     "sizes between the measured ones at which it was timed against others, and the worst that was "
     "seen."},
};
static const struct show_word failure_words[] = {
    {"status", "'tune run ... --retry STATUS' tries these again; otherwise later runs skip them."},
};
static const struct show_word search_words[] = {
    {"product",
     "combinations of the parameters' values; 'legal' are those that the constraints allow."},
    {"do not fit, duplicates",
     "not launched: no block of theirs fits on an SM, or another launches the same machine code in "
     "the same way."},
    {"strategy", "of the last run."},
    {"time near the best",
     "share of the sweep's time that went to configurations within 2 % of the best."},
    {"chance of 1 % better",
     "that an untried configuration is more than 1 % faster, by the search's model."},
    {"better by at most", "with 90 % probability, no untried configuration is faster by more."},
};

static const struct show_word issue_words[] = {
    {"as", "how launches were issued (tune run --as)."},
    {"same", "the first row's winner wins here, too."},
    {"differs",
     "the first row's winner is shown to be slower, or was out: 'worse by' how much, with its "
     "interval."},
    {"not shown", "another won, and the rounds do not show whether it is faster."},
};

struct question {
    const char *sql;
    const char *none; /* said on stderr when there are no rows */
    const struct row_column *columns;
    size_t column_count;
    const struct show_word *words; /* text below the table; NULL: none */
    size_t word_count;
};
#define COLUMNS(table) .columns = (table), .column_count = COUNT(table)
#define WORDS(table)   .words = (table), .word_count = COUNT(table)

static const struct question questions[SHOW_TABLES] = {
    [SHOW_WINNERS] =
        {show_query_winners,
         "no winner yet; 'tune show --top 10' lists measured configurations, 'tune run' continues",
         COLUMNS(winner_columns)},
    [SHOW_TOP] = {show_query_top,
                  "no configuration has a time yet; 'tune show --failures' says why",
                  COLUMNS(top_columns)},
    [SHOW_BASELINES] = {show_query_baselines, "no baselines", COLUMNS(baseline_columns)},
    [SHOW_FAILURES] = {show_query_failures, "no configuration failed", COLUMNS(failure_columns),
                       WORDS(failure_words)},
    [SHOW_TIES] = {show_query_contenders, "no winner yet that was chosen among contenders",
                   COLUMNS(tie_columns), WORDS(tie_words)},
    [SHOW_RANGES] = {show_query_ranges,
                     "no winner yet that programs could get: 'tune run' finds them",
                     COLUMNS(range_columns), WORDS(range_words)},
    [SHOW_SEARCHES] = {show_query_searches, "nothing was searched yet", COLUMNS(search_columns),
                       WORDS(search_words)},
    [SHOW_RUNS] = {show_query_runs, "no run yet", COLUMNS(run_columns)},
    [SHOW_ISSUES] = {show_query_issues,
                     "no problem was tuned in several ways: 'tune run --as graph,eager' does",
                     COLUMNS(issue_columns), WORDS(issue_words)},
};

/* Prepares the rows. In JSON baselines and metrics stay objects; CSV and tables get columns, and
 * tables "unknown" for numbers with too wide bounds. */
static enum status prepare_rows(const struct show *show, struct rows *rows,
                                struct row_column *columns, size_t *column_count,
                                struct error *error)
{
    if (show->json)
        return STATUS_OK;
    TRY(show_spread_baselines(rows, columns, column_count, !show->csv, error));
    if (!show->csv && !show_mark_gains(rows))
        return error_no_memory(error);
    if (!show->csv)
        show_mark_differences(rows, "difference_percent");
    return show_spread_metrics(rows, columns, column_count, error);
}

static enum status answer_table(struct show *show, enum show_question wanted, struct store *store,
                                struct error *error)
{
    const struct question *question = &questions[wanted];
    const bool by_time = strcmp(show->by, "time") == 0;
    struct row_column columns[SHOW_COLUMNS_MAX];
    struct rows rows = {0};
    size_t column_count = 0;
    for (size_t i = 0; i < question->column_count;
         i++) /* the value is shown unless it is the time */
        if (!by_time || strcmp(question->columns[i].name, "value") != 0)
            columns[column_count++] = question->columns[i];
    enum status status = wanted == SHOW_RANGES ? show_find_picks(show, store, error) : STATUS_OK;
    if (status == STATUS_OK)
        status = show_read(show, store, question->sql, &rows, error);
    if (status == STATUS_OK && wanted == SHOW_WINNERS)
        status = show_add_picks(show, store, &rows, error);
    if (status == STATUS_OK)
        status = prepare_rows(show, &rows, columns, &column_count, error);
    if (status == STATUS_OK && rows.row_count == 0)
        print_clean(stderr, "%s: %s\n", show->db, question->none);
    if (status == STATUS_OK && show->json) {
        rows_print_json(&rows);
        putchar('\n');
    } else if (status == STATUS_OK && show->csv) {
        rows_print_csv(&rows);
    } else if (status == STATUS_OK && wanted == SHOW_WINNERS && !show->wide) {
        status = show_winners(&rows, !show->of_run, error);
    } else if (status == STATUS_OK && wanted == SHOW_TIES && !show->wide) {
        status = show_ties(&rows, columns, column_count, error);
    } else if (status == STATUS_OK && wanted == SHOW_RUNS && rows.row_count > 0) {
        rows_print_page(&rows, 0, rows.row_count, columns, column_count);
    } else if (status == STATUS_OK) {
        /* One table for each device, environment and mode. */
        for (size_t first = 0; first < rows.row_count && status == STATUS_OK;) {
            const size_t end = show_group_end(&rows, first);
            if (first > 0)
                putchar('\n');
            show_heading(&rows, first);
            if (wanted != SHOW_BASELINES && !show_share_configuration(&rows, first, end))
                status = error_no_memory(error);
            rows_print_page(&rows, first, end, columns, column_count);
            first = end;
        }
    }
    if (status == STATUS_OK && !show->json && !show->csv && rows.row_count > 0 && question->words)
        show_put_words_used(&rows, columns, column_count, question->words, question->word_count);
    rows_free(&rows);
    return status;
}

/* ---- one trial ---- */

static enum status answer_trial(const struct show *show, struct store *store, struct error *error)
{
    struct rows trial = {0};
    struct rows launches = {0};
    struct rows samples = {0};
    enum status status = show_read(show, store, show_query_trial, &trial, error);
    if (status == STATUS_OK && trial.row_count == 0)
        status = error_set(error, STATUS_NOT_FOUND,
                           "no trial %s in %s; --top and --failures print their numbers",
                           show->trial, show->db);
    if (status == STATUS_OK)
        status = show_read(show, store, show_query_trial_launches, &launches, error);
    if (status == STATUS_OK)
        status = show_read(show, store, show_query_trial_samples, &samples, error);
    if (status == STATUS_OK) {
        if (show->csv) {
            rows_print_csv(&samples);
        } else if (show->json) {
            struct text line = {0};
            rows_append_json(&line, &trial, 0);
            printf("{\"version\": %d, \"trial\": %s,\n\"launches\": ", JSON_VERSION,
                   text_string(&line));
            rows_print_json_within(&launches, "");
            fputs(",\n\"samples\": ", stdout);
            rows_print_json_within(&samples, "");
            fputs("}\n", stdout);
            text_free(&line);
        } else {
            rows_print_list(&trial, 0);
            if (launches.row_count > 0)
                putchar('\n');
            rows_print_page(&launches, 0, launches.row_count, launch_columns,
                            COUNT(launch_columns));
            if (samples.row_count > 0)
                putchar('\n');
            rows_print_page(&samples, 0, samples.row_count, sample_columns, COUNT(sample_columns));
        }
    }
    rows_free(&trial);
    rows_free(&launches);
    rows_free(&samples);
    return status;
}

/* ---- the command ---- */

static enum status check_use(struct show *show, enum show_question *wanted, struct error *error)
{
    long long number = 0;
    size_t count = 0;
    show->wanted[SHOW_TOP] = show->top != NULL;
    show->wanted[SHOW_TRIAL] = show->trial != NULL;
    *wanted = SHOW_WINNERS;
    for (size_t i = 0; i < SHOW_QUESTIONS; i++)
        if (show->wanted[i]) {
            *wanted = (enum show_question)i;
            count++;
        }
    if (count > 1)
        return error_set(error, STATUS_USAGE,
                         "give one of --top, --baselines, --failures, --trust, --ties, --ranges, "
                         "--searches, --why, --as, --compare, --trial and --runs");
    if (show->before && *wanted != SHOW_COMPARE)
        return error_set(error, STATUS_USAGE, "--before goes with --compare");
    if (show->json && show->csv)
        return error_set(error, STATUS_USAGE, "give one of --json and --csv");
    if ((*wanted == SHOW_TRIAL || *wanted == SHOW_RUNS) && (show->word_count > 0 || show->n))
        return error_set(error, STATUS_USAGE, "--%s takes neither names nor --n",
                         *wanted == SHOW_RUNS ? "runs" : "trial");
    if (show->top && option_integer("top", show->top, 1, 1000000, &number, error) != STATUS_OK)
        return error->status;
    if (show->trial &&
        option_integer("trial", show->trial, 1, INT64_MAX, &number, error) != STATUS_OK)
        return error->status;
    if (show->n && option_size("n", show->n, &number, error) != STATUS_OK)
        return error->status;
    if (show->n)
        (void)string_format(show->n_text, sizeof show->n_text, "%lld", number);
    return STATUS_OK;
}

static enum status answer(struct show *show, struct error *error)
{
    enum show_question wanted = SHOW_WINNERS;
    struct store *store = NULL;
    enum status status = check_use(show, &wanted, error);
    if (show->wide)
        style_unbind();
    if (status == STATUS_OK)
        status = reading_open(&show->db, &store, error);
    if (status == STATUS_OK)
        status = show_check_names(show, store, error);
    if (status == STATUS_OK)
        status = wanted == SHOW_TRIAL     ? answer_trial(show, store, error)
                 : wanted == SHOW_TRUST   ? show_trust(show, store, error)
                 : wanted == SHOW_WHY     ? show_why(show, store, error)
                 : wanted == SHOW_COMPARE ? show_compare(show, store, error)
                                          : answer_table(show, wanted, store, error);
    store_close(store);
    free(show->words_json);
    free(show->picks_json);
    return status;
}

enum status show_append_issues(struct store *store, const char *objective, struct text *line,
                               struct error *error)
{
    struct show show = {.objective = objective};
    struct rows rows = {0};
    size_t compared = 0, differ = 0, worst = 0;
    (void)string_format(show.by, sizeof show.by, "%s", objective);
    enum status status = show_read(&show, store, show_query_issues, &rows, error);
    for (size_t i = 0; status == STATUS_OK && i < rows.row_count; i++) {
        const bool differs = strcmp(rows_text(&rows, i, "choice", ""), "differs") == 0;
        compared += *rows_text(&rows, i, "choice", "") != '\0';
        differ += differs;
        if (differs && (differ == 1 || !(rows_number(&rows, i, "difference_percent") <=
                                         rows_number(&rows, worst, "difference_percent"))))
            worst = i;
    }
    if (compared > 0 && differ == 0)
        text_printf(line, "the issue of launches changes none of %s by more than noise",
                    count_text(compared, "winner").text);
    if (differ > 0) {
        text_printf(
            line, "the issue of launches changes %zu of %s: %s n=%s as %s: the winner as %s ",
            differ, count_text(compared, "winner").text, rows_text(&rows, worst, "problem", ""),
            rows_text(&rows, worst, "n", ""), rows_text(&rows, worst, "issue", ""),
            rows_text(&rows, worst, "first_issue", ""));
        if (rows_number(&rows, worst, "low_percent") > 0)
            text_printf(line, "takes %.3g %% more [%.3g, %.3g]",
                        rows_number(&rows, worst, "difference_percent"),
                        rows_number(&rows, worst, "low_percent"),
                        rows_number(&rows, worst, "high_percent"));
        else
            text_append(line, "was out");
    }
    rows_free(&rows);
    return status;
}

enum status show_winners_of(const char *database, const char *objective, struct error *error)
{
    struct show show = {.db = database, .objective = objective, .of_run = true};
    return answer(&show, error);
}

static enum status run_show(const struct command *command, int argc, char **argv,
                            struct error *error)
{
    struct show show = {.db = DEFAULT_DATABASE};
    const struct option_spec options[] = {
        OPTION_TEXT("db", "FILE", &show.db, OPTION_DB_ABOUT),
        OPTION_TEXT("n", "N", &show.n, "only this size: 16777216 or 2**24"),
        OPTION_TEXT("objective", "NAME", &show.objective,
                    "winners by this objective: time (default), energy, edp, a formula"),
        OPTION_FLAG("wide", &show.wide,
                    "every column, one line each: of the winners baselines, GB/s, metrics, whole "
                    "configurations; of --ties every row"),
        OPTION_TEXT("top", "K", &show.top,
                    "the K fastest configurations of each problem: confirmed ones first, then by "
                    "sweep time"),
        OPTION_FLAG("baselines", &show.wanted[SHOW_BASELINES], "each baseline beside the winner"),
        OPTION_FLAG("ties", &show.wanted[SHOW_TIES],
                    "which configurations are as fast as the winner, which are slower and by how "
                    "much, and why others were out"),
        OPTION_FLAG("why", &show.wanted[SHOW_WHY],
                    "why each winner wins: runner-up, baselines, its limit, the cost of each "
                    "parameter (docs/why.md)"),
        OPTION_FLAG("trust", &show.wanted[SHOW_TRUST],
                    "how sure each choice is, and why: clocks, throttling, temperature, other "
                    "processes, noise\n"
                    "A round times every candidate once, between two timings of a reference, the "
                    "anchor; it is dropped if the anchor or the clock moved. "
                    "The A/A floor is how far two timings of the same configuration differ: "
                    "smaller differences mean nothing. "
                    "If a winner's times form two groups, their shares and medians are shown."),
        OPTION_FLAG("ranges", &show.wanted[SHOW_RANGES],
                    "the configuration that programs get at each size, and its greatest loss"),
        OPTION_FLAG(
            "searches", &show.wanted[SHOW_SEARCHES],
            "how each problem was searched: strategy, configurations tried, failed and left, "
            "chance of a better one\n"
            "The chance is the search model's; docs/search.md has how often that was right."),
        OPTION_FLAG("as", &show.wanted[SHOW_ISSUES],
                    "whether winners depend on how launches are issued (`tune run --as "
                    "graph,eager`)"),
        OPTION_FLAG("failures", &show.wanted[SHOW_FAILURES],
                    "configurations without a time, and why"),
        OPTION_TEXT("trial", "ID", &show.trial,
                    "one trial (a measured configuration): its launches and every sample"),
        OPTION_FLAG("runs", &show.wanted[SHOW_RUNS],
                    "runs: how they ended and where their time went"),
        OPTION_FLAG(
            "compare", &show.wanted[SHOW_COMPARE],
            "devices, drivers and versions side by side: which winners moved, by how much, and "
            "whether beyond noise\nFirst the drivers and versions of each device in their order, "
            "then each device beside the first board of its model, then models beside the first "
            "device. `tune merge` brings several databases into one."),
        OPTION_TEXT("before", "FILE", &show.before,
                    "with --compare: an earlier database to compare with"),
        OPTION_FLAG("json", &show.json, "print JSON"),
        OPTION_FLAG("csv", &show.csv,
                    "print CSV: of a trial its samples, of --trust the verdicts, of --why the "
                    "points compared"),
    };
    TRY(options_parse(command, options, COUNT(options), argc, argv, show.words, SHOW_WORDS_MAX,
                      &show.word_count, error));
    return answer(&show, error);
}

const struct command command_show = {
    .name = "show",
    .usage = "[EXPERIMENT|PROBLEM...] [options]",
    .about = "Prints results: the launch to use, how much faster it is, and how sure that is.",
    .manual =
        "Without one of the questions below: a table of each problem's winners. `time` is the "
        "median; `gain` how many times as fast it is as the best baseline, which the line above "
        "names (none: that baseline is not shown to be slower; unknown: not compared well enough; "
        ">: at least); `of ceiling` its share of the measured maximum of the device; `verdict` "
        "whether the choice is sure; `launch` grid, block and bytes of dynamic shared memory as in "
        "CUDA, or the blocks and threads of a CPU, then the parameters in which the winners "
        "differ. The line `all:` has the parameters that all winners share. The reasons for a "
        "choice that is not sure, and the remedy, follow the table.\nTables are as wide as the "
        "terminal, and 100 columns elsewhere. The last line sums up each device: how many choices "
        "are sure, and the largest problem's result.",
    .run = run_show,
};
