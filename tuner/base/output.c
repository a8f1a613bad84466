#include "tuner/base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tuner/base/arena.h"
#include "tuner/base/failpoint.h"
#include "tuner/base/files.h"
#include "tuner/base/trust.h"

/* The number of the open file that the name stands for; -1: none. Opening such a name by its link
 * would start a redirected file anew, and fails for a socket. */
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

static int write_open(int file, const char *data, size_t bytes)
{
    while (bytes > 0) {
        ssize_t part = write(file, data, bytes);
        if (part < 0 && errno == EAGAIN)
            (void)poll(&(struct pollfd){.fd = file, .events = POLLOUT}, 1, -1);
        else if (part < 0 && errno != EINTR)
            return errno;
        if (part > 0) {
            data += part;
            bytes -= (size_t)part;
        }
    }
    return 0;
}

/* A FIFO waits here for its reader, as for every program. */
static enum status open_special(struct output *output, const struct stat *info, struct error *error)
{
    bool ours = info->st_uid == geteuid() || info->st_uid == 0;
    if (S_ISSOCK(info->st_mode) || S_ISBLK(info->st_mode))
        return error_set(error, STATUS_BAD_INPUT, "%s: a %s, not a file; name another",
                         output->real, S_ISSOCK(info->st_mode) ? "socket" : "block device");
    if (!ours && path_is_in_open_folder(output->real))
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
        !S_ISDIR(info.st_mode)) {
        status = open_special(out, &info, error);
    } else if (status == STATUS_OK) {
        status = temporary_file_make(out->real, &out->temporary, error);
        out->file = out->temporary.file;
        out->opened = true;
    }
    if (status != STATUS_OK)
        arena_free(&out->arena);
    return status;
}

enum status output_add(struct output *output, const void *data, size_t bytes, struct error *error)
{
    int failure = write_open(output->file, data, bytes);
    return failure == 0 ? STATUS_OK
                        : error_set_errno(error, failure, "%s: cannot write", output->path);
}

enum status output_end(struct output *output, enum status status, struct error *error)
{
    if (status == STATUS_OK && !output->special &&
        (FAILPOINT_FAILS("file.written") || fsync(output->file) != 0))
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
    enum status status = output_begin(path, &output, error);
    return status == STATUS_OK ? output_end(&output, output_add(&output, data, bytes, error), error)
                               : status;
}

enum status output_differs(const char *path, const char *input, struct error *error)
{
    struct stat out;
    struct stat in;
    if (!path || !input || named_descriptor(path) >= 0 || stat(path, &out) != 0 ||
        stat(input, &in) != 0 || !S_ISREG(out.st_mode) || out.st_dev != in.st_dev ||
        out.st_ino != in.st_ino)
        return STATUS_OK;
    return error_set(error, STATUS_USAGE,
                     "%s: is what is read, and would be written over: name another file", path);
}
