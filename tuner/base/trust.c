#include "tuner/base/trust.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tuner/base/text.h"

enum { LINKS_MAX = 40 };

/* A walk along a path: the rest of the path, and an absolute path without links to the current
 * place. */
struct walk {
    const char *path; /* original path, for messages */
    char done[PATH_MAX];
    char rest[PATH_MAX];
    int links;
};

static enum status too_long(const struct walk *walk, struct error *error)
{
    return error_set(error, STATUS_BAD_INPUT, "%.400s: the path is too long", walk->path);
}

static enum status step(struct walk *walk, const char *part, struct error *error)
{
    char next[PATH_MAX];
    struct stat info;
    if (strcmp(part, ".") == 0)
        return STATUS_OK;
    if (strcmp(part, "..") == 0) {
        char *slash = strrchr(walk->done, '/');
        if (slash)
            *slash = '\0';
        return STATUS_OK;
    }
    if (!string_format(next, sizeof next, "%s/%s", walk->done, part))
        return too_long(walk, error);
    if (lstat(next, &info) != 0) {
        bool last = strspn(walk->rest, "/") == strlen(walk->rest);
        if (errno != ENOENT || !last)
            return error_set_errno(error, errno, "%s", walk->path);
    } else if (S_ISLNK(info.st_mode)) {
        /* Puts the target of the link `next` before the rest of the path. */
        char target[PATH_MAX];
        char rest[PATH_MAX];
        struct stat folder;
        if (stat(walk->done[0] ? walk->done : "/", &folder) != 0)
            return error_set_errno(error, errno, "%s", walk->path);
        const bool open_to_others = (folder.st_mode & S_IWOTH) != 0;
        if (open_to_others && info.st_uid != geteuid() && info.st_uid != folder.st_uid)
            return error_set(
                error, STATUS_PERMISSION,
                "%.300s: %.300s is a symbolic link that another user (%lld) put into a "
                "folder open to all; it is not followed: name another file",
                walk->path, next, (long long)info.st_uid);
        if (++walk->links > LINKS_MAX)
            return error_set_errno(error, ELOOP, "%s", walk->path);
        ssize_t length = readlink(next, target, sizeof target - 1);
        if (length < 0)
            return error_set_errno(error, errno, "%s", walk->path);
        target[length] = '\0';
        if (!string_format(rest, sizeof rest, "%s/%s", target, walk->rest))
            return too_long(walk, error);
        (void)strcpy(walk->rest, rest);
        if (target[0] == '/')
            walk->done[0] = '\0';
        return STATUS_OK;
    }
    (void)strcpy(walk->done, next);
    return STATUS_OK;
}

enum status path_without_links(struct arena *arena, const char *path, const char **out,
                               struct error *error)
{
    struct walk walk = {.path = path};
    char part[NAME_MAX + 1];
    *out = path;
    if (!string_format(walk.rest, sizeof walk.rest, "%s", path))
        return too_long(&walk, error);
    if (path[0] != '/' && !getcwd(walk.done, sizeof walk.done))
        return error_set_errno(error, errno, "the current folder");
    if (strcmp(walk.done, "/") == 0)
        walk.done[0] = '\0';
    for (;;) {
        /* The first part is taken off `rest`. */
        const size_t start = strspn(walk.rest, "/");
        const size_t length = strcspn(walk.rest + start, "/");
        if (length == 0)
            break;
        if (length > NAME_MAX)
            return error_set_errno(error, ENAMETOOLONG, "%.400s", path);
        memcpy(part, walk.rest + start, length);
        part[length] = '\0';
        memmove(walk.rest, walk.rest + start + length, strlen(walk.rest + start + length) + 1);
        TRY(step(&walk, part, error));
    }
    if (walk.links == 0)
        return STATUS_OK;
    *out = arena_strdup(arena, walk.done[0] ? walk.done : "/");
    return *out ? STATUS_OK : error_no_memory(error);
}

bool path_is_open_to_others(const char *path)
{
    char real[PATH_MAX];
    struct stat info;
    if (!realpath(path, real))
        return true;
    for (;;) {
        char *slash = strrchr(real, '/');
        if (stat(real[0] ? real : "/", &info) != 0)
            return true;
        const bool ours = info.st_uid == geteuid() || info.st_uid == 0;
        const bool own_group = info.st_gid == info.st_uid;
        const bool kept = S_ISDIR(info.st_mode) &&
                          (info.st_mode & S_ISVTX); /* sticky: others cannot rename our files */
        const bool written =
            (info.st_mode & S_IWOTH) != 0 || ((info.st_mode & S_IWGRP) != 0 && !own_group);
        if (!ours || (written && !kept))
            return true;
        if (!real[0] || !slash)
            return false;
        *slash = '\0';
    }
}

mode_t path_folder_mode(const char *path)
{
    char folder[PATH_MAX];
    struct stat info;
    const char *slash = strrchr(path, '/');
    if (!string_format(folder, sizeof folder, "%.*s", slash ? (int)(slash - path + 1) : 1,
                       slash ? path : ".") ||
        stat(folder, &info) != 0)
        return 0;
    return info.st_mode;
}

bool path_is_replaceable(const char *path)
{
    return (path_folder_mode(path) & (S_IWOTH | S_ISVTX)) == S_IWOTH;
}
