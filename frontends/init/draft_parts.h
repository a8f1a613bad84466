/* Between the files that draft an experiment: its parameters, its launch and its arguments. */
#ifndef TUNE_FRONTENDS_INIT_DRAFT_PARTS_H
#define TUNE_FRONTENDS_INIT_DRAFT_PARTS_H

#include "frontends/init/draft.h"
#include "frontends/init/formula.h"

enum { TUNABLES_MAX = MACROS_MAX + TEMPLATE_MAX + 4 };

/* One parameter of the experiment. */
struct tunable {
    const char *name;
    const char *preset;
    bool is_define;
    bool square;        /* 'x' and 'y' alike */
    bool fixed;         /* the source has a #define of it, or a constant */
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
    bool flat;        /* one dimension */
    uint32_t axes;    /* vectors have n, n * n ... elements: the size so many times */
    const char *size; /* the size's name */
    /* As the source launches the kernel, or its indices say. */
    struct source_launch launch;    /* none where the kernel's indices contradict it */
    const struct formula *sides[3]; /* of the block */
    bool side_guessed[3];           /* neither a launch nor the indices tell */
    const char *side_names[3];      /* the host's name of a side that became a parameter */
    int64_t side_number[3];         /* and its value there */
    const char *host_size;          /* the host's name of the size; NULL: a number */
    int64_t size_value;             /* its value in the source; 0: not known */
    bool is_extent_guessed;         /* some name of it nobody gives a value */
    const char *block_texts[3], *grid_texts[3], *shared_text;
};

/* ---- draft.c ---- */

/* Whether it says how many elements there are; m and k are sizes where there is another. */
bool draft_is_size(const struct draft *draft, const struct kernel_parameter *parameter);
/* Writes a line with its meaning behind it. */
void draft_line(struct draft *draft, const char *comment, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* All of a vector's elements, so many times: "n", "4 * n * n". */
const char *draft_elements(const struct draft *draft, uint32_t times);

/* ---- draft_arguments.c ---- */

enum status draft_arguments(struct draft *draft, struct error *error);
/* Writes the bytes that one run moves at least: "(4 + 8) * n". */
void draft_bytes(struct draft *draft, struct text *out);

/* ---- draft_launch.c ---- */

/* Finds the sides of the block, with parameters for those that the source leaves open. */
void draft_find_sides(struct draft *draft);
/* Finds which number of the host is the size. */
void draft_find_size(struct draft *draft);
/* Finds the blocks, a parameter for how many take turns, and the bytes of shared memory. */
void draft_find_grid(struct draft *draft);
/* The value with the default configuration's; 0: not known. */
int64_t draft_at_presets(struct draft *draft, const struct formula *formula);
/* How many elements of so many bytes the source allocates for the parameter, or the kernel goes
 * through; NULL: it does not say. */
const char *draft_count_of(struct draft *draft, size_t parameter, int64_t bytes);
/* The value that the source passes; NULL: it does not say. */
const char *draft_value_of(struct draft *draft, size_t parameter);

/* ---- draft_tunables.c ---- */

/* Adds a parameter of the launch alone. */
void draft_add_tunable(struct draft *draft, const char *name, const char *preset, char axis);
/* Whether the whole text is one; NULL is none. */
bool is_number(const char *text);
/* Lists them from templates, macros and the block. */
void list_tunables(struct draft *draft);

#endif
