/* `tune init`: between init.c, which asks, and init_write.c. */
#ifndef TUNE_CLI_INIT_H
#define TUNE_CLI_INIT_H

#include "tuner/base/array.h"
#include "tuner/base/text.h"
#include "tuner/device/signature.h"

struct init_file {
    const char *experiment; /* its name */
    const char *source;     /* as the file names it */
    size_t folder_count;
    const char *folders[UNITS_MAX];
    const struct source_signature *signature;
};

/* The experiment file. STATUS_BAD_INPUT when the kernel takes what none can give. */
enum status init_write(struct arena *arena, const struct init_file *file, struct text *out,
                       struct error *error);

/* ---- between init_write.c and init_parameters.c ---- */

enum { TUNABLES_MAX = SIGNATURE_MACROS_MAX + SIGNATURE_TEMPLATE_MAX + 2 };

/* One parameter of the experiment. */
struct init_tunable {
    const char *name;
    const char *preset;
    bool is_define;
    bool square; /* 'x' and 'y' alike */
    bool fixed;  /* the source has a #define of it */
    char values[96];
    char axis; /* of a block: 'x', 'y', 'z'; 0: none of its sides */
};

struct init_writer {
    struct arena *arena;
    const struct init_file *file;
    const struct kernel_signature *kernel;
    struct text *out;
    struct init_tunable tunables[TUNABLES_MAX];
    size_t tunable_count;
    bool flat;         /* one dimension: vectors have n elements; else n * n */
    bool volume;       /* three: n * n * n */
    const char *size;  /* the size's name */
    const char *block; /* threads per block as an expression; NULL: by the sides */
};

/* Finds the parameters. */
void init_list_tunables(struct init_writer *writer);
/* That of a side of the block; NULL: none. */
struct init_tunable *init_side(struct init_writer *writer, char axis);
/* Whether the kernel's parameter, or something of that name, says how many elements there are. */
bool init_is_size(const struct init_writer *writer, const struct kernel_parameter *parameter);
bool init_names_size(const char *name);
bool init_is_number(const char *text);

#endif
