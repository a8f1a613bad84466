/* State that outlives a process: a small file, locked while it is changed. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "tests/faults/driver/script.h"

struct state {
    int starts;
    int fired[RULES_MAX];
    int lost[DEVICES_MAX]; /* starts for which the device is still gone */
};

static struct state in_memory;

/* Opens the file, locked; -1 without one. */
static int state_open(struct state *state)
{
    const char *path = getenv("TUNE_FAULTS_STATE");
    *state = in_memory;
    if (!path || !*path)
        return -1;
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0 || flock(file, LOCK_EX) != 0)
        script_fail("TUNE_FAULTS_STATE: %s cannot be opened", path);
    *state = (struct state){.starts = 0};
    if (pread(file, state, sizeof *state, 0) < 0)
        script_fail("TUNE_FAULTS_STATE: %s cannot be read", path);
    return file;
}

static void state_close(int file, const struct state *state)
{
    in_memory = *state;
    if (file < 0)
        return;
    if (pwrite(file, state, sizeof *state, 0) != (ssize_t)sizeof *state)
        script_fail("TUNE_FAULTS_STATE cannot be written");
    (void)close(file);
}

void state_start(bool gone[DEVICES_MAX])
{
    struct state state;
    int file = state_open(&state);
    state.starts++;
    for (size_t i = 0; i < DEVICES_MAX; i++) {
        gone[i] = state.lost[i] > 0;
        if (gone[i] && state.lost[i] < LOST_FOR_GOOD)
            state.lost[i]--;
    }
    state_close(file, &state);
}

int state_starts(void)
{
    struct state state;
    int file = state_open(&state);
    if (file >= 0)
        (void)close(file);
    return state.starts;
}

bool state_may_fire(size_t rule, int times)
{
    struct state state;
    int file = state_open(&state);
    bool may = state.fired[rule] < times;
    state.fired[rule] += may;
    state_close(file, &state);
    return may;
}

void state_lose(int device, int starts)
{
    struct state state;
    int file = state_open(&state);
    state.lost[device] = starts;
    state_close(file, &state);
}

/* Takes a device's lock until the process ends. Anyone can hold it: `flock STATE.device0 COMMAND`.
 */
bool state_take_device(int device)
{
    const char *path = getenv("TUNE_FAULTS_STATE");
    char name[4096];
    if (!path || !*path)
        return true;
    (void)snprintf(name, sizeof name, "%s.device%d", path, device);
    int file = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0)
        script_fail("%s cannot be opened", name);
    return flock(file, LOCK_EX | LOCK_NB) == 0;
}

/* Returns a file with a byte for each process that has a context, locked until the process ends. */
static int contexts_file(void)
{
    static int file = -1;
    const char *path = getenv("TUNE_FAULTS_STATE");
    char name[4096];
    if (file >= 0 || !path || !*path)
        return file;
    (void)snprintf(name, sizeof name, "%s.contexts", path);
    file = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0)
        script_fail("%s cannot be opened", name);
    return file;
}

static const off_t pids = (off_t)1 << 32;

void state_has_context(int device)
{
    struct flock place = {
        .l_type = F_WRLCK, .l_start = device * pids + getpid(), .l_len = 1, .l_whence = SEEK_SET};
    if (contexts_file() >= 0 && fcntl(contexts_file(), F_SETLK, &place) != 0)
        script_fail("the context cannot be written down");
}

size_t state_others_with_context(int device, pid_t *out, size_t most)
{
    size_t count = 0;
    struct flock place = {.l_start = device * pids};
    while (contexts_file() >= 0 && count < most) {
        place.l_type = F_WRLCK;
        place.l_whence = SEEK_SET;
        place.l_len = (device + 1) * pids - place.l_start;
        if (fcntl(contexts_file(), F_GETLK, &place) != 0 || place.l_type == F_UNLCK)
            break;
        out[count++] = (pid_t)(place.l_start - device * pids);
        place.l_start++;
    }
    return count;
}
