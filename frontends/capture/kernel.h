/* What a kernel takes, as far as its source and the compiler tell. */
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
    PARAMETER_OTHER, /* by value, of a type that is no number */
};

struct kernel_parameter {
    const char *name; /* as in the source; "p0" where it has none */
    const char *text; /* its declaration, blanks normalised */
    enum parameter_kind kind;
    bool constant; /* the kind of data that it points to */
    bool known;    /* whether `type` holds; else the element has `bytes` bytes of something */
    enum element_type type;
    uint32_t lanes; /* float4: 4 */
    uint32_t bytes; /* of the element, or of the whole by value; 0: incomplete */
    /* As far as the kernel's own text tells. Hidden: a pointer is handed on, or has another name.
     */
    bool is_seen, is_hidden, is_read, is_written;
    const char *generic; /* the template parameter that its type is; NULL: none */
};

enum template_kind { TEMPLATE_NUMBER, TEMPLATE_BOOLEAN, TEMPLATE_TYPE, TEMPLATE_OTHER };
struct template_parameter {
    const char *name;
    enum template_kind kind;
    const char *preset;     /* its default, or the argument that the source launches it with */
    bool square;            /* as of macros */
    enum element_type type; /* of a type */
};

struct kernel_signature {
    const char *name; /* with its namespaces */
    uint32_t line;
    uint32_t first_token, end_token; /* of the source: the kernel's own */
    const char *bounds;              /* the first argument of __launch_bounds__; NULL: none */
    bool uses_y, uses_z, uses_block_size;
    bool is_defined; /* the source has its body, not its declaration alone */
    bool is_own; /* in the file itself, not in one that it includes; told where there are several */
    size_t template_count;
    struct template_parameter template[TEMPLATE_MAX];
    size_t parameter_count;
    struct kernel_parameter parameters[ARGUMENTS_MAX];
};

#endif
