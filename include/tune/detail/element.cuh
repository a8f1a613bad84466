// Types and operators of callers, with their counterparts in kernels and keys. Internal to the
// headers of tune/, except for documented names.
#ifndef TUNE_CALLS_ELEMENT
#define TUNE_CALLS_ELEMENT

#include <array>
#include <string_view>
#include <type_traits>

// Types of cuda_fp16.h and cuda_bf16.h, which may be included before, after or never.
struct __half;
struct __nv_bfloat16;

namespace tune
{
namespace calls
{

template <int BYTES, bool IS_SIGNED> struct integer_of;
template <> struct integer_of<1, true> {
    typedef i8 type;
};
template <> struct integer_of<1, false> {
    typedef u8 type;
};
template <> struct integer_of<2, true> {
    typedef i16 type;
};
template <> struct integer_of<2, false> {
    typedef u16 type;
};
template <> struct integer_of<4, true> {
    typedef i32 type;
};
template <> struct integer_of<4, false> {
    typedef u32 type;
};
template <> struct integer_of<8, true> {
    typedef i64 type;
};
template <> struct integer_of<8, false> {
    typedef u64 type;
};

// Kernel type of a caller's type, with equal size and layout.
template <typename T, typename = void> struct element_of {
    static_assert(sizeof(T) == 0,
                  "elements are integers of 1 to 8 bytes (not bool), float, double, "
                  "__half, __nv_bfloat16, tune::f16 or tune::bf16");
};
template <typename T>
struct element_of<T, std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>>>
    : integer_of<sizeof(T), std::is_signed_v<T>> {
};
template <> struct element_of<float> {
    typedef f32 type;
};
template <> struct element_of<double> {
    typedef f64 type;
};
template <> struct element_of<f16> {
    typedef f16 type;
};
template <> struct element_of<bf16> {
    typedef bf16 type;
};
template <> struct element_of<__half> {
    typedef f16 type;
};
template <> struct element_of<__nv_bfloat16> {
    typedef bf16 type;
};

// ---- keys: "reduce.sum.i32" ----

template <typename T> struct name_of;
#define TUNE_NAME(type, text)                                                                      \
    template <> struct name_of<type> {                                                             \
        static constexpr std::string_view value = text;                                            \
    };
TUNE_NAME(i8, "i8")
TUNE_NAME(u8, "u8")
TUNE_NAME(i16, "i16")
TUNE_NAME(u16, "u16")
TUNE_NAME(i32, "i32")
TUNE_NAME(u32, "u32")
TUNE_NAME(i64, "i64")
TUNE_NAME(u64, "u64")
TUNE_NAME(f16, "f16")
TUNE_NAME(bf16, "bf16")
TUNE_NAME(f32, "f32")
TUNE_NAME(f64, "f64")
TUNE_NAME(sum, "sum")
TUNE_NAME(product, "product")
TUNE_NAME(minimum, "min")
TUNE_NAME(maximum, "max")
#undef TUNE_NAME

struct key_text {
    char at[64];
    int length;
    constexpr std::string_view view() const
    {
        return std::string_view(at, (size_t)length);
    }
};

constexpr void append(key_text &to, std::string_view text)
{
    for (const char c : text)
        to.at[to.length++] = c;
}

constexpr key_text make_key(std::string_view family, std::string_view op,
                            std::string_view separator = "", std::string_view type = "")
{
    key_text out = {};
    append(out, family);
    append(out, ".");
    append(out, op);
    append(out, separator);
    append(out, type);
    return out;
}

} // namespace calls
} // namespace tune

#endif
