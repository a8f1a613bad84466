/* A kernel's parameters, from its source and the compiler. */
#ifndef TUNE_FRONTENDS_CAPTURE_KERNEL_H
#define TUNE_FRONTENDS_CAPTURE_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/element.h"
#include "tuner/base/launch.h"

enum { TEMPLATE_MAX = 16 };

enum parameter_kind {
    PARAMETER_SCALAR,
    PARAMETER_POINTER,
    PARAMETER_OTHER, /* passed by value, of a type other than a number */
};

struct kernel_parameter {
    const char *name; /* name in the source */
    const char *text; /* declaration with normalised blanks */
    enum parameter_kind kind;
    bool constant; /* pointer to constant data */
    bool known;    /* `type` is valid; else elements are `bytes` unknown bytes */
    enum element_type type;
    uint32_t lanes; /* float4: 4 */
    uint32_t bytes; /* size of the element, or of the whole value; 0: incomplete */
    /* Uses by the kernel. Hidden: a pointer that is passed on or kept somewhere. */
    bool is_hidden, is_read, is_written;
    const char *extent; /* number that an index into it stays below; NULL: not known */
    bool is_bound;      /* stands in a comparison or a product, as the bound of an index does */
    bool is_symbol;     /* a __constant__ or __device__ variable, `bytes` in all */
    bool has_value;     /* a variable that begins with another value than zero */
};

struct template_parameter {
    const char *name;
    const char *preset; /* default, or the argument of a launch in the source */
};

struct kernel_signature {
    const char *name;                /* qualified with namespaces */
    uint32_t first_token, end_token; /* tokens of the kernel in the source */
    uint32_t bounds_token;           /* first argument of __launch_bounds__; 0: none */
    bool uses[3];                    /* threads or blocks along each axis */
    bool uses_block_size;
    bool is_defined; /* the source has the body, not only a declaration */
    size_t template_count;
    struct template_parameter template[TEMPLATE_MAX];
    size_t parameter_count;
    struct kernel_parameter parameters[ARGUMENTS_MAX];
};

#endif
