/* The kernels tune_compare of tuner/device/cuda/check.cu and tune_fill of fill.cu, compiled from
 * the very texts that a device's compiler receives. */
#include "tuner/base/compare.h"
#include "tuner/base/fill_lane.h"

#include <string.h>

#include "tests/faults/driver/standin.h"

const unsigned char compare_arguments[] = {sizeof(struct comparing), sizeof(void *)};
const unsigned char fill_arguments[] = {sizeof(void *), sizeof(struct filling), sizeof(uint64_t)};

void compare_run(const struct call *call)
{
    static const char *const types[] = {
#define TYPE_NAME(enumerator, name, c_name, bytes, real) #enumerator,
        ELEMENT_TYPE_LIST(TYPE_NAME)
#undef TYPE_NAME
    };
    const char *wanted = image_define(call->image, "CHECK_TYPE");
    struct comparing what;
    struct findings *findings = NULL;
    int type = 0;
    while (type < ELEMENT_TYPE_COUNT - 1 && (!wanted || strcmp(types[type], wanted) != 0))
        type++;
    memcpy(&what, call->arguments[0], sizeof what);
    memcpy(&findings, call->arguments[1], sizeof findings);
    for (uint64_t i = 0; i < call->grid[0]; i++)
        findings[i] = compare_chunk(&what, (enum element_type)type, i);
}

void fill_run(const struct call *call)
{
    struct filling filling;
    uint64_t count = 0;
    void *out = NULL;
    memcpy(&out, call->arguments[0], sizeof out);
    memcpy(&filling, call->arguments[1], sizeof filling);
    memcpy(&count, call->arguments[2], sizeof count);
    for (uint64_t i = 0; i < count && i < (uint64_t)call->grid[0] * FILL_THREADS; i++)
        element_write(out, filling.type, i, fill_raw(&filling, i));
}
