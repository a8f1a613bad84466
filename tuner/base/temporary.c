#include "tuner/base/temporary.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tuner/base/failpoint.h"
#include "tuner/base/text.h"
#include "tuner/base/trust.h"

static const char file_middle[] = ".tune-";
static const char file_end[] = ".tmp";
enum { RANDOM_LETTERS = 6, TRIES_MAX = 100, DEPTH_MAX = 8 };

static void remove_contents(int folder, int depth)
{
    int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *listing = copy >= 0 ? fdopendir(copy) : NULL;
    if (!listing) {
        if (copy >= 0)
            (void)close(copy);
        return;
    }
    const struct dirent *entry;
    while ((entry = readdir(listing))) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
            unlinkat(folder, entry->d_name, 0) == 0 || depth >= DEPTH_MAX)
            continue;
        /* A folder, no link. */
        const int inner =
            openat(folder, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (inner < 0)
            continue;
        remove_contents(inner, depth + 1);
        (void)close(inner);
        (void)unlinkat(folder, entry->d_name, AT_REMOVEDIR);
    }
    (void)closedir(listing);
}

/* Removes abandoned files or folders beside `path` whose names begin with its last part and
 * `middle`. */
static void sweep(const char *path, const char *middle, const char *end, mode_t kind)
{
    char folder[PATH_MAX];
    char prefix[PATH_MAX];
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    if (!string_format(folder, sizeof folder, "%.*s", slash ? (int)(base - path) : 1,
                       slash ? path : ".") ||
        !string_format(prefix, sizeof prefix, "%s%s", base, middle))
        return;
    DIR *listing = opendir(folder);
    const struct dirent *entry;
    static const char alphanumerics[] =
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    const size_t length = strlen(prefix);
    while (listing && (entry = readdir(listing))) {
        const char *name = entry->d_name; /* PREFIX, six letters, END */
        if (strncmp(name, prefix, length) != 0 ||
            strspn(name + length, alphanumerics) < RANDOM_LETTERS ||
            strcmp(name + length + RANDOM_LETTERS, end) != 0)
            continue;
        const int above = dirfd(listing);
        const int file = openat(above, name,
                                O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC |
                                    (kind == S_IFDIR ? O_DIRECTORY : 0));
        if (file < 0)
            continue;
        /* One that is ours, of the right kind and unlocked is locked and removed. */
        struct stat info;
        if (fstat(file, &info) == 0 && (info.st_mode & S_IFMT) == kind &&
            info.st_uid == geteuid() && (kind == S_IFDIR || info.st_nlink == 1) &&
            flock(file, LOCK_EX | LOCK_NB) == 0) {
            if (kind == S_IFDIR)
                remove_contents(file, 0);
            (void)unlinkat(above, name, kind == S_IFDIR ? AT_REMOVEDIR : 0);
        }
        (void)close(file);
    }
    if (listing)
        (void)closedir(listing);
}

/* Locks a new file. Returns EAGAIN, and closes the file, if another process's sweep removed it
 * between making and locking. A file system without locks is accepted; its leftovers are then never
 * swept. */
static int lock_new(struct temporary *temporary)
{
    struct stat info;
    while (flock(temporary->file, LOCK_EX) != 0 && errno == EINTR)
        continue;
    if (stat(temporary->path, &info) == 0)
        return 0;
    (void)close(temporary->file);
    temporary->file = -1;
    return EAGAIN;
}

/* Makes the file, not by mkstemp: mkstemp sets mode 0600, and widening the mode needs the umask,
 * which a thread can only read by changing it for all threads. */
static int try_file(const char *path, struct temporary *out)
{
    static const char alphabet[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    unsigned char bytes[RANDOM_LETTERS];
    char letters[RANDOM_LETTERS + 1] = "";
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return errno;
    for (int i = 0; i < RANDOM_LETTERS; i++)
        letters[i] = alphabet[bytes[i] % (sizeof alphabet - 1)];
    if (!string_format(out->path, sizeof out->path, "%s%s%s%s", path, file_middle, letters,
                       file_end))
        return ENAMETOOLONG;
    out->file = open(out->path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (out->file < 0)
        return errno == EEXIST ? EAGAIN : errno;
    return lock_new(out);
}

enum status temporary_file_make(const char *path, struct temporary *out, struct error *error)
{
    int failure = EAGAIN;
    *out = (struct temporary){.file = -1};
    sweep(path, file_middle, file_end, S_IFREG);
    for (int i = 0; failure == EAGAIN && i < TRIES_MAX; i++)
        failure = FAILPOINT_FAILS("file.make") ? EIO : try_file(path, out);
    /* ENOENT in an existing folder: the folder takes no files (/proc). */
    if (failure == ENOENT && path_folder_mode(path) != 0)
        failure = EACCES;
    if (failure != 0)
        return error_set_errno(error, failure, "%s: cannot write", path);
    FAILPOINT("file.made");
    return STATUS_OK;
}

static int try_folder(const char *prefix, struct temporary *out)
{
    if (!string_format(out->path, sizeof out->path, "%sXXXXXX", prefix))
        return ENAMETOOLONG;
    if (!mkdtemp(out->path))
        return errno;
    out->file = open(out->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (out->file < 0)
        return errno == ENOENT ? EAGAIN : errno;
    return lock_new(out);
}

enum status temporary_folder_make(const char *prefix, struct temporary *out, struct error *error)
{
    int failure = EAGAIN;
    *out = (struct temporary){.file = -1};
    temporary_folders_sweep(prefix);
    for (int i = 0; failure == EAGAIN && i < TRIES_MAX; i++)
        failure = FAILPOINT_FAILS("folder.make") ? EIO : try_folder(prefix, out);
    if (failure != 0)
        return error_set_errno(error, failure, "%sXXXXXX: cannot make a temporary folder", prefix);
    FAILPOINT("folder.made");
    return STATUS_OK;
}

static bool tmp_prefix(const char *word, char *out, size_t bytes)
{
    const char *named = getenv("TMPDIR");
    return string_format(out, bytes, "%s/tune-%s-", named && *named == '/' ? named : "/tmp", word);
}

enum status temporary_folder_in_tmp(const char *word, struct temporary *out, struct error *error)
{
    char prefix[PATH_MAX];
    *out = (struct temporary){.file = -1};
    if (!tmp_prefix(word, prefix, sizeof prefix))
        return error_set_errno(error, ENAMETOOLONG, "TMPDIR");
    if (path_is_replaceable(prefix))
        return error_set(error, STATUS_PERMISSION,
                         "%.300s: anybody may take files of others away there (it is not "
                         "sticky): set TMPDIR to a folder of your own",
                         prefix);
    enum status status = temporary_folder_make(prefix, out, error);
    return status == STATUS_OK ? status
                               : error_prefix(error, "set TMPDIR to a folder that can be written");
}

void temporary_folders_sweep_tmp(const char *word)
{
    char prefix[PATH_MAX];
    if (tmp_prefix(word, prefix, sizeof prefix))
        temporary_folders_sweep(prefix);
}

void temporary_folder_remove(struct temporary *temporary)
{
    if (temporary->file < 0)
        return;
    remove_contents(temporary->file, 0);
    (void)rmdir(temporary->path);
    (void)close(temporary->file);
    temporary->file = -1;
}

void temporary_folder_empty(struct temporary *temporary)
{
    if (temporary->file >= 0)
        remove_contents(temporary->file, 0);
}

void temporary_folders_sweep(const char *prefix)
{
    sweep(prefix, "", "", S_IFDIR);
}
