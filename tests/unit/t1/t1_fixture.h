/* T1 files to read, and a small one to vary by overlays. */
#ifndef TUNE_TESTS_T1_FIXTURE_H
#define TUNE_TESTS_T1_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontends/t1/t1.h"
#include "tests/unit/suite.h"
#include "tuner/base/files.h"
#include "tuner/base/text.h"

#define KERNEL TEST_SOURCE_DIR "/examples/t1/CudaKernel.cu"

/* KTT's dialect, as long as an overlay does not say otherwise. */
static const char *const small_json =
    "{\"ConfigurationSpace\": {"
    "  \"TuningParameters\": ["
    "    {\"Name\": \"X\", \"Type\": \"uint\", \"Values\": \"[32, 64]\"},"
    "    {\"Name\": \"Y\", \"Type\": \"int\", \"Values\": \"[2**i for i in range(4)]\"}],"
    "  \"Conditions\": [{\"Parameters\": [\"X\"], \"Expression\": \"X * Y <= 256\"}]},"
    " \"KernelSpecification\": {"
    "  \"Language\": \"CUDA\", \"KernelName\": \"add\", \"KernelFile\": \"" KERNEL "\","
    "  \"GlobalSize\": {\"X\": \"4096 // X\"}, \"LocalSize\": {\"X\": \"X\"},"
    "  \"Arguments\": ["
    "    {\"Name\": \"a\", \"Type\": \"float\", \"MemoryType\": \"Vector\", \"Size\": 4096,"
    "     \"AccessType\": \"ReadOnly\", \"FillType\": \"Constant\", \"FillValue\": 1.5},"
    "    {\"Name\": \"out\", \"Type\": \"float\", \"MemoryType\": \"Vector\", \"Size\": 4096,"
    "     \"AccessType\": \"WriteOnly\"},"
    "    {\"Name\": \"k\", \"Type\": \"int32\", \"MemoryType\": \"Scalar\", \"FillValue\": 3}]}}";

static struct error error; /* error of the last call */

static inline struct t1_file text_file(const char *path, const char *json)
{
    return (struct t1_file){path, json, strlen(json)};
}

/* Translates the small file with `overlay` (NULL: none) merged over it. */
static inline enum status translate_small(const char *overlay, enum t1_dialect dialect,
                                          struct t1 *out)
{
    const struct t1_file file = text_file("small.json", small_json);
    const struct t1_file over = text_file("over.json", overlay ? overlay : "");
    *out = (struct t1){.ignored = NULL};
    return t1_translate(&file, &over, overlay ? 1 : 0, dialect, out, &error);
}

static inline void need_piece(const char *text, const char *piece, const char *about)
{
    if (!strstr(text, piece))
        fail_msg("%s: no '%s' in\n%s", about, piece, text);
}

static inline void refuse_piece(const char *text, const char *piece, const char *about)
{
    if (strstr(text, piece))
        fail_msg("%s: '%s' in\n%s", about, piece, text);
}

#endif
