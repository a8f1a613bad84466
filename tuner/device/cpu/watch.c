#include "tuner/device/cpu/watch.h"

#include <fenv.h>
#include <string.h>
#include <sys/stat.h>

#include "tuner/base/text.h"
#include "tuner/device/cpu/device.h"

/* ---- floating-point modes ---- */

void float_modes_reset(void)
{
#if defined(__x86_64__)
    enum { MXCSR_FLAGS = 0x3f, MXCSR_START = 0x1f80, X87_START = 0x37f };
    unsigned mxcsr = 0;
    unsigned short control = 0;
    __asm__ volatile("stmxcsr %0" : "=m"(mxcsr));
    __asm__ volatile("fnstcw %0" : "=m"(control));
    if ((mxcsr & ~(unsigned)MXCSR_FLAGS) == MXCSR_START && control == X87_START)
        return;
    mxcsr = MXCSR_START;
    control = X87_START;
    __asm__ volatile("ldmxcsr %0" : : "m"(mxcsr));
    __asm__ volatile("fldcw %0" : : "m"(control));
#else
    (void)fesetenv(FE_DFL_ENV);
#endif
}

/* ---- writes to inputs ---- */

static struct device *watched;
static struct sigaction other_action; /* for what is not ours */

/* A kernel's first write to an input: it goes on, and is told afterwards. */
static void take_write(int number, siginfo_t *info, void *context)
{
    struct device *device = watched;
    (void)context;
    for (size_t i = 0; device && i < ARGUMENTS_MAX; i++)
        if (shelf_open(&device->shelves[i], info->si_addr))
            return;
    (void)sigaction(number, &other_action, NULL); /* it is met again, and ends the process */
}

/* ---- the process ---- */

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

/* NULL: all is as it was. */
static const char *what_changed(const struct process_state *was)
{
    struct process_state is;
    read_state(&is);
    if (memcmp(was->limits, is.limits, sizeof is.limits) != 0)
        return "its limits (setrlimit)";
    for (int i = 1; i < WATCHED_SIGNALS; i++)
        if (was->actions[i].sa_handler != is.actions[i].sa_handler)
            return "what it does on signals (sigaction)";
    if (memcmp(&was->blocked, &is.blocked, sizeof is.blocked) != 0)
        return "which signals it takes (sigprocmask)";
    if (!CPU_EQUAL(&was->processors, &is.processors))
        return "where it may run (sched_setaffinity)";
    if (memcmp(was->folder, is.folder, sizeof is.folder) != 0)
        return "the folder that it works in (chdir)";
    return NULL;
}

void watch_start(struct device *device)
{
    struct sigaction action = {.sa_sigaction = take_write, .sa_flags = SA_SIGINFO | SA_NODEFER};
    (void)sigemptyset(&action.sa_mask);
    watched = device;
    (void)sigaction(SIGSEGV, &action, &other_action);
    watch_process(device);
}

void watch_process(struct device *device)
{
    read_state(&device->process);
}

void watch_stop(struct device *device)
{
    if (watched != device)
        return;
    (void)sigaction(SIGSEGV, &other_action, NULL);
    watched = NULL;
}

enum status cpu_intact(struct device *device, const struct launch_plan *plan, bool *intact,
                       bool *worn, char *detail, size_t detail_bytes, struct error *error)
{
    const char *changed = what_changed(&device->process);
    *worn = changed != NULL;
    *intact = !changed;
    if (plan->argument_count != device->argument_count)
        return error_set(error, STATUS_INTERNAL, "cpu: the plan is not bound");
    if (changed)
        (void)string_format(detail, detail_bytes, "it changes its process: %s", changed);
    for (size_t i = 0; i < plan->argument_count; i++) {
        const struct argument *argument = &plan->arguments[i];
        int64_t at = 0;
        if (argument->role != ARGUMENT_INPUT || !argument_is_bound(argument) ||
            vector_kept(device->shelves[i].bound, &at) || !*intact)
            continue;
        *intact = false;
        if (at < 0 || at >= (int64_t)argument_bytes(argument))
            describe_breach(argument, at, detail, detail_bytes);
        else
            (void)string_format(detail, detail_bytes, "it writes its input: %s[%zu] is changed",
                                argument->name, (size_t)at / element_bytes(argument->type));
    }
    return STATUS_OK;
}
