#include "tuner/base/lock.h"
#include "tuner/base/files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tuner/base/clock.h"
#include "tuner/base/hash.h"
#include "tuner/base/text.h"

enum { HOLDER_BYTES_MAX = 1024, TRIES = 16, HOLDER_WAITS = 20 };

static const char shared_folder[] = "/tmp/tune-locks";

struct lock {
    int file; /* -1: no lock could be made */
    bool writable;
    char warning[ERROR_TEXT_BYTES];
};

/* Users of the folder. */
enum folder_kind { FOLDER_SHARED, FOLDER_OWN };

/* Opens the folder; -1 with errno. A shared folder may belong to any user, since the first one to
 * tune makes it, but must be sticky, so that only a file's owner can remove the file; an own folder
 * is ours and closed to others. Links are not followed. */
static int open_folder(const char *path, enum folder_kind kind)
{
    struct stat info;
    mode_t mode = kind == FOLDER_SHARED ? 01777 : 0700;
    bool made = mkdir(path, mode) == 0;
    if (!made && errno != EEXIST)
        return -1;
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0)
        return -1;
    if (made)
        (void)fchmod(folder, mode); /* despite the umask */
    bool good = fstat(folder, &info) == 0;
    if (good && kind == FOLDER_SHARED)
        good = (info.st_mode & 01002) == 01002 || info.st_uid == geteuid();
    else if (good)
        good = info.st_uid == geteuid() && (info.st_mode & 022) == 0;
    if (good)
        return folder;
    (void)close(folder);
    errno = EPERM;
    return -1;
}

/* Opens the lock file: a plain file with one name, never a link, device or pipe that another user
 * put there; -1 with errno. Tries without O_CREAT first: kernels refuse O_CREAT for another user's
 * file in a sticky folder. A read-only file can be locked all the same. */
static int open_lock_file(int folder, const char *name, bool *writable)
{
    const int flags = O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    int file = -1;
    *writable = true;
    for (int i = 0; i < TRIES && file < 0; i++) {
        file = openat(folder, name, O_RDWR | flags);
        if (file < 0 && errno == ENOENT) {
            file = openat(folder, name, O_RDWR | O_CREAT | O_EXCL | flags, 0600);
            if (file >= 0)
                (void)fchmod(file, 0666);
        }
        if (file < 0 && errno == EACCES) {
            *writable = false;
            file = openat(folder, name, O_RDONLY | flags);
        }
        if (file < 0 && errno != ENOENT && errno != EEXIST && errno != EINTR)
            return -1;
    }
    struct stat info;
    if (file >= 0 && (fstat(file, &info) != 0 || !S_ISREG(info.st_mode) || info.st_nlink > 1 ||
                      info.st_size > 4 * (off_t)HOLDER_BYTES_MAX)) {
        (void)close(file);
        errno = EPERM;
        return -1;
    }
    return file;
}

void lock_note(struct lock *lock, const char *database)
{
    if (lock->file >= 0 && lock->writable) {
        /* Five lines: process, user, host, start time, database. */
        struct text text = {0};
        char since[CLOCK_TIMESTAMP_BYTES];
        char host[256] = "";
        char path[PATH_MAX] = "";
        clock_timestamp(since);
        if (gethostname(host, sizeof host - 1) != 0)
            host[0] = '\0';
        if (database && !realpath(database, path))
            (void)string_format(path, sizeof path, "%s", database);
        for (char *c = path; *c; c++)
            if (*c == '\n')
                *c = '?';
        text_printf(&text, "%lld\n", (long long)getpid());
        char buffer[4096];
        struct passwd entry;
        struct passwd *user = NULL;
        if (getpwuid_r(geteuid(), &entry, buffer, sizeof buffer, &user) == 0 && user &&
            user->pw_name)
            text_printf(&text, "%s\n", user->pw_name);
        else
            text_printf(&text, "user %lld\n", (long long)geteuid());
        text_printf(&text, "%s\n%s\n%.512s\n", host, since, path);
        if (!text.failed && ftruncate(lock->file, 0) == 0)
            (void)!pwrite(lock->file, text.data, text.length, 0);
        text_free(&text);
    }
}

/* Returns the next line of text that any user may have written: printable, or empty. */
static const char *next_line(char **rest)
{
    char *line = *rest ? strsep(rest, "\n") : NULL;
    if (!line)
        return "";
    text_make_printable(line);
    return line;
}

/* Reports the holder. The holder writes its name right after taking the lock, so an empty file is
 * read again. */
static enum status refuse(int file, struct error *error)
{
    char holder[HOLDER_BYTES_MAX + 1];
    ssize_t length = 0;
    for (int i = 0; i < HOLDER_WAITS && length <= 0; i++) {
        if (i > 0)
            (void)usleep(5000);
        length = pread(file, holder, HOLDER_BYTES_MAX, 0);
    }
    holder[length > 0 ? length : 0] = '\0';
    char *rest = holder;
    const char *pid = next_line(&rest);
    const char *user = next_line(&rest);
    const char *host = next_line(&rest);
    const char *since = next_line(&rest);
    const char *database = next_line(&rest);
    if (!*since)
        return error_set(error, STATUS_UNAVAILABLE,
                         "being tuned by another process: wait for it, or stop it");
    return error_set(error, STATUS_UNAVAILABLE,
                     "being tuned by process %.20s of %.64s on %.64s since %.32s%s%.400s%s: wait "
                     "for it, or stop it",
                     pid, user, host, since, *database ? " (database " : "", database,
                     *database ? ")" : "");
}

/* Takes the lock in this folder. STATUS_OK: held. STATUS_UNAVAILABLE: another process holds it.
 * STATUS_IO: no lock can be made here, with errno in *failure. */
static enum status lock_in(const char *path, enum folder_kind kind, const char *name,
                           struct lock *lock, int *failure, struct error *error)
{
    enum status status = STATUS_IO;
    int folder = open_folder(path, kind);
    *failure = errno;
    for (int i = 0; folder >= 0 && i < TRIES; i++) {
        bool writable = false;
        int file = open_lock_file(folder, name, &writable);
        *failure = errno;
        if (file < 0)
            break;
        bool held = flock(file, LOCK_EX | LOCK_NB) == 0;
        *failure = errno;
        /* Another process may have removed the name between opening and locking. */
        struct stat ours, named;
        if (held && fstat(file, &ours) == 0 &&
            fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
            ours.st_dev == named.st_dev && ours.st_ino == named.st_ino) {
            lock->file = file;
            lock->writable = writable;
            lock_note(lock, NULL);
            status = STATUS_OK;
            break;
        }
        if (!held && *failure == EWOULDBLOCK)
            status = refuse(file, error);
        (void)close(file);
        if (!held && *failure != EINTR)
            break;
    }
    file_close(folder);
    return status;
}

static enum status take_in_folders(struct lock *lock, const char *name, struct error *error)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-";
    char file[HASH_TEXT_BYTES + 80];
    char own[PATH_MAX];
    int shared_failure = 0;
    int own_failure = 0;
    const char *given = getenv("TUNE_LOCK_DIR");
    const char *shared = given && *given == '/' ? given : shared_folder;
    /* Letters, digits and '-' are kept; any other name is hashed. */
    if (*name && strlen(name) <= 64 && name[strspn(name, plain)] == '\0') {
        (void)string_format(file, sizeof file, "%s.lock", name);
    } else {
        char digits[HASH_TEXT_BYTES];
        hash_bytes(name, strlen(name), digits);
        (void)string_format(file, sizeof file, "%s.lock", digits);
    }
    enum status status = lock_in(shared, FOLDER_SHARED, file, lock, &shared_failure, error);
    if (status != STATUS_IO)
        return status;
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    if (!runtime || *runtime != '/' || !string_format(own, sizeof own, "%s/tune-locks", runtime))
        (void)string_format(own, sizeof own, "%s-%lld", shared_folder, (long long)geteuid());
    status = lock_in(own, FOLDER_OWN, file, lock, &own_failure, error);
    if (status == STATUS_OK)
        (void)string_format(lock->warning, sizeof lock->warning,
                            "no lock in %.200s (%s): other users' tuners are not kept off", shared,
                            strerror(shared_failure));
    if (status != STATUS_IO)
        return status;
    (void)string_format(lock->warning, sizeof lock->warning,
                        "no lock, neither in %.200s (%s) nor in %.200s (%s): do not start a "
                        "second tuner on this device",
                        shared, strerror(shared_failure), own, strerror(own_failure));
    return STATUS_OK;
}

enum status lock_take(const char *name, struct lock **out, struct error *error)
{
    *out = NULL;
    struct lock *lock = calloc(1, sizeof *lock);
    TRY_MEMORY(lock);
    lock->file = -1;
    enum status status = take_in_folders(lock, name, error);
    if (status == STATUS_OK)
        *out = lock;
    else
        free(lock);
    return status;
}

const char *lock_warning(const struct lock *lock)
{
    return lock->warning;
}

void lock_release(struct lock *lock)
{
    if (!lock)
        return;
    if (lock->file >= 0) {
        if (lock->writable)
            (void)!ftruncate(lock->file,
                             0); /* so that the next holder's file never shows our name */
        (void)close(lock->file);
    }
    free(lock);
}
