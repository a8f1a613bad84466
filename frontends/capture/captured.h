/* Experiments from captures (frontends/capture/capture.h): the launches of one kernel become the
 * sizes of an experiment, memory before a launch the inputs, memory after it the expected outputs.
 */
#ifndef TUNE_EXCHANGE_CAPTURED_H
#define TUNE_EXCHANGE_CAPTURED_H

#include "frontends/capture/capture.h"
#include "frontends/capture/kernel.h"
#include "tuner/base/arena.h"
#include "tuner/base/text.h"
#include "tuner/device/image.h"

enum { CAPTURED_LAUNCHES_MAX = 64, CAPTURED_POINTERS_MAX = 64 };

struct captured_question {
    const struct capture *capture;
    /* Name in the image, or the bare name in the source; NULL: the only kernel with kept launches.
     */
    const char *kernel;
    const char *instance; /* of a template, as by instance_of_symbol; NULL: any */
    /* Names and types from the source; NULL: no source. */
    const struct kernel_signature *signature;
    const char *size; /* the size's name, unique in the experiment */
    /* Variables of the image that the source's kernel uses, without namespaces; NULL: all count. */
    const char *const *variables;
    size_t variable_count;
    bool only_largest; /* keep only the launch with the most threads */
};

/* An address that the kernel is given. */
struct captured_address {
    uint32_t at;                           /* in the parameters */
    uint32_t vector;                       /* index */
    int64_t offset[CAPTURED_LAUNCHES_MAX]; /* in the vector */
};

/* Memory that addresses lead into. */
struct captured_vector {
    const char *name;
    enum element_type type;
    bool is_known;      /* the type: else bytes in pieces as large as may be */
    bool is_written;    /* to compare: changed in some launch, or written according to the source */
    bool is_output;     /* initial contents are irrelevant */
    double differs;     /* difference between replays, relative to the magnitude; 0: none */
    double mean;        /* root mean square of the elements, where replays differ */
    const char *symbol; /* variable that is set before the launch; NULL: a passed pointer */
    const struct captured_buffer *buffers[CAPTURED_LAUNCHES_MAX];
};

/* Launches that differ in numbers and contents only, by size. Members are in the arena, or borrowed
 * from the request. */
struct captured_set {
    struct arena *arena;
    struct captured_question question;
    const struct captured_kernel *kernel;
    size_t instances; /* kernels of that name with kept launches: instances of one template */
    const struct captured_launch *launches[CAPTURED_LAUNCHES_MAX];
    int64_t sizes[CAPTURED_LAUNCHES_MAX]; /* ascending; ordinals if no number tells the launches
                                             apart */
    size_t launch_count;
    size_t left_out;       /* kept launches that are not in the set */
    const char *why;       /* reason for the first of these */
    size_t default_launch; /* the largest, whose launch is the default configuration's */
    size_t address_count;
    struct captured_address addresses[CAPTURED_POINTERS_MAX];
    size_t vector_count;
    struct captured_vector vectors[CAPTURED_POINTERS_MAX];
};

/* A value of a parameter with which the default configuration gives other results than the program.
 */
struct wrong_value {
    const char *parameter, *value;
};
enum { WRONG_VALUES_MAX = 64 };
/* Configurations of several values that are each right alone: the number tried, and the number with
 * the program's results. */
struct together {
    size_t tried, right;
};
struct value_trials {
    size_t wrong_count; /* values that were tried, and are left out */
    struct wrong_value wrong[WRONG_VALUES_MAX];
    struct together together; /* the others, several at once */
    const char *untried;      /* "BLOCK 512, 1024; ITEMS 8": for want of time; NULL: none */
};
/* Tells whether so many fail that a space of all combinations would hardly give an answer. */
static inline bool together_mostly_fail(const struct together *together)
{
    return 3 * together->right < 2 * together->tried;
}

/* Finds the kernel of the question: of several instances of a template the first launched, with
 * only_largest that of the launch with the most threads. *instances: their number. Returns
 * STATUS_NOT_FOUND as captured_take. */
enum status captured_find(const struct captured_question *question,
                          const struct captured_kernel **out, size_t *instances,
                          struct error *error);
/* Fills the set. Returns STATUS_NOT_FOUND if no launch of the kernel was kept, with the names of
 * kernels that have some; STATUS_BAD_INPUT if none of the kept launches can be replayed, with the
 * reason. */
enum status captured_take(struct arena *arena, const struct captured_question *question,
                          struct captured_set *out, struct error *error);
/* Writes contents and the image into a private folder (private_folder_make); *bytes is the sum.
 * Files with equal bytes stay unchanged, so measurements made with them stay valid.
 * STATUS_TIMED_OUT at deadline_ns of clock_now_ns (0: none). */
enum status captured_unpack(const struct captured_set *set, const char *folder, int64_t deadline_ns,
                            int64_t *bytes, struct error *error);

/* Appends parts of the experiment file. `folder` is the path as written in the file. */
void captured_put_sizes(const struct captured_set *set, struct text *out);
/* Appends `derived:`, to which more may be added, if an expression needs one. */
void captured_put_derived(const struct captured_set *set, struct text *out);
void captured_put_arguments(const struct captured_set *set, const char *folder, struct text *out);
/* Appends the checks. `exact`: bitwise; otherwise reals may differ as by another order of
 * additions. */
void captured_put_checks(const struct captured_set *set, const char *folder, bool exact,
                         struct text *out);
/* Returns the written vector that has one element for each of the several blocks of the largest
 * launch: each block leaves its result there. NULL: none. */
const char *captured_block_results(const struct captured_set *set);
/* Returns the largest difference, relative to the magnitude, at which a result equals the
 * program's. */
double captured_tolerance(const struct captured_vector *vector, bool exact);
/* Returns an expression for the blocks along an axis. Each block covers `block` elements along the
 * axis (an expression; NULL: as many blocks as were launched), or `each` with the default
 * configuration's values (0: its threads). Arena memory. */
const char *captured_grid(const struct captured_set *set, size_t axis, const char *block,
                          int64_t each);
/* Returns the default launch's block along an axis. */
uint32_t captured_block(const struct captured_set *set, size_t axis);
/* Returns the vector that the parameter is the start of, or NULL. */
const struct captured_vector *captured_vector_of(const struct captured_set *set, size_t parameter);
/* Returns an expression for a number of each launch. Arena memory. */
const char *captured_number(const struct captured_set *set,
                            const int64_t values[CAPTURED_LAUNCHES_MAX]);
/* Returns the signed number of `bytes` bytes at offset `at`; 0 if beyond the parameters. */
int64_t captured_integer(const struct captured_launch *launch, uint64_t at, uint32_t bytes);
/* Returns the bytes of dynamic shared memory, an expression. */
const char *captured_shared(const struct captured_set *set);
/* Appends the launch's keys below `- kernel:`. */
void captured_put_launch(const struct captured_set *set, const char *const grid[3],
                         const char *const block[3], const char *shared, struct text *out);

/* Writes the file of a kernel without source. The image tells which parts of the launch may change
 * (NULL: none). */
enum status captured_experiment(const struct captured_set *set, const char *name,
                                const char *folder, const struct image_kernel *image,
                                struct text *out, struct error *error);

#endif
