/* What is said of a run at its end. */
#include <stdio.h>
#include <string.h>

#include "tuner/base/text.h"
#include "tuner/cli/run.h"
#include "tuner/cli/show.h"
#include "tuner/cli/style.h"
#include "tuner/stats/verdict.h"

/* 1234567 as "1,234,567"; more than can be counted as "over 1.8e19". */
static void append_count(struct text *line, uint64_t count)
{
    char digits[32];
    if (count == UINT64_MAX) {
        text_append(line, "over 1.8e19");
        return;
    }
    (void)string_format(digits, sizeof digits, "%llu", (unsigned long long)count);
    size_t length = strlen(digits);
    for (size_t i = 0; i < length; i++)
        text_printf(line, "%s%c", i > 0 && (length - i) % 3 == 0 ? "," : "", digits[i]);
}

/* "tune: 200 of 1,234,567 legal configurations tried (1,000,000,000 combinations), by surrogate",
 * and what of them was never launched. */
static void print_points(const struct session_summary *summary)
{
    struct text line = {0};
    append_count(&line, summary->points);
    text_append(&line, " of ");
    append_count(&line, summary->points_legal);
    text_append(&line, " legal configurations tried (");
    append_count(&line, summary->points_product);
    text_printf(&line, " combinations)%s%s", summary->strategy ? ", by " : "",
                summary->strategy ? summary->strategy : "");
    print_clean(stderr, "tune: %s\n", text_string(&line));
    if (summary->unlaunchable + summary->duplicates > 0)
        fprintf(stderr,
                "tune: not launched: %zu that do not fit on the device, %zu that launch the same "
                "as another\n",
                summary->unlaunchable, summary->duplicates);
    text_free(&line);
}

/* "tune: 1.2 s to start, 0.8 s setting up problems, 20.1 s sweeps, ..." */
static void print_stages(const struct session_summary *summary)
{
    static const char *const names[SESSION_STAGES] = {
        [STAGE_START] = "to start",     [STAGE_SET_UP] = "setting up problems",
        [STAGE_SWEEP] = "sweeps",       [STAGE_RACE] = "races",
        [STAGE_CHECK] = "checks",       [STAGE_WATCH] = "watching winners",
        [STAGE_CONFIRM] = "confirming", [STAGE_RANGES] = "ranges",
        [STAGE_END] = "to end"};
    struct text line = {0};
    for (size_t i = 0; i < SESSION_STAGES; i++) {
        double seconds = (double)summary->stage_ns[i] * 1e-9;
        if (seconds >= 0.05)
            text_printf(&line, "%s%.1f s %s", line.length > 0 ? ", " : "", seconds, names[i]);
    }
    if (line.length > 0)
        print_clean(stderr, "tune: %s\n", text_string(&line));
    text_free(&line);
}

static void print_work(const struct session_summary *summary, const char *kind)
{
    double wall_s = (double)summary->wall_ns * 1e-9;
    double all_s = wall_s * (summary->devices > 0 ? (double)summary->devices : 1.0);
    double measuring = all_s > 0 ? (double)summary->measuring_ns * 1e-7 / all_s : 0;
    double waiting = all_s > 0 ? (double)summary->compile_wait_ns * 1e-7 / all_s : 0;
    fprintf(stderr,
            "tune: %zu problem%s, %zu trials (%zu known already), %zu failed, in %.1f s on %zu %s "
            "device%s\n",
            summary->problems, summary->problems == 1 ? "" : "s", summary->trials,
            summary->trials_known, summary->failures, wall_s, summary->devices, kind,
            summary->devices == 1 ? "" : "s");
    fprintf(stderr,
            "tune: %.1f trials per second, %.0f %% of the time measuring, %.0f %% waiting for the "
            "compiler, %.0f %% idle\n",
            wall_s > 0 ? (double)summary->trials / wall_s : 0, measuring, waiting,
            100 - measuring - waiting);
    print_stages(summary);
    fprintf(stderr, "tune: %zu binaries compiled, %zu cached\n", summary->binaries_compiled,
            summary->binaries_cached);
}

/* "tune: 20 of 22 problems: sure; 2 nearly sure; 5 have others that are as good ..."
 */
static void print_trust(const struct session_summary *summary)
{
    struct text line = {0};
    const bool all_sound = summary->verdicts[VERDICT_SOUND] == summary->winners;
    show_append_verdicts(&line, summary->verdicts, summary->winners);
    if (summary->tied > 0)
        text_printf(&line, "; %zu %s others that are as good ('tune show --ties')", summary->tied,
                    summary->tied == 1 ? "has" : "have");
    if (summary->gauntlet_failures > 0)
        text_printf(&line, "; %zu finalist%s thrown out by the checks", summary->gauntlet_failures,
                    summary->gauntlet_failures == 1 ? "" : "s");
    print_clean(stderr, "tune: %s; 'tune show --trust' says why\n", text_string(&line));
    if (!all_sound && summary->worst_reason[0])
        fprintf(stderr, "tune: %.*s\n", (int)verdict_advice_bytes(summary->worst_reason),
                summary->worst_reason);
    text_free(&line);
}

void run_print_summary(const struct run *run, const struct session_summary *summary)
{
    if (run->text.quiet)
        return;
    print_work(summary, run->session.device_kind);
    print_points(summary);
    if (summary->winners > 0)
        print_trust(summary);
    if (summary->ranges > 0)
        fprintf(stderr,
                "tune: %zu range%s of sizes cover%s the %zu measured; 'tune show --ranges' "
                "lists them\n",
                summary->ranges, summary->ranges == 1 ? "" : "s", summary->ranges == 1 ? "s" : "",
                summary->sizes);
    if (summary->problems_left_out > 0)
        fprintf(stderr, "tune: for want of time %zu of %zu problems %s not measured to the end\n",
                summary->problems_left_out, summary->problems,
                summary->problems_left_out == 1 ? "was" : "were");
    if (summary->budget_spent)
        fputs("tune: the budget left some of it undone; the same command goes on from here\n",
              stderr);
}
