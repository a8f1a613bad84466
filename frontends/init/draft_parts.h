/* Functions of the files that draft an experiment: parameters, launch and arguments. */
#ifndef TUNE_FRONTENDS_INIT_DRAFT_PARTS_H
#define TUNE_FRONTENDS_INIT_DRAFT_PARTS_H

#include "frontends/init/draft.h"
#include "frontends/init/formula.h"

static const char register_flag[] = "-maxrregcount=";
enum { TUNABLES_MAX = MACROS_MAX + TEMPLATE_MAX + 4 };

/* One parameter of the experiment. */
struct tunable {
    const char *name;
    const char *preset;
    bool is_define;
    bool square;          /* two sides of the block alike */
    bool fixed;           /* a #define or a constant in the source */
    bool is_partly_wrong; /* some values were tried, and gave other results */
    char values[96];
    char axis; /* side of the block: 'x', 'y', 'z'; 'b': blocks per multiprocessor; 'r': limit of
                  registers; 0: none of these */
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
    /* The launch, from the source or the kernel's indices. */
    struct source_launch launch;
    const struct formula *sides[3]; /* sides of the block */
    bool side_guessed[3];           /* neither a launch nor the indices tell */
    const char *side_names[3];      /* the host's name of a side that became a parameter */
    int64_t size_value;             /* value in the source; 0: unknown */
    bool limits_registers;          /* a parameter of that name exists */
    size_t result_count;
    const char *unchecked; /* names of results beyond CHECKS_MAX; NULL: none */
    const char *block_texts[3], *grid_texts[3], *shared_text;
};

/* ---- draft.c ---- */

/* Returns the count of a vector's elements, `times` per element of the size: "n", "4 * n * n". */
const char *draft_elements(const struct draft *draft, uint32_t times);
/* Moves a text to the arena. */
const char *draft_text(const struct draft *draft, struct text *text);

/* ---- draft_launch.c ---- */

/* Lists the parameters from templates, macros and the block. */
void draft_list_tunables(struct draft *draft);
/* Adds a limit of registers where nothing else can be tuned: 0 is none. */
void draft_add_registers(struct draft *draft);
/* Finds the blocks, a parameter for how many take turns, and the bytes of shared memory. */
void draft_find_grid(struct draft *draft);
/* Returns the value with the default configuration; 0 if unknown. */
int64_t draft_at_presets(struct draft *draft, const struct formula *formula);

#endif
