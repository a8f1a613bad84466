/* Headers of C and C++ for NVRTC, which has none. */
#include <string.h>

#include "tuner/device/cuda/host_part.h"

extern const char cuda_header_stdint[], cuda_header_limits[], cuda_header_float[],
    cuda_header_math[], cuda_header_cmath[], cuda_header_stdlib[];

const char cuda_header_always[] = "#include <cuda_runtime.h>\n#include <stdint.h>\n";

#define STD_OF(name)                                                                               \
    "#pragma once\n"                                                                               \
    "#if __has_include(<cuda/std/" name ">)\n"                                                     \
    "#include <cuda/std/" name ">\n"                                                               \
    "namespace std { using namespace cuda::std; }\n"                                               \
    "#endif\n"
#define STD(name)                                                                                  \
    {                                                                                              \
        name, STD_OF(name), true                                                                   \
    }
#define C_OF(name) "#pragma once\n#include <" name ".h>\n"

/* The parts of the toolkit's header that NVRTC lacks. */
static const char runtime[] = "#pragma once\n"
                              "#include <limits.h>\n"
                              "#include <math.h>\n"
                              "#include <float.h>\n"
                              "#include <stdlib.h>\n"
                              "#ifndef CUDART_VERSION\n"
                              "#define CUDART_VERSION (1000 * __CUDACC_VER_MAJOR__ + 10 * "
                              "__CUDACC_VER_MINOR__)\n"
                              "#endif\n"
                              "#ifndef CUDA_VERSION\n"
                              "#define CUDA_VERSION (1000 * __CUDACC_VER_MAJOR__ + 10 * "
                              "__CUDACC_VER_MINOR__)\n"
                              "#endif\n";
static const char empty[] = "#pragma once\n";

struct header {
    const char *name;
    const char *text;
    bool is_std;
};

static const struct header headers[] = {
    {"stdint.h", cuda_header_stdint, false},
    {"limits.h", cuda_header_limits, false},
    {"float.h", cuda_header_float, false},
    {"math.h", cuda_header_math, false},
    {"stdlib.h", cuda_header_stdlib, false},
    {"stdio.h", "#pragma once\ntypedef struct tune_file FILE;\n", false},
    {"stddef.h", empty, false},
    {"stdbool.h", empty, false},
    {"string.h", empty, false},
    {"assert.h", empty, false},
    {"tune_textures.h", cuda_header_textures, false},
    {"cuda.h", runtime, false},
    {"cuda_runtime.h", runtime, false},
    {"cuda_runtime_api.h", runtime, false},
    {"device_launch_parameters.h", empty, false},
    {"driver_types.h", empty, false},
    {"vector_types.h", empty, false},
    {"cstdint",
     C_OF("stdint") "namespace std { using ::int8_t; using ::int16_t; using ::int32_t; using "
                    "::int64_t; using ::uint8_t; using ::uint16_t; using ::uint32_t; using "
                    "::uint64_t; using ::intptr_t; using ::uintptr_t; using ::intmax_t; using "
                    "::uintmax_t; }\n",
     false},
    {"climits", C_OF("limits"), false},
    {"cfloat", C_OF("float"), false},
    {"cstdlib", C_OF("stdlib"), false},
    {"cstdio", C_OF("stdio"), false},
    {"cassert", empty, false},
    {"initializer_list", empty, false},
    {"cmath", cuda_header_cmath, false},
    STD("cstddef"),
    STD("cstring"),
    STD("algorithm"),
    STD("array"),
    STD("atomic"),
    STD("bit"),
    STD("complex"),
    STD("concepts"),
    STD("functional"),
    STD("iterator"),
    STD("limits"),
    STD("numeric"),
    STD("optional"),
    STD("ratio"),
    STD("span"),
    STD("tuple"),
    STD("type_traits"),
    STD("utility"),
    STD("variant"),
};
enum { HEADERS = sizeof headers / sizeof *headers };

size_t cuda_own_headers(const char *const **names, const char *const **texts)
{
    static const char *all_names[HEADERS];
    static const char *all_texts[HEADERS];
    for (size_t i = 0; i < HEADERS; i++) {
        all_names[i] = headers[i].name;
        all_texts[i] = headers[i].text;
    }
    *names = all_names;
    *texts = all_texts;
    return HEADERS;
}

bool cuda_is_own_header(const char *name, size_t length, bool *is_std)
{
    *is_std = false;
    for (size_t i = 0; i < HEADERS; i++)
        if (strlen(headers[i].name) == length && strncmp(headers[i].name, name, length) == 0) {
            *is_std = headers[i].is_std;
            return true;
        }
    return false;
}
