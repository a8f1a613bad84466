/* Between the files that draft an experiment: what it has to tune. */
#ifndef TUNE_EXCHANGE_DRAFT_TUNABLES_H
#define TUNE_EXCHANGE_DRAFT_TUNABLES_H

#include "tuner/exchange/draft.h"

enum { TUNABLES_MAX = SIGNATURE_MACROS_MAX + SIGNATURE_TEMPLATE_MAX + 2 };

/* One parameter of the experiment. */
struct tunable {
    const char *name;
    const char *preset;
    bool is_define;
    bool square;        /* 'x' and 'y' alike */
    bool fixed;         /* the source has a #define of it */
    bool single_valued; /* and takes no other value than the preset */
    char values[96];
    char axis; /* of a block: 'x', 'y', 'z'; 0: none of its sides */
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
};

/* Whether the whole text is one; NULL is none. */
bool is_number(const char *text);
/* From templates, macros and the block. */
void list_tunables(struct draft *draft);
/* The parameter that is that side of the block; NULL: none. */
struct tunable *block_side(struct draft *draft, char axis);

#endif
