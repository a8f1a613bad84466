/* A C++ source with kernels: its declarations, its launch of the requested kernel, and the types
 * from the compiler. */
#ifndef TUNE_FRONTENDS_INIT_SOURCE_H
#define TUNE_FRONTENDS_INIT_SOURCE_H

#include "frontends/capture/kernel.h"
#include "tuner/base/arena.h"
#include "tuner/base/error.h"
#include "tuner/base/tokens.h"

enum { KERNELS_MAX = 64, MACROS_MAX = 48, SYMBOLS_MAX = 64, INDICES_MAX = 400 };
enum { SOURCE_BYTES_MAX = 8 << 20 };

/* A launch of the kernel in the source, as expressions (formula.h) over names of macros and of the
 * host's variables. NULL: unknown. */
struct formula;
struct source_launch {
    uint32_t line;    /* 0: the source has none */
    const char *path; /* where, if not in the source itself */
    const struct formula *grid[3], *block[3], *shared;
    size_t template_count;
    const struct formula *template[TEMPLATE_MAX];
};

/* Positions of the kernel's elements, computed from blockIdx and threadIdx, along each axis. */
struct source_indices {
    const struct formula *span[3];  /* elements from one block to the next */
    const struct formula *block[3]; /* threads; the name blockDim.x ...: as launched */
    const struct formula *threads;  /* of __launch_bounds__ */
    bool strides[3];                /* a loop goes on by gridDim */
    size_t number_count;            /* expressions of names */
    const struct formula *numbers[INDICES_MAX];
};

/* A number that may be defined when the source is compiled. */
struct macro_signature {
    const char *name;
    const char *preset;
    bool is_named; /* set by --define or the build, not by an #ifndef of the source */
    bool is_given; /* set by the project's build, or unused by the kernel: no parameter */
    bool fixed; /* a #define without #ifndef, or a constant: replaced by a define of the experiment
                 */
};

struct source_signature {
    size_t kernel_count;
    struct kernel_signature *kernels;
    size_t macro_count;
    struct macro_signature macros[MACROS_MAX];
    size_t symbol_count;
    struct kernel_parameter symbols[SYMBOLS_MAX]; /* variables that the kernel uses */
    bool dynamic_shared;                          /* extern __shared__ */
    bool fetches;                                 /* reads textures */
    struct source_launch launch;
    struct source_indices indices;
    const char *not_tuned; /* "BINS (256), RADIUS (3)": numbers that the kernel names */
    struct kernel_signature *chosen;
    const char *symbol;  /* the kernel's, from the compiler */
    bool lacks_instance; /* nothing in the source says which of the template's instances is meant */
};

/* A question about a source. */
struct source_question {
    struct binary_request binary; /* paths, flags and compiler; neither defines nor kernels */
    /* The kernel, or the instance of a template, "scale<256>"; NULL: the only one. */
    const char *kernel;
    size_t define_count;
    struct macro_signature defines[MACROS_MAX];
    int64_t deadline_ns; /* time of clock_now_ns at which the compiler is not awaited any more */
};

/* Fills `out` (ask.c). Folders near the source that have its headers are added to the question.
 * nvcc is tried if NVRTC rejects the source, unless the compiler was chosen (`one_compiler`). */
enum status source_ask(struct arena *arena, struct source_question *question, bool one_compiler,
                       struct source_signature *out, struct error *error);

/* Reads kernels from the source's text alone (declarations.c). */
enum status declarations_read(struct arena *arena, const struct tokens *tokens,
                              struct source_signature *out, struct error *error);
/* Finds the requested kernel: the named one, with all, some or no namespaces; else the only one.
 * Returns STATUS_NOT_FOUND if there is none or more than one. */
enum status kernel_choose(const struct source_question *question, struct source_signature *out,
                          struct kernel_signature **chosen, struct error *error);
/* Returns true if the file itself has the body of a kernel of that name, which may have namespaces
 * and the arguments of a template. */
bool kernel_has_body(struct arena *arena, const char *path, const char *name);

/* Finds the end of an item of a list: a comma or `close` outside of all brackets. */
size_t item_end(const struct tokens *tokens, size_t first, size_t close);
/* Returns true if the whole text is a number; NULL is none. */
bool is_number(const char *text);
/* Returns true for `true` and `false`. */
bool is_word(const char *text);

/* Finds the variables that the kernel with that symbol uses, and the kernel's uses of these and of
 * pointers (roles.c). Returns false if memory is short. */
bool roles_read(struct arena *arena, const char *ptx, const char *kernel,
                struct source_signature *out, struct kernel_signature *chosen);

/* Fills launch and indices (launches.c). The launch may be in another file of the project. Returns
 * false if memory is short. */
bool launches_read(struct arena *arena, const char *path, const struct tokens *tokens,
                   struct source_signature *out);
/* Adds the macros and constants that the kernel uses (numbers.c): those behind an #ifndef, and
 * those on which the launch, a shared array or an unrolled loop depends. Returns false if memory is
 * short.
 */
bool numbers_read(struct arena *arena, const struct tokens *tokens, struct source_signature *out);
/* Visits the files of the same project, the nearest first, until `visit` returns true. */
void nearby_visit(struct arena *arena, const char *source,
                  bool (*visit)(void *context, const char *path), void *context);
/* Finds the .cu file named in a text of the Python script, with that kernel (NULL: any), or returns
 * NULL. */
const char *nearby_script_source(struct arena *arena, const char *path, const char *kernel);

#endif
