/* What is said of a run at its end. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tuner/base/text.h"
#include "tuner/cli/run.h"

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

/* "tune: 1,000,000,000 points in the product, 1,234,567 legal, 200 of them tried by surrogate; set
 * aside without a launch: 12 that do not fit on the device, 30 that repeat another's machine code
 * and launches" */
static void print_points(const struct session_summary *summary)
{
    struct text line = {0};
    append_count(&line, summary->points_product);
    text_append(&line, " points in the product, ");
    append_count(&line, summary->points_legal);
    text_append(&line, " legal, ");
    append_count(&line, summary->points);
    text_printf(&line, " of them tried%s%s", summary->strategy ? " by " : "",
                summary->strategy ? summary->strategy : "");
    if (summary->unlaunchable + summary->duplicates > 0)
        text_printf(&line,
                    "; set aside without a launch: %zu that do not fit on the device, %zu that "
                    "launch the same as another",
                    summary->unlaunchable, summary->duplicates);
    fprintf(stderr, "tune: %s\n", text_string(&line));
    text_free(&line);
}

static void print_work(const struct session_summary *summary, const char *kind)
{
    double wall_s = (double)summary->wall_ns * 1e-9;
    double all_s = wall_s * (summary->devices > 0 ? (double)summary->devices : 1.0);
    double measuring = all_s > 0 ? (double)summary->measuring_ns * 1e-7 / all_s : 0;
    double waiting = all_s > 0 ? (double)summary->compile_wait_ns * 1e-7 / all_s : 0;
    fprintf(stderr,
            "tune: %zu %s device%s: %zu problems, %zu trials (%zu known already), %zu failed, in "
            "%.1f s: %.1f points a second, %.0f %% of the time measuring, %.0f %% waiting for the "
            "compiler, %.0f %% idle; %zu binaries compiled, %zu cached\n",
            summary->devices, kind, summary->devices == 1 ? "" : "s", summary->problems,
            summary->trials, summary->trials_known, summary->failures, wall_s,
            wall_s > 0 ? (double)summary->trials / wall_s : 0, measuring, waiting,
            100 - measuring - waiting, summary->binaries_compiled, summary->binaries_cached);
}

/* "20 sound, 2 noisy" */
static void append_verdicts(struct text *line, const struct session_summary *summary)
{
    const char *separator = "";
    for (int i = 0; i < VERDICTS; i++) {
        if (summary->verdicts[i] == 0)
            continue;
        text_printf(line, "%s%zu %s", separator, summary->verdicts[i],
                    verdict_name((enum verdict)i));
        separator = ", ";
    }
}

static void append_evidence(struct text *line, const struct session_summary *summary)
{
    if (isfinite(summary->floor_worst))
        text_printf(line, "; A/A floor at most %.2g %%", 100 * summary->floor_worst);
    if (summary->rounds > 0)
        text_printf(line, "; %zu of %zu rounds dropped", summary->rounds_dropped, summary->rounds);
    if (summary->tied > 0)
        text_printf(line, "; %zu tied with others", summary->tied);
    if (summary->gauntlet_failures > 0)
        text_printf(line, "; %zu finalist%s thrown out by the checks", summary->gauntlet_failures,
                    summary->gauntlet_failures == 1 ? "" : "s");
}

/* "tune: trust: 22 sound; A/A floor at most 0.06 %; 3 of 1900 rounds dropped; ..." */
static void print_trust(const struct session_summary *summary)
{
    struct text line = {0};
    bool all_sound = summary->verdicts[VERDICT_SOUND] == summary->winners;
    append_verdicts(&line, summary);
    append_evidence(&line, summary);
    fprintf(stderr, "tune: trust: %s; 'tune show --trust' says more\n", text_string(&line));
    if (!all_sound && summary->worst_reason[0])
        fprintf(stderr, "tune: the worst of them: %s\n", summary->worst_reason);
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
    if (summary->budget_spent)
        fputs("tune: the budget left some of it undone; the same command goes on from here\n",
              stderr);
}
