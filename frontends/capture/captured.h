/* Experiments from captures (frontends/capture/capture.h): launches of one kernel as the sizes of
 * an experiment, with what they were given as inputs and what they left as what is expected. */
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
    /* As the image has it, or its bare name in the source; NULL: the only one of which launches
     * were kept. */
    const char *kernel;
    /* What the source says of it: names and types; NULL: there is none. */
    const struct kernel_signature *signature;
    const char *size; /* what the size is called: no other name of the experiment is */
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
    bool is_written;    /* to compare: it changed in some launch, or the source says so */
    bool is_output;     /* whose contents before do not count */
    double differs;     /* by so much of the magnitude replays differ; 0: not at all */
    const char *symbol; /* a variable that is set before; NULL: it is passed */
    const struct captured_buffer *buffers[CAPTURED_LAUNCHES_MAX];
};

/* Launches that differ in numbers and contents alone, by size. All is arena memory, or borrowed
 * from the question. */
struct captured_set {
    struct arena *arena;
    struct captured_question question;
    const struct captured_kernel *kernel;
    const struct captured_launch *launches[CAPTURED_LAUNCHES_MAX];
    int64_t sizes[CAPTURED_LAUNCHES_MAX]; /* ascending; ordinals where no number tells them apart */
    size_t launch_count;
    size_t left_out;       /* launches that were kept, and are not among them */
    const char *why;       /* of the first of these */
    size_t default_launch; /* the largest, whose launch is the default configuration's */
    size_t address_count;
    struct captured_address addresses[CAPTURED_POINTERS_MAX];
    size_t vector_count;
    struct captured_vector vectors[CAPTURED_POINTERS_MAX];
};

/* STATUS_NOT_FOUND: of no such kernel launches were kept, with the names of those that there are.
 * STATUS_BAD_INPUT: none of the kept ones can be replayed, with why. */
enum status captured_take(struct arena *arena, const struct captured_question *question,
                          struct captured_set *out, struct error *error);
/* Writes contents, and the image, into a folder of ours alone (private_folder_make); *bytes: how
 * many. Those that are there with the same bytes stay as they are: what was measured with them is
 * known.
 */
enum status captured_unpack(const struct captured_set *set, const char *folder, int64_t *bytes,
                            struct error *error);

/* Parts of the experiment file. `folder` is as the file names it. */
void captured_put_sizes(const struct captured_set *set, struct text *out);
/* With `derived:`, of which others may follow; nothing where no expression needs it. */
void captured_put_derived(const struct captured_set *set, struct text *out);
void captured_put_arguments(const struct captured_set *set, const char *folder, struct text *out);
/* `exact`: to the bit; else reals within what another order of additions may make of them. */
void captured_put_checks(const struct captured_set *set, const char *folder, bool exact,
                         struct text *out);
/* Blocks along an axis, an expression, where each covers `block` elements along it (an expression;
 * NULL: as many blocks as were launched), `each` by the default configuration's values; 0: its
 * threads. Arena memory. */
const char *captured_grid(const struct captured_set *set, size_t axis, const char *block,
                          int64_t each);
/* Of the default launch. */
uint32_t captured_block(const struct captured_set *set, size_t axis);
/* A number of each launch as an expression. Arena memory. */
const char *captured_number(const struct captured_set *set,
                            const int64_t values[CAPTURED_LAUNCHES_MAX]);
/* The number that is passed there, as a signed one of its size; 0 where the parameters end before.
 */
int64_t captured_integer(const struct captured_launch *launch, uint64_t at, uint32_t bytes);
/* Bytes of dynamic shared memory, an expression. */
const char *captured_shared(const struct captured_set *set);
/* What stands below `- kernel:` of the launch. */
void captured_put_launch(const struct captured_set *set, const char *const grid[3],
                         const char *const block[3], const char *shared, struct text *out);

/* The whole file of a kernel without its source: what may change by what its image tells (NULL:
 * nothing). */
enum status captured_experiment(const struct captured_set *set, const char *name,
                                const char *folder, const struct image_kernel *image,
                                struct text *out, struct error *error);

#endif
