// Element types by the names of experiments, and what they are added up in.
#ifndef TUNE_KERNELS_REDUCE_ELEMENT
#define TUNE_KERNELS_REDUCE_ELEMENT

#include "machine.cuh"

namespace tune
{

typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef long long i64;
typedef float f32;
typedef double f64;

// IEEE binary16, and the upper half of a binary32; laid out as __half and __nv_bfloat16.
struct alignas(2) f16 {
    u16 bits;
};
struct alignas(2) bf16 {
    u16 bits;
};

template <typename To, typename From> TUNE_DEVICE To bits_as(From from)
{
    static_assert(sizeof(To) == sizeof(From), "of one size");
    union {
        From from;
        To to;
    } both = {from};
    return both.to;
}

// Of a normal, subnormal or special number alike.
TUNE_DEVICE f32 real_of(f16 from)
{
#ifdef __CUDA_ARCH__
    f32 to;
    asm("cvt.f32.f16 %0, %1;" : "=f"(to) : "h"(from.bits));
    return to;
#else
    const u32 sign = (u32)(from.bits & 0x8000) << 16;
    const u32 rest = from.bits & 0x7fff;
    if (rest >= 0x7c00) // infinity, NaN
        return bits_as<f32>(sign | 0x7f800000 | (rest & 0x3ff) << 13);
    const f32 scaled = bits_as<f32>(rest << 13) * 0x1p112f; // its exponent counts from another 0
    return bits_as<f32>(sign | bits_as<u32>(scaled));
#endif
}
TUNE_DEVICE f32 real_of(bf16 from)
{
    return bits_as<f32>((u32)from.bits << 16);
}

// To the nearest, ties to even; the values that get here are those of a binary16 or bfloat16.
TUNE_DEVICE f16 half_of(f32 from)
{
#ifdef __CUDA_ARCH__
    f16 to;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(to.bits) : "f"(from));
    return to;
#else
    const u32 bits = bits_as<u32>(from);
    const u16 sign = (u16)(bits >> 16 & 0x8000);
    const u32 rest = bits & 0x7fffffff;
    if (rest >= 0x7f800000)
        return f16{(u16)(sign | 0x7c00 | (rest > 0x7f800000 ? 0x200 : 0))};
    const u32 scaled = bits_as<u32>(bits_as<f32>(rest) * 0x1p-112f);
    return f16{(u16)(sign | scaled >> 13)};
#endif
}
TUNE_DEVICE bf16 bfloat_of(f32 from)
{
    return bf16{(u16)(bits_as<u32>(from) >> 16)};
}
// Of any number: to the nearest, ties to even.
TUNE_DEVICE bf16 rounded_bfloat_of(f32 from)
{
    const u32 bits = bits_as<u32>(from);
    if ((bits & 0x7fffffff) > 0x7f800000) // NaN stays one
        return bf16{(u16)(bits >> 16 | 0x40)};
    return bf16{(u16)((bits + 0x7fff + (bits >> 16 & 1)) >> 16)};
}

// accumulator: what elements are combined in. Integers wrap, which is defined of unsigned ones
// only: those of up to 4 bytes are combined in 32 bits, halves in binary32. sum: what a sum or
// product of them is stored as; min and max are stored as the element itself.
template <typename T> struct element;
template <> struct element<i8> {
    typedef u32 accumulator;
    typedef i32 ordered;
    typedef i32 sum;
    static constexpr bool is_real = false, is_signed = true;
};
template <> struct element<i16> : element<i8> {
};
template <> struct element<i32> : element<i8> {
};
template <> struct element<u8> {
    typedef u32 accumulator;
    typedef u32 ordered;
    typedef u32 sum;
    static constexpr bool is_real = false, is_signed = false;
};
template <> struct element<u16> : element<u8> {
};
template <> struct element<u32> : element<u8> {
};
template <> struct element<i64> {
    typedef u64 accumulator;
    typedef i64 ordered;
    typedef i64 sum;
    static constexpr bool is_real = false, is_signed = true;
};
template <> struct element<u64> {
    typedef u64 accumulator;
    typedef u64 ordered;
    typedef u64 sum;
    static constexpr bool is_real = false, is_signed = false;
};
template <> struct element<f32> {
    typedef f32 accumulator;
    typedef f32 ordered;
    typedef f32 sum;
    static constexpr bool is_real = true, is_signed = true;
};
template <> struct element<f16> : element<f32> {
    static constexpr bool is_bfloat = false;
};
template <> struct element<bf16> : element<f32> {
    static constexpr bool is_bfloat = true;
};
template <> struct element<f64> {
    typedef f64 accumulator;
    typedef f64 ordered;
    typedef f64 sum;
    static constexpr bool is_real = true, is_signed = true;
};

} // namespace tune

#endif
