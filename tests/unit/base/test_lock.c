/* One tuner at a time on a device: between processes, after a killed holder, and where somebody has
 * put traps into the shared folder. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/suite.h"
#include "tuner/base/lock.h"
#include "tuner/base/text.h"

static const char device[] = "GPU-0123-abcd";
static const uid_t stranger = 65534;

struct place {
    char root[64];
    char shared[128];
    char own[128];
    char file[256];
};

static int set_up(void **state)
{
    static struct place place;
    (void)strcpy(place.root, "/tmp/tune-lock-test.XXXXXX");
    assert_non_null(mkdtemp(place.root));
    assert_int_equal(chmod(place.root, 0755), 0);
    (void)snprintf(place.shared, sizeof place.shared, "%s/shared", place.root);
    (void)snprintf(place.own, sizeof place.own, "%s/own", place.root);
    (void)snprintf(place.file, sizeof place.file, "%s/%s.lock", place.shared, device);
    assert_int_equal(mkdir(place.shared, 01777), 0);
    assert_int_equal(chmod(place.shared, 01777), 0);
    assert_int_equal(mkdir(place.own, 0700), 0);
    assert_int_equal(setenv("TUNE_LOCK_DIR", place.shared, 1), 0);
    assert_int_equal(setenv("XDG_RUNTIME_DIR", place.own, 1), 0);
    *state = &place;
    return 0;
}

static int tear_down(void **state)
{
    const struct place *place = *state;
    char command[256];
    (void)snprintf(command, sizeof command, "rm -rf %s", place->root);
    return system(command);
}

/* Takes the lock in a process of its own; writes to `ends[1]` when the lock is held. */
static pid_t hold_elsewhere(uid_t user, int *reply)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        struct lock *lock = NULL;
        struct error error = {0};
        if (user != geteuid() && setuid(user) != 0)
            _exit(2);
        char answer = lock_take(device, &lock, &error) == STATUS_OK ? 'y' : 'n';
        if (answer == 'y') {
            lock_note(lock, "/data/alice's\ntune.db");
            if (lock_warning(lock)[0])
                answer = 'w';
        }
        (void)!write(ends[1], &answer, 1);
        (void)pause();
        _exit(0);
    }
    (void)close(ends[1]);
    char answer = '?';
    assert_int_equal(read(ends[0], &answer, 1), 1);
    (void)close(ends[0]);
    *reply = answer;
    return child;
}

static void end(pid_t child)
{
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

static void expect_free(void)
{
    struct lock *lock = NULL;
    struct error error = {0};
    assert_int_equal(lock_take(device, &lock, &error), STATUS_OK);
    assert_string_equal(lock_warning(lock), "");
    lock_release(lock);
}

TEST_WITH(a_second_process_is_told_who_holds_it, set_up, tear_down)
{
    int reply = 0;
    struct error error = {0};
    struct lock *lock = NULL;
    pid_t child = hold_elsewhere(geteuid(), &reply);
    assert_int_equal(reply, 'y');
    assert_int_equal(lock_take(device, &lock, &error), STATUS_UNAVAILABLE);
    assert_null(lock);
    char process[64];
    (void)snprintf(process, sizeof process, "by process %d of ", (int)child);
    assert_non_null(strstr(error.text, process));
    assert_non_null(strstr(error.text, "(database /data/alice's?tune.db)"));
    assert_non_null(strstr(error.text, "wait for it, or stop it"));
    /* Another device is free. */
    assert_int_equal(lock_take("GPU-other", &lock, &error), STATUS_OK);
    lock_release(lock);
    end(child);
    expect_free();
}

TEST_WITH(a_child_does_not_inherit_it, set_up, tear_down)
{
    struct lock *lock = NULL;
    struct error error = {0};
    assert_int_equal(lock_take(device, &lock, &error), STATUS_OK);
    int ends[2];
    char nothing = 0;
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    pid_t child = fork();
    if (child == 0) {
        (void)execl("/bin/sleep", "sleep", "600", (char *)NULL);
        _exit(1);
    }
    (void)close(ends[1]);
    assert_int_equal(read(ends[0], &nothing, 1), 0); /* until another program replaces it */
    (void)close(ends[0]);
    struct lock *second = NULL;
    assert_int_equal(lock_take(device, &second, &error), STATUS_UNAVAILABLE);
    lock_release(lock);
    expect_free();
    end(child);
}

TEST_WITH(another_user_is_kept_off_too, set_up, tear_down)
{
    if (geteuid() != 0)
        skip();
    int reply = 0;
    struct lock *lock = NULL;
    struct error error = {0};
    /* The file is the stranger's, then ours: each keeps the other off. */
    pid_t child = hold_elsewhere(stranger, &reply);
    assert_int_equal(reply, 'y');
    assert_int_equal(lock_take(device, &lock, &error), STATUS_UNAVAILABLE);
    end(child);
    assert_int_equal(lock_take(device, &lock, &error), STATUS_OK);
    child = hold_elsewhere(stranger, &reply);
    assert_int_equal(reply, 'n');
    end(child);
    lock_release(lock);
    child = hold_elsewhere(stranger, &reply);
    assert_int_equal(reply, 'y');
    end(child);
}

/* Checks that a planted file at the lock's name stays as it is, that the user's own folder serves,
 * and that a warning says so. */
static void expect_own_folder(void)
{
    struct lock *lock = NULL;
    struct lock *second = NULL;
    struct error error = {0};
    assert_int_equal(lock_take(device, &lock, &error), STATUS_OK);
    assert_non_null(strstr(lock_warning(lock), "other users"));
    assert_int_equal(lock_take(device, &second, &error), STATUS_UNAVAILABLE);
    lock_release(lock);
}

TEST_WITH(traps_in_the_shared_folder_are_left_alone, set_up, tear_down)
{
    const struct place *place = *state;
    char victim[128];
    char kept[16] = "";
    (void)snprintf(victim, sizeof victim, "%s/victim", place->root);
    FILE *file = fopen(victim, "w");
    assert_non_null(file);
    (void)fputs("precious", file);
    (void)fclose(file);
    assert_int_equal(symlink(victim, place->file), 0);
    expect_own_folder();
    assert_int_equal(unlink(place->file), 0);
    assert_int_equal(link(victim, place->file), 0);
    expect_own_folder();
    assert_int_equal(unlink(place->file), 0);
    assert_int_equal(mkfifo(place->file, 0666), 0);
    expect_own_folder();
    assert_int_equal(unlink(place->file), 0);
    assert_int_equal(mkdir(place->file, 0777), 0);
    expect_own_folder();
    assert_int_equal(rmdir(place->file), 0);
    file = fopen(victim, "r");
    assert_non_null(file);
    assert_non_null(fgets(kept, sizeof kept, file));
    (void)fclose(file);
    assert_string_equal(kept, "precious");
}

TEST_WITH(a_link_in_place_of_the_folder_is_not_followed, set_up, tear_down)
{
    const struct place *place = *state;
    char link_name[128];
    (void)snprintf(link_name, sizeof link_name, "%s/link", place->root);
    assert_int_equal(symlink(place->shared, link_name), 0);
    assert_int_equal(setenv("TUNE_LOCK_DIR", link_name, 1), 0);
    expect_own_folder();
}

TEST_WITH(without_any_folder_it_is_said_and_gone_on, set_up, tear_down)
{
    struct lock *lock = NULL;
    struct error error = {0};
    assert_int_equal(setenv("TUNE_LOCK_DIR", "/proc/none", 1), 0);
    assert_int_equal(setenv("XDG_RUNTIME_DIR", "/proc/none", 1), 0);
    assert_int_equal(lock_take(device, &lock, &error), STATUS_OK);
    assert_non_null(strstr(lock_warning(lock), "no lock, neither"));
    lock_note(lock, "tune.db");
    lock_release(lock);
}

TEST_WITH(names_and_texts_of_any_kind, set_up, tear_down)
{
    const struct place *place = *state;
    static const char *const names[] = {
        "",  "../../etc/passwd", "a/b",
        ".", "x\n\xff",          "01234567890123456789012345678901234567890123456789012345"};
    struct error error = {0};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct lock *lock = NULL;
        struct lock *second = NULL;
        assert_int_equal(lock_take(names[i], &lock, &error), STATUS_OK);
        assert_string_equal(lock_warning(lock), "");
        assert_int_equal(lock_take(names[i], &second, &error), STATUS_UNAVAILABLE);
        lock_release(lock);
    }
    /* Text of a stranger in the file must not control the terminal. */
    struct lock *lock = NULL;
    struct lock *second = NULL;
    assert_int_equal(lock_take(device, &lock, &error), STATUS_OK);
    FILE *file = fopen(place->file, "w");
    assert_non_null(file);
    (void)fputs("1\n\x1b[31mroot\nh\n\x07now\n", file);
    (void)fclose(file);
    assert_int_equal(lock_take(device, &second, &error), STATUS_UNAVAILABLE);
    assert_non_null(strstr(error.text, "since"));
    assert_null(strpbrk(error.text, "\x1b\x07\n"));
    lock_release(lock);
}

TEST_MAIN(NULL, NULL)
