/* One launch of a draft in a separate process, between the files that replay and try values. */
#ifndef TUNE_CLI_REPLAYING_H
#define TUNE_CLI_REPLAYING_H

#include "frontends/capture/captured.h"
#include "tuner/base/temporary.h"
#include "tuner/cli/replays.h"
#include "tuner/device/device.h"
#include "tuner/experiment/experiment.h"
#include "tuner/experiment/point.h"

/* Findings of replays about a vector, over all launches. */
struct finding {
    uint64_t elements,
        other;         /* elements replayed, and those of these that differ from the program's */
    double difference; /* largest difference by magnitude; infinite: not of an order or of chance */
    double mean;       /* least root mean square of a launch's expected elements that differ */
    bool is_output;    /* earlier contents do not matter */
    bool were_reals;   /* words of no known type, which would be reals */
};
struct replay_findings {
    bool is_tried;   /* there is a device */
    bool is_whole;   /* else the process ended before its last finding */
    bool is_partial; /* something was left out, for want of time */
    enum status status;
    char text[ERROR_TEXT_BYTES];
    struct finding items[CAPTURED_POINTERS_MAX];
};

/* One launch in a separate process. */
struct replaying {
    const struct device_api *api;
    struct device *device;
    const struct captured_set *set;
    struct experiment *experiment;
    struct facts facts;
    struct arena whole, arena; /* for all launches, for one */
    struct temporary folder;   /* for binaries */
    struct launch_plan plan;
    const void *inputs[ARGUMENTS_MAX];
    struct replay_findings *findings;
    int64_t deadline_ns, step_ns; /* the time of a launch with all that is read and compared */
    struct error *error;
};

/* A child's task, and its results in shared memory. */
struct errand {
    const struct unpacked *is;
    const struct captured_set *set;
    int index; /* the device's */
    int64_t deadline_ns;
    void *shared;
};

/* Opens the draft and the device. `index`: of the device. */
bool replaying_open(struct replaying *replaying, const struct unpacked *is, int index);
/* Prepares the configuration's binary and plan. */
bool replaying_prepare(struct replaying *replaying, const struct point *point);
bool replaying_run(struct replaying *replaying);
/* Compares the vector that the launch left with the program's. */
bool replaying_look(struct replaying *replaying, size_t vector, size_t launch, struct finding *out);

#endif
