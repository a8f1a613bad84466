// The operators: associative and commutative. Each says, for elements of a type, what it combines
// them in (accumulator), what its result is stored as, its identity, and how.
#ifndef TUNE_KERNELS_REDUCE_OPERATOR
#define TUNE_KERNELS_REDUCE_OPERATOR

#include "element.cuh"

namespace tune
{

// An element as an accumulator holds it.
template <typename A, typename T> TUNE_DEVICE A widened(T from)
{
    return (A)from;
}
template <typename A> TUNE_DEVICE A widened(f16 from)
{
    return real_of(from);
}
template <typename A> TUNE_DEVICE A widened(bf16 from)
{
    return real_of(from);
}

// And back, for min and max, which give one of the elements, or an infinity.
template <typename T, typename A> TUNE_DEVICE T narrowed(A from)
{
    if constexpr (sizeof(T) == 2 && element<T>::is_real) {
        if constexpr (element<T>::is_bfloat)
            return bfloat_of(from);
        else
            return half_of(from);
    } else {
        return (T)from;
    }
}

struct sum {
    template <typename T> struct of {
        typedef typename element<T>::accumulator accumulator;
        typedef typename element<T>::sum result;
        // A warp combines these in one instruction (compute capability 8.0).
        static constexpr bool redux = sizeof(accumulator) == 4 && !element<T>::is_real;
        static TUNE_DEVICE accumulator identity()
        {
            return 0;
        }
        static TUNE_DEVICE accumulator combine(accumulator a, accumulator b)
        {
            return a + b;
        }
        static TUNE_DEVICE accumulator redux_of_warp(accumulator value)
        {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
            if constexpr (redux)
                return __reduce_add_sync(ALL_LANES, value);
#endif
            return value;
        }
    };
};

// There is no atomic multiplication, nor a warp's instruction.
struct product {
    template <typename T> struct of {
        typedef typename element<T>::accumulator accumulator;
        typedef typename element<T>::sum result;
        static constexpr bool redux = false;
        static TUNE_DEVICE accumulator identity()
        {
            return 1;
        }
        static TUNE_DEVICE accumulator combine(accumulator a, accumulator b)
        {
            return a * b;
        }
    };
};

// ---- min and max ----
// NaN counts as missing, and where all are missing it is as with none. -0 is less than +0.

TUNE_DEVICE f32 lesser(f32 a, f32 b)
{
#ifdef __CUDA_ARCH__
    return fminf(a, b);
#else
    if (a != a || b != b)
        return a != a ? b : a;
    return a == b ? (bits_as<i32>(a) < 0 ? a : b) : (a < b ? a : b);
#endif
}
TUNE_DEVICE f64 lesser(f64 a, f64 b)
{
#ifdef __CUDA_ARCH__
    return fmin(a, b);
#else
    if (a != a || b != b)
        return a != a ? b : a;
    return a == b ? (bits_as<i64>(a) < 0 ? a : b) : (a < b ? a : b);
#endif
}
template <typename A> TUNE_DEVICE A lesser(A a, A b)
{
    return a < b ? a : b;
}
TUNE_DEVICE f32 greater(f32 a, f32 b)
{
#ifdef __CUDA_ARCH__
    return fmaxf(a, b);
#else
    return -lesser(-a, -b);
#endif
}
TUNE_DEVICE f64 greater(f64 a, f64 b)
{
#ifdef __CUDA_ARCH__
    return fmax(a, b);
#else
    return -lesser(-a, -b);
#endif
}
template <typename A> TUNE_DEVICE A greater(A a, A b)
{
    return a < b ? b : a;
}

// A number of the same order as the value, unsigned; NaN does not get here.
template <typename A> TUNE_DEVICE auto key_of(A value)
{
    if constexpr (sizeof(A) == 4) {
        const u32 bits = bits_as<u32>(value);
        if constexpr ((A)-1 > (A)0)
            return bits;
        else if constexpr ((A)0.5 == 0)
            return bits ^ 0x80000000u;
        else
            return bits ^ ((u32)((i32)bits >> 31) | 0x80000000u);
    } else {
        const u64 bits = bits_as<u64>(value);
        if constexpr ((A)-1 > (A)0)
            return bits;
        else if constexpr ((A)0.5 == 0)
            return bits ^ 1ull << 63;
        else
            return bits ^ ((u64)((i64)bits >> 63) | 1ull << 63);
    }
}
template <typename A, typename KEY> TUNE_DEVICE A value_of(KEY key)
{
    constexpr KEY high = (KEY)1 << (8 * sizeof(KEY) - 1);
    if constexpr ((A)-1 > (A)0)
        return bits_as<A>(key);
    else if constexpr ((A)0.5 == 0)
        return bits_as<A>((KEY)(key ^ high));
    else
        return bits_as<A>((KEY)(key & high ? key ^ high : ~key));
}

template <bool MAXIMUM> struct extreme {
    template <typename T> struct of {
        typedef typename element<T>::ordered accumulator;
        typedef T result;
        static constexpr bool redux = sizeof(accumulator) == 4;
        // What is on the other side of all.
        static TUNE_DEVICE accumulator identity()
        {
            constexpr int bits = 8 * sizeof(T);
            if constexpr (sizeof(accumulator) == 4 && element<T>::is_real)
                return bits_as<f32>(MAXIMUM ? 0xff800000u : 0x7f800000u);
            else if constexpr (element<T>::is_real)
                return bits_as<f64>(MAXIMUM ? 0xfff0000000000000ull : 0x7ff0000000000000ull);
            else if constexpr (element<T>::is_signed)
                return (accumulator)(MAXIMUM ? 0ull - (1ull << (bits - 1))
                                             : (1ull << (bits - 1)) - 1);
            else
                return (accumulator)(MAXIMUM ? 0 : ~0ull >> (64 - bits));
        }
        static TUNE_DEVICE accumulator combine(accumulator a, accumulator b)
        {
            if constexpr (MAXIMUM)
                return greater(a, b);
            else
                return lesser(a, b);
        }
        static TUNE_DEVICE accumulator redux_of_warp(accumulator value)
        {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
            if constexpr (redux && MAXIMUM)
                return value_of<accumulator>(__reduce_max_sync(ALL_LANES, key_of(value)));
            else if constexpr (redux)
                return value_of<accumulator>(__reduce_min_sync(ALL_LANES, key_of(value)));
#endif
            return value;
        }
    };
};
struct minimum : extreme<false> {
};
struct maximum : extreme<true> {
};

// ---- what kernels take and give: for T a pointer to elements, and where the result belongs ----
// Others have members of their own that say so (any.cuh).

template <typename...> struct nothing {
    typedef void type;
};
template <typename T, typename = void> struct input_of {
    typedef const T *__restrict__ type;
};
template <typename T> struct input_of<T, typename nothing<typename T::input>::type> {
    typedef typename T::input type;
};
template <typename F, typename = void> struct output_of {
    typedef typename F::result *__restrict__ type;
};
template <typename F> struct output_of<F, typename nothing<typename F::output>::type> {
    typedef typename F::output type;
};
template <typename T> using input = typename input_of<T>::type;
template <typename F> using output = typename output_of<F>::type;

// Whether two operators are one.
template <typename A, typename B> struct same {
    static constexpr bool value = false;
};
template <typename A> struct same<A, A> {
    static constexpr bool value = true;
};

// ---- what a thread has loaded, combined ----

// Pairwise: short dependency chains, and for reals a small error.
template <typename F, int COUNT, typename A> TUNE_DEVICE A combined(const A *value)
{
    if constexpr (COUNT == 1)
        return value[0];
    else
        return F::combine(combined<F, (COUNT + 1) / 2>(value),
                          combined<F, COUNT / 2>(value + (COUNT + 1) / 2));
}

#ifdef __CUDA_ARCH__
// A word of 4 bytes or 2 halfwords added to a sum.
template <typename T> TUNE_DEVICE u32 add_word(u32 word, u32 sum)
{
    if constexpr (sizeof(T) == 1 && element<T>::is_signed)
        asm("dp4a.s32.s32 %0, %1, %2, %0;" : "+r"(sum) : "r"(word), "r"(0x01010101));
    else if constexpr (sizeof(T) == 1)
        asm("dp4a.u32.u32 %0, %1, %2, %0;" : "+r"(sum) : "r"(word), "r"(0x01010101));
    else if constexpr (element<T>::is_signed)
        asm("dp2a.lo.s32.s32 %0, %1, %2, %0;" : "+r"(sum) : "r"(word), "r"(0x0101));
    else
        asm("dp2a.lo.u32.u32 %0, %1, %2, %0;" : "+r"(sum) : "r"(word), "r"(0x0101));
    return sum;
}

// The lesser or greater of two pairs of 16 bits (compute capability 9.0).
template <bool MAXIMUM, bool SIGNED> TUNE_DEVICE u32 extreme_pair(u32 a, u32 b)
{
    u32 got = a;
#if __CUDA_ARCH__ >= 900
    if constexpr (MAXIMUM && SIGNED)
        asm("max.s16x2 %0, %1, %2;" : "=r"(got) : "r"(a), "r"(b));
    else if constexpr (MAXIMUM)
        asm("max.u16x2 %0, %1, %2;" : "=r"(got) : "r"(a), "r"(b));
    else if constexpr (SIGNED)
        asm("min.s16x2 %0, %1, %2;" : "=r"(got) : "r"(a), "r"(b));
    else
        asm("min.u16x2 %0, %1, %2;" : "=r"(got) : "r"(a), "r"(b));
#endif
    return got;
}

// Bytes are compared as the upper halves of 16 bits, odd and even ones apart.
template <typename F, typename T, bool MAXIMUM, int WORDS>
TUNE_DEVICE typename F::accumulator extreme_of_words(const u32 *word)
{
    constexpr u32 upper = 0xff00ff00u;
    u32 pair = sizeof(T) == 1 ? word[0] & upper : word[0];
#pragma unroll
    for (int i = 0; i < WORDS; i++) {
        if constexpr (sizeof(T) == 1) {
            if (i > 0)
                pair = extreme_pair<MAXIMUM, element<T>::is_signed>(pair, word[i] & upper);
            pair = extreme_pair<MAXIMUM, element<T>::is_signed>(pair, word[i] << 8 & upper);
        } else if (i > 0) {
            pair = extreme_pair<MAXIMUM, element<T>::is_signed>(pair, word[i]);
        }
    }
    constexpr int shift = sizeof(T) == 1 ? 8 : 0;
    typedef typename F::accumulator A;
    if constexpr (element<T>::is_signed)
        return F::combine((A)((i32)pair >> (16 + shift)), (A)((i32)(pair << 16) >> (16 + shift)));
    else
        return F::combine((A)(pair >> (16 + shift)), (A)((pair & 0xffff) >> shift));
}
#endif

template <typename OP, typename T, int COUNT>
TUNE_DEVICE typename OP::template of<T>::accumulator combined_pack(const pack<T, COUNT> &pack)
{
    typedef typename OP::template of<T> F;
    typedef typename F::accumulator A;
#ifdef __CUDA_ARCH__
    constexpr bool small = sizeof(T) <= 2 && !element<T>::is_real && COUNT * sizeof(T) >= 4;
    constexpr bool pairs = small && __CUDA_ARCH__ >= 900;
    constexpr int words = COUNT * (int)sizeof(T) / 4;
    if constexpr (small && same<OP, sum>::value) {
        u32 total = 0;
#pragma unroll
        for (int i = 0; i < words; i++)
            total = add_word<T>(pack.word[i], total);
        return total;
    } else if constexpr (pairs && (same<OP, maximum>::value || same<OP, minimum>::value)) {
        return extreme_of_words<F, T, same<OP, maximum>::value, words>(pack.word);
    } else
#endif
    {
        A value[COUNT];
#pragma unroll
        for (int i = 0; i < COUNT; i++)
            value[i] = widened<A>(pack.lane[i]);
        return combined<F, COUNT>(value);
    }
}

} // namespace tune

#endif
