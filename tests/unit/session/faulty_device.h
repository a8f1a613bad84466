/* The null device with faults: answers are the null device's, except where the test makes the
 * device write its inputs, crash, hang or vanish. Takes the null device's place in the program that
 * includes this header, in all its processes.
 *
 *     set_faults("wrong at=time block=64 step=2; crash at=run n=33 once=a; lost at=open if=a");
 *
 * A fault has a kind (wrong, slow: by a tenth, crash, killed, hang, late, lost), a place (at=open,
 * load, run or time), and conditions: block, step and n of the experiment of session_fixture.h, and
 * the device's index (device). after=K: not the first K times in a process. once=NAME: a single
 * time; if=NAME: only after that. */
#ifndef TESTS_UNIT_SESSION_FAULTY_DEVICE_H
#define TESTS_UNIT_SESSION_FAULTY_DEVICE_H

#include "session_fixture.h"

#include <fcntl.h>
#include <poll.h>

#define device_null honest_null
#include "tuner/device/scripted/scripted.c"
#undef device_null

struct device_api device_null; /* in place of the other one: kinds.inc names this */

enum { FAULTS_MAX = 8 };
struct fault {
    char what[16], at[16], once[16], only_if[16];
    long long block, step, n, above, below, device; /* -1: whichever */
    int after, met;
};
static struct fault faults[FAULTS_MAX];
static size_t fault_count;
static int device_index;
static bool inputs_are_whole = true, is_slow;

static inline void set_faults(const char *text)
{
    assert_int_equal(setenv("TEST_FAULTS", text, 1), 0);
}

static void read_fault(char *text)
{
    struct fault *fault = &faults[fault_count++];
    char *rest = NULL;
    *fault =
        (struct fault){.block = -1, .step = -1, .n = -1, .above = -1, .below = -1, .device = -1};
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(word, '=');
        const struct {
            const char *name;
            long long *number;
            char *text;
        } members[] = {{"at", NULL, fault->at},         {"once", NULL, fault->once},
                       {"if", NULL, fault->only_if},    {"block", &fault->block, NULL},
                       {"step", &fault->step, NULL},    {"n", &fault->n, NULL},
                       {"above", &fault->above, NULL},  {"below", &fault->below, NULL},
                       {"device", &fault->device, NULL}};
        if (!value) {
            (void)snprintf(fault->what, sizeof fault->what, "%s", word);
            continue;
        }
        *value++ = '\0';
        if (strcmp(word, "after") == 0)
            fault->after = (int)strtol(value, NULL, 10);
        for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
            if (strcmp(word, members[i].name) != 0)
                continue;
            if (members[i].number)
                *members[i].number = strtoll(value, NULL, 10);
            else
                (void)snprintf(members[i].text, sizeof fault->at, "%s", value);
        }
    }
}

static void mark_path(const char *name, char path[128])
{
    (void)snprintf(path, 128, "%s/struck-%s", getenv("TUNE_CACHE_DIR"), name);
}

/* Tells whether the fault once=NAME has struck; clears the mark, so that it may strike again. */
static inline bool has_struck(const char *name)
{
    char path[128];
    mark_path(name, path);
    return unlink(path) == 0;
}

static bool strikes(struct fault *fault, const char *at, const struct launch_plan *plan)
{
    char path[128];
    const long long of[] = {plan ? (long long)plan->launches[0].block[0] : -1,
                            plan ? plan->arguments[2].scalar.integer : -1,
                            plan ? plan->arguments[0].count : -1, device_index};
    const long long wanted[] = {fault->block, fault->step, fault->n, fault->device};
    if (strcmp(fault->at, at) != 0)
        return false;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        if (wanted[i] >= 0 && wanted[i] != of[i])
            return false;
    if ((fault->above >= 0 && of[2] <= fault->above) ||
        (fault->below >= 0 && of[2] >= fault->below))
        return false;
    mark_path(fault->only_if, path);
    if (fault->only_if[0] && access(path, F_OK) != 0)
        return false;
    if (fault->met++ < fault->after)
        return false;
    if (!fault->once[0])
        return true;
    mark_path(fault->once, path);
    const int file = open(path, O_CREAT | O_EXCL | O_WRONLY, 0600);
    return file >= 0 && close(file) == 0;
}

static enum status meet_faults(const char *at, const struct launch_plan *plan, struct error *error)
{
    for (size_t i = 0; i < fault_count; i++) {
        if (!strikes(&faults[i], at, plan))
            continue;
        if (strcmp(faults[i].what, "wrong") == 0)
            inputs_are_whole = false;
        else if (strcmp(faults[i].what, "slow") == 0)
            is_slow = true;
        else if (strcmp(faults[i].what, "crash") == 0)
            abort();
        else if (strcmp(faults[i].what, "killed") == 0)
            (void)kill(getpid(), SIGKILL);
        else if (strcmp(faults[i].what, "hang") == 0)
            (void)pause();
        else if (strcmp(faults[i].what, "late") == 0)
            (void)poll(NULL, 0, 50);
        else
            return error_set(error, STATUS_DEVICE_LOST, "it fell off the bus");
    }
    return STATUS_OK;
}

static enum status faulty_open(int index, const struct warm_up *warm_up, struct device **out,
                               struct calibration *calibration, struct error *error)
{
    static char text[512];
    char *rest = NULL;
    const char *wanted = getenv("TEST_FAULTS");
    device_index = index;
    (void)snprintf(text, sizeof text, "%s", wanted ? wanted : "");
    for (char *part = strtok_r(text, ";", &rest); part; part = strtok_r(NULL, ";", &rest))
        read_fault(part);
    enum status status = meet_faults("open", NULL, error);
    return status == STATUS_OK ? honest_null.open(index, warm_up, out, calibration, error) : status;
}

static enum status faulty_load(struct device *device, const char *path, struct error *error)
{
    enum status status = meet_faults("load", NULL, error);
    return status == STATUS_OK ? honest_null.load(device, path, error) : status;
}

static enum status faulty_run(struct device *device, const struct launch_plan *plan,
                              enum run_start start, double *elapsed_ns, struct error *error)
{
    enum status status = meet_faults("run", plan, error);
    return status == STATUS_OK ? honest_null.run(device, plan, start, elapsed_ns, error) : status;
}

static enum status faulty_time_block(struct device *device, const struct block *block,
                                     double *elapsed_ns, struct error *error)
{
    is_slow = false;
    enum status status = meet_faults("time", block->plan, error);
    if (status == STATUS_OK)
        status = honest_null.time_block(device, block, elapsed_ns, error);
    *elapsed_ns *= is_slow ? 1.1 : 1;
    return status;
}

static enum status faulty_inputs_intact(struct device *device, const struct launch_plan *plan,
                                        bool *intact, bool *worn, char *detail, size_t detail_bytes,
                                        struct error *error)
{
    (void)device, (void)plan, (void)error;
    (void)snprintf(detail, detail_bytes, "it writes its input");
    *intact = inputs_are_whole;
    *worn = false;
    inputs_are_whole = true;
    return STATUS_OK;
}

__attribute__((constructor)) static void put_faulty_device(void)
{
    device_null = honest_null;
    device_null.open = faulty_open;
    device_null.load = faulty_load;
    device_null.run = faulty_run;
    device_null.time_block = faulty_time_block;
    device_null.inputs_intact = faulty_inputs_intact;
}

#endif
