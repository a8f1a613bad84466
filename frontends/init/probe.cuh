/* Appended to a source (ask.c): turns types into numbers. A variable has them as its value, which
 * the compiler's PTX shows. All names begin with tune_, since macros of the source apply. */
#define TUNE_ANY template <class tune_T>
namespace tune_probe
{
TUNE_ANY struct tune_code {
    static constexpr int tune_value = __is_enum(tune_T) ? 5 : 0, tune_lanes = 1;
};
// clang-format off
#define TUNE_CODE(tune_T, tune_V, tune_L)                                                          \
    template <> struct tune_code<tune_T> {                                                         \
        static constexpr int tune_value = tune_V, tune_lanes = tune_L;                             \
    };
#define TUNE_CODES(tune_T, tune_N, tune_V)                                                         \
    TUNE_CODE(tune_T, tune_V, 1)                                                                   \
    TUNE_CODE(tune_N##1, tune_V, 1)                                                                \
    TUNE_CODE(tune_N##2, tune_V, 2)                                                                \
    TUNE_CODE(tune_N##3, tune_V, 3)
TUNE_CODES(signed char, char, 1)
TUNE_CODE(char, 1, 1)
TUNE_CODE(char4, 1, 4)
TUNE_CODES(unsigned char, uchar, 2)
TUNE_CODE(bool, 2, 1)
TUNE_CODE(uchar4, 2, 4)
TUNE_CODES(short, short, 3)
TUNE_CODE(short4, 3, 4)
TUNE_CODES(unsigned short, ushort, 4)
TUNE_CODE(ushort4, 4, 4)
TUNE_CODES(int, int, 5)
TUNE_CODE(int4, 5, 4)
TUNE_CODES(unsigned, uint, 6)
TUNE_CODE(uint4, 6, 4)
TUNE_CODE(dim3, 6, 3)
TUNE_CODES(long long, longlong, 7)
TUNE_CODES(unsigned long long, ulonglong, 8)
TUNE_CODES(long, long, sizeof(long) == 8 ? 7 : 5)
TUNE_CODES(unsigned long, ulong, sizeof(long) == 8 ? 8 : 6)
#ifdef __CUDA_FP16_H__
TUNE_CODE(__half, 9, 1)
TUNE_CODE(__half2, 9, 2)
#endif
#ifdef __CUDA_BF16_H__
TUNE_CODE(__nv_bfloat16, 10, 1)
TUNE_CODE(__nv_bfloat162, 10, 2)
#endif
TUNE_CODES(float, float, 11)
TUNE_CODE(float4, 11, 4)
TUNE_CODES(double, double, 12)
// clang-format on
TUNE_ANY __device__ constexpr int tune_size(decltype(sizeof(tune_T)) *)
{
    return sizeof(tune_T);
}
TUNE_ANY __device__ constexpr int tune_size(...)
{
    return 0;
}
TUNE_ANY struct tune_bare {
    typedef tune_T tune_type;
    static constexpr int tune_constant = 0;
};
TUNE_ANY struct tune_bare<const tune_T> {
    typedef tune_T tune_type;
    static constexpr int tune_constant = 1;
};
TUNE_ANY struct tune_bare<volatile tune_T> : tune_bare<tune_T> {
};
TUNE_ANY struct tune_bare<const volatile tune_T> : tune_bare<const tune_T> {
};
template <class tune_T, int tune_P, int tune_C> struct tune_is {
    static constexpr int tune_pointer = tune_P, tune_constant = tune_C,
                         tune_value = tune_code<tune_T>::tune_value,
                         tune_lanes = tune_code<tune_T>::tune_lanes,
                         tune_bytes = tune_size<tune_T>(nullptr);
};
TUNE_ANY struct tune_shape
    : tune_is<typename tune_bare<tune_T>::tune_type, 0, tune_bare<tune_T>::tune_constant> {
};
TUNE_ANY struct tune_shape<tune_T *>
    : tune_is<typename tune_bare<tune_T>::tune_type, 1, tune_bare<tune_T>::tune_constant> {
};
TUNE_ANY struct tune_shape<tune_T &> : tune_shape<tune_T> {
};
TUNE_ANY struct tune_shape<tune_T *__restrict__> : tune_shape<tune_T *> {
};
template <class tune_T, unsigned long tune_N>
struct tune_shape<tune_T[tune_N]> : tune_shape<tune_T> {
    static constexpr int tune_bytes = sizeof(tune_T) * tune_N;
};
TUNE_ANY struct tune_shape<tune_T[]> : tune_shape<tune_T> {
    static constexpr int tune_bytes = 0;
};
template <int tune_N> struct tune_numbers {
    int tune_all[tune_N];
};
/* The numbers of a kernel's parameters and of variables: how many parameters there are, then each
 * number of all types. */
template <class tune_F, class... tune_S> struct tune_asked;
template <class... tune_A, class... tune_S> struct tune_asked<void (*)(tune_A...), tune_S...> {
    static constexpr int tune_count = sizeof...(tune_A);
    static __device__ constexpr tune_numbers<1 + 5 * (tune_count + sizeof...(tune_S))> tune_get()
    {
        return {{tune_count, tune_shape<tune_A>::tune_pointer...,
                 tune_shape<tune_S>::tune_pointer..., tune_shape<tune_A>::tune_constant...,
                 tune_shape<tune_S>::tune_constant..., tune_shape<tune_A>::tune_value...,
                 tune_shape<tune_S>::tune_value..., tune_shape<tune_A>::tune_lanes...,
                 tune_shape<tune_S>::tune_lanes..., tune_shape<tune_A>::tune_bytes...,
                 tune_shape<tune_S>::tune_bytes...}};
    }
};
} // namespace tune_probe
