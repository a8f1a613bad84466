#include "tuner/cli/replay.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/files.h"
#include "tuner/base/hash.h"
#include "tuner/base/packed.h"
#include "tuner/base/text.h"
#include "tuner/device/traits.h"
#include "tuner/exchange/recordings.h"
#include "tuner/store/query.h"
#include "tuner/terminal/reading.h"

enum { FILE_BYTES_MAX = 1 << 30 };

/* Returns the file or, for a name of a packed one, an unpacked copy in the folder. */
static enum status unpacked_file(struct replay *replay, const char *path, const char **out,
                                 struct error *error)
{
    *out = path;
    if (!(text_ends_with(path, ".xz") || text_ends_with(path, ".gz")))
        return STATUS_OK;
    *out = arena_printf(&replay->arena, "%s/unpacked", replay->folder.path);
    return *out ? packed_unpack_to(path, *out, error) : error_no_memory(error);
}

static enum status take_database(struct replay *replay, const char *path, const char *title,
                                 enum l2_mode mode, struct error *error)
{
    struct store *store = NULL;
    const char *database = NULL;
    const char *copy = arena_printf(&replay->arena, "%s/copy.db", replay->folder.path);
    enum status status = STATUS_OK;
    TRY_OR_CLEANUP(copy ? unpacked_file(replay, path, &database, error) : error_no_memory(error));
    TRY_OR_CLEANUP(store_merge_prepare(database, copy, error));
    TRY_OR_CLEANUP(store_open(copy, STORE_READ, &store, error));
    TRY_OR_CLEANUP(
        recordings_take_database(store, title, replay->cpus, mode, &replay->made, error));
cleanup:
    store_close(store);
    return status;
}

static enum status take_file(struct replay *replay, const char *path, const char *title,
                             struct error *error)
{
    struct arena arena = {0};
    const char *file = NULL;
    char *contents = NULL;
    size_t length = 0;
    enum status status = unpacked_file(replay, path, &file, error);
    if (status == STATUS_OK)
        status = file_read(&arena, file, FILE_BYTES_MAX, &contents, &length, error);
    if (status == STATUS_OK && length == 0)
        status = error_set(error, STATUS_BAD_INPUT, "%s: is empty", path);
    if (status == STATUS_OK)
        status = recordings_take_file(contents, length, title, &replay->made, error);
    arena_free(&arena);
    return status;
}

static bool is_table(const char *path)
{
    static const char *const ends[] = {".json", ".json.gz", ".json.xz",
                                       ".csv",  ".csv.gz",  ".csv.xz"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (text_ends_with(path, ends[i]))
            return true;
    return false;
}

/* Writes the recording, and sets the environment that leads the children there. */
static enum status lead_to(struct replay *replay, uint64_t seed, struct error *error)
{
    char number[24];
    char hash[HASH_TEXT_BYTES];
    const char *path = arena_printf(&replay->arena, "%s/recording", replay->folder.path);
    replay->source = arena_printf(&replay->arena, "%s/source", replay->folder.path);
    TRY_MEMORY(path && replay->source);
    (void)string_format(number, sizeof number, "%llu", (unsigned long long)(seed & INT64_MAX));
    TRY(recording_write(&replay->made, path, hash, error));
    /* The hash keeps binaries, and so known trials, apart from those of other recordings. */
    TRY(file_write_atomically(replay->source, hash, strlen(hash), error));
    if (setenv(RECORDING_FILE_VARIABLE, path, 1) != 0 ||
        setenv(RECORDING_SEED_VARIABLE, number, 1) != 0)
        return error_no_memory(error);
    replay->recording = &replay->made;
    return STATUS_OK;
}

/* Finds a recording, a file or the name of a shipped one, and makes the folder for unpacking. */
static enum status find_recording(struct replay *replay, const char *name, const char **path,
                                  const char **title, struct error *error)
{
    const char *slash = strrchr(name, '/');
    *path = name;
    *title = path_file(name);
    enum status status = temporary_folder_in_tmp("replay", &replay->folder, error);
    if (status != STATUS_OK || (*name && file_exists(name)))
        return status;
    if (slash || strchr(name, '.'))
        return error_set(error, STATUS_NOT_FOUND, "%s: there is no such file", name);
    /* Finds the shipped recording of that name, or the one whose GPU (CPU) measured last. */
    const char *folder = NULL;
    glob_t found = {0};
    struct text names = {0};
    char newest[16] = "";
    *path = NULL;
    TRY(data_folder(&replay->arena, &folder, error));
    const char *pattern = arena_printf(&replay->arena, "%s/db/recorded/*/tune.db.xz", folder);
    TRY_MEMORY(pattern);
    status = STATUS_OK;
    if (glob(pattern, 0, NULL, &found) != 0)
        found.gl_pathc = 0;
    for (size_t i = 0; status == STATUS_OK && i < found.gl_pathc; i++) {
        char *at = arena_strdup(&replay->arena, found.gl_pathv[i]);
        char *own = at ? arena_strdup(&replay->arena, at) : NULL;
        char day[16] = "";
        if (!own) {
            status = error_no_memory(error);
            break;
        }
        *strrchr(own, '/') = '\0';
        const char *own_name = strrchr(own, '/') + 1;
        text_printf(&names, "%s %s", names.length > 0 ? "," : "", own_name);
        if (*name && strcmp(name, own_name) != 0)
            continue;
        if (!*name) {
            struct store *store = NULL;
            const char *database = NULL;
            status = unpacked_file(replay, at, &database, error);
            if (status == STATUS_OK)
                status = store_open(database, STORE_COPY, &store, error);
            if (status == STATUS_OK)
                status = recordings_day(store, replay->cpus, day, error);
            store_close(store);
        }
        if (*name || strcmp(day, newest) > 0) {
            *path = at;
            *title = own_name;
            memcpy(newest, day, sizeof newest);
        }
    }
    if (status == STATUS_OK && !*path)
        status =
            error_set(error, STATUS_NOT_FOUND,
                      "there is no recording '%s'; name a file (FILE.db, FILE.json, FILE.csv), or "
                      "one "
                      "that is shipped:%s",
                      name, names.length > 0 ? text_string(&names) : " none is");
    globfree(&found);
    text_free(&names);
    return status;
}

enum status replay_find_database(struct replay *replay, const char *which, const char **database,
                                 struct error *error)
{
    const char *path, *title;
    enum status status = find_recording(replay, which, &path, &title, error);
    return status == STATUS_OK ? unpacked_file(replay, path, database, error) : status;
}

enum status replay_open(struct replay *replay, const char *which, enum l2_mode mode, uint64_t seed,
                        struct error *error)
{
    static const char clock_word[] = ",clock";
    const char *path = NULL, *title = NULL;
    replay->has_clock = text_ends_with(which, clock_word);
    char *name = arena_strdup(&replay->arena, which);
    TRY_MEMORY(name);
    if (replay->has_clock)
        name[strlen(name) - strlen(clock_word)] = '\0';
    enum status status = find_recording(replay, name, &path, &title, error);
    if (status == STATUS_OK && is_table(path))
        status = take_file(replay, path, title, error);
    else if (status == STATUS_OK)
        status = take_database(replay, path, title, mode, error);
    if (status == STATUS_OK)
        status = lead_to(replay, seed, error);
    return status == STATUS_OK
               ? status
               : error_prefix(error, "--device replay%s%s", *which ? ":" : "", which);
}

void replay_close(struct replay *replay)
{
    recording_close(&replay->made);
    if (replay->folder.file > 0)
        temporary_folder_remove(&replay->folder);
    arena_free(&replay->arena);
    *replay = (struct replay){.folder.file = -1};
}

/* Finds the name of a device in the database whose numbers were replayed, or were measured; "":
 * none. */
static enum status find_device(struct store *store, bool is_replayed, char name[128],
                               struct error *error)
{
    struct store_query *query = NULL;
    bool more = false;
    name[0] = '\0';
    enum status status =
        store_query_open(store, "SELECT kind, name FROM devices", NULL, 0, &query, error);
    if (status == STATUS_OK)
        status = store_query_next(query, &more, error);
    while (status == STATUS_OK && more) {
        if (device_traits(store_query_text(query, 0))->is_replayed == is_replayed)
            (void)string_format(name, 128, "%.120s", store_query_text(query, 1));
        status = store_query_next(query, &more, error);
    }
    store_query_close(query);
    return status;
}

enum status replay_check_measured(struct store *store, const char *path, const char *doing,
                                  struct error *error)
{
    char name[128];
    enum status status = find_device(store, true, name, error);
    if (status == STATUS_OK && name[0])
        return error_set(error, STATUS_BAD_INPUT,
                         "%s has numbers that were not measured here: %s; %s", path, name, doing);
    return status;
}

enum status replay_check_replayed(struct store *store, const char *path, struct error *error)
{
    char name[128];
    enum status status = find_device(store, false, name, error);
    if (status == STATUS_OK && name[0])
        return error_set(error, STATUS_BAD_INPUT,
                         "%s has measurements of a device (%s): replayed numbers go into another "
                         "database (--db)",
                         path, name);
    return status;
}

enum status replay_open_measured(const char *path, bool replayed, const char *doing,
                                 struct store **out, struct error *error)
{
    TRY(reading_open(&path, out, error));
    if (replayed || replay_check_measured(*out, path, doing, error) == STATUS_OK)
        return STATUS_OK;
    store_close(*out);
    *out = NULL;
    return error->status;
}
