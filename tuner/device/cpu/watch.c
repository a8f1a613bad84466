#include "tuner/device/cpu/watch.h"

#include <string.h>
#include <sys/stat.h>

#include "tuner/device/cpu/device.h"

static void read_state(struct process_state *out)
{
    struct stat info = {0};
    *out = (struct process_state){0};
    for (int i = 0; i < WATCHED_LIMITS; i++)
        (void)getrlimit((__rlimit_resource_t)i, &out->limits[i]);
    for (int i = 1; i < WATCHED_SIGNALS; i++)
        (void)sigaction(i, NULL, &out->actions[i]);
    (void)sigprocmask(SIG_BLOCK, NULL, &out->blocked);
    (void)sched_getaffinity(0, sizeof out->processors, &out->processors);
    if (stat(".", &info) == 0) {
        out->folder[0] = info.st_dev;
        out->folder[1] = info.st_ino;
    }
}

const char *watch_changed(const struct device *device)
{
    const struct process_state *was = &device->process;
    struct process_state is;
    read_state(&is);
    if (memcmp(was->limits, is.limits, sizeof is.limits) != 0)
        return "its limits (setrlimit)";
    for (int i = 1; i < WATCHED_SIGNALS; i++)
        if (was->actions[i].sa_handler != is.actions[i].sa_handler)
            return "its signal handlers (sigaction)";
    if (memcmp(&was->blocked, &is.blocked, sizeof is.blocked) != 0)
        return "which signals it takes (sigprocmask)";
    if (!CPU_EQUAL(&was->processors, &is.processors))
        return "where it may run (sched_setaffinity)";
    if (memcmp(was->folder, is.folder, sizeof is.folder) != 0)
        return "the folder that it works in (chdir)";
    return NULL;
}

void watch_process(struct device *device)
{
    read_state(&device->process);
}
