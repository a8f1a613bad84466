// Reductions of other inputs than an array of numbers, and by other operators than the shipped
// ones: the kernels of reduce.cuh with an `any_operation` for OP and an `any_input` for T, with
// accumulators of any size.
#ifndef TUNE_KERNELS_REDUCE_ANY
#define TUNE_KERNELS_REDUCE_ANY

#include "reduce.cuh"

namespace tune
{

// ---- what is combined ----

// Room for a T that nobody has made: what has no constructor without arguments may be copied into
// it.
template <typename T> union room_for {
    T value;
    char none;
    TUNE_DEVICE room_for() : none(0)
    {
    }
    TUNE_DEVICE ~room_for()
    {
    }
};

// Copies word by word where BYTES are whole words, which compilers keep in registers. NVRTC knows
// memcpy by itself, others its builtin, which needs no header.
template <int BYTES> TUNE_DEVICE void copy_bytes(void *to, const void *from)
{
    constexpr int step = BYTES % 4 == 0 ? 4 : BYTES;
#pragma unroll
    for (int at = 0; at < BYTES; at += step)
#ifdef __CUDACC_RTC__
        memcpy((char *)to + at, (const char *)from + at, step);
#else
        __builtin_memcpy((char *)to + at, (const char *)from + at, step);
#endif
}

// A value as kernels move it: words, 8 bytes of them or a multiple, or 4. MAYBE: it may be nothing,
// which is then what leaves others as they are; all words are 0.
template <typename V, bool MAYBE> struct partial {
    static constexpr int of_value = ((int)sizeof(V) + 3) / 4, used = of_value + MAYBE;
    static constexpr int words = used == 1 ? 1 : (used + 1) / 2 * 2;
    alignas(words == 1 ? 4 : 8) u32 word[words];

    static TUNE_DEVICE partial of(const V &value)
    {
        partial made = {};
        copy_bytes<(int)sizeof(V)>(made.word, &value);
        if constexpr (MAYBE)
            made.word[of_value] = 1;
        return made;
    }
    TUNE_DEVICE V value() const
    {
        room_for<V> of;
        copy_bytes<(int)sizeof(V)>((void *)&of.value, word);
        return of.value;
    }
    TUNE_DEVICE bool is_there() const
    {
        if constexpr (MAYBE)
            return word[of_value] != 0;
        else
            return true;
    }
};

template <typename V, bool MAYBE>
TUNE_DEVICE partial<V, MAYBE> value_above(partial<V, MAYBE> value, int distance)
{
#pragma unroll
    for (u32 &word : value.word)
        word = __shfl_down_sync(ALL_LANES, word, distance);
    return value;
}
template <typename R, typename V, bool MAYBE>
TUNE_DEVICE partial<V, MAYBE> narrowed(partial<V, MAYBE> from)
{
    return from;
}

// A shipped operator, on values of one of the kernels' types.
template <typename OP, typename V_> struct by_shipped {
    typedef V_ V;
    typedef typename OP::template of<V> F;
    static constexpr bool maybe = false;
    static TUNE_DEVICE V identity()
    {
        return (V)F::identity();
    }
    static TUNE_DEVICE V combine(const V &a, const V &b)
    {
        typedef typename F::accumulator A;
        return (V)F::combine((A)a, (A)b);
    }
};

// A caller's operator, V operator()(V, V), associative and commutative: a class without members,
// which is made from nothing where it is called. It need not have an identity.
template <typename CALL, typename V_> struct by_call {
    typedef V_ V;
    static constexpr bool maybe = true;
    static TUNE_DEVICE V combine(const V &a, const V &b)
    {
        room_for<CALL> of;
        return (V)of.value(a, b);
    }
};

// One with members travels with each value.
template <typename W, typename CALL> struct carried {
    W value;
    CALL call;
};
template <typename CALL, typename W> struct by_carried {
    typedef carried<W, CALL> V;
    static constexpr bool maybe = true;
    static TUNE_DEVICE V combine(const V &a, const V &b)
    {
        CALL own = a.call;
        return {(W)own(a.value, b.value), a.call};
    }
};

// The least or greatest value and the lowest index that has it. NaN counts as missing, -0 equals 0.
template <typename V> struct indexed_value {
    V value;
    u64 index; // ~0: of nothing
};
template <bool MAXIMUM, typename OF> struct by_place {
    typedef indexed_value<OF> V;
    static constexpr bool maybe = false;
    static TUNE_DEVICE V identity()
    {
        return {(OF)extreme<MAXIMUM>::template of<OF>::identity(), ~0ull};
    }
    static TUNE_DEVICE V combine(const V &a, const V &b)
    {
        const bool further = MAXIMUM ? a.value < b.value : b.value < a.value;
        return further || (a.value == b.value && b.index < a.index) ? b : a;
    }
};

// Combines values of elements that come before with those of elements behind them.
template <typename HOW>
TUNE_DEVICE typename HOW::V combined_in_order(HOW, const typename HOW::V &a,
                                              const typename HOW::V &b)
{
    return HOW::combine(a, b);
}
template <bool MAXIMUM, typename OF>
TUNE_DEVICE indexed_value<OF> combined_in_order(by_place<MAXIMUM, OF>, const indexed_value<OF> &a,
                                                const indexed_value<OF> &b)
{
    return (MAXIMUM ? a.value < b.value : b.value < a.value) ? b : a;
}

// HOW: one of the above. OUT: takes the result, out[0] = partial.
template <typename HOW, typename OUT> struct any_operation {
    template <typename T> struct of {
        typedef partial<typename HOW::V, HOW::maybe> accumulator;
        typedef accumulator result;
        typedef OUT output;
        typedef typename HOW::V value;
        static constexpr bool redux = false;
        static TUNE_DEVICE accumulator identity()
        {
            if constexpr (HOW::maybe)
                return {};
            else
                return accumulator::of(HOW::identity());
        }
        static TUNE_DEVICE accumulator combine(const accumulator &a, const accumulator &b)
        {
            if (!b.is_there())
                return a;
            if (!a.is_there())
                return b;
            return accumulator::of(HOW::combine(a.value(), b.value()));
        }
        // Elements of `a` come before those of `b`.
        static TUNE_DEVICE accumulator combine_in_order(const accumulator &a, const accumulator &b)
        {
            if (!b.is_there())
                return a;
            if (!a.is_there())
                return b;
            return accumulator::of(combined_in_order(HOW(), a.value(), b.value()));
        }
    };
};

// ---- where results go ----

template <typename R, typename V> TUNE_DEVICE R stored_as(const V &value)
{
    if constexpr (same<R, f16>::value)
        return half_of((f32)value);
    else if constexpr (same<R, bf16>::value)
        return rounded_bfloat_of((f32)value);
    else
        return (R)value;
}

template <typename R, typename W, typename CALL>
TUNE_DEVICE R stored_as(const carried<W, CALL> &value)
{
    return stored_as<R>(value.value);
}

// OUT: a pointer, or an iterator that takes values R. HAS_INIT: an initial value comes before all;
// else of nothing at all there is nothing to store, or the identity.
template <typename HOW, typename OUT, typename R, bool HAS_INIT> struct value_output {
    typedef typename HOW::V V;
    OUT at;
    V init;

    TUNE_DEVICE value_output operator[](u64 index) const
    {
        return {at + (long long)index, init};
    }
    TUNE_DEVICE void operator=(const partial<V, HOW::maybe> &all) const
    {
        OUT to = at;
        if (!all.is_there()) {
            if constexpr (HAS_INIT)
                *to = stored_as<R>(init);
            return;
        }
        if constexpr (HAS_INIT)
            *to = stored_as<R>(HOW::combine(init, all.value()));
        else
            *to = stored_as<R>(all.value());
    }
};

// A value and its index in two places; either may be NULL.
template <typename HOW, typename R, typename I> struct place_output {
    typedef typename HOW::V V;
    R *value;
    I *index;

    TUNE_DEVICE place_output operator[](u64 i) const
    {
        return {value == nullptr ? nullptr : value + i, index == nullptr ? nullptr : index + i};
    }
    TUNE_DEVICE void operator=(const partial<V, false> &all) const
    {
        const V best = all.value();
        if (value != nullptr)
            *value = stored_as<R>(best.value);
        if (index != nullptr)
            *index = (I)best.index;
    }
};

// The same in one struct with members key and value.
template <typename HOW, typename OUT, typename PAIR> struct pair_output {
    typedef typename HOW::V V;
    OUT at;

    TUNE_DEVICE pair_output operator[](u64 index) const
    {
        return {at + (long long)index};
    }
    TUNE_DEVICE void operator=(const partial<V, false> &all) const
    {
        const V best = all.value();
        OUT to = at;
        PAIR made;
        made.key = (decltype(made.key))best.index;
        made.value = stored_as<decltype(made.value)>(best.value);
        *to = made;
    }
};

// ---- what is read ----

struct as_it_is {
    template <typename E> TUNE_DEVICE E operator()(const E &element, u64) const
    {
        return element;
    }
};

// A caller's function of each element. It may have members: it travels with the input.
template <typename CALL> struct through_call {
    CALL call;
    template <typename E> TUNE_DEVICE auto operator()(const E &element, u64) const
    {
        CALL own = call;
        return own(element);
    }
};

// With the operator, as by_carried combines it.
template <typename W, typename OF, typename CALL> struct with_call {
    OF of;
    CALL call;
    template <typename E> TUNE_DEVICE carried<W, CALL> operator()(const E &element, u64 index) const
    {
        return {widened<W>(of(element, index)), call};
    }
};

// With its index, as by_place combines it.
template <bool MAXIMUM, typename V, typename OF> struct with_place {
    OF of;
    template <typename E> TUNE_DEVICE indexed_value<V> operator()(const E &element, u64 index) const
    {
        const V value = widened<V>(of(element, index));
        if (value == value)
            return {value, index};
        return by_place<MAXIMUM, V>::identity();
    }
};

// at[0], at[1] ... are elements E; of(element, its index) is what is combined. PACKED: `at` is a
// pointer, aligned to E, which is of 1, 2, 4 or 8 bytes: several are loaded at a time.
template <typename AT, typename E, typename OF, bool PACKED> struct any_input {
    typedef any_input input;
    AT at;
    OF of;
};

template <int BYTES> struct bits_of_size;
template <> struct bits_of_size<1> {
    typedef u8 type;
};
template <> struct bits_of_size<2> {
    typedef u16 type;
};
template <> struct bits_of_size<4> {
    typedef u32 type;
};
template <> struct bits_of_size<8> {
    typedef u64 type;
};

// Packs of COUNT elements as they are loaded; without PACKED a pack is an element.
template <typename AT, typename E, bool PACKED, int COUNT> struct loads_of {
    typedef typename bits_of_size<sizeof(E)>::type bits;
    typedef tune::pack<bits, COUNT> pack;
    const bits *at;
    tune::extent<bits, COUNT> extent;

    TUNE_DEVICE loads_of(AT from, u64 first, long long n)
        : at((const bits *)(from + first)), extent(extent_of<bits, COUNT>(at, n))
    {
    }
    template <cache CACHE> TUNE_DEVICE pack load(u64 index) const
    {
        return load_pack<CACHE>(extent.first + index);
    }
    TUNE_DEVICE bits load_one(u64 index) const
    {
        return at[index];
    }
    static TUNE_DEVICE E element(bits from)
    {
        room_for<E> to;
        copy_bytes<(int)sizeof from>((void *)&to.value, &from);
        return to.value;
    }
    static TUNE_DEVICE E element(const pack &from, int index)
    {
        return element(from.lane[index]);
    }
};
template <typename AT, typename E, int COUNT> struct loads_of<AT, E, false, COUNT> {
    static_assert(COUNT == 1, "elements that are no packs are loaded one by one");
    typedef char bits; // there are no ends
    typedef E pack;
    AT at;
    u64 first;
    struct {
        u64 packs;
        u32 head, ends;
    } extent;

    TUNE_DEVICE loads_of(AT from, u64 begin, long long n)
        : at(from), first(begin), extent{(u64)n, 0, 0}
    {
    }
    template <cache CACHE> TUNE_DEVICE pack load(u64 index) const
    {
        return (E)at[(long long)(first + index)];
    }
    static TUNE_DEVICE const E &element(const pack &from, int)
    {
        return from;
    }
};

// Elements `first` .. `first` + n, of which the indices count from 0; for the threads from number 0
// up that `thread` is one of.
template <typename OP, typename AT, typename E, typename OF, bool PACKED, typename POLICY>
struct tiles_of<OP, any_input<AT, E, OF, PACKED>, POLICY> : loads_of<AT, E, PACKED, POLICY::count> {
    typedef any_input<AT, E, OF, PACKED> T;
    typedef loads_of<AT, E, PACKED, POLICY::count> source;
    typedef typename OP::template of<T> F;
    typedef typename F::accumulator A;
    typedef typename source::pack pack;
    static constexpr int count = POLICY::count, loads = POLICY::loads;
    OF of;
    u32 thread;

    TUNE_DEVICE tiles_of(const T &in, long long n, u64 first = 0, u32 of_thread = threadIdx.x)
        : source(in.at, first, n), of(in.of), thread(of_thread)
    {
    }

    TUNE_DEVICE A full(u32 tile) const
    {
        const u64 at = (u64)tile * POLICY::tile_packs + thread;
        pack got[loads];
#pragma unroll
        for (int i = 0; i < loads; i++)
            got[i] = this->template load<POLICY::cache>(at + i * POLICY::block);
        return folded<loads * count>(got, at, 0);
    }
    TUNE_DEVICE A some(u32 tile, u32 rest) const
    {
        const u64 at = (u64)tile * POLICY::tile_packs + thread;
        pack got[loads];
#pragma unroll
        for (int i = 0; i < loads; i++)
            if (thread + i * POLICY::block < rest)
                got[i] = this->template load<POLICY::cache>(at + i * POLICY::block);
        A value = F::identity();
#pragma unroll
        for (int i = 0; i < loads; i++)
            if (thread + i * POLICY::block < rest)
                value = F::combine_in_order(value, folded<count>(got, at, i * count));
        return value;
    }

    struct ending {
        typename source::bits bits;
        u64 index;
        bool there;
    };
    TUNE_DEVICE ending end(const T &, long long n, bool is_mine) const
    {
        ending got = {0, 0, false};
        if constexpr (count > 1) {
            got.there = thread < this->extent.ends && is_mine;
            if (got.there) {
                got.index = thread < this->extent.head ? thread : n - this->extent.ends + thread;
                got.bits = this->load_one(got.index);
            }
        }
        return got;
    }
    TUNE_DEVICE A with_end(A value, const ending &end) const
    {
        if constexpr (count > 1)
            if (end.there)
                return F::combine(value, combined_of(source::element(end.bits), end.index));
        return value;
    }

  private:
    TUNE_DEVICE A combined_of(const E &element, u64 index) const
    {
        return A::of(widened<typename F::value>(of(element, index)));
    }

    // Elements number `first` .. + COUNT of those that a thread has loaded, pairwise: so few values
    // wait at a time that large ones need no more registers than they must.
    template <int COUNT> TUNE_DEVICE A folded(const pack *got, u64 at, int first) const
    {
        if constexpr (COUNT == 1) {
            const int load = first / count, lane = first % count;
            return combined_of(source::element(got[load], lane),
                               this->extent.head + (at + load * POLICY::block) * count + lane);
        } else {
            const A left = folded<(COUNT + 1) / 2>(got, at, first);
            return F::combine_in_order(left, folded<COUNT / 2>(got, at, first + (COUNT + 1) / 2));
        }
    }
};

} // namespace tune

#endif
