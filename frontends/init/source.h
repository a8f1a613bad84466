/* A source of C++ with kernels: what it declares, how it launches the kernel that is asked about,
 * and what the compiler says of types. */
#ifndef TUNE_FRONTENDS_INIT_SOURCE_H
#define TUNE_FRONTENDS_INIT_SOURCE_H

#include "frontends/capture/kernel.h"
#include "tuner/base/arena.h"
#include "tuner/base/error.h"
#include "tuner/base/tokens.h"

enum { KERNELS_MAX = 64, MACROS_MAX = 48, SYMBOLS_MAX = 16 };

/* A launch of the kernel as the source has it, in expressions (formula.h) over names: of macros, of
 * the host's variables. NULL: not known. */
struct formula;
struct source_launch {
    uint32_t line;    /* 0: the source has none */
    const char *path; /* where, if not in the source itself */
    const struct formula *grid[3], *block[3], *shared;
    size_t template_count;
    const struct formula *template[TEMPLATE_MAX];
    size_t argument_count;
    const struct formula *arguments[ARGUMENTS_MAX];
    const struct formula *bytes[ARGUMENTS_MAX]; /* that were allocated for the argument */
};

/* How the kernel finds its elements from blockIdx and threadIdx, along each axis. */
struct source_indices {
    const struct formula *span[3];  /* elements from one block to the next */
    const struct formula *block[3]; /* threads; the name blockDim.x ...: as it is launched */
    bool strides[3];                /* a loop goes on by gridDim */
    const struct formula *bounds[ARGUMENTS_MAX]; /* of the index into the vector of the parameter */
};

/* A number that may be defined when the source is compiled. */
struct macro_signature {
    const char *name;
    const char *preset;
    bool is_named; /* by --define or the build, not by an #ifndef of the source */
    bool is_given; /* by the project's build: no parameter */
    bool square;   /* both sides of an array in shared memory: [NAME][NAME] */
    bool fixed; /* a #define without #ifndef, or a constant: a define of the experiment replaces it
                 */
    bool elsewhere; /* the kernel does not use it */
};

/* A __constant__ or __device__ variable that the kernel uses. */
struct symbol_signature {
    const char *name;
    uint32_t token; /* of the source: where it is declared */
    bool constant, has_value;
    bool is_hidden, is_read, is_written; /* as of parameters */
    bool known;
    enum element_type type;
    uint32_t lanes, bytes; /* of all of it */
};

struct source_signature {
    size_t kernel_count;
    struct kernel_signature *kernels;
    size_t macro_count;
    struct macro_signature macros[MACROS_MAX];
    size_t symbol_count;
    struct symbol_signature symbols[SYMBOLS_MAX];
    bool dynamic_shared; /* extern __shared__ */
    struct source_launch launch;
    struct source_indices indices;
    const char *not_tuned; /* "BINS (256), RADIUS (3)": numbers that the kernel names */
    const struct kernel_signature *asked;
    const char *instance; /* of a template, where its arguments are no numbers and types; NULL */
};

/* A question about a source. */
struct source_question {
    const char *path; /* of the source */
    const char *architecture;
    const char *compiler; /* as of struct binary_request */
    /* The kernel, or the instance of a template, "scale<256>"; NULL: the only one. */
    const char *kernel;
    size_t define_count;
    struct macro_signature defines[MACROS_MAX];
    size_t folder_count;
    const char *folders[UNITS_MAX];
    size_t unit_count; /* further translation units, linked with the source */
    const char *units[UNITS_MAX];
    size_t flag_count; /* of the project's build, as of struct binary_request */
    const char *flags[FLAGS_MAX];
    int64_t deadline_ns; /* on the clock of clock_now_ns: asked no more behind it */
};

/* ask.c. Fills `out`; headers near the source are found and named in the question, and nvcc is
 * asked where NVRTC does not take the source, unless one of them is named (`one_compiler`). */
enum status source_ask(struct arena *arena, struct source_question *question, bool one_compiler,
                       struct source_signature *out, struct error *error);

/* declarations.c. Kernels, macros and symbols of a source, by its text alone: of parameters names,
 * and how they are used. */
enum status declarations_read(struct arena *arena, const struct tokens *tokens,
                              struct source_signature *out, struct error *error);
/* Finds the kernel that is asked about: the one that is named, with all, some or none of its
 * namespaces; else the only one of the file itself, or of those that it includes. STATUS_NOT_FOUND:
 * there is none, or there are several. */
enum status kernel_choose(struct arena *arena, const struct source_question *question,
                          struct source_signature *out, struct kernel_signature **chosen,
                          struct error *error);
/* Whether a `__global__` is followed by the name, a list of parameters and a body. */
bool kernel_has_body(const struct tokens *tokens, const char *name);
/* Leaves out what the kernel that is asked about does not use: macros are marked, symbols taken
 * away. False: memory is short. */
bool uses_mark(struct arena *arena, const struct tokens *tokens, struct source_signature *out);
bool macro_is_listed(const struct source_signature *out, const char *name, size_t length);
/* Whether an array has it as both sides: [NAME][NAME], [NAME * NAME]. */
bool uses_as_square(const struct tokens *tokens, const char *name);

/* The end of `name(...) {...}`, with words between, whose name is at the token; 0: it is none. */
size_t function_end(const struct tokens *tokens, size_t name);

/* uses.c. One use, at the token `at`, of a pointer; of a variable that is no array (`whole`) of all
 * of it. */
void use_read(const struct tokens *tokens, struct kernel_parameter *parameter, size_t at,
              bool whole);

/* launches.c. Fills in launch, indices and further macros: numbers that the launch, a shared array
 * or an unrolled loop is made of. The launch may be in another file of the project. False: memory
 * is short. */
bool launches_read(struct arena *arena, const char *path, const struct tokens *tokens,
                   struct source_signature *out);
/* The element type of that C++ name, half's names too. False: there is none. */
bool type_from_cuda_name(const char *name, enum element_type *out);

/* nearby.c. The folder near the source that has the header: its own, one above it, one in these, or
 * the `include` of one. None beyond a folder that another user could have written to. NULL: none.
 */
const char *nearby_folder_of(struct arena *arena, const char *source, const char *header);
/* A source of the same project, the nearest, that launches the kernel; NULL: none. */
const char *nearby_launch(struct arena *arena, const char *source, const char *kernel);
/* The .cu file that a text in the script of Python names, with that kernel (NULL: any); NULL: none.
 */
const char *nearby_script_source(struct arena *arena, const char *path, const char *kernel);

#endif
