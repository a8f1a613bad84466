#include "tuner/cli/progress.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "tuner/base/array.h"
#include "tuner/base/clock.h"
#include "tuner/base/json.h"
#include "tuner/base/text.h"
#include "tuner/terminal/style.h"

enum { BAR_WIDTH = 20, BAR_WIDTH_MIN = 6, LINE_MAX_BYTES = 256, PHASE_BYTES = 80 };
static const int64_t redraw_every_ns = 100000000, send_every_ns = 500000000;

/* ---- lines instead of a bar ---- */

static void *print_now_and_then(void *context)
{
    struct progress_view *view = context;
    (void)pthread_mutex_lock(&view->mutex);
    while (!view->is_ending) {
        struct timespec until;
        const int64_t next_ns = view->printed_ns + PROGRESS_EVERY_S * INT64_C(1000000000);
        if (clock_now_ns() >= next_ns) {
            print_clean(stderr, "tune: after %lld s: %s\n",
                        (long long)((clock_running_ns() - view->begun_ns) / 1000000000), view->now);
            view->printed_ns = clock_now_ns();
            continue;
        }
        (void)clock_gettime(CLOCK_MONOTONIC, &until);
        const int64_t wait_ns = next_ns - clock_now_ns() + until.tv_nsec;
        until.tv_sec += (time_t)(wait_ns / 1000000000);
        until.tv_nsec = (long)(wait_ns % 1000000000);
        (void)pthread_cond_timedwait(&view->ending, &view->mutex, &until);
    }
    (void)pthread_mutex_unlock(&view->mutex);
    return NULL;
}

void progress_begin(struct progress_view *view, bool quiet, const struct session_options *options,
                    struct watch *watch)
{
    *view = (struct progress_view){.options = options,
                                   .watch = watch,
                                   .quiet = quiet,
                                   .terminal = isatty(STDERR_FILENO) == 1,
                                   .begun_ns = clock_running_ns()};
    /* Start the thread that reports progress; without one there are only the other lines. */
    pthread_condattr_t by_monotonic;
    sigset_t all, before;
    (void)string_format(view->now, sizeof view->now, "starting: devices, ceilings, inputs");
    view->printed_ns = clock_now_ns();
    (void)pthread_mutex_init(&view->mutex, NULL);
    (void)pthread_condattr_init(&by_monotonic);
    (void)pthread_condattr_setclock(&by_monotonic, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&view->ending, &by_monotonic);
    (void)pthread_condattr_destroy(&by_monotonic);
    (void)sigfillset(&all); /* signals are the main thread's */
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    view->has_thread = !view->quiet && !view->terminal &&
                       pthread_create(&view->thread, NULL, print_now_and_then, view) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (quiet || !view->terminal)
        return;
    /* Until the first trial, which on a device that is not known yet takes seconds. */
    fputs("starting: devices, ceilings, inputs", stderr);
    (void)fflush(stderr);
    view->bar_shown = true;
}

/* Takes the bar away, so that other lines can be printed. */
static void clear(struct progress_view *view)
{
    if (view->bar_shown)
        fputs("\r\033[K", stderr);
    view->bar_shown = false;
}

static void format_time(double elapsed_ns, char *out, size_t bytes)
{
    if (!(elapsed_ns > 0))
        (void)string_format(out, bytes, "-");
    else if (elapsed_ns < 1e6)
        (void)string_format(out, bytes, "%.2f us", elapsed_ns * 1e-3);
    else
        (void)string_format(out, bytes, "%.2f ms", elapsed_ns * 1e-6);
}

/* Phases that go over the problems once more, after all points are done. */
static bool goes_over_again(const struct session_progress *progress)
{
    return strcmp(progress->phase, "confirm") == 0 || strcmp(progress->phase, "ranges") == 0;
}

/* Returns the finished share of sweep and race, or of the confirmation, or of the ranges. */
static double share_done(const struct session_progress *progress)
{
    /* Points count for about half, the race for the other half. */
    const double points = progress->points_total > 0 ? (double)progress->points_total : 1;
    const double problems = progress->problem_count > 0 ? (double)progress->problem_count : 1;
    double raced = (double)progress->problem_index;
    if (strcmp(progress->phase, "race") == 0)
        raced += 0.5;
    else if (strcmp(progress->phase, "check") == 0)
        raced += 0.9;
    double done = 0.5 * (double)progress->points_done / points + 0.5 * raced / problems;
    if (goes_over_again(progress)) {
        int processes = progress->process_count > 0 ? progress->process_count : 1;
        int process = progress->process > 0 ? progress->process - 1 : 0;
        done = (process + (double)progress->problem_index / problems) / processes;
    }
    return done < 1 ? done : 1;
}

/* Shares of a run that ends with a confirmation, about as GPUs have them; without one, sweep and
 * race last until the ranges. */
static const double raced_share = 0.7, confirmed_share = 0.95;

/* Returns the finished share of the run, 0 to 1, for the bar: never less than the last time. */
static double share_of_run(struct progress_view *view, const struct session_progress *progress)
{
    const double raced =
        view->options->protocol.confirm_processes > 0 ? raced_share : confirmed_share;
    double share = raced * share_done(progress);
    if (strcmp(progress->phase, "confirm") == 0)
        share = raced + (confirmed_share - raced) * share_done(progress);
    else if (strcmp(progress->phase, "ranges") == 0)
        share = confirmed_share + (1 - confirmed_share) * share_done(progress);
    view->run_share = fmax(view->run_share, share);
    return view->run_share;
}

/* Estimates the seconds left of the stage from the pace since the first measurement, at most the
 * rest of the budget; NaN: not known yet. */
static double seconds_left(const struct progress_view *view,
                           const struct session_progress *progress)
{
    int64_t now_ns = clock_running_ns();
    bool goes_over = goes_over_again(progress);
    double known = goes_over ? 0 : view->first_share;
    double share = share_done(progress);
    double passed_s =
        (double)(now_ns - (goes_over ? view->phase_started_ns : view->started_ns)) * 1e-9;
    if (!view->started || share <= known || passed_s <= 0)
        return NAN;
    double left_s = passed_s * (1 - share) / (share - known);
    double budget_s = (double)(view->begun_ns + view->options->budget_ns - now_ns) * 1e-9;
    if (view->options->budget_ns > 0 && left_s > budget_s)
        left_s = budget_s > 0 ? budget_s : 0;
    return left_s;
}

static size_t terminal_width(void)
{
    struct winsize size;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    return 80;
}

/* Formats the phase and its part at work: "race (round 14, 6 dropped)". */
static void format_phase(const struct session_progress *progress, char out[PHASE_BYTES])
{
    const bool confirms = strcmp(progress->phase, "confirm") == 0;
    struct text part = {0};
    if (confirms && progress->process_count > 0)
        text_printf(&part, "process %d of %d", progress->process, progress->process_count);
    else if (progress->strategy && strcmp(progress->phase, "sweep") == 0 &&
             strcmp(progress->strategy, "exhaustive") != 0)
        text_append(&part, progress->strategy);
    if ((confirms || strcmp(progress->phase, "race") == 0) && progress->rounds > 0) {
        text_printf(&part, "%sround %zu", part.length > 0 ? ", " : "", progress->rounds);
        if (progress->dropped > 0)
            text_printf(&part, ", %zu dropped", progress->dropped);
    }
    (void)string_format(out, PHASE_BYTES, part.length > 0 ? "%s (%s)" : "%s%s", progress->phase,
                        text_string(&part));
    text_free(&part);
}

/* Draws the line, the most important part first, since a narrow terminal cuts the end; the bar
 * shrinks before that. */
static void draw(struct progress_view *view, const struct session_progress *progress)
{
    char line[LINE_MAX_BYTES];
    char rest[LINE_MAX_BYTES - 64];
    char best[32];
    char remaining[32];
    char phase[PHASE_BYTES];
    char bar[BAR_WIDTH + 16];
    size_t width = terminal_width();
    size_t bar_width = BAR_WIDTH;
    format_time(progress->best_ns, best, sizeof best);
    const double left_s = seconds_left(view, progress);
    long long wait_s = isfinite(left_s) ? (long long)ceil(left_s) : 0;
    if (!isfinite(left_s))
        (void)string_format(remaining, sizeof remaining, "-");
    else if (wait_s < 3600)
        (void)string_format(remaining, sizeof remaining, "%lld:%02lld", wait_s / 60, wait_s % 60);
    else
        (void)string_format(remaining, sizeof remaining, "%lld:%02lld:%02lld", wait_s / 3600,
                            wait_s / 60 % 60, wait_s % 60);
    format_phase(progress, phase);
    bool more = view->options->protocol.confirm_processes > 0 && !goes_over_again(progress);
    (void)string_format(rest, sizeof rest, " %s %s, %s %s, best %s, %zu failed", remaining,
                        more ? "to confirmation" : "left", phase,
                        problem_name(progress->problem_key, progress->n).text, best,
                        progress->failures);
    while (bar_width > BAR_WIDTH_MIN && bar_width + strlen("[] 100%") + strlen(rest) >= width)
        bar_width--;
    /* [#####....] 42% */
    char blocks[BAR_WIDTH + 1];
    const double share = share_of_run(view, progress);
    memset(blocks, '.', bar_width);
    memset(blocks, '#', (size_t)(share * (double)bar_width));
    blocks[bar_width] = '\0';
    (void)string_format(bar, sizeof bar, "[%s] %3d%%", blocks, (int)(share * 100));
    (void)string_format(line, sizeof line, "%s%s", bar, rest);
    if (strlen(line) >= width && width < sizeof line)
        line[width > 0 ? width - 1 : 0] = '\0';
    text_make_printable(line);
    fprintf(stderr, "\r\033[K%s", line);
    (void)fflush(stderr);
}

/* ---- events for the page that follows the run ---- */

/* A line of JSON goes into a pipe whole, or not at all: each text has room for so much, and may be
 * twice as long in JSON. */
enum { EVENT_BYTES_MAX = 800 };

static const char *cut_event(const char *value, char out[EVENT_BYTES_MAX])
{
    (void)string_format(out, EVENT_BYTES_MAX, "%s", value ? value : "");
    text_make_printable(out);
    return value ? out : NULL;
}

static void send_state(struct progress_view *view, const struct session_progress *progress)
{
    char problem[EVENT_BYTES_MAX], configuration[EVENT_BYTES_MAX];
    struct text json = {0};
    const struct named_value members[] = {
        {"device", value_text(view->options->device_kind)},
        {"phase", value_text(progress->phase)},
        {"strategy", value_text(progress->strategy)},
        {"problem", value_text(cut_event(progress->problem_key, problem))},
        {"configuration", value_text(cut_event(progress->best_key, configuration))},
        {"n", value_integer(progress->n)},
        {"problem_index", value_integer((int64_t)progress->problem_index)},
        {"problem_count", value_integer((int64_t)progress->problem_count)},
        {"points_done", value_integer((int64_t)progress->points_done)},
        {"points_total", value_integer((int64_t)progress->points_total)},
        {"failures", value_integer((int64_t)progress->failures)},
        {"process", value_integer(progress->process)},
        {"process_count", value_integer(progress->process_count)},
        {"best_ns", value_real(progress->best_ns)},
        {"share", value_real(share_of_run(view, progress))},
        {"left_s", value_real(seconds_left(view, progress))},
        {"to_confirmation", value_boolean(view->options->protocol.confirm_processes > 0 &&
                                          !goes_over_again(progress))},
    };
    json_append_object(&json, members, COUNT(members));
    watch_send(view->watch, WATCH_STATE, &json);
    text_free(&json);
}

static void send_event(const struct progress_view *view, const char *kind, const char *trust,
                       const char *line)
{
    char at[CLOCK_TIMESTAMP_BYTES], text[2 * EVENT_BYTES_MAX];
    struct text json = {0};
    if (!view->watch)
        return;
    clock_timestamp(at);
    (void)string_format(text, sizeof text, "%s", line);
    text_make_printable(text);
    const struct named_value members[] = {
        {"kind", value_text(kind)},
        {"at", value_text(at)},
        {"headline", value_text(trust ? verdict_words(verdict_named(trust)) : NULL)},
        {"text", value_text(text)},
    };
    json_append_object(&json, members, COUNT(members));
    watch_send(view->watch, WATCH_EVENT, &json);
    text_free(&json);
}

static void on_progress(void *context, const struct session_progress *progress)
{
    struct progress_view *view = context;
    int64_t now_ns = clock_running_ns();
    if (!view->started && progress->measured) {
        view->started = true;
        view->started_ns = now_ns;
        view->first_share = share_done(progress);
    }
    if (!view->phase || strcmp(view->phase, progress->phase) != 0)
        view->phase_started_ns = now_ns;
    view->phase = progress->phase;
    if (view->watch && now_ns - view->sent_ns >= send_every_ns) {
        view->sent_ns = now_ns;
        send_state(view, progress);
    }
    if (view->quiet || now_ns - view->drawn_ns < redraw_every_ns)
        return;
    view->drawn_ns = now_ns;
    if (!view->terminal) {
        char best[32], phase[PHASE_BYTES];
        format_time(progress->best_ns, best, sizeof best);
        format_phase(progress, phase);
        (void)pthread_mutex_lock(&view->mutex);
        (void)string_format(view->now, sizeof view->now, "%s %s, %zu of %s, best %s, %zu failed",
                            phase, problem_name(progress->problem_key, progress->n).text,
                            progress->points_done, count_text(progress->points_total, "point").text,
                            best, progress->failures);
        (void)pthread_mutex_unlock(&view->mutex);
        return;
    }
    view->bar_shown = true;
    draw(view, progress);
}

static void on_note(void *context, const char *line)
{
    struct progress_view *view = context;
    clear(view);
    (void)pthread_mutex_lock(&view->mutex);
    print_clean(stderr, "tune: %s\n", line);
    view->printed_ns = clock_now_ns();
    (void)pthread_mutex_unlock(&view->mutex);
    send_event(view, "note", NULL, line);
}

static void on_host(void *context, const char *line)
{
    if (!((struct progress_view *)context)->quiet)
        on_note(context, line);
}

/* Tells whether a choice differs from all printed before; where memory is short, every choice does.
 */
static bool is_news(struct progress_view *view, const struct session_winner *winner)
{
    struct text text = {0};
    text_printf(&text, "%s %lld %s", winner->problem_key, (long long)winner->n,
                winner->configuration);
    for (size_t i = 0; i < view->choice_count; i++)
        if (strcmp(view->choices[i], text_string(&text)) == 0) {
            text_free(&text);
            return false;
        }
    if (text.data && !text.failed &&
        array_grow(&view->choices, view->choice_count, &view->choice_capacity,
                   sizeof *view->choices))
        view->choices[view->choice_count++] = text.data;
    else
        text_free(&text);
    return true;
}

/* Returns the configuration last printed for the problem, at any size; NULL: none. */
static const char *printed_before(const struct progress_view *view, const char *problem_key)
{
    const size_t length = strlen(problem_key);
    for (size_t i = view->choice_count; i > 0; i--) {
        const char *choice = view->choices[i - 1];
        if (strncmp(choice, problem_key, length) == 0 && choice[length] == ' ')
            return strchr(choice + length + 1, ' ') + 1;
    }
    return NULL;
}

void progress_end(struct progress_view *view)
{
    (void)pthread_mutex_lock(&view->mutex);
    view->is_ending = true;
    (void)pthread_cond_signal(&view->ending);
    (void)pthread_mutex_unlock(&view->mutex);
    if (view->has_thread)
        (void)pthread_join(view->thread, NULL);
    (void)pthread_cond_destroy(&view->ending);
    (void)pthread_mutex_destroy(&view->mutex);
    clear(view);
    for (size_t i = 0; i < view->choice_count; i++)
        free(view->choices[i]);
    free(view->choices);
    view->choices = NULL;
    view->choice_count = view->choice_capacity = 0;
}

/* Prints the choice of a race at once; the confirmation's only if new: another configuration, or no
 * trusted winner. */
static void on_winner(void *context, const struct session_winner *winner)
{
    struct progress_view *view = context;
    const char *reason =
        winner->trust_reason ? winner->trust_reason : "the measurement supports no choice";
    char time[32];
    char value[64];
    struct text line = {0};
    const char *before = printed_before(view, winner->problem_key);
    bool changed = is_news(view, winner);
    bool unstable = winner->trust && strcmp(winner->trust, "unstable") == 0;
    if (winner->confirmed && !changed && !unstable)
        return;
    format_time(winner->median_ns, time, sizeof time);
    /* ", energy 0.0123" where not the time was made small. */
    value[0] = '\0';
    if (strcmp(view->options->objective, "time") != 0 && isfinite(winner->value))
        (void)string_format(value, sizeof value, ", %.20s %.4g", view->options->objective,
                            winner->value);
    text_printf(&line, "%s: %s%s%s with ", problem_name(winner->problem_key, winner->n).text,
                winner->confirmed && changed ? "confirmation picked another winner: " : "", time,
                value);
    /* Leave out parameters that the line before has, too. */
    struct text others = {0};
    text_append_others(&others, winner->configuration, before ? before : "");
    if (others.length == strlen(winner->configuration))
        text_append(&line, winner->configuration);
    else if (others.length > 0)
        text_printf(&line, "%s, else as before", text_string(&others));
    else
        text_append(&line, "the same configuration");
    text_free(&others);
    if (winner->as_fast > 0)
        text_printf(&line, " (%s %s as fast)", count_text(winner->as_fast, "other").text,
                    winner->as_fast == 1 ? "is" : "are");
    if (unstable) {
        text_append(&line, "; not sure: ");
        verdict_append_fault(&line, reason);
    }
    if (!view->quiet) {
        clear(view);
        (void)pthread_mutex_lock(&view->mutex);
        const size_t width = view->terminal ? terminal_width() : STYLE_PAGE_COLUMNS;
        if (line.data)
            text_make_printable(line.data);
        style_put_words(stderr, text_string(&line), 0, 2, (int)width, '`');
        view->printed_ns = clock_now_ns();
        (void)pthread_mutex_unlock(&view->mutex);
    }
    send_event(view, "winner", winner->trust, text_string(&line));
    text_free(&line);
}

struct session_events progress_events(struct progress_view *view)
{
    return (struct session_events){.context = view,
                                   .progress = on_progress,
                                   .note = on_note,
                                   .winner = on_winner,
                                   .host = on_host};
}
