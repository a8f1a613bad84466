/* The process boundary. The parent never touches a device: a child process of its own executable
 * owns it, and dies instead of the parent when a kernel crashes or hangs. A second kind of child
 * compiles. */
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

/* True when argv[1] asks for a child process of ours ("__measure", "__compile"), or to be
 * the agent of a host. */
bool worker_is_entry(const char *argument);
/* The child's main; returns its exit code. */
int worker_main(int argc, char **argv);

/* Where children run (host.h). */
struct host;
const struct host *host_local(void);

/* A machine, as who runs there sees it. */
struct machine {
    char name[256];   /* "" where it has none */
    char boot_id[64]; /* of its present start; "" where it cannot be read */
    int32_t cores; /* processors that a process may run on: a container may leave it few of many */
};
void machine_describe(struct machine *machine);

/* How many devices of `kind` there are on a host, asked of a child: the parent's process stays free
 * of the driver. Also the errors of device_api.count. */
enum status worker_count(const struct host *host, const char *kind, int *count,
                         struct error *error);

/* What a device there is, without opening it; the facts are added to. */
enum status worker_describe(const struct host *host, const char *kind, int index,
                            struct facts *facts, struct error *error);

/* ---- measuring ---- */

struct worker;

/* Starts a child on the host that opens device `index` of `kind`, and waits until it is ready. A
 * missing device or driver is the child's error, passed on. The child measures by the protocol
 * (tuner/stats/ protocol.h), which is copied; NULL: the defaults. Freed by worker_stop. */
enum status worker_start(const struct host *host, const char *kind, int index,
                         const struct protocol *protocol, struct worker **out, struct error *error);
void worker_stop(struct worker *worker);
/* What the device said of itself when the worker first started; owned by the worker. */
const struct facts *worker_facts(const struct worker *worker);
/* The machine that it runs on, likewise. */
const struct machine *worker_machine(const struct worker *worker);
struct calibration worker_calibration(const struct worker *worker);
/* What its children have said of their own work that goes another way than it should, each thing
 * once, joined by "; "; "": nothing. */
const char *worker_remark(const struct worker *worker);
/* How often the child had to be replaced. */
int worker_restarts(const struct worker *worker);

/* After that, by clock_budget_ns (0: never), what is in hand or asked for ends: STATUS_NO_TIME. */
void worker_end_by(struct worker *worker, int64_t end_ns);
/* Whether it is absent since its host was lost, which may be there again by now. */
bool worker_host_was_lost(const struct worker *worker);
/* Whether the device answers, with a new child where the old one died: such a child warms the
 * device up and runs kernels of its own before it says that it is ready. */
enum status worker_probe(struct worker *worker, struct error *error);

/* Ends the child and starts another, with nothing loaded: what a process brings along by chance
 * (addresses, code placement) is then drawn anew. Of problem, binary and slots it is told when they
 * are next needed. No restart. */
enum status worker_fresh(struct worker *worker, struct error *error);

/* Has up to so many spare children (WORKER_SPARES at most), which the next ones that are needed
 * begin with: processes that have their driver's context and wait, where the device lets them
 * (device_api.reserve), and there are as many as have room. Returns at once. They are made ready
 * beside what is asked of the child meanwhile, unless that is timed, which waits for them. */
enum { WORKER_SPARES = 3 };
void worker_reserve(struct worker *worker, size_t count);
/* How many there are. */
size_t worker_spares(const struct worker *worker);
void worker_end_spares(struct worker *worker);

/* Pins the child, and those that replace it, to processors: "3" or "0-3,8". Best done before the
 * first problem, so that its memory is near. Failing to is no error: *pinned tells. */
enum status worker_pin(struct worker *worker, const char *cpus, bool *pinned, struct error *error);

/* `bytes`: of the buffers; 0: a size fit for the device. */
enum status worker_bandwidth(struct worker *worker, int64_t bytes, struct bandwidth *bandwidth,
                             struct error *error);
enum status worker_arithmetic(struct worker *worker, struct arithmetic *arithmetic,
                              struct error *error);

/* The device's state; with `anchor` also the time of its anchor (else NaN). A moment begins a
 * round: visits up to the next one begin with the same copies of inputs and places of outputs and
 * scratch, so that these make no difference between them; each round has others. */
struct worker_moment {
    struct conditions conditions;
    double anchor_ns;
};
enum status worker_moment(struct worker *worker, bool anchor, struct worker_moment *moment,
                          struct error *error);

/* What an output must be, and how near to it. */
struct worker_reference {
    enum reference_kind kind;
    enum argument_fill fill;        /* FILL: a series or a file */
    const char *path;               /* what was compiled for it; FILL: NULL */
    const char *name;               /* FUNCTION: its name; FILL: the expression, or the path */
    const struct launch_plan *plan; /* PLAN: what is run, over the same arguments */
    size_t output;                  /* the argument that it checks */
    struct tolerance tolerance;
};
struct worker_checks {
    size_t count; /* 0: nothing is checked */
    struct worker_reference items[CHECKS_MAX];
};
/* Whether there are checks, and the references of all can be made for other inputs than those that
 * they were written for: numbers in files and series mean what they say. */
bool checks_follow_inputs(const struct worker_checks *checks);
/* Whether one of them is of recorded numbers, which hold for their size and inputs alone. */
bool checks_are_recorded(const struct worker_checks *checks);

/* By which numbers the right results of a plan that is timed again and again are known, so that
 * each timed run's is looked at for next to nothing. [0]: on the problem's inputs, [1]: on those of
 * every second copy (device_api.vary). */
enum { WORKER_SIDES = 2 };
struct worker_results {
    uint64_t outputs; /* 1 << argument of those that are checked; 0: none, or not known yet */
    bool exact;       /* no other number is right */
    bool unsteady;    /* right results have had several numbers: runs are held against references */
    bool unsure; /* one was met that only references, which the worker was not told, can judge */
    bool known[WORKER_SIDES];
    uint64_t sums[WORKER_SIDES];
    int64_t compared; /* how many timed runs' results were found right by the visit */
};

enum { WORKER_SAMPLES_MAX = 64 };

/* What is measured or checked, and how. What a request has no use for is nothing. */
struct worker_task {
    const char *binary_path;
    const struct launch_plan *plan;
    /* After which its process is killed; of a slot each visit has its own. Of a problem what its
     * kernels may take, 0: as long as what the host computes. */
    int64_t timeout_ms;
    /* Checked. */
    struct worker_checks checks; /* count 0: only guard bands and errors are looked at */
    const char *checks_key;      /* tasks of a problem with the same one have the same checks */
    uint32_t repeats;            /* runs that are held against the checks; 0 is 1 */
    bool problem_known; /* the worker was told the problem that it is of, with these checks */
    int64_t most_ms;    /* a watch: how long it takes at most */
    bool varies; /* every second copy of a problem's inputs, when timed, and half of a watch's runs
                    are to differ in a few elements, where inputs are drawn at random */
    /* Timed. */
    enum l2_mode l2_mode;
    uint32_t runs; /* per block; 0: found from a first timing, in a trial */
    /* A trial. */
    bool verify;          /* run once and hold against the problem's checks, before and after */
    uint32_t blocks;      /* samples wanted, 0 .. WORKER_SAMPLES_MAX */
    double stop_above_ns; /* ends with the samples it has once one is slower; 0: never */
    /* A slot: whether what the device makes for the plan (a graph) is kept between visits, instead
     * of being made anew for each. Where it lies in memory then stays with it, and makes plans that
     * are alike differ by 0.1 % for as long as it lives (docs/measuring.md): to show that. */
    bool keeps;
    const struct worker_results *results; /* as known from another process; NULL: nothing */
};

bool wrong_on_changed(const char *reason); /* whether a result was wrong on such inputs alone */
/* References that take longer are made once only: nothing varies. */
#define WORKER_COSTLY_NS INT64_C(3000000000)
/* Makes the inputs and the expected results of what all trials of one problem share: the plan, of
 * which only the arguments count (scratch counts may differ later), its checks, and whether it
 * varies. Done again by itself when the child had to be replaced. What is wrong with a reference,
 * or with data from a file, is told here. */
enum status worker_problem(struct worker *worker, const struct worker_task *problem,
                           struct error *error);

/* How long the references of the problem told last took; 0: it has none. */
int64_t worker_reference_ns(const struct worker *worker);

/* What came of loading or trying a configuration. Anything wrong with the configuration is here,
 * also the child's death; the functions' own status tells that no child can be had or, by
 * STATUS_BAD_INPUT, that the experiment is wrong whatever the configuration: its arguments are not
 * those that a kernel takes, or a symbol is not there. */
struct worker_outcome {
    enum trial_status status;
    char detail[ERROR_TEXT_BYTES]; /* why it failed; "" when ok */
    bool starved;                  /* timed out, but for want of a processor: it is not to blame */
};

/* Loads a binary; `resources` are those of the kernels of `count` launches, whatever their grids.
 */
enum status worker_load(struct worker *worker, const char *binary_path,
                        const struct launch *launches, size_t count,
                        struct kernel_resources *resources, struct worker_outcome *outcome,
                        struct error *error);

struct worker_samples {
    struct worker_results results; /* of a visit: as they are known now */
    uint32_t runs;
    uint32_t count;
    double elapsed_ns[WORKER_SAMPLES_MAX]; /* of one run */
};
/* Checks and times a task at once. */
enum status worker_trial(struct worker *worker, const struct worker_task *task,
                         struct worker_samples *samples, struct worker_outcome *outcome,
                         struct error *error);

/* A task that is timed again and again, in turn with others. The child keeps what it needs for it;
 * nothing is launched until it is visited. */
enum { WORKER_SLOTS = DEVICE_SLOTS - 2 };
/* Says what slot `slot` is; copied. Kept in the parent too: a new child is told when the slot is
 * visited. All slots are forgotten with worker_problem. */
enum status worker_arm(struct worker *worker, uint32_t slot, const struct worker_task *task,
                       struct error *error);
/* Times `blocks` blocks of a slot, whose outputs are poisoned before and held against what is right
 * afterwards: where it is known by samples->results or by the problem's references. Of a plan that
 * updates vectors those of the first block are. */
enum status worker_visit(struct worker *worker, uint32_t slot, uint32_t blocks, int64_t timeout_ms,
                         struct worker_samples *samples, struct worker_outcome *outcome,
                         struct error *error);
/* Energy of a slot's runs over a window. STATUS_UNAVAILABLE where the device has no counter that
 * may be read. */
enum status worker_energy(struct worker *worker, uint32_t slot, double window_ms,
                          int64_t timeout_ms, struct energy *out, struct worker_outcome *outcome,
                          struct error *error);

/* One case of the gauntlet: inputs made as the plan says (its own sizes, seeds and offsets),
 * outputs poisoned, run `repeats` times without touching the scratch in between (what is read and
 * written begins anew), each time held against the references, guard bands looked at. A wrong
 * result or a broken guard band is outcome->status TRIAL_WRONG_RESULT with the reason. Does not
 * disturb problem and slots. */
enum status worker_check(struct worker *worker, const struct worker_task *task,
                         struct worker_outcome *outcome, struct error *error);
/* The same of up to `repeats` runs, for at most `most_ms`, each of whose results is looked at; in
 * turns on the plan's inputs and on others that differ in a few elements, where these are drawn at
 * random and the references can be told of them: what is remembered from others is wrong.
 * *compared: how many were looked at. */
enum status worker_watch(struct worker *worker, const struct worker_task *task, int64_t *compared,
                         struct worker_outcome *outcome, struct error *error);

#endif
