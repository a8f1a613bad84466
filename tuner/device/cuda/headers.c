/* Headers of the host: which of them kernels can do without, and what stands for the others. */
#include <string.h>

#include "tuner/device/cuda/host_part.h"
#include "tuner/device/gpu/tokens.h"

#define EMBEDDED(X)                                                                                \
    X(stdint)                                                                                      \
    X(limits)                                                                                      \
    X(float)                                                                                       \
    X(math)                                                                                        \
    X(cmath)                                                                                       \
    X(stdlib)                                                                                      \
    X(time)                                                                                        \
    X(stdio)                                                                                       \
    X(pthread)                                                                                     \
    X(shuffles)                                                                                    \
    X(textures)                                                                                    \
    X(torch)                                                                                       \
    X(empty)                                                                                       \
    X(cuda_runtime)                                                                                \
    X(cub)
#define DECLARE(name) extern const char cuda_header_##name[];
EMBEDDED(DECLARE)

#define STD_OF(name)                                                                               \
    "#pragma once\n"                                                                               \
    "#if __has_include(<cuda/std/" name ">)\n"                                                     \
    "#include <cuda/std/" name ">\n"                                                               \
    "namespace std { using namespace cuda::std; }\n"                                               \
    "#endif\n"
#define C_OF(name) "#pragma once\n#include <" name ".h>\n"

struct header {
    const char *name;
    const char *text;
    bool is_std;
};

static const struct header headers[] = {
    {"stdint.h", cuda_header_stdint, false},
    {"inttypes.h", cuda_header_stdint, false},
    {"limits.h", cuda_header_limits, false},
    {"float.h", cuda_header_float, false},
    {"math.h", cuda_header_math, false},
    {"stdlib.h", cuda_header_stdlib, false},
    {"sys/types.h", cuda_header_stdlib, false},
    {"time.h", cuda_header_time, false},
    {"sys/time.h", C_OF("time"), false},
    {"stdio.h", cuda_header_stdio, false},
    {"pthread.h", cuda_header_pthread, false},
    {"tune_integers.h",
     "#pragma once\n#include <stdint.h>\ntypedef int8_t int8;\ntypedef int16_t int16;\n"
     "typedef int32_t int32;\ntypedef int64_t int64;\ntypedef uint8_t uint8;\n"
     "typedef uint16_t uint16;\ntypedef uint32_t uint32;\ntypedef uint64_t uint64;\n",
     false},
    {"tune_shuffles.h", cuda_header_shuffles, false},
    {"tune_torch.h", cuda_header_torch, false},
    {"tune_textures.h", cuda_header_textures, false},
    {"unistd.h", "#pragma once\n#define _POSIX_VERSION 200809L\n", false},
    {"stddef.h", cuda_header_empty, false},
    {"stdbool.h", cuda_header_empty, false},
    {"string.h", cuda_header_empty, false},
    {"assert.h", cuda_header_empty, false},
    {"cuda.h",
     "#pragma once\n#define CUDA_VERSION (1000 * __CUDACC_VER_MAJOR__ + 10 * "
     "__CUDACC_VER_MINOR__)\n",
     false},
    {"cuda_runtime.h", cuda_header_cuda_runtime, false},
    {"cuda_runtime_api.h", cuda_header_cuda_runtime, false},
    {"device_launch_parameters.h", cuda_header_empty, false},
    {"driver_types.h", cuda_header_empty, false},
    {"vector_types.h", cuda_header_empty, false},
    {"vector_functions.h", cuda_header_empty, false},
    {"device_functions.h", cuda_header_empty, false},
    {"cub/cub.cuh", cuda_header_cub, false},
    /* What kernels name is the same in HIP. */
    {"hip/hip_runtime.h", cuda_header_cuda_runtime, false},
    {"hip/hip_runtime_api.h", cuda_header_cuda_runtime, false},
    {"hip/hip_fp16.h", "#pragma once\n#include <cuda_fp16.h>\n", false},
    {"hip/hip_bf16.h", "#pragma once\n#include <cuda_bf16.h>\n", false},
    {"cstdint",
     C_OF("stdint") "namespace std { using ::int8_t; using ::int16_t; using ::int32_t; using "
                    "::int64_t; using ::uint8_t; using ::uint16_t; using ::uint32_t; using "
                    "::uint64_t; using ::intptr_t; using ::uintptr_t; using ::intmax_t; using "
                    "::uintmax_t; }\n",
     false},
    {"cinttypes", "#pragma once\n#include <cstdint>\n", false},
    {"climits", C_OF("limits"), false},
    {"cfloat", C_OF("float"), false},
    {"cstdlib", C_OF("stdlib"), false},
    {"cstdio", C_OF("stdio"), false},
    {"cassert", cuda_header_empty, false},
    {"cmath", cuda_header_cmath, false},
    {"cstddef", STD_OF("cstddef"), true},
    {"cstring", STD_OF("cstring"), true},
    {"algorithm", STD_OF("algorithm"), true},
    {"array", STD_OF("array"), true},
    {"atomic", STD_OF("atomic"), true},
    {"bit", STD_OF("bit"), true},
    {"complex", STD_OF("complex"), true},
    {"concepts", STD_OF("concepts"), true},
    {"functional", STD_OF("functional"), true},
    {"initializer_list", cuda_header_empty, false},
    {"iterator", STD_OF("iterator"), true},
    {"limits", STD_OF("limits"), true},
    {"numeric", STD_OF("numeric"), true},
    {"optional", STD_OF("optional"), true},
    {"ratio", STD_OF("ratio"), true},
    {"span", STD_OF("span"), true},
    {"tuple", STD_OF("tuple"), true},
    {"type_traits", STD_OF("type_traits"), true},
    {"utility", STD_OF("utility"), true},
    {"variant", STD_OF("variant"), true},
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

static const struct header *find_own(const char *name, size_t length)
{
    for (size_t i = 0; i < HEADERS; i++)
        if (strlen(headers[i].name) == length && strncmp(headers[i].name, name, length) == 0)
            return &headers[i];
    return NULL;
}

bool cuda_is_own_header(const char *name, size_t length)
{
    return find_own(name, length);
}

bool cuda_is_std_header(const char *name, size_t length)
{
    const struct header *own = find_own(name, length);
    return own && own->is_std;
}

static const char host_headers[] =
    /* of C and POSIX */
    "aio.h alloca.h argp.h byteswap.h complex.h config.h cpuid.h crypt.h ctype.h dirent.h dlfcn.h "
    "endian.h err.h errno.h error.h execinfo.h fcntl.h features.h fenv.h fnmatch.h ftw.h getopt.h "
    "glob.h grp.h iconv.h ifaddrs.h langinfo.h libgen.h link.h locale.h malloc.h memory.h mqueue.h "
    "netdb.h poll.h pwd.h regex.h sched.h search.h semaphore.h setjmp.h signal.h spawn.h stdarg.h "
    "stdatomic.h stdnoreturn.h strings.h sysexits.h syslog.h termios.h threads.h uchar.h "
    "ucontext.h utime.h wait.h wchar.h windows.h "
    "arm_neon.h emmintrin.h immintrin.h nmmintrin.h pmmintrin.h smmintrin.h tmmintrin.h "
    "x86intrin.h xmmintrin.h "
    /* of C++ */
    "any barrier cctype cerrno cfenv charconv chrono clocale codecvt condition_variable coroutine "
    "csetjmp csignal cstdarg ctime cwchar deque exception execution filesystem format forward_list "
    "fstream future iomanip ios iosfwd iostream istream latch list locale map memory "
    "memory_resource mutex new numbers ostream print queue random regex scoped_allocator semaphore "
    "set shared_mutex source_location sstream stack stdexcept stop_token streambuf string "
    "string_view syncstream system_error thread typeindex typeinfo unordered_map unordered_set "
    "valarray vector "
    /* of CUDA's and others' libraries, all called from the host */
    "cublas.h cublasLt.h cublasXt.h cublas_v2.h cudaGL.h cudaProfiler.h cuda_egl_interop.h "
    "cuda_gl_interop.h cuda_profiler_api.h cudnn.h cufft.h cufftXt.h cufftw.h cupti.h curand.h "
    "cusolverDn.h cusolverMg.h cusolverRf.h cusolverSp.h cusolver_common.h cusparse.h "
    "cusparse_v2.h cutensor.h cutil.h helper_cuda.h helper_cuda_drvapi.h helper_cuda_gl.h "
    "helper_functions.h helper_gl.h helper_image.h helper_multiprocess.h helper_string.h "
    "helper_timer.h math_functions.h mpi.h nccl.h npp.h nppi.h nvToolsExt.h nvToolsExtCuda.h "
    "nvToolsExtCudaRt.h nvjpeg.h nvml.h nvrtc.h nvrtc_helper.h omp.h cblas.h NvInfer.h Python.h "
    "THC.h";

/* Folders of such; but what kernels can use of them. */
static const char *const host_folders[] = {
    "sys/",   "arpa/",         "netinet/", "net/",     "linux/",   "bits/",    "GL/",
    "GLFW/",  "experimental/", "boost/",   "nvtx3/",   "opencv2/", "thrust/",  "cub/device/",
    "torch/", "ATen/",         "c10/",     "THC/",     "gflags/",  "glog/",    "pybind11/",
    "gtest/", "hipcub/",       "hiprand/", "rocprim/", "CL/",      "absl/",    "dmlc/",
    "fmt/",   "nlohmann/",     "spdlog/",  "tbb/",     "hipblas/", "rocblas/", "rccl/"};
static const char in_host_folders[] =
    "sys/types.h sys/time.h thrust/complex.h thrust/pair.h thrust/tuple.h thrust/swap.h";

bool cuda_is_host_header(const char *name, size_t length)
{
    if (word_is_in(name, length, host_headers))
        return true;
    if (word_is_in(name, length, in_host_folders))
        return false;
    for (size_t i = 0; i < sizeof host_folders / sizeof *host_folders; i++)
        if (length > strlen(host_folders[i]) &&
            strncmp(name, host_folders[i], strlen(host_folders[i])) == 0)
            return true;
    return false;
}

/* What a kernel may name without including anything, since nvcc includes it for every source. */
const char *cuda_header_of(const char *name, size_t length)
{
    static const struct {
        const char *names, *header;
    } rows[] = {
        {"pthread_t pthread_attr_t pthread_barrier_t pthread_cond_t pthread_mutex_t "
         "pthread_rwlock_t",
         "pthread.h"}, /* iostream brings it */
        {"int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t intptr_t uintptr_t",
         "stdint.h"},
        {"::int8 ::int16 ::int32 ::int64 ::uint8 ::uint16 ::uint32 ::uint64", "tune_integers.h"},
        {"__half __half2 half half2", "cuda_fp16.h"},
        {"__nv_bfloat16 nv_bfloat16 __nv_bfloat162", "cuda_bf16.h"},
        {"at::PackedTensorAccessor at::PackedTensorAccessor32 at::PackedTensorAccessor64 "
         "at::GenericPackedTensorAccessor at::TensorAccessor at::RestrictPtrTraits "
         "at::DefaultPtrTraits",
         "tune_torch.h"},
        {"__shfl __shfl_up __shfl_down __shfl_xor __any __all __ballot", "tune_shuffles.h"},
        {"uint ushort ulong RAND_MAX", "stdlib.h"},
        {"CHAR_BIT SCHAR_MAX UCHAR_MAX SHRT_MIN SHRT_MAX USHRT_MAX INT_MIN INT_MAX UINT_MAX "
         "LONG_MIN LONG_MAX ULONG_MAX LLONG_MIN LLONG_MAX ULLONG_MAX",
         "limits.h"},
        {"INFINITY NAN HUGE_VAL HUGE_VALF M_E M_PI M_PI_2 M_PI_4 M_1_PI M_2_PI M_SQRT2 "
         "M_SQRT1_2 M_LN2 M_LN10 M_LOG2E M_LOG10E M_2_SQRTPI",
         "math.h"},
        {"std::enable_if std::enable_if_t std::is_same std::is_same_v std::conditional "
         "std::conditional_t std::aligned_storage std::is_integral std::is_floating_point "
         "std::remove_reference std::remove_cv std::decay std::true_type std::false_type "
         "std::integral_constant",
         "type_traits"},
        {"std::numeric_limits", "limits"},
        {"std::exp std::log std::sqrt std::pow std::abs std::fabs std::isnan std::isinf std::tanh "
         "std::lround std::sin std::cos std::ceil std::floor std::round std::fmax std::fmin",
         "cmath"},
        {"std::min std::max", "algorithm"},
        {"FLT_MAX FLT_MIN FLT_EPSILON DBL_MAX DBL_MIN DBL_EPSILON", "float.h"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (word_is_in(name, length, rows[i].names))
            return rows[i].header;
    return NULL;
}
