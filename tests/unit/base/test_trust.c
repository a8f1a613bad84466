/* Links that others planted are not followed, the user's own are. */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/suite.h"
#include "tuner/base/files.h"
#include "tuner/base/trust.h"

static const uid_t stranger = 65534;

static char root[64];

static const char *in_root(const char *name)
{
    static char paths[4][PATH_MAX];
    static int next;
    char *path = paths[next++ % 4];
    (void)snprintf(path, PATH_MAX, "%s/%s", root, name);
    return path;
}

/* Makes root/open, which is like /tmp, and root/own, which is ours alone and holds a file. */
static int set_up(void **state)
{
    (void)state;
    (void)strcpy(root, "/tmp/tune-trust-test.XXXXXX");
    assert_non_null(mkdtemp(root));
    assert_int_equal(chmod(root, 0755), 0);
    assert_int_equal(mkdir(in_root("open"), 0777), 0);
    assert_int_equal(chmod(in_root("open"), 01777), 0);
    assert_int_equal(mkdir(in_root("own"), 0700), 0);
    struct error error = {0};
    assert_int_equal(file_write_atomically(in_root("own/file"), "precious", 8, &error), STATUS_OK);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    char command[128];
    (void)snprintf(command, sizeof command, "rm -rf %s", root);
    return system(command);
}

static void plant(const char *target, const char *name, uid_t owner)
{
    assert_int_equal(symlink(target, in_root(name)), 0);
    assert_int_equal(lchown(in_root(name), owner, (gid_t)-1), 0);
}

static void expect_contents(const char *name, const char *wanted)
{
    struct arena arena = {0};
    struct error error = {0};
    char *contents = NULL;
    assert_int_equal(file_read(&arena, in_root(name), 100, &contents, NULL, &error), STATUS_OK);
    assert_string_equal(contents, wanted);
    arena_free(&arena);
}

TEST_WITH(a_path_without_links_stays_as_it_is, set_up, tear_down)
{
    static const char *const paths[] = {"/", "x", "./x", "/usr/../tmp/x", "x/", "/tmp//x"};
    struct arena arena = {0};
    struct error error = {0};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        const char *out = NULL;
        assert_int_equal(path_without_links(&arena, paths[i], &out, &error), STATUS_OK);
        assert_ptr_equal(out, paths[i]);
    }
    arena_free(&arena);
}

TEST_WITH(links_of_ones_own_are_followed_and_stay, set_up, tear_down)
{
    struct arena arena = {0};
    struct error error = {0};
    const char *out = NULL;
    plant("../own", "open/folder", geteuid());
    plant("folder/file", "open/file", geteuid());
    assert_int_equal(path_without_links(&arena, in_root("open/./file"), &out, &error), STATUS_OK);
    assert_string_equal(out, in_root("own/file"));
    assert_int_equal(file_write_atomically(in_root("open/file"), "new", 3, &error), STATUS_OK);
    struct stat info;
    assert_int_equal(lstat(in_root("open/file"), &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    expect_contents("own/file", "new");
    /* A link to a file that does not exist yet. */
    plant("own/later", "later", geteuid());
    assert_int_equal(file_write_atomically(in_root("later"), "new", 3, &error), STATUS_OK);
    expect_contents("own/later", "new");
    plant("loop", "loop", geteuid());
    assert_int_not_equal(path_without_links(&arena, in_root("loop"), &out, &error), STATUS_OK);
    arena_free(&arena);
}

TEST_WITH(links_of_strangers_in_a_folder_open_to_all_are_refused, set_up, tear_down)
{
    if (geteuid() != 0)
        skip();
    struct arena arena = {0};
    struct error error = {0};
    const char *out = NULL;
    plant("../own/file", "open/tuned.conf", stranger);
    plant("../own", "open/folder", stranger);
    assert_int_equal(file_write_atomically(in_root("open/tuned.conf"), "x", 1, &error),
                     STATUS_PERMISSION);
    assert_non_null(strstr(error.text, "symbolic link"));
    assert_int_equal(file_write_atomically(in_root("open/folder/file"), "x", 1, &error),
                     STATUS_PERMISSION);
    /* Behind a link of ours, too. */
    plant("open/folder", "mine", geteuid());
    assert_int_equal(path_without_links(&arena, in_root("mine/file"), &out, &error),
                     STATUS_PERMISSION);
    expect_contents("own/file", "precious");
    arena_free(&arena);
}

TEST_WITH(too_long_is_said, set_up, tear_down)
{
    static char name[2 * PATH_MAX];
    struct arena arena = {0};
    struct error error = {0};
    const char *out = NULL;
    memset(name, 'x', 300);
    assert_int_not_equal(path_without_links(&arena, name, &out, &error), STATUS_OK);
    assert_non_null(strstr(error.text, "too long"));
    for (size_t i = 0; i < sizeof name - 1; i++)
        name[i] = i % 2 ? '/' : 'x';
    assert_int_equal(path_without_links(&arena, name, &out, &error), STATUS_BAD_INPUT);
    assert_non_null(strstr(error.text, "too long"));
    arena_free(&arena);
}

/* ---- the cache folder ---- */

static enum status cache(struct error *error)
{
    struct arena arena = {0};
    const char *out = NULL;
    *error = (struct error){0};
    enum status status = cache_folder(&arena, &out, error);
    arena_free(&arena);
    return status;
}

static mode_t mode_of(const char *name)
{
    struct stat info;
    assert_int_equal(stat(in_root(name), &info), 0);
    return info.st_mode & 07777;
}

TEST_WITH(the_cache_is_closed_to_others, set_up, tear_down)
{
    struct error error;
    assert_int_equal(unsetenv("TUNE_CACHE_DIR"), 0);
    assert_int_equal(setenv("XDG_CACHE_HOME", in_root("xdg"), 1), 0);
    assert_int_equal(cache(&error), STATUS_OK);
    assert_int_equal(mode_of("xdg/tune"), 0700);
    assert_int_equal(chmod(in_root("xdg/tune"), 0777), 0);
    assert_int_equal(cache(&error), STATUS_OK);
    assert_int_equal(mode_of("xdg/tune"), 0700);
    /* A folder named by the user is never changed: it might be /tmp. */
    assert_int_equal(setenv("TUNE_CACHE_DIR", in_root("open"), 1), 0);
    assert_int_equal(cache(&error), STATUS_PERMISSION);
    assert_non_null(strstr(error.text, "chmod go-w"));
    assert_int_equal(mode_of("open"), 01777);
    assert_int_equal(setenv("TUNE_CACHE_DIR", in_root("given"), 1), 0);
    assert_int_equal(cache(&error), STATUS_OK);
    assert_int_equal(mode_of("given"), 0700);
}

TEST_WITH(anothers_cache_is_not_used, set_up, tear_down)
{
    struct error error;
    if (geteuid() != 0)
        skip();
    assert_int_equal(mkdir(in_root("theirs"), 0755), 0);
    assert_int_equal(chown(in_root("theirs"), stranger, stranger), 0);
    assert_int_equal(setenv("TUNE_CACHE_DIR", in_root("theirs"), 1), 0);
    assert_int_equal(cache(&error), STATUS_PERMISSION);
    assert_non_null(strstr(error.text, "another user"));
    plant("../own", "open/cache", stranger);
    assert_int_equal(setenv("TUNE_CACHE_DIR", in_root("open/cache"), 1), 0);
    assert_int_equal(cache(&error), STATUS_PERMISSION);
    assert_non_null(strstr(error.text, "symbolic link"));
}

TEST_WITH(hostile_variables_are_refused_with_a_reason, set_up, tear_down)
{
    static char longest[3 * PATH_MAX];
    struct error error;
    memset(longest, 'y', sizeof longest - 1);
    longest[0] = '/';
    assert_int_equal(setenv("TUNE_CACHE_DIR", longest, 1), 0);
    assert_int_equal(cache(&error), STATUS_BAD_INPUT);
    assert_int_equal(setenv("TUNE_CACHE_DIR", "/tmp/tune-\xff\xfe", 1), 0);
    assert_int_equal(cache(&error), STATUS_BAD_INPUT);
    assert_non_null(strstr(error.text, "UTF-8"));
    assert_int_equal(setenv("TUNE_CACHE_DIR", in_root("own/file"), 1), 0);
    assert_int_not_equal(cache(&error), STATUS_OK);
    assert_int_equal(setenv("TUNE_CACHE_DIR", "", 1), 0); /* as if it were unset */
    assert_int_equal(setenv("XDG_CACHE_HOME", "relative", 1), 0);
    assert_int_equal(unsetenv("HOME"), 0);
    assert_int_equal(cache(&error), STATUS_NOT_FOUND);
    assert_non_null(strstr(error.text, "set TUNE_CACHE_DIR"));
}

TEST_WITH(what_others_may_write_is_told, set_up, tear_down)
{
    assert_false(path_is_open_to_others(in_root("own/file")));
    assert_true(path_is_open_to_others(in_root("own/nothing")));
    assert_int_equal(chmod(in_root("own/file"), 0666), 0);
    assert_true(path_is_open_to_others(in_root("own/file")));
    assert_int_equal(chmod(in_root("own/file"), 0644), 0);
    /* Whoever may write the folder can replace a file in it, unless the folder is sticky. */
    assert_int_equal(chmod(in_root("own"), 0777), 0);
    assert_true(path_is_open_to_others(in_root("own/file")));
    assert_int_equal(chmod(in_root("own"), 01777), 0);
    assert_false(path_is_open_to_others(in_root("own/file")));
    /* A link counts as its target. */
    assert_int_equal(chmod(in_root("own"), 0777), 0);
    assert_int_equal(symlink("own/file", in_root("link")), 0);
    assert_true(path_is_open_to_others(in_root("link")));
    assert_int_equal(chmod(in_root("own"), 0700), 0);
    assert_false(path_is_open_to_others(in_root("link")));
    if (geteuid() != 0)
        return;
    assert_int_equal(chown(in_root("own/file"), stranger, stranger), 0);
    assert_true(path_is_open_to_others(in_root("own/file")));
    assert_int_equal(chown(in_root("own/file"), 0, 0), 0);
    assert_int_equal(chown(in_root("own"), stranger, stranger), 0);
    assert_true(path_is_open_to_others(in_root("own/file")));
}

TEST_MAIN(NULL, NULL)
