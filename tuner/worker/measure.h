/* The measuring child, between its files. */
#ifndef TUNE_WORKER_MEASURE_H
#define TUNE_WORKER_MEASURE_H

#include <sched.h>

#include "tuner/base/arena.h"
#include "tuner/device/device.h"
#include "tuner/stats/data.h"
#include "tuner/stats/protocol.h"
#include "tuner/worker/message.h"
#include "tuner/worker/reference.h"

struct host_input {
    void *data;        /* NULL: nobody needed it here */
    uint64_t contents; /* argument_contents; 0: there is none */
    int64_t count;
    bool there; /* the device makes it itself */
};

/* What an output is held against. */
struct expectation {
    struct said said;            /* owns what `must` points into */
    struct expected_output must; /* with said.differing but its serial: see `differs` */
    struct expected_difference differs;
    size_t output;  /* the argument */
    size_t count;   /* its elements */
    uint64_t unfit; /* 1 + the one that is expected to be what its type cannot hold; 0: none */
    struct tolerance tolerance;
};
struct expectations {
    size_t count; /* 0: nothing is checked */
    struct expectation items[CHECKS_MAX];
};

/* What tasks with one checks_key are held against, on the problem's inputs and on those that vary.
 */
struct expectation_set {
    char *key; /* NULL: an empty place */
    struct expectations expected[WORKER_SIDES];
    uint64_t used; /* larger: later */
};
enum { EXPECTATION_SETS = 8 };

/* A plan that is timed in turn with others. */
struct armed {
    struct arena arena;      /* of what it points to */
    struct worker_task task; /* keeps: has a slot of the device to itself */
    struct worker_results results;
    bool prepared; /* the device has built what it needs for it */
    uint64_t visits;
};

struct measuring {
    const struct device_api *api;
    struct device *device;
    struct facts facts;
    struct machine machine;
    struct calibration calibration;
    struct protocol protocol;
    int64_t started_ns;                      /* when this process was, about */
    cpu_set_t processors;                    /* that this process had before it was pinned */
    int processor_count;                     /* 0: unknown */
    struct host_input inputs[ARGUMENTS_MAX]; /* of the problem */
    struct host_input cases[ARGUMENTS_MAX];  /* of checks that need others */
    struct host_input others[ARGUMENTS_MAX]; /* variants, of a watch */
    struct expectations expected[WORKER_SIDES];
    char *expected_key;                            /* of the tasks that `expected` is of */
    struct expectation_set sets[EXPECTATION_SETS]; /* of others */
    uint64_t set_clock;
    struct expectations case_expected; /* of the last check's case ... */
    char *case_key;                    /* ... which this tells from others; NULL: there is none */
    int64_t reference_ns;        /* that expected[0] took, now or when it was put into the cache */
    int64_t recalled_ns;         /* of which so much was then */
    uint64_t expectation_serial; /* of the one that was made last */
    int64_t check_on_host;       /* measure_expected.c */
    bool check_mode_known;
    char remark[ERROR_TEXT_BYTES]; /* of the next answer */
    bool told_of_inputs;           /* that the device does not make them */
    struct launch_plan *varied; /* the problem's arguments with their variants; NULL: none vary */
    struct patch patches[ARGUMENTS_MAX]; /* of these */
    bool varied_right; /* somebody's result on them was right, so that they are fair */
    struct armed *slots[DEVICE_SLOTS];
    uint64_t draw; /* of the blocks: a moment begins the next */
    /* Inputs are looked at after all that runs, so that whoever changes them is known. Before they
     * were found changed for the first time, they are looked at where that is cheap. */
    bool vigilant;
    bool computes_nothing; /* device_traits: no input is made */
};

/* What serves a request fills its answer. The arena holds what the request points to; who takes it
 * over leaves an empty one. */
typedef enum status measure_serve(struct measuring *state, const struct measure_request *request,
                                  struct measure_answer *answer, struct arena *arena,
                                  struct error *error);

/* measure_child.c: what goes another way than it should, for people, with the next answer. */
void measure_remark(struct measuring *state, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* measure_inputs.c */
measure_serve serve_problem;
/* The problem's data where it serves the plan, else data of the check's own. */
enum status inputs_for_check(struct measuring *state, const struct launch_plan *plan,
                             const void *out[ARGUMENTS_MAX], struct error *error);
/* As the plan's variants say; others are the check's. */
enum status inputs_of_variant(struct measuring *state, const struct launch_plan *plan,
                              const void *out[ARGUMENTS_MAX], struct error *error);
/* STATUS_INTERNAL when the problem that was told does not serve the plan. */
enum status inputs_of_problem(const struct measuring *state, const struct launch_plan *plan,
                              const void *out[ARGUMENTS_MAX], struct error *error);
/* All of them here, as a reference takes them: also those that one of these three left to the
 * device. */
enum status inputs_on_host(struct measuring *state, const struct launch_plan *plan,
                           const void *out[ARGUMENTS_MAX], struct error *error);
/* api->bind, with what came of inputs that the device makes. */
enum status inputs_bind(struct measuring *state, const struct launch_plan *plan,
                        const void *const *inputs, uint32_t copies, struct error *error);
/* TUNE_CHECK_ON_HOST: 1 nothing is made or compared on the device, 0 everything; else what takes
 * longer to copy than a kernel to start. */
bool works_on_device(struct measuring *state, size_t bytes);
void inputs_free(struct measuring *state);

/* host_data.c: memory for much data, of large pages: small ones take as long to make as to fill.
 * Freed by free(). NULL: there is none. */
void *host_room(size_t bytes);
/* Work on elements [0, count) of so many bytes each, shared among threads. The error
 * is that of the first part that has one. */
typedef void host_part(void *context, uint64_t first, uint64_t count, struct error *error);
enum status host_in_parts(const struct measuring *state, uint64_t count, size_t bytes_each,
                          host_part *work, void *context, struct error *error);
/* `count` elements by many threads, as the argument's fill says; of a file, what it
 * begins with. STATUS_BAD_INPUT where a series has no value, or a file is too short. */
enum status host_fill(const struct measuring *state, const struct argument *argument, void *out,
                      struct error *error);

/* Prefixes the error by what failed: "what the results are held against (kernel 'add' with
 * in[1000], out[1000])". Its status. */
enum status blame_plan(const struct launch_plan *plan, struct error *error);

/* measure_expected.c: what the references give for the inputs; nothing without any. What
 * `out` held is freed, and it is freed by expectations_free. Another binary may be current
 * afterwards, and another plan bound. `base` (NULL: nothing): what they gave for inputs that differ
 * little, which must be there as long as what is made. */
enum status expectations_make(struct measuring *state, const struct worker_checks *checks,
                              const struct launch_plan *plan,
                              const void *const inputs[ARGUMENTS_MAX],
                              const struct expectations *base, struct expectations *out,
                              struct error *error);
void expectations_free(struct expectations *expected);
/* Reads the bound plan's outputs and holds them against what is expected; false with the reason. */
enum status expectations_hold(struct measuring *state, const struct expectations *expected,
                              const struct launch_plan *plan, bool *right, char *detail,
                              size_t detail_bytes, struct error *error);

/* measure_sets.c: lets state->expected be what the task's results are held against; it is made when
 * a task with its key first comes with checks, and kept. As expectations_make, before the task's
 * binary is loaded and its plan bound. */
enum status expectations_choose(struct measuring *state, const struct worker_task *task,
                                struct error *error);
void expectations_drop(struct measuring *state);
/* Forgets all; those that come next are of the tasks with this key. */
enum status expectations_begin(struct measuring *state, const char *key, struct error *error);
/* Calls those of the task's references that are functions, for the cache alone. */
enum status expectations_ahead(struct measuring *state, const struct worker_task *task,
                               struct error *error);
/* measure_inputs.c: what makes inputs and calls references without a device; freed by free().
 * NULL: no memory. */
struct measuring *measuring_of_host(const struct device_api *api);

/* measure_judge.c. What came of runs. */
enum judgement {
    JUDGED_RIGHT,
    JUDGED_WRONG, /* the answer says why */
    JUDGED_AGAIN, /* inputs were changed, by nobody knows whom: it is to be bound and run again */
};
/* Holds the bound plan's outputs against what is expected (NULL: nothing is) and, with
 * `look_at_inputs`, where outputs are wrong or the state is vigilant, inputs against what they
 * were. `run` begins what the answer says; "" for nothing. */
enum status outputs_judge(struct measuring *state, const struct expectations *expected,
                          const struct launch_plan *plan, bool look_at_inputs, const char *run,
                          struct measure_answer *answer, enum judgement *out, struct error *error);
/* The same of outputs that were looked at: `right`, or why not. */
enum status judge_found(struct measuring *state, bool right, const char *detail,
                        const struct launch_plan *plan, bool look_at_inputs, const char *run,
                        struct measure_answer *answer, enum judgement *out, struct error *error);

/* Holds what the block's runs left against what is right: by `results`, which learn from it (NULL:
 * nothing is kept), else by the problem's expectations, which may be missing. As outputs_judge().
 */
enum status judge_results(struct measuring *state, const struct block *block,
                          struct worker_results *results, bool look_at_inputs,
                          struct measure_answer *answer, enum judgement *out, struct error *error);
/* Passes over a result that only much reading could judge. */
bool results_are_costly(const struct launch_plan *plan, const struct worker_results *results);

/* measure_time.c. How many copies of the inputs timed runs take turns over, where memory has them.
 */
uint32_t copies_for(const struct measuring *state, const struct launch_plan *plan,
                    enum l2_mode mode);
measure_serve serve_load, serve_trial, serve_arm, serve_visit, serve_energy;
void slots_forget(struct measuring *state);
/* Makes a binary current. A damaged one cannot be launched: STATUS_LAUNCH_FAILED, as
 * STATUS_BAD_INPUT would be the experiment's fault. */
enum status load_binary(struct measuring *state, const char *path, struct error *error);

/* measure_check.c */
measure_serve serve_check, serve_watch;

#endif
