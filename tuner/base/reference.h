/* Where the expected elements of an output come from, and what is true of each kind of reference.
 */
#ifndef TUNE_BASE_REFERENCE_H
#define TUNE_BASE_REFERENCE_H

#include <stdbool.h>

enum reference_kind {
    REFERENCE_FUNCTION, /* a C function that is compiled at run time (kernels/README.md) */
    REFERENCE_PLAN,     /* what another plan leaves in the same argument on the device */
    REFERENCE_SERIES,   /* an expression in i, the element's index */
    REFERENCE_FILE,     /* the bytes of a file */
};
enum { REFERENCE_KINDS = 4 };

enum reference_code { REFERENCE_WITHOUT_CODE, REFERENCE_ON_HOST, REFERENCE_ON_DEVICE };

struct reference_traits {
    enum reference_code code; /* what is compiled for it, and where that runs */
    bool follows_inputs;      /* it is made from the inputs, which may be any */
    bool is_recorded;         /* it holds for the inputs and the size that it was made for */
};
const struct reference_traits *reference_traits(enum reference_kind kind);

#endif
