#include "tuner/base/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tuner/base/failpoint.h"
#include "tuner/base/temporary.h"
#include "tuner/base/text.h"
#include "tuner/base/trust.h"

static enum status read_open_file(struct arena *arena, int file, const char *path, size_t max_bytes,
                                  char **contents, size_t *length, struct error *error)
{
    struct stat info;
    if (fstat(file, &info) != 0)
        return error_set_errno(error, errno, "%s", path);
    if (!S_ISREG(info.st_mode))
        return error_set(error, STATUS_BAD_INPUT, "%s: not a regular file", path);
    if (info.st_size < 0 || (size_t)info.st_size > max_bytes)
        return error_set(error, STATUS_BAD_INPUT, "%s: larger than %zu bytes, the most taken", path,
                         max_bytes);
    size_t size = (size_t)info.st_size;
    char *data = arena_alloc(arena, size + 1, 1);
    TRY_MEMORY(data);
    size_t got = 0;
    while (got < size) {
        ssize_t part = read(file, data + got, size - got);
        if (part < 0 && errno == EINTR)
            continue;
        if (part < 0)
            return error_set_errno(error, errno, "%s: cannot read", path);
        if (part == 0)
            break;
        got += (size_t)part;
    }
    *contents = data;
    if (length)
        *length = got;
    return STATUS_OK;
}

/* Finds the name in the file's folder that is nearest to the file's name and has its extension. */
static bool near_name(const char *path, char out[NAME_MAX + 1])
{
    enum { INSPECTED_MAX = 4096 };
    struct arena arena = {0};
    const char *name = path_file(path);
    const char *end = strrchr(name, '.');
    const char *folder = arena_printf(&arena, "%.*s.", (int)(name - path), path);
    const char **names = arena_alloc(&arena, INSPECTED_MAX, sizeof *names);
    size_t count = 0;
    DIR *listing = folder && names ? opendir(folder) : NULL;
    for (const struct dirent *entry;
         listing && count < INSPECTED_MAX && (entry = readdir(listing));)
        if (entry->d_name[0] != '.' && (!end || text_ends_with(entry->d_name, end)))
            names[count++] = arena_strdup(&arena, entry->d_name);
    if (listing)
        (void)closedir(listing);
    const char *nearest = arena.failed ? NULL : nearest_word(name, names, count);
    const bool found = nearest && string_format(out, NAME_MAX + 1, "%s", nearest);
    arena_free(&arena);
    return found;
}

enum status file_read(struct arena *arena, const char *path, size_t max_bytes, char **contents,
                      size_t *length, struct error *error)
{
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    const int failure = errno;
    char near[NAME_MAX + 1] = "";
    if (file < 0 && failure == ENOENT && near_name(path, near))
        return error_set(error, STATUS_NOT_FOUND, "%s: %s; did you mean '%.*s%s'?", path,
                         strerror(failure), (int)(path_file(path) - path), path, near);
    if (file < 0)
        return error_set_errno(error, failure, "%s", path);
    enum status status = read_open_file(arena, file, path, max_bytes, contents, length, error);
    (void)close(file);
    return status;
}

bool file_line(const char *path, char *out, size_t bytes)
{
    FILE *file = fopen(path, "re");
    const bool read = file && fgets(out, (int)bytes, file);
    if (file)
        (void)fclose(file);
    out[read ? strcspn(out, "\n") : 0] = '\0';
    return read;
}

void file_close(int file)
{
    if (file >= 0)
        (void)close(file);
}

/* ---- writing ---- */

/* Returns the number of the open file that the name stands for; -1: none. Opening such a name would
 * truncate a redirected file, and fails for a socket. */
static int named_descriptor(const char *path)
{
    static const char *const names[] = {"/dev/stdin", "/dev/stdout", "/dev/stderr"};
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/", "/proc/thread-self/fd/"};
    if (strcmp(path, "-") == 0)
        return STDOUT_FILENO;
    for (int i = 0; i < 3; i++)
        if (strcmp(path, names[i]) == 0)
            return i;
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        size_t length = strlen(folders[i]);
        const char *digits = path + length;
        int number = 0;
        if (strncmp(path, folders[i], length) != 0)
            continue;
        while (*digits >= '0' && *digits <= '9' && number < 100000)
            number = 10 * number + (*digits++ - '0');
        return digits > path + length && *digits == '\0' ? number : -1;
    }
    return -1;
}

bool output_is_stdout(const char *path)
{
    return named_descriptor(path) == STDOUT_FILENO;
}

bool output_is_special(const char *path)
{
    struct stat info;
    return named_descriptor(path) >= 0 || (stat(path, &info) == 0 && !S_ISREG(info.st_mode));
}

int file_write(int file, const void *data, size_t bytes)
{
    const char *next = data;
    while (bytes > 0) {
        ssize_t part = write(file, next, bytes);
        if (part < 0 && errno == EAGAIN)
            (void)poll(&(struct pollfd){.fd = file, .events = POLLOUT}, 1, -1);
        else if (part < 0 && errno != EINTR)
            return errno;
        if (part > 0) {
            next += part;
            bytes -= (size_t)part;
        }
    }
    return 0;
}

/* Opens a FIFO or device. A FIFO waits here for its reader, as for every program. */
static enum status open_special(struct output *output, const struct stat *info, struct error *error)
{
    bool ours = info->st_uid == geteuid() || info->st_uid == 0;
    if (S_ISSOCK(info->st_mode) || S_ISBLK(info->st_mode))
        return error_set(error, STATUS_BAD_INPUT, "%s: a %s, not a file; name another",
                         output->real, S_ISSOCK(info->st_mode) ? "socket" : "block device");
    if (!ours && (path_folder_mode(output->real) & S_IWOTH) != 0)
        return error_set(error, STATUS_PERMISSION,
                         "%s: no file, and another user (%lld) put it into a folder open to all; "
                         "name another",
                         output->real, (long long)info->st_uid);
    output->special = output->opened = true;
    output->file = open(output->real, O_WRONLY | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC);
    if (output->file < 0)
        return error_set_errno(error, errno, "%s: cannot write", output->real);
    return STATUS_OK;
}

/* Creates the new file beside the old one. */
static enum status begin_file(struct output *output, struct error *error)
{
    enum status status = temporary_file_make(output->real, &output->temporary, error);
    output->file = output->temporary.file;
    output->opened = true;
    return status;
}

enum status output_begin(const char *path, struct output *out, struct error *error)
{
    struct stat info;
    *out = (struct output){.path = path, .file = named_descriptor(path)};
    if (out->file >= 0) {
        out->special = true;
        out->path = out->file == STDOUT_FILENO ? "standard output" : path;
        if (out->file == STDOUT_FILENO && fflush(stdout) != 0)
            return error_set_errno(error, errno, "%s: cannot write", out->path);
        return STATUS_OK;
    }
    enum status status = path_without_links(&out->arena, path, &out->real, error);
    if (status == STATUS_OK && lstat(out->real, &info) == 0 && !S_ISREG(info.st_mode) &&
        !S_ISDIR(info.st_mode))
        status = open_special(out, &info, error);
    else if (status == STATUS_OK)
        status = begin_file(out, error);
    if (status != STATUS_OK)
        arena_free(&out->arena);
    return status;
}

enum status output_add(struct output *output, const void *data, size_t bytes, struct error *error)
{
    int failure = file_write(output->file, data, bytes);
    return failure == 0 ? STATUS_OK
                        : error_set_errno(error, failure, "%s: cannot write", output->path);
}

enum status output_end(struct output *output, enum status status, struct error *error)
{
    if (status == STATUS_OK && !output->special &&
        (FAILPOINT_FAILS("file.written") || (!output->derived && fsync(output->file) != 0)))
        status = error_set_errno(error, errno, "%s: cannot write", output->path);
    FAILPOINT("file.synced");
    if (status == STATUS_OK && !output->special &&
        rename(output->temporary.path, output->real) != 0)
        status = error_set_errno(error, errno, "%s: cannot replace", output->path);
    FAILPOINT("file.renamed");
    if (status != STATUS_OK && !output->special)
        (void)unlink(output->temporary.path);
    if (output->opened && close(output->file) != 0 && status == STATUS_OK && output->special)
        status = error_set_errno(error, errno, "%s: cannot write", output->path);
    arena_free(&output->arena);
    return status;
}

enum status output_write(const char *path, const void *data, size_t bytes, struct error *error)
{
    struct output output;
    TRY(output_begin(path, &output, error));
    return output_end(&output, output_add(&output, data, bytes, error), error);
}

enum status output_room(const char *path, size_t bytes, struct error *error)
{
    struct output output;
    if (output_is_special(path))
        return STATUS_OK;
    TRY(output_begin(path, &output, error));
    const int failure = posix_fallocate(output.file, 0, (off_t)bytes);
    (void)unlink(output.temporary.path);
    (void)close(output.file);
    arena_free(&output.arena);
    return failure == ENOSPC || failure == EDQUOT || failure == EFBIG
               ? error_set_errno(error, failure, "%s: cannot write", path)
               : STATUS_OK;
}

/* Replaces the target of a user's own link; the link stays a link. */
static enum status write_beside(const char *path, const void *data, size_t bytes, bool derived,
                                struct error *error)
{
    struct output output = {.path = path, .derived = derived};
    enum status status = path_without_links(&output.arena, path, &output.real, error);
    if (status == STATUS_OK)
        status = begin_file(&output, error);
    if (status == STATUS_OK)
        return output_end(&output, output_add(&output, data, bytes, error), error);
    arena_free(&output.arena);
    return status;
}

enum status file_write_atomically(const char *path, const void *data, size_t bytes,
                                  struct error *error)
{
    return write_beside(path, data, bytes, false, error);
}

enum status file_write_derived(const char *path, const void *data, size_t bytes,
                               struct error *error)
{
    return write_beside(path, data, bytes, true, error);
}

enum status output_differs(const char *path, const char *input, struct error *error)
{
    struct stat out;
    struct stat in;
    if (!path || !input || named_descriptor(path) >= 0 || stat(path, &out) != 0 ||
        stat(input, &in) != 0 || !S_ISREG(out.st_mode) || out.st_dev != in.st_dev ||
        out.st_ino != in.st_ino)
        return STATUS_OK;
    return error_set(error, STATUS_USAGE, "%s is the input; name another output file", path);
}

/* ---- folders ---- */

const char *path_file(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool file_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

enum status folder_make(const char *path, mode_t mode, struct error *error)
{
    char part[PATH_MAX];
    if (!string_format(part, sizeof part, "%s", path))
        return error_set(error, STATUS_BAD_INPUT, "%.400s: the path is too long", path);
    for (char *slash = part + 1;; slash++) {
        if (*slash != '/' && *slash != '\0')
            continue;
        char held = *slash;
        *slash = '\0';
        if (mkdir(part, mode) != 0 && errno != EEXIST)
            return error_set_errno(error, errno, "%s: cannot make the folder", part);
        *slash = held;
        if (held == '\0')
            return STATUS_OK;
    }
}

/* Returns whether only this user may write to the open file, by owner and mode. */
static bool is_ours_alone(int file, struct stat *info)
{
    return file >= 0 && fstat(file, info) == 0 && info->st_uid == geteuid() &&
           (info->st_mode & 022) == 0;
}

enum status private_folder_make(struct arena *arena, const char *path, const char **own,
                                struct error *error)
{
    struct stat info;
    const char *real = NULL;
    TRY(path_without_links(arena, path, &real, error));
    if (mkdir(real, 0700) != 0 && errno != EEXIST)
        return error_set_errno(error, errno, "%s: cannot make the folder", path);
    const int folder = open(real, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0)
        return error_set_errno(error, errno, "%s: cannot be used as a folder", path);
    /* Check the folder first, then its parents: a user who may change none of these cannot replace
     * the folder. */
    const bool alone = is_ours_alone(folder, &info);
    (void)close(folder);
    if (!alone)
        return error_set(error, STATUS_PERMISSION,
                         "%s: the folder is another user's, or others may write to it, and its "
                         "files are run: remove it, or copy the capture to a folder of your own",
                         path);
    if (path_is_open_to_others(real))
        return error_set(error, STATUS_PERMISSION,
                         "%s: others may put a folder of theirs in its place, and its files are "
                         "run: copy the capture to a folder of your own",
                         path);
    *own = real;
    return STATUS_OK;
}

/* Tells whether the file is plain, ours, closed to others, and has these bytes. */
static bool is_written(const char *path, const struct file_parts *parts)
{
    enum { PIECE_BYTES = 64 << 10 };
    struct stat info;
    char piece[PIECE_BYTES];
    const int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    bool same =
        is_ours_alone(file, &info) && info.st_nlink == 1 && (uint64_t)info.st_size == parts->bytes;
    for (uint64_t at = 0, bytes = 0; same && at < parts->bytes; at += bytes) {
        const void *part = parts->part(parts->context, at, &bytes);
        bytes = bytes < PIECE_BYTES ? bytes : PIECE_BYTES;
        same = part && pread(file, piece, bytes, (off_t)at) == (ssize_t)bytes &&
               memcmp(piece, part, bytes) == 0;
    }
    file_close(file);
    return same;
}

enum status folder_write_parts(const char *own, const char *name, const struct file_parts *parts,
                               struct error *error)
{
    struct output output = {.path = name, .derived = true};
    output.real = arena_printf(&output.arena, "%s/%s", own, name);
    enum status status = output.real ? STATUS_OK : error_no_memory(error);
    const bool written = status == STATUS_OK && is_written(output.real, parts);
    if (status == STATUS_OK && !written)
        status = begin_file(&output, error);
    if (status == STATUS_OK && !written) {
        if (fchmod(output.file, 0600) != 0)
            status = error_set_errno(error, errno, "%s: cannot be closed to others", output.real);
        for (uint64_t at = 0, bytes = 0; status == STATUS_OK && at < parts->bytes; at += bytes) {
            const void *part = parts->part(parts->context, at, &bytes);
            status = part ? output_add(&output, part, bytes, error)
                          : error_set(error, STATUS_TIMED_OUT, "%s: no time to write all of it",
                                      output.real);
        }
        return output_end(&output, status, error);
    }
    arena_free(&output.arena);
    return status;
}

static const void *whole_part(const void *context, uint64_t at, uint64_t *bytes)
{
    const struct file_parts *whole = context;
    *bytes = whole->bytes - at;
    return (const char *)whole->context + at;
}

enum status folder_write(const char *own, const char *name, const void *data, size_t bytes,
                         struct error *error)
{
    const struct file_parts whole = {.bytes = bytes, .context = data};
    const struct file_parts parts = {bytes, whole_part, &whole};
    return folder_write_parts(own, name, &parts, error);
}

enum status executable_path(struct arena *arena, const char **out, struct error *error)
{
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length < 0) {
        /* Without /proc: the name by which the program was started. A relative name is resolved
         * from the current folder, which the program never changes. */
        const char *name = (const char *)(uintptr_t)getauxval(AT_EXECFN);
        length = name && realpath(name, path) ? (ssize_t)strlen(path) : -1;
    }
    if (length < 0)
        return error_set_errno(error, errno,
                               "cannot find this program's own file: neither /proc nor the name "
                               "that it was started by leads to it");
    *out = arena_strndup(arena, path, (size_t)length);
    return *out ? STATUS_OK : error_no_memory(error);
}

/* Returns whether `folder` is a data folder: one that holds configs/ and kernels/. */
static bool is_data_folder(struct arena *arena, const char *folder)
{
    const char *configs = arena_printf(arena, "%s/configs", folder);
    const char *kernels = arena_printf(arena, "%s/kernels", folder);
    return configs && kernels && file_exists(configs) && file_exists(kernels);
}

enum status data_folder(struct arena *arena, const char **out, struct error *error)
{
    const char *given = getenv("TUNE_DATA_DIR");
    if (given && *given) {
        if (!is_data_folder(arena, given))
            return error_set(error, STATUS_NOT_FOUND,
                             "TUNE_DATA_DIR=%s: holds no configs/ and kernels/", given);
        *out = arena_strdup(arena, given);
        return *out ? STATUS_OK : error_no_memory(error);
    }
    const char *program = NULL;
    TRY(executable_path(arena, &program, error));
    const char *slash = strrchr(program, '/');
    char *installed = arena_printf(arena, "%.*s/../share/tune", (int)(slash - program), program);
    TRY_MEMORY(installed);
    char real[PATH_MAX];
    if (!is_data_folder(arena, installed) || !realpath(installed, real))
        return error_set(error, STATUS_NOT_FOUND,
                         "no data beside %s: reinstall, or set TUNE_DATA_DIR to the folder that "
                         "holds configs/ and kernels/",
                         program);
    *out = arena_strdup(arena, real);
    return *out ? STATUS_OK : error_no_memory(error);
}

/* Checks that no other user can write to the cache, since its contents are loaded and run. Never
 * changes a folder that the user named (for example /tmp); closes our default folder to others. */
static enum status check_private(const char *path, bool given, struct error *error)
{
    struct stat info;
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0)
        return error_set_errno(error, errno, "%s: the cache of compiled kernels", path);
    enum status status = STATUS_OK;
    if (fstat(folder, &info) != 0)
        status = error_set_errno(error, errno, "%s", path);
    else if (info.st_uid != geteuid())
        status = error_set(error, STATUS_PERMISSION,
                           "%s: the cache of compiled kernels belongs to another user (%lld): set "
                           "TUNE_CACHE_DIR to a folder of your own",
                           path, (long long)info.st_uid);
    else if (given && (info.st_mode & 022) != 0)
        status = error_set(error, STATUS_PERMISSION,
                           "TUNE_CACHE_DIR=%s: others may write there, and its files are executed: "
                           "name a folder of your own, or chmod go-w it",
                           path);
    else if (path_is_replaceable(path))
        status = error_set(error, STATUS_PERMISSION,
                           "%s: others may put their own cache in its place, and its files are "
                           "executed: set TUNE_CACHE_DIR to a folder in one of your own",
                           path);
    else if (!given && (info.st_mode & 077) != 0 && fchmod(folder, 0700) != 0)
        status = error_set_errno(error, errno, "%s: cannot be closed to others", path);
    (void)close(folder);
    return status;
}

enum status cache_folder(struct arena *arena, const char **out, struct error *error)
{
    const char *given = getenv("TUNE_CACHE_DIR");
    const char *xdg = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    if (given && *given)
        *out = arena_strdup(arena, given);
    else if (xdg && *xdg == '/')
        *out = arena_printf(arena, "%s/tune", xdg);
    else if (home && *home == '/')
        *out = arena_printf(arena, "%s/.cache/tune", home);
    else
        return error_set(error, STATUS_NOT_FOUND,
                         "no place for compiled kernels: set TUNE_CACHE_DIR or HOME");
    TRY_MEMORY(*out);
    size_t bytes = 1;
    for (const char *text = *out; *text && bytes > 0; text += bytes)
        bytes = utf8_bytes(text);
    if (bytes == 0)
        return error_set(error, STATUS_BAD_INPUT,
                         "%s: the cache of compiled kernels needs a name in UTF-8: set "
                         "TUNE_CACHE_DIR",
                         *out);
    TRY(folder_make(*out, 0700, error));
    TRY(path_without_links(arena, *out, out, error));
    return check_private(*out, given && *given, error);
}

enum status environment_integer(const char *name, int64_t low, int64_t high, int64_t otherwise,
                                int64_t *out, struct error *error)
{
    const char *text = getenv(name);
    *out = otherwise;
    if (!text || !*text)
        return STATUS_OK;
    errno = 0;
    long long number = strtoll(text, NULL, 10);
    if (strspn(text, "0123456789") != strlen(text) || errno != 0 || number < low || number > high)
        return error_set(error, STATUS_BAD_INPUT,
                         "%s=%.40s: write a whole number from %lld to %lld, or unset it", name,
                         text, (long long)low, (long long)high);
    *out = number;
    return STATUS_OK;
}
