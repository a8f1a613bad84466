#include "tuner/base/reference.h"

const struct reference_traits *reference_traits(enum reference_kind kind)
{
    static const struct reference_traits traits[REFERENCE_KINDS] = {
        [REFERENCE_FUNCTION] = {.code = REFERENCE_ON_HOST, .follows_inputs = true},
        [REFERENCE_PLAN] = {.code = REFERENCE_ON_DEVICE, .follows_inputs = true},
        [REFERENCE_SERIES] = {.code = REFERENCE_WITHOUT_CODE},
        [REFERENCE_FILE] = {.code = REFERENCE_WITHOUT_CODE, .is_recorded = true},
    };
    return &traits[kind];
}
