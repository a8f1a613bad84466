/* `tune merge`: databases of several hosts into one. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tuner/base/files.h"
#include "tuner/base/temporary.h"
#include "tuner/cli/commands.h"
#include "tuner/cli/embedded.h"
#include "tuner/cli/replay.h"
#include "tuner/store/store.h"
#include "tuner/terminal/reading.h"
#include "tuner/terminal/rows.h"
#include "tuner/terminal/style.h"

enum { FILES_MAX = 256 };

struct merge {
    const char *files[FILES_MAX]; /* the first is merged into */
    size_t file_count;
    bool json, csv, replayed;
};

static const struct row_column columns[] = {
    {"problem", "problem"},
    {"n", "n"},
    {"a_host", "host a"},
    {"b_host", "host b"},
    {"a_ns", "time a"},
    {"b_ns", "time b"},
    {"a_loss_percent", "a loses"},
    {"b_loss_percent", "b loses"},
    {"a_configuration", "a's winner"},
    {"b_configuration", "b's winner"},
};

static bool is_same(const struct rows *rows, size_t row)
{
    return strcmp(rows_text(rows, row, "same", ""), "true") == 0;
}

static void print_agreement(const struct rows *rows)
{
    for (size_t first = 0; first < rows->row_count;) {
        size_t end = first + 1;
        while (end < rows->row_count && rows_same_text(rows, first, end, "a_device_uuid") &&
               rows_same_text(rows, first, end, "b_device_uuid"))
            end++;
        /* A line about two boards, with their differences below. */
        size_t same = 0;
        double low = (double)INFINITY;
        double high = 0;
        double loss = 0;
        for (size_t i = first; i < end; i++) {
            same += is_same(rows, i);
            low = fmin(low, rows_number(rows, i, "ratio"));
            high = fmax(high, rows_number(rows, i, "ratio"));
            loss = fmax(loss, fmax(rows_number(rows, i, "a_loss_percent"),
                                   rows_number(rows, i, "b_loss_percent")));
        }
        print_clean(
            stdout,
            "%s: a = %s (%s), b = %s (%s): %zu of %zu winners are the same; times of b over a from "
            "%.3f to %.3f; with the other's winner at most %.2f %% lost\n",
            rows_text(rows, first, "device", ""), rows_text(rows, first, "a_device_uuid", ""),
            rows_text(rows, first, "a_host", ""), rows_text(rows, first, "b_device_uuid", ""),
            rows_text(rows, first, "b_host", ""), same, end - first, low, high, loss);
        /* The rows that differ move to the front of the pair's. */
        size_t count = 0;
        for (size_t i = first; i < end; i++) {
            if (is_same(rows, i))
                continue;
            struct cell *moved = rows->cells[i];
            memmove(&rows->cells[first + count + 1], &rows->cells[first + count],
                    (i - first - count) * sizeof rows->cells[0]);
            rows->cells[first + count++] = moved;
        }
        if (count > 0)
            rows_print_table_within(rows, first, first + count, columns, COUNT(columns),
                                    style_page_columns());
        first = end;
    }
}

static enum status merge_all(const struct merge *merge, const char *const *copies,
                             struct error *error)
{
    struct store *store = NULL;
    const char *out = merge->files[0];
    enum status status = merge->file_count > 1 ? store_open(out, STORE_CREATE, &store, error)
                                               : reading_open(&out, &store, error);
    for (size_t i = 1; status == STATUS_OK && i < merge->file_count; i++) {
        struct store_merge_counts counts = {0};
        status = store_merge(store, copies[i], &counts, error);
        if (status != STATUS_OK)
            (void)error_prefix(error, "%s", merge->files[i]);
        else
            print_clean(stderr,
                        "%s: %lld device%s, %lld problem%s, %lld trial%s, %lld winner%s added\n",
                        merge->files[i], (long long)counts.devices, counts.devices == 1 ? "" : "s",
                        (long long)counts.problems, counts.problems == 1 ? "" : "s",
                        (long long)counts.trials, counts.trials == 1 ? "" : "s",
                        (long long)counts.winners, counts.winners == 1 ? "" : "s");
    }
    struct rows rows = {0};
    if (status == STATUS_OK)
        status = rows_read(store, show_query_agree, NULL, 0, &rows, error);
    if (status == STATUS_OK)
        (merge->json ? rows_print_json : merge->csv ? rows_print_csv : print_agreement)(&rows);
    rows_free(&rows);
    store_close(store);
    return status;
}

static enum status run_merge(const struct command *command, int argc, char **argv,
                             struct error *error)
{
    struct merge merge = {.file_count = 0};
    const struct option_spec options[] = {
        OPTION_FLAG("json", &merge.json, "print every comparison as JSON"),
        OPTION_FLAG("csv", &merge.csv, "print every comparison as CSV"),
        OPTION_FLAG("replayed", &merge.replayed,
                    "accept replayed numbers, which are refused otherwise"),
    };
    TRY(options_parse(command, options, COUNT(options), argc, argv, merge.files, FILES_MAX,
                      &merge.file_count, error));
    struct stat out;
    struct stat in;
    if (merge.file_count < 1)
        return error_set(error, STATUS_USAGE, "name the database to merge into, then the others");
    bool there = stat(merge.files[0], &out) == 0;
    for (size_t i = 1; i < merge.file_count; i++)
        if (there && stat(merge.files[i], &in) == 0 && in.st_dev == out.st_dev &&
            in.st_ino == out.st_ino)
            return error_set(error, STATUS_USAGE, "%s: is the database that is merged into",
                             merge.files[i]);
    struct arena arena = {0};
    struct temporary folder = {.file = -1};
    const char *copies[FILES_MAX] = {NULL};
    const char *prefix = arena_printf(&arena, "%s.merge-", merge.files[0]);
    enum status status = prefix ? STATUS_OK : error_no_memory(error);
    if (status == STATUS_OK && merge.file_count > 1)
        status = temporary_folder_make(prefix, &folder, error);
    if (status == STATUS_OK) {
        /* Each of the others, checked and brought up to date before the first is taken. */
        for (size_t i = 1; status == STATUS_OK && i < merge.file_count; i++) {
            struct store *store = NULL;
            copies[i] = arena_printf(&arena, "%s/%zu.db", folder.path, i);
            status = copies[i] ? store_merge_prepare(merge.files[i], copies[i], error)
                               : error_no_memory(error);
            if (status == STATUS_OK && !merge.replayed)
                status = store_open(copies[i], STORE_READ, &store, error);
            if (status == STATUS_OK && !merge.replayed)
                status = replay_check_measured(store, merge.files[i],
                                               "--replayed takes them in all the same", error);
            store_close(store);
        }
    }
    if (status == STATUS_OK)
        status = merge_all(&merge, copies, error);
    temporary_folder_remove(&folder);
    arena_free(&arena);
    return status;
}

const struct command command_merge = {
    .name = "merge",
    .usage = "OUT.db [IN.db...] [options]",
    .about = "Merges databases, and compares boards of one model.",
    .more = "OUT.db is created if absent. The others are only read, and may have an older schema; "
            "a damaged one is refused before anything is merged. "
            "Of two measurements of the same thing the newer stays; merging again changes nothing. "
            "Without IN.db only the comparison is printed.",
    .manual = "For each two boards of one model, the comparison gives the number of equal winners, "
              "the difference of times, and the loss of each with the other's winners.",
    .run = run_merge,
};
