/* Between the files that draft an experiment: what it has to tune, and its arguments. */
#ifndef TUNE_EXCHANGE_DRAFT_PARTS_H
#define TUNE_EXCHANGE_DRAFT_PARTS_H

#include "frontends/init/draft.h"
#include "tuner/device/gpu/formula.h"

enum { TUNABLES_MAX = SIGNATURE_MACROS_MAX + SIGNATURE_TEMPLATE_MAX + 2, AXES_MAX = 6 };

/* One parameter of the experiment. */
struct tunable {
    const char *name;
    const char *preset;
    bool is_define;
    bool square;        /* 'x' and 'y' alike */
    bool fixed;         /* the source has a #define of it */
    bool single_valued; /* and takes no other value than the preset */
    char values[96];
    char axis; /* of a block: 'x', 'y', 'z'; 'b': blocks for each multiprocessor; 0: neither */
};

struct draft {
    struct arena *arena;
    const struct draft_request *request;
    const struct kernel_signature *kernel;
    struct text *out;
    struct tunable tunables[TUNABLES_MAX];
    size_t tunable_count;
    bool flat;         /* one dimension */
    uint32_t axes;     /* vectors have n, n * n ... elements: the size so many times */
    bool writes;       /* the kernel writes to what it is given, variables without a value too */
    size_t held;       /* elements of the largest variable written, where it is given no vector */
    const char *size;  /* the size's name */
    const char *block; /* threads per block as an expression; NULL: by the sides */
    /* As the source launches the kernel, or its indices say. */
    bool is_tied;
    struct source_launch launch;    /* none where the kernel's indices contradict it */
    const struct formula *sides[3]; /* of the block */
    const char *side_names[3];      /* what the host calls a side that became a parameter */
    int64_t side_number[3];         /* and what it is there */
    const char *host_size;          /* what the host calls the size; NULL: a number */
    int64_t size_value;             /* what it is in the source; 0: not known */
    bool is_extent_guessed;         /* some name of it nobody gives a value */
    const char *block_texts[3], *grid_texts[3], *shared_text;
};

/* ---- draft.c ---- */

/* How many elements there are, by the name. */
bool draft_names_size(const char *name);
/* m and k are sizes where there is another. */
bool draft_is_size(const struct draft *draft, const struct kernel_parameter *parameter);
/* A line with what it means behind it. */
void draft_line(struct draft *draft, const char *comment, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* "1", "n", "n * n", "n * n * n", "n**4" ... */
const char *draft_power(const struct draft *draft, uint32_t axes);
/* All of a vector's, so many times. */
const char *draft_elements(const struct draft *draft, uint32_t times);

/* ---- draft_arguments.c ---- */

/* How many axes an array by value has, as PyTorch's accessors are: a place, and as many sizes as
 * strides. 0: it is none. */
uint32_t draft_accessor_axes(const struct kernel_parameter *parameter);
/* What the kernel writes, and how much of it there is to say. STATUS_BAD_INPUT: nothing. */
enum status draft_results(struct draft *draft, struct error *error);
enum status draft_arguments(struct draft *draft, struct error *error);
/* What one run moves at least: "(4 + 8) * n". */
void draft_bytes(struct draft *draft, struct text *out);

/* ---- draft_launch.c ---- */

/* The sides of the block, with parameters for those that the source leaves open. */
void draft_find_sides(struct draft *draft);
/* Which number of the host is the size. */
void draft_find_size(struct draft *draft);
/* Blocks, a parameter for how many take turns, and bytes of shared memory. */
void draft_find_grid(struct draft *draft);
/* With the default configuration's values; 0: not known. */
int64_t draft_at_presets(struct draft *draft, const struct formula *formula);
/* How many elements of so many bytes the source allocates for the parameter, or the kernel goes
 * through; NULL: it does not say. */
const char *draft_count_of(struct draft *draft, size_t parameter, int64_t bytes);
/* What the source passes; NULL: it does not say. */
const char *draft_value_of(struct draft *draft, size_t parameter);

/* ---- draft_tunables.c ---- */

/* A parameter of the launch alone. */
void draft_add_tunable(struct draft *draft, const char *name, const char *preset, char axis);

/* Whether the whole text is one; NULL is none. */
bool is_number(const char *text);
/* From templates, macros and the block. */
void list_tunables(struct draft *draft);
/* The parameter that is that side of the block; NULL: none. */
struct tunable *block_side(struct draft *draft, char axis);

#endif
