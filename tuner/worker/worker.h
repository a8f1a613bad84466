/* The process boundary. The parent never touches a device: a child process of its own executable
 * does, and dies instead of the parent when a kernel crashes or hangs. Other children compile. */
#ifndef TUNE_WORKER_WORKER_H
#define TUNE_WORKER_WORKER_H

#include <stdbool.h>
#include <stdint.h>

#include "tuner/base/error.h"
#include "tuner/base/facts.h"
#include "tuner/base/launch.h"
#include "tuner/device/device.h"
#include "tuner/experiment/point.h"
#include "tuner/stats/protocol.h"
#include "tuner/worker/pool.h"

/* ---- child side ---- */

/* Returns true when argv[1] names a child process of ours ("__measure", "__compile") or the agent
 * of a host. */
bool worker_is_entry(const char *argument);
/* Runs the child; returns the exit code. */
int worker_main(int argc, char **argv);

/* Machines on which children run (host.h). */
struct host;
const struct host *host_local(void);

/* A machine, described by one of its processes. */
struct machine {
    char name[256];   /* "" if unknown */
    char boot_id[64]; /* the current boot's; "" if unreadable */
    int32_t cores;    /* processors usable by a process: a container may have fewer */
};
void machine_describe(struct machine *machine);

/* Counts the devices of `kind` on a host, in a child, so that the parent's process stays free of
 * the driver. Errors include those of device_api.count. */
enum status worker_count(const struct host *host, const char *kind, int *count,
                         struct error *error);

/* Describes a device in a child, without opening one; adds to the facts. */
enum status worker_describe(const struct host *host, const char *kind, int index,
                            struct facts *facts, struct error *error);

/* ---- measuring ---- */

struct worker;

/* Starts a child on the host that opens device `index` of `kind`, and waits until it is ready. A
 * missing device or driver is the child's error, passed on. The child measures by the protocol
 * (tuner/stats/protocol.h), which is copied; NULL: the defaults. Freed by worker_stop. */
enum status worker_start(const struct host *host, const char *kind, int index,
                         const struct protocol *protocol, struct worker **out, struct error *error);
void worker_stop(struct worker *worker);
/* State of a worker, which only the worker changes. */
struct worker_head {
    struct facts facts; /* the device's, with machine and calibration from the first child */
    struct machine machine;
    struct calibration calibration;
    char remark[ERROR_TEXT_BYTES]; /* children's remarks for the user, each once, joined by "; " */
    int restarts;                  /* replacements of the child */
    bool host_was_lost;   /* the child is absent for that reason; the host may be back by now */
    size_t spares;        /* spare children */
    int64_t reference_ns; /* time of the last problem's references; 0: none */
};
const struct worker_head *worker_head(const struct worker *worker);

/* Sets the time, by clock_budget_ns (0: never), at which pending and new requests end with
 * STATUS_NO_TIME. */
void worker_end_by(struct worker *worker, int64_t end_ns);
/* Returns whether the device answers, with a new child if the old one died: a new child warms the
 * device up and runs kernels of its own before the hello. */
enum status worker_probe(struct worker *worker, struct error *error);

/* Replaces the child, with nothing loaded, so that the accidents of a process (addresses, code
 * placement) are drawn anew. Problem, binary and slots are sent again when needed. Not counted as a
 * restart. */
enum status worker_fresh(struct worker *worker, struct error *error);

/* Starts up to `count` spare children (WORKER_SPARES at most), the next replacements: processes
 * that have created their driver's context and wait, if the device supports it (device_api.reserve)
 * and memory suffices. Returns at once. Spares get ready while the child works; timing waits. */
enum { WORKER_SPARES = 3 };
void worker_reserve(struct worker *worker, size_t count);
/* Returns the time since the oldest spare was started; 0: none. */
int64_t worker_spare_age_ns(const struct worker *worker);
void worker_end_spares(struct worker *worker);

/* Pins the child and its replacements to processors: "3" or "0-3,8". Best done before the first
 * problem, so that its memory is near. Failure is no error: see *pinned. */
enum status worker_pin(struct worker *worker, const char *cpus, bool *pinned, struct error *error);

/* Measures the ceilings that are not NULL. `bytes`: size of the buffers; 0: a size fit for the
 * device. */
enum status worker_ceilings(struct worker *worker, int64_t bytes, struct bandwidth *bandwidth,
                            struct arithmetic *arithmetic, struct error *error);

/* State of the device; with `anchor` also the time of its anchor (else NaN). A moment begins a
 * round: all visits of a round begin with the same copies of inputs and the same addresses of
 * outputs and scratch, so that these cause no difference between them; they change from round to
 * round. */
struct worker_moment {
    struct conditions conditions;
    double anchor_ns;
};
enum status worker_moment(struct worker *worker, bool anchor, struct worker_moment *moment,
                          struct error *error);

/* The expected elements of an output, and the tolerance. */
struct worker_reference {
    enum reference_kind kind;
    enum argument_fill fill;        /* FILL: a series or a file */
    const char *path;               /* compiled reference; FILL: NULL */
    const char *name;               /* FUNCTION: the name; FILL: the expression, or the path */
    const struct launch_plan *plan; /* PLAN: launches over the same arguments */
    size_t output;                  /* index of the checked argument */
    struct tolerance tolerance;
};
struct worker_checks {
    size_t count; /* 0: no checks */
    struct worker_reference items[CHECKS_MAX];
};
/* Returns whether there are checks, and the references of all can be computed for other inputs,
 * too; numbers in files and series cannot. */
bool checks_follow_inputs(const struct worker_checks *checks);
/* Returns whether a check uses recorded numbers, which hold for one size and one set of inputs. */
bool checks_are_recorded(const struct worker_checks *checks);

/* Checksums of right results of a plan that is timed repeatedly, so that verifying each timed run
 * costs almost nothing. [0]: for the problem's inputs, [1]: for those of every second copy
 * (patches of device_api.bind). */
enum { WORKER_SIDES = 2 };
struct worker_results {
    uint64_t outputs; /* 1 << argument for each checked output; 0: none, or unknown yet */
    bool exact;       /* no other checksum is right */
    bool unsteady;    /* right results have had several checksums: compare runs with references */
    bool unsure;      /* a result needs references that the worker does not have */
    bool known[WORKER_SIDES];
    uint64_t sums[WORKER_SIDES];
    int64_t compared; /* timed results of the visit that were verified */
};

enum { WORKER_SAMPLES_MAX = 64 };

/* A measurement or a check. Members that a request does not use are zero. */
struct worker_task {
    const char *binary_path;
    const struct launch_plan *plan;
    /* Limit after which its process is killed; each visit of a slot has its own. For a problem the
     * limit of its kernels, 0: that of computation on the host. */
    int64_t timeout_ms;
    /* Checks. */
    struct worker_checks checks; /* count 0: verify only guard bands and errors */
    const char *checks_key;      /* tasks of a problem with equal keys have equal checks */
    uint32_t repeats;            /* runs that are verified; 0 is 1 */
    bool problem_known;          /* the worker has this task's problem, with these checks */
    int64_t most_ms;             /* longest duration of a watch */
    bool varies; /* change a few randomly drawn elements in every second copy of a problem's timed
                    inputs, and in half of a watch's runs */
    /* Timing. */
    enum l2_mode l2_mode;
    uint32_t runs; /* per block; 0: determined by a first timing, in a trial */
    /* Trial. */
    bool verify;          /* verify a run with the problem's checks, before and after timing */
    uint32_t blocks;      /* requested samples, 0 .. WORKER_SAMPLES_MAX */
    double stop_above_ns; /* limit above which timing stops early; 0: none */
    /* Slot: whether the device keeps the plan's launches (a graph) between visits, instead of
     * building them for each. A kept graph stays at one address, which makes equal plans differ by
     * 0.1 % while it lives (docs/measuring.md); set it to demonstrate that. */
    bool keeps;
    const struct worker_results *results; /* from another process; NULL: none */
};
bool wrong_on_changed(const char *reason); /* whether a result was wrong on varied inputs only */
/* Longest time of references that are computed for varied inputs, too. */
#define WORKER_COSTLY_NS INT64_C(3000000000)
/* Prepares inputs and expected results for all trials of a problem: the plan, of which only the
 * arguments count (scratch counts may differ later), its checks, and whether inputs vary. Repeated
 * automatically for a replaced child. Errors of references, or of data from files, are reported
 * here. */
enum status worker_problem(struct worker *worker, const struct worker_task *problem,
                           struct error *error);

/* Outcome of loading or trying a configuration, including all faults of the configuration and the
 * child's death. The functions' own status reports that no child can be started or, as
 * STATUS_BAD_INPUT, that the experiment is wrong for every configuration: a kernel takes other
 * arguments, or a symbol is missing. */
struct worker_outcome {
    enum trial_status status;
    char detail[ERROR_TEXT_BYTES]; /* reason of the failure; "" when ok */
    bool starved; /* timed out without a processor, through no fault of the configuration */
};

/* Loads a binary; `resources` are those of the kernels of `count` launches, independent of their
 * grids. */
enum status worker_load(struct worker *worker, const char *binary_path,
                        const struct launch *launches, size_t count,
                        struct kernel_resources *resources, struct worker_outcome *outcome,
                        struct error *error);

struct worker_samples {
    struct worker_results results; /* updated checksums of a visit */
    uint32_t runs;
    uint32_t count;
    double elapsed_ns[WORKER_SAMPLES_MAX]; /* time of one run */
    double deviation; /* a trial's largest difference from an expected element; NaN: unverified */
};
/* Verifies and times a task. */
enum status worker_trial(struct worker *worker, const struct worker_task *task,
                         struct worker_samples *samples, struct worker_outcome *outcome,
                         struct error *error);

/* Slots: tasks that are timed in turns. The child keeps the data of an armed task; its first launch
 * is at its first visit. */
enum { WORKER_SLOTS = DEVICE_SLOTS - 2 };
/* Arms a slot with a copy of the task. The parent keeps the task, too, and sends it to a new child
 * at the next visit. worker_problem clears all slots. */
enum status worker_arm(struct worker *worker, uint32_t slot, const struct worker_task *task,
                       struct error *error);
/* Times `blocks` blocks of a slot, whose outputs are poisoned before and verified afterwards, with
 * samples->results or the problem's references. For a plan that updates vectors the first block is
 * verified. */
enum status worker_visit(struct worker *worker, uint32_t slot, uint32_t blocks, int64_t timeout_ms,
                         struct worker_samples *samples, struct worker_outcome *outcome,
                         struct error *error);
/* Measures the energy of a slot's runs over a window. STATUS_UNAVAILABLE without a readable
 * counter. */
enum status worker_energy(struct worker *worker, uint32_t slot, double window_ms,
                          int64_t timeout_ms, struct energy *out, struct worker_outcome *outcome,
                          struct error *error);

/* Runs one case of the gauntlet: inputs made as the plan says (its own sizes, seeds and offsets),
 * outputs poisoned, `repeats` runs without touching the scratch in between (updated vectors are
 * filled again), each compared with the references, guard bands verified. A wrong result or a
 * broken guard band is outcome->status TRIAL_WRONG_RESULT with the reason. Leaves problem and slots
 * as they are. */
enum status worker_check(struct worker *worker, const struct worker_task *task,
                         struct worker_outcome *outcome, struct error *error);
/* Runs a task up to `repeats` times, for at most `most_ms`, and verifies each result; alternately
 * on the plan's inputs and on inputs that differ in a few elements, if these are drawn at random
 * and references can be computed for them: a kernel that reuses earlier results is then wrong.
 * *compared: number of verified results. */
enum status worker_watch(struct worker *worker, const struct worker_task *task, int64_t *compared,
                         struct worker_outcome *outcome, struct error *error);

#endif
