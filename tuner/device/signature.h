/* What a source's kernels take, as far as source and compiler tell: what `tune init` writes an
 * experiment from. */
#ifndef TUNE_DEVICE_SIGNATURE_H
#define TUNE_DEVICE_SIGNATURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/arena.h"
#include "tuner/base/error.h"
#include "tuner/base/launch.h"

enum {
    SIGNATURE_KERNELS_MAX = 64,
    SIGNATURE_TEMPLATE_MAX = 16,
    SIGNATURE_MACROS_MAX = 48,
    SIGNATURE_SYMBOLS_MAX = 16,
    SIGNATURE_FIELDS_MAX = 64,
    SIGNATURE_NAMED_MAX = 8,
    SIGNATURE_UNREAD_MAX = 32,
};

enum parameter_kind {
    PARAMETER_SCALAR,
    PARAMETER_POINTER,
    PARAMETER_STRUCT, /* by value, of numbers and pointers */
    PARAMETER_OTHER,  /* by value, of a type that an experiment cannot have */
};

/* A number, a pointer, or several of them one behind the other. */
struct signature_field {
    const char *name; /* as it is reached: "scale", "low.x", "sizes"; NULL: bytes without a name */
    enum element_type type; /* of a pointer of what it points to, if `known` */
    uint32_t count;
    bool is_pointer, constant, known;
    uint32_t lanes, bytes; /* of what a pointer points to, as of parameters */
};

struct kernel_parameter {
    const char *name; /* as in the source; "p0" where it has none */
    const char *text; /* its declaration, blanks normalised */
    enum parameter_kind kind;
    bool constant;    /* what it points to */
    bool conditional; /* stands between #if and #endif */
    bool known;       /* whether `type` holds; else the element has `bytes` bytes of something */
    enum element_type type;
    uint32_t lanes; /* float4: 4 */
    uint32_t bytes; /* of the element, or of the whole by value; 0: incomplete */
    /* As far as the kernel's own text tells. Hidden: a pointer is handed on, or has another name.
     */
    bool is_seen, is_hidden, is_read, is_written;
    uint8_t least_indices; /* the fewest that stand behind it, `x[i][j]`; 0: none ever do */
    /* Of a texture or surface object: 1 where the kernel reads it by tex1Dfetch or surf1Dread, 2 by
     * tex2D or surf2Dread, or writes it so, with the texels' type and elements. 0: not known. */
    uint8_t texture_axes, texture_channels;
    enum element_type texture_type;
    const char *generic; /* the template parameter that its type is; NULL: none */
    size_t field_count;
    struct signature_field *fields; /* of a struct: laid out as C does they are where it has them */
};

enum template_kind { TEMPLATE_NUMBER, TEMPLATE_BOOLEAN, TEMPLATE_TYPE, TEMPLATE_OTHER };
struct template_parameter {
    const char *name;
    const char *declared; /* what stands in front of the name: "typename", "layout::Order" */
    enum template_kind kind;
    const char *preset; /* its default, or what was taken to compile */
    bool square;        /* as of macros */
    bool is_guessed;    /* the source says nothing of it */
    size_t named_count; /* of a number: those that instances in the source have, ascending */
    long named[SIGNATURE_NAMED_MAX];
    enum element_type type; /* of a type */
};

struct kernel_signature {
    const char *name; /* with its namespaces */
    uint32_t line;
    uint32_t first_token, end_token; /* of the source: what is the kernel's own */
    const char *bounds;              /* the first argument of __launch_bounds__; NULL: none */
    bool uses_y, uses_z, uses_block_size;
    bool is_defined; /* the source has its body, not its declaration alone */
    bool is_own; /* in the file itself, not in one that it includes; told where there are several */
    size_t template_count;
    struct template_parameter template[SIGNATURE_TEMPLATE_MAX];
    size_t parameter_count;
    struct kernel_parameter parameters[ARGUMENTS_MAX];
};

/* A launch of the kernel as the source has it, in expressions (tuner/device/gpu/formula.h) over
 * names: of macros, of what the host knows. NULL: not known. */
struct formula;
struct source_launch {
    uint32_t line;    /* 0: the source has none */
    const char *path; /* where, if not in the source itself */
    const struct formula *grid[3], *block[3], *shared;
    size_t template_count;
    const struct formula *template[SIGNATURE_TEMPLATE_MAX];
    size_t argument_count;
    const struct formula *arguments[ARGUMENTS_MAX];
    const struct formula *bytes[ARGUMENTS_MAX]; /* that were allocated for what it points to */
};

/* How the kernel finds its elements from blockIdx and threadIdx, along each axis. */
struct source_indices {
    const struct formula *span[3];  /* elements from one block to the next */
    const struct formula *block[3]; /* threads; the name blockDim.x ...: as it is launched */
    bool strides[3];                /* a loop goes on by gridDim */
    const struct formula
        *bounds[ARGUMENTS_MAX]; /* of the index into what the parameter points to */
};

/* #ifndef NAME, #define NAME VALUE; or a name that nothing defines. */
struct macro_signature {
    const char *name;
    const char *preset; /* its value, or what was taken to compile */
    bool guessed;
    bool square; /* both sides of an array in shared memory: [NAME][NAME] */
    bool fixed;  /* its #define has no #ifndef around it: a define of the experiment replaces it */
    bool elsewhere;     /* only kernels that are not asked about use it */
    bool is_given;      /* by the project's build: no parameter */
    bool single_valued; /* the source takes no other value: #if NAME != 8, #error */
};

/* A __constant__ variable without an initialiser, a __device__ one, or a texture reference. */
struct symbol_signature {
    const char *name;
    uint32_t token; /* of the source: where it is declared */
    bool constant;
    bool is_array, has_value;
    bool is_extern;                      /* declared alone */
    bool is_hidden, is_read, is_written; /* as of parameters; by device functions, too */
    bool known;
    enum element_type type;
    uint32_t lanes;
    uint32_t bytes; /* of all of it; of a texture reference of a texel */
    /* Of a texture reference: its axes, as many as CUDA's cudaTextureType says; 0: it is none. */
    int texture_axes;
    /* As a parameter of its type would be, with how what it points to is used; fields: of a struct,
     * of a pointer the only one. */
    struct kernel_parameter variable;
    bool is_row;            /* read by tex1D, so between texels, too */
    bool is_set;            /* the source says how it is read */
    struct texture reading; /* without sizes */
};

struct source_signature {
    /* What an #include names and the compiler could not open, after STATUS_COMPILE_FAILED; NULL:
     * that was not why. */
    const char *missing;
    /* A variable or function of the device, by its last name, that the source declares and no file
     * that was compiled defines, after STATUS_COMPILE_FAILED; NULL: that was not why. */
    const char *unresolved;
    /* What #include "name" names and was not found, after STATUS_NOT_FOUND of a kernel; of what is
     * compiled with only_reached also <name>. */
    size_t unread_count;
    const char *unread[SIGNATURE_UNREAD_MAX];
    size_t kernel_count;
    struct kernel_signature *kernels;
    size_t macro_count;
    struct macro_signature macros[SIGNATURE_MACROS_MAX];
    size_t symbol_count;
    struct symbol_signature symbols[SIGNATURE_SYMBOLS_MAX];
    bool dynamic_shared; /* extern __shared__ */
    struct source_launch launch;
    struct source_indices indices;
    const char *not_tuned; /* "BINS (256), RADIUS (3)": numbers that the kernel names */
    /* The kernel whose parameters are known; after STATUS_NOT_FOUND one that is declared alone. */
    const struct kernel_signature *asked;
    const char *instance; /* of a template: what was asked for; NULL: its name */
};

/* What is asked of the compiler. */
struct signature_question {
    const char *path; /* of the source */
    const char *architecture;
    const char *compiler; /* as of struct binary_request */
    /* Which kernel's parameters are wanted, or which instance of a template, "scale<256>"; NULL:
     * the only one. */
    const char *kernel;
    size_t define_count;
    struct macro_signature defines[SIGNATURE_MACROS_MAX];
    size_t folder_count;
    const char *folders[UNITS_MAX];
    /* Further translation units, linked with the source. */
    size_t unit_count;
    const char *units[UNITS_MAX];
    size_t flag_count; /* of the project's build, as of struct binary_request */
    const char *flags[FLAGS_MAX];
    bool only_reached;   /* FLAG_ONLY_REACHED */
    int64_t deadline_ns; /* on the clock of clock_now_ns: asked no more behind it; 0: none */
    bool is_thorough;    /* compiled as for a run: what is never called need not be defined */
};

#endif
