/* `tune merge`: databases of several hosts into one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tuner/base/files.h"
#include "tuner/base/temporary.h"
#include "tuner/cli/commands.h"
#include "tuner/cli/replay.h"
#include "tuner/store/store.h"
#include "tuner/terminal/style.h"

enum { FILES_MAX = 256 };

struct merge {
    const char *files[FILES_MAX]; /* the first is merged into */
    size_t file_count;
    bool replayed;
};

static enum status merge_all(const struct merge *merge, const char *const *copies,
                             struct error *error)
{
    struct store *store = NULL;
    enum status status = store_open(merge->files[0], STORE_CREATE, &store, error);
    for (size_t i = 1; status == STATUS_OK && i < merge->file_count; i++) {
        struct store_merge_counts counts = {0};
        status = store_merge(store, copies[i], &counts, error);
        if (status != STATUS_OK)
            (void)error_prefix(error, "%s", merge->files[i]);
        else
            print_clean(stderr, "%s: %s, %s, %s, %s added\n", merge->files[i],
                        count_text((uint64_t)counts.devices, "device").text,
                        count_text((uint64_t)counts.problems, "problem").text,
                        count_text((uint64_t)counts.trials, "trial").text,
                        count_text((uint64_t)counts.winners, "winner").text);
    }
    store_close(store);
    return status;
}

static enum status run_merge(const struct command *command, int argc, char **argv,
                             struct error *error)
{
    struct merge merge = {.file_count = 0};
    const struct option_spec options[] = {
        OPTION_FLAG("replayed", &merge.replayed,
                    "accept replayed numbers, which are refused otherwise"),
    };
    TRY(options_parse(command, options, COUNT(options), argc, argv, merge.files, FILES_MAX,
                      &merge.file_count, error));
    struct stat out;
    struct stat in;
    if (merge.file_count < 2)
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
    if (status == STATUS_OK)
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
    .usage = "OUT.db IN.db... [options]",
    .about = "Merges databases.",
    .more = "OUT.db is created if absent. The others are only read, and may have an older schema; "
            "a damaged one is refused before anything is merged. "
            "Of two measurements of the same thing the newer stays; merging again changes nothing. "
            "`tune show --compare` puts devices, boards and drivers side by side.",
    .run = run_merge,
};
