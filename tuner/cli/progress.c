#include "tuner/cli/progress.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "tuner/base/clock.h"
#include "tuner/base/text.h"

enum { BAR_WIDTH = 20, BAR_WIDTH_LEAST = 6, LINE_MAX_BYTES = 256 };
static const int64_t redraw_every_ns = 100000000;

void progress_begin(struct progress_view *view, bool quiet)
{
    *view = (struct progress_view){
        .quiet = quiet, .terminal = isatty(STDERR_FILENO) == 1, .started_ns = clock_now_ns()};
}

void progress_clear(struct progress_view *view)
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

static void format_left(const struct progress_view *view, const struct session_progress *progress,
                        double *rate, char *out, size_t bytes)
{
    double seconds = (double)(clock_now_ns() - view->started_ns) * 1e-9;
    size_t done = progress->points_done - view->first_done;
    *rate = seconds > 0 ? (double)done / seconds : 0;
    size_t left = progress->points_total > progress->points_done
                      ? progress->points_total - progress->points_done
                      : 0;
    (void)string_format(out, bytes, "-");
    if (*rate > 0) {
        long long wait_s = (long long)ceil((double)left / *rate);
        (void)string_format(out, bytes, "%lld:%02lld", wait_s / 60, wait_s % 60);
    }
}

static size_t terminal_width(void)
{
    struct winsize size;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    return 80;
}

/* [####....]  42%, with a bar of at most BAR_WIDTH characters. */
static void format_bar(const struct session_progress *progress, size_t width, char *out,
                       size_t bytes)
{
    char bar[BAR_WIDTH + 1];
    size_t total = progress->points_total > 0 ? progress->points_total : 1;
    size_t done = progress->points_done < total ? progress->points_done : total;
    memset(bar, '.', width);
    memset(bar, '#', done * width / total);
    bar[width] = '\0';
    (void)string_format(out, bytes, "[%s] %3zu%%", bar, done * 100 / total);
}

/* What matters most stands first, for a narrow terminal cuts the end; before that the bar shrinks.
 */
static void draw(const struct progress_view *view, const struct session_progress *progress)
{
    char line[LINE_MAX_BYTES];
    char rest[LINE_MAX_BYTES - 64];
    char best[32];
    char left[32];
    char bar[BAR_WIDTH + 16];
    double rate = 0;
    size_t width = terminal_width();
    size_t bar_width = BAR_WIDTH;
    format_time(progress->best_ns, best, sizeof best);
    format_left(view, progress, &rate, left, sizeof left);
    (void)string_format(rest, sizeof rest, " %.0f/s, %s left, %zu failed, best %s: %s n=%lld %s",
                        rate, left, progress->failures, best, progress->problem_key,
                        (long long)progress->n, progress->phase);
    while (bar_width > BAR_WIDTH_LEAST && bar_width + strlen("[] 100%") + strlen(rest) >= width)
        bar_width--;
    format_bar(progress, bar_width, bar, sizeof bar);
    (void)string_format(line, sizeof line, "%s%s", bar, rest);
    if (strlen(line) >= width && width < sizeof line)
        line[width > 0 ? width - 1 : 0] = '\0';
    fprintf(stderr, "\r\033[K%s", line);
    (void)fflush(stderr);
}

static void on_progress(void *context, const struct session_progress *progress)
{
    struct progress_view *view = context;
    int64_t now_ns = clock_now_ns();
    if (!view->started) {
        view->started = true;
        view->started_ns = now_ns;
        view->first_done = progress->points_done;
    }
    if (view->quiet || !view->terminal || now_ns - view->drawn_ns < redraw_every_ns)
        return;
    view->drawn_ns = now_ns;
    view->bar_shown = true;
    draw(view, progress);
}

static void on_note(void *context, const char *line)
{
    struct progress_view *view = context;
    progress_clear(view);
    fprintf(stderr, "tune: %s\n", line);
}

static void on_winner(void *context, const char *problem_key, int64_t n, const char *configuration,
                      double median_ns)
{
    struct progress_view *view = context;
    char time[32];
    if (view->quiet)
        return;
    progress_clear(view);
    format_time(median_ns, time, sizeof time);
    fprintf(stderr, "%s n=%lld: %s with %s\n", problem_key, (long long)n, time, configuration);
}

struct session_events progress_events(struct progress_view *view)
{
    return (struct session_events){
        .context = view, .progress = on_progress, .note = on_note, .winner = on_winner};
}
