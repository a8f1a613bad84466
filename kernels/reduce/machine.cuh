// What the kernels need of the machine and CUDA C++ has no words for without a header: loads with a
// hint, tickets, flagged partials, clusters, bulk copies, dependent launches. Each is PTX on the
// device; under an emulation of its threads (TUNE_SIMT) it is what that offers; in the host's pass
// of a compiler it is nothing.
#ifndef TUNE_KERNELS_REDUCE_MACHINE
#define TUNE_KERNELS_REDUCE_MACHINE

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 700
#error "needs compute capability 7.0: shuffles and atomics with a memory order"
#endif

// Shared memory, in templates too: a static array, and all of the dynamic one as bytes.
#ifndef TUNE_SHARED
#define TUNE_SHARED(type, name, count) __shared__ type name[count]
#define TUNE_DYNAMIC_SHARED(name)      extern __shared__ __align__(128) unsigned char name[]
#endif

#define TUNE_DEVICE __device__ __forceinline__

namespace tune
{

typedef unsigned int u32;
typedef unsigned long long u64;

enum : int { WARP = 32 };
constexpr u32 ALL_LANES = 0xffffffffu;

// The value of the lane `distance` above; of the last ones their own.
template <typename A> TUNE_DEVICE A value_above(A value, int distance)
{
    return __shfl_down_sync(ALL_LANES, value, distance);
}

// ---- loads of input, which is read once ----

enum class cache {
    no_allocate, // not kept in L1
    l2_256b,     // the same, and L2 fetches 256 bytes at a time (compute capability 8.0)
    streaming,   // first to be evicted from both levels (ld.cs)
    evict_first, // not kept in L1, first to be evicted from L2 (compute capability 8.0)
};

// COUNT elements of T that are loaded at once: 4, 8 or 16 bytes as words, too; or one element.
template <typename T, int COUNT, bool WORDS = (COUNT * sizeof(T) >= 4)>
struct alignas(COUNT * sizeof(T)) pack {
    static constexpr int words = COUNT * (int)sizeof(T) / 4;
    union {
        T lane[COUNT];
        u32 word[words];
    };
};
template <typename T, int COUNT> struct alignas(COUNT * sizeof(T)) pack<T, COUNT, false> {
    T lane[COUNT];
};

#ifdef __CUDA_ARCH__
#define TUNE_LOAD_(hint, policy_operand, ...)                                                      \
    if constexpr (words == 4)                                                                      \
        asm volatile("ld.global" hint ".v4.u32 {%0, %1, %2, %3}, [%4]" policy_operand("%5") ";"    \
                     : "=r"(word[0]), "=r"(word[1]), "=r"(word[2]), "=r"(word[3])                  \
                     : "l"(from)__VA_ARGS__);                                                      \
    else if constexpr (words == 2)                                                                 \
        asm volatile("ld.global" hint ".v2.u32 {%0, %1}, [%2]" policy_operand("%3") ";"            \
                     : "=r"(word[0]), "=r"(word[1])                                                \
                     : "l"(from)__VA_ARGS__);                                                      \
    else                                                                                           \
        asm volatile("ld.global" hint ".u32 %0, [%1]" policy_operand("%2") ";"                     \
                     : "=r"(word[0])                                                               \
                     : "l"(from)__VA_ARGS__);
#define TUNE_NO_POLICY(operand)
#define TUNE_POLICY(operand) ", " operand

template <cache CACHE, int words> TUNE_DEVICE void load_words(const void *from, u32 *word)
{
#if __CUDA_ARCH__ >= 800
    if constexpr (CACHE == cache::l2_256b) {
        TUNE_LOAD_(".nc.L1::no_allocate.L2::256B", TUNE_NO_POLICY)
        return;
    } else if constexpr (CACHE == cache::evict_first) {
        u64 policy;
        asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
        TUNE_LOAD_(".nc.L1::no_allocate.L2::cache_hint", TUNE_POLICY, , "l"(policy))
        return;
    }
#endif
    if constexpr (CACHE == cache::streaming) {
        TUNE_LOAD_(".cs", TUNE_NO_POLICY)
    } else {
        TUNE_LOAD_(".nc.L1::no_allocate", TUNE_NO_POLICY)
    }
}
#undef TUNE_LOAD_
#undef TUNE_NO_POLICY
#undef TUNE_POLICY
#endif

// A single element is a plain load, as a textbook has it.
template <cache CACHE, typename T, int COUNT>
TUNE_DEVICE pack<T, COUNT> load_pack(const pack<T, COUNT> *from)
{
#ifdef __CUDA_ARCH__
    if constexpr (COUNT > 1 && sizeof(pack<T, COUNT>) >= 4) {
        pack<T, COUNT> got;
        load_words<CACHE, pack<T, COUNT>::words>(from, got.word);
        return got;
    }
#endif
    const pack<T, COUNT> &aligned = *from; // named, so that a host's sanitizer checks its alignment
    return aligned;
}

// ---- words that several blocks share, in L2: L1 may hold an older one ----

template <typename T> TUNE_DEVICE T load_relaxed(const T *from)
{
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "a word of 4 or 8 bytes");
    union {
        T value;
        u32 word;
        u64 words;
    } got;
#ifdef __CUDA_ARCH__
    if constexpr (sizeof(T) == 4)
        asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(got.word) : "l"(from) : "memory");
    else
        asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];"
                     : "=l"(got.words)
                     : "l"(from)
                     : "memory");
#else
#ifdef TUNE_SIMT
    simt::give_way();
#endif
    if constexpr (sizeof(T) == 4)
        got.word = *(const volatile u32 *)from;
    else
        got.words = *(const volatile u64 *)from;
#endif
    return got.value;
}

// Takes a ticket: what this thread wrote before is seen by whoever takes a later one. The last of
// `count` tickets turns the counter back to 0, ready for the next launch.
TUNE_DEVICE u32 take_ticket(u32 *ticket, u32 count)
{
#ifdef __CUDA_ARCH__
    u32 taken;
    asm volatile("atom.acq_rel.gpu.global.inc.u32 %0, [%1], %2;"
                 : "=r"(taken)
                 : "l"(ticket), "r"(count - 1)
                 : "memory");
    return taken;
#elif defined(TUNE_SIMT)
    return atomicInc(ticket, count - 1);
#else
    return *ticket + count;
#endif
}

// Where a block leaves its partial for another: a plain one, or one that carries the number of its
// launch beside it, in 16 bytes that are written and read whole. Who sees the number sees the
// partial, without a fence. Of 64 bits, the number is taken for nothing else that memory may hold;
// and who has read the partial takes it away, so that a launch with the same number, which a
// graph's replay is, finds none.
struct alignas(16) slot {
    u64 value;
    u64 number;
};

// Such accesses are one instruction from compute capability 7.0 on. Only CUDA 12.3 has words that
// promise it.
#if defined(__CUDACC_VER_MAJOR__) && __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ >= 1203
#define TUNE_HAS_B128
#endif

template <typename T> TUNE_DEVICE void store_plain(slot *to, T value)
{
    *(T *)&to->value = value;
}

template <typename T> TUNE_DEVICE T load_plain(const slot *from)
{
    return load_relaxed((const T *)&from->value);
}

template <typename T> TUNE_DEVICE void store_flagged(slot *to, T value, u64 number)
{
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "a partial of 4 or 8 bytes");
#ifdef __CUDA_ARCH__
    union {
        T value;
        u32 word;
        u64 words;
    } of = {value};
    const u64 words = sizeof(T) == 4 ? (u64)of.word : of.words;
#ifdef TUNE_HAS_B128
    asm volatile("{\n\t.reg .b128 both;\n\t"
                 "mov.b128 both, {%1, %2};\n\t"
                 "st.relaxed.gpu.global.b128 [%0], both;\n\t}" ::"l"(to),
                 "l"(words), "l"(number)
                 : "memory");
#else
    asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};" ::"l"(to), "l"(words), "l"(number)
                 : "memory");
#endif
#else
#ifdef TUNE_SIMT
    simt::give_way();
#endif
    *(T *)&to->value = value;
    to->number = number;
#endif
}

// The partial as it is now; false: it is not yet that of launch `number`.
template <typename T> TUNE_DEVICE bool load_flagged(const slot *from, u64 number, T &value)
{
#ifdef __CUDA_ARCH__
    union {
        T value;
        u32 word;
        u64 words;
    } got;
    u64 words, its;
#ifdef TUNE_HAS_B128
    asm volatile("{\n\t.reg .b128 both;\n\t"
                 "ld.relaxed.gpu.global.b128 both, [%2];\n\t"
                 "mov.b128 {%0, %1}, both;\n\t}"
                 : "=l"(words), "=l"(its)
                 : "l"(from)
                 : "memory");
#else
    asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];"
                 : "=l"(words), "=l"(its)
                 : "l"(from)
                 : "memory");
#endif
    if constexpr (sizeof(T) == 4)
        got.word = (u32)words;
    else
        got.words = words;
    value = got.value;
    return its == number;
#else
#ifdef TUNE_SIMT
    simt::give_way();
#endif
    value = *(const T *)&from->value;
    return *(const volatile u64 *)&from->number == number;
#endif
}

// By the one that has read the partial.
TUNE_DEVICE void take_flag_away(slot *from)
{
#ifdef __CUDA_ARCH__
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(&from->number), "l"(0ull) : "memory");
#else
    from->number = 0;
#endif
}

// Some cycles pass.
TUNE_DEVICE void pause_cycles(u32 cycles)
{
#ifdef __CUDA_ARCH__
    u32 begin, now;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(begin));
    do
        asm volatile("mov.u32 %0, %%clock;" : "=r"(now));
    while (now - begin < cycles);
#elif defined(TUNE_SIMT)
    simt::give_way();
#endif
    (void)cycles;
}

// ---- what only compute capability 9.0 has ----

// Below it nothing below here could do what it says: rather than a wrong result there is none. Who
// knows while compiling that only such code is made refuses then (TUNE_NEEDS_90).
TUNE_DEVICE void refuse_below_90()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
    __trap();
#endif
}

// In a kernel that needs it, with a template parameter above 0: it traps when it is launched below;
// with TUNE_REFUSE_WHILE_COMPILING it is an error to compile it for less.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900 && defined(TUNE_REFUSE_WHILE_COMPILING)
#define TUNE_NEEDS_90(value) static_assert((value) < 0, "needs compute capability 9.0")
#else
#define TUNE_NEEDS_90(value) refuse_below_90()
#endif

// ---- clusters of blocks (compute capability 9.0) ----

TUNE_DEVICE u32 cluster_rank()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    u32 rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
#elif defined(TUNE_SIMT)
    return simt::cluster_rank();
#else
    return 0;
#endif
}

// Before any of its shared memory is written by another, a block must have begun: the first says
// that this one has, the second waits for all of the cluster.
TUNE_DEVICE void cluster_begin()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
#elif defined(TUNE_SIMT)
    simt::cluster_arrive(__LINE__);
#endif
}
TUNE_DEVICE void cluster_begun()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
#elif defined(TUNE_SIMT)
    simt::cluster_wait(__LINE__);
#endif
}

// Every thread of every block of the cluster arrives; what any of them wrote before into the shared
// memory of another is seen behind it.
TUNE_DEVICE void cluster_barrier()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.arrive.release.aligned;\n\t"
                 "barrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
#elif defined(TUNE_SIMT)
    simt::cluster_arrive(__LINE__);
    simt::cluster_wait(__LINE__);
#endif
}

// Stores a value of 4 or 8 bytes at `to`, an address of this block's static shared memory, in the
// shared memory of the cluster's block `rank`.
template <typename T> TUNE_DEVICE void store_in_cluster(T *to, u32 rank, T value)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    union {
        T value;
        u32 word;
        u64 words;
    } of = {value};
    const u32 mine = (u32)__cvta_generic_to_shared(to);
    u32 there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(mine), "r"(rank));
    if constexpr (sizeof(T) == 4)
        asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(there), "r"(of.word) : "memory");
    else
        asm volatile("st.shared::cluster.u64 [%0], %1;" ::"r"(there), "l"(of.words) : "memory");
#elif defined(TUNE_SIMT)
    *simt::cluster_map(to, rank) = value;
#endif
}

// ---- bulk copies from global into shared memory (compute capability 9.0) ----
// A barrier is 8 bytes of shared memory. One thread initialises it, all synchronise; one thread
// expects bytes and starts copies; all wait for the phase that those bytes complete, phases being
// numbered 0, 1, 0, 1 ...

TUNE_DEVICE void bulk_barrier_init(u64 *barrier)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile(
        "mbarrier.init.shared::cta.b64 [%0], 1;\n\t"
        "fence.mbarrier_init.release.cluster;" ::"r"((u32)__cvta_generic_to_shared(barrier))
        : "memory");
#elif defined(TUNE_SIMT)
    simt::bulk_barrier_init(barrier);
#endif
}

// Both addresses are multiples of 16, and so is `bytes`, at most 2^20 - 1.
TUNE_DEVICE void bulk_copy(void *to_shared, const void *from, u32 bytes, u64 *barrier)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    const u32 at = (u32)__cvta_generic_to_shared(barrier);
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at), "r"(bytes)
                 : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1], %2, [%3];" ::"r"((u32)__cvta_generic_to_shared(to_shared)),
                 "l"(from), "r"(bytes), "r"(at)
                 : "memory");
#elif defined(TUNE_SIMT)
    simt::bulk_copy(to_shared, from, bytes, barrier);
#endif
}

TUNE_DEVICE void bulk_wait(u64 *barrier, u32 phase)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("{\n\t.reg .pred done;\n"
                 "again:\n\t"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n\t"
                 "@!done bra again;\n\t}" ::"r"((u32)__cvta_generic_to_shared(barrier)),
                 "r"(phase)
                 : "memory");
#elif defined(TUNE_SIMT)
    simt::bulk_wait(barrier, phase);
#endif
}

// ---- dependent launches (compute capability 9.0) ----

// The launch behind this one may begin.
TUNE_DEVICE void let_dependents_begin()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

// Until the launch in front of this one has ended, and what it wrote is seen.
TUNE_DEVICE void wait_for_launch_before()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#elif defined(TUNE_SIMT)
    simt::wait_for_launch_before();
#endif
}

} // namespace tune

#endif
