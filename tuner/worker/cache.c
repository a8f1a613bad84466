/* Compiled kernels by content: <hash>.bin, each sealed, so that damage is detected before loading.
 * A file's modification time is the time of last use. */
#include "tuner/worker/cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tuner/base/array.h"
#include "tuner/base/files.h"
#include "tuner/base/hash.h"
#include "tuner/base/seal.h"
#include "tuner/base/text.h"
#include "tuner/device/device.h"
#include "tuner/worker/child.h"
#include "tuner/worker/host.h"
#include "tuner/worker/sources.h"
#include "tuner/worker/worker.h"

enum { TOUCH_AFTER_S = 60 };

/* Incremented whenever the meaning of a binary file's contents changes. */
static const char *const cache_version = "6";

enum status binary_cache_hash(const struct binary_request *request, const struct facts *facts,
                              char out[HASH_TEXT_BYTES], struct error *error)
{
    char text[512];
    const char *version = "", *settings = "", *compiler = request->compiler;
    const struct device_api *api = device_kind(facts_text(facts, "kind", ""));
    enum status status = STATUS_OK;
    struct hash_state *hash = hash_start();
    TRY_MEMORY(hash);
    hash_add_string(hash, cache_version);
    for (size_t i = 0; i <= request->unit_count; i++) {
        const struct known_source *known = NULL;
        const char *path = i == 0 ? request->source_path : request->units[i - 1];
        TRY_OR_CLEANUP(sources_find(path, request, &known, error));
        hash_add(hash, known->source.contents, known->source.content_length + 1);
    }
    hash_add_string(hash, request->architecture);
    if (api && api->compiler_settings)
        TRY_OR_CLEANUP(api->compiler_settings(compiler, facts, &settings, error));
    hash_add_string(hash, settings);
    if (compiler && api && api->compiler_version) {
        /* The version of the device's own compiler is among the facts. */
        const char *hosts_version = facts_text(facts, compiler, NULL);
        if (!hosts_version)
            TRY_OR_CLEANUP(api->compiler_version(compiler, &version, error));
        hash_add_string(hash, hosts_version ? hosts_version : version);
    }
    if (compiler && strcmp(compiler, BINARY_OF_FUNCTIONS) == 0)
        hash_add_string(hash, compiler);
    hash_add_string(hash, facts_text(facts, "compiler", ""));
    if (strcmp(request->architecture, "native") == 0) /* then by the processor */
        hash_add_string(hash, facts_text(facts, "name", ""));
    for (size_t i = 0; i < request->define_count; i++) {
        if (!value_format(request->defines[i].value, text, sizeof text))
            text[0] = '\0';
        hash_add_string(hash, request->defines[i].name);
        hash_add_string(hash, text);
    }
    hash_add_string(hash, "flags");
    for (size_t i = 0; i < request->flag_count; i++)
        hash_add_string(hash, request->flags[i]);
    if (request->flag_files)
        hash_add_string(hash, request->flag_files);
    hash_add_string(hash, "kernels");
    for (size_t i = 0; i < request->kernel_count; i++)
        hash_add_string(hash, request->kernels[i]);
    hash_add_string(hash, "symbols");
    for (size_t i = 0; i < request->symbol_count; i++)
        hash_add_string(hash, request->symbols[i]);
cleanup:
    hash_finish(hash, out);
    return status;
}

/* Marks an intact file as used now; removes a damaged one, so that the kernel is compiled again. */
void binary_cache_tend(const char *path)
{
    struct error ignored = {0};
    struct stat info;
    if (lstat(path, &info) != 0)
        return;
    if (seal_check(path, &ignored) != STATUS_OK)
        (void)unlink(path);
    else if (info.st_mtim.tv_sec + TOUCH_AFTER_S < time(NULL))
        (void)utimensat(AT_FDCWD, path, NULL, AT_SYMLINK_NOFOLLOW);
}

enum status scratch_prefix(struct arena *arena, const char **prefix, struct error *error)
{
    const char *folder = NULL;
    TRY(cache_folder(arena, &folder, error));
    *prefix = arena_printf(arena, "%s/scratch/", folder);
    return *prefix ? folder_make(*prefix, 0700, error) : error_no_memory(error);
}

enum status binary_cache_place(const char *hash, struct arena *arena, const char **path,
                               struct error *error)
{
    const char *folder = NULL;
    TRY(cache_folder(arena, &folder, error));
    *path = arena_printf(arena, "%s/%s.bin", folder, hash);
    return *path ? STATUS_OK : error_no_memory(error);
}

enum status binary_cache_path(const struct binary_request *request, const struct facts *facts,
                              struct arena *arena, const char **path, const char **hash,
                              struct error *error)
{
    char digits[HASH_TEXT_BYTES];
    TRY(binary_cache_hash(request, facts, digits, error));
    TRY(binary_cache_place(digits, arena, path, error));
    TRY_MEMORY(*hash = arena_strdup(arena, digits));
    binary_cache_tend(*path);
    return STATUS_OK;
}

/* ---- eviction ---- */

struct entry {
    char name[HASH_TEXT_BYTES + 4];
    struct timespec used;
    int64_t bytes;
};

struct entries {
    struct entry *items;
    size_t count;
    size_t capacity;
    int64_t bytes;
};

enum status cache_limit(int64_t *bytes, struct error *error)
{
    return environment_integer("TUNE_CACHE_BYTES", 0, INT64_MAX, INT64_C(2) << 30, bytes, error);
}

static int used_earlier(const void *a, const void *b)
{
    const struct timespec x = ((const struct entry *)a)->used, y = ((const struct entry *)b)->used;
    if (x.tv_sec != y.tv_sec)
        return x.tv_sec < y.tv_sec ? -1 : 1;
    return (x.tv_nsec > y.tv_nsec) - (x.tv_nsec < y.tv_nsec);
}

int cache_enter(const char *folder)
{
    char path[PATH_MAX];
    if (!string_format(path, sizeof path, "%s/in-use.lock", folder))
        return -1;
    int file = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    if (file >= 0)
        (void)flock(file, LOCK_SH);
    return file;
}

void cache_leave(const char *folder, int use)
{
    int64_t limit = 0;
    struct error ignored = {0};
    if (use < 0)
        return;
    if (cache_limit(&limit, &ignored) == STATUS_OK && flock(use, LOCK_EX | LOCK_NB) == 0) {
        struct entries entries = {0};
        DIR *listing = opendir(folder);
        const struct dirent *found;
        if (listing) {
            while ((found = readdir(listing))) {
                struct stat info;
                /* A binary, an own kernel of the tool, or a reference result. */
                const char *name = found->d_name;
                size_t digits = strspn(name, "0123456789abcdef");
                const bool is_ours =
                    digits == HASH_TEXT_BYTES - 1 &&
                    (strcmp(name + digits, ".bin") == 0 || strcmp(name + digits, ".own") == 0 ||
                     strcmp(name + digits, ".ref") == 0);
                if (!is_ours ||
                    fstatat(dirfd(listing), found->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0)
                    continue;
                if (!array_grow(&entries.items, entries.count, &entries.capacity,
                                sizeof *entries.items))
                    break;
                struct entry *entry = &entries.items[entries.count++];
                *entry =
                    (struct entry){.used = info.st_mtim, .bytes = (int64_t)info.st_blocks * 512};
                (void)string_format(entry->name, sizeof entry->name, "%s", found->d_name);
                entries.bytes += entry->bytes;
            }
            if (entries.items && entries.bytes > limit)
                qsort(entries.items, entries.count, sizeof *entries.items, used_earlier);
            for (size_t i = 0; entries.items && i < entries.count && entries.bytes > limit; i++) {
                (void)unlinkat(dirfd(listing), entries.items[i].name, 0);
                entries.bytes -= entries.items[i].bytes;
            }
            (void)closedir(listing);
            free(entries.items);
        }
    }
    (void)close(use);
}
