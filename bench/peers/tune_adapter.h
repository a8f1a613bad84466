// tune's calls as contenders.
#ifndef TUNE_BENCH_PEERS_TUNE_ADAPTER
#define TUNE_BENCH_PEERS_TUNE_ADAPTER

#include <tune/reduce.cuh>
#include <tune/reduce_ordered.cuh>

#include "peers.h"

namespace peers
{

// Returns the first of the files that has an entry of the family, "reduce."; NULL: none. tune.cu
const struct tuned *conf(const char *family);

inline choice choice_of(const tune::choice &why)
{
    return {why.configuration,
            std::string(tuned_grade_name(why.grade)) + (why.is_exact ? "" : ", not launched"),
            why.reason};
}

// A call of tune's: CALL::submit, CALL::chosen.
template <typename CALL> struct tune_call {
    static size_t workspace_bytes(size_t)
    {
        return tune::reduce_workspace_bytes();
    }
    static void prepare(void *workspace, size_t bytes, cudaStream_t stream)
    {
        CHECK(tune::reduce_prepare(workspace, bytes, stream));
    }
    static constexpr contender as(const char *name)
    {
        return {name, workspace_bytes, prepare, nullptr, CALL::submit, CALL::chosen};
    }
};

// The result is R.
template <typename OP, typename T, typename R> struct tune_reduce {
    static const struct tuned *own_conf()
    {
        static const struct tuned *const found = conf("reduce.");
        return found;
    }
    static void submit(const call &call)
    {
        CHECK(tune::reduce<OP>(own_conf(), static_cast<const T *>(call.in), call.n,
                               static_cast<R *>(call.out), call.workspace, call.workspace_bytes,
                               call.stream));
    }
    static choice chosen(size_t n)
    {
        tune::reduce_plan<OP, T> plan;
        tune::choice why;
        CHECK(tune::plan_reduce(own_conf(), n, &plan, &why));
        return choice_of(why);
    }
    static constexpr contender contender_of = tune_call<tune_reduce>::as("tune::reduce");
};

template <typename OP> struct tune_ordered {
    typedef typename OP::element E;
    static const struct tuned *own_conf()
    {
        static const struct tuned *const found = conf("reduce_ordered.");
        return found;
    }
    static void submit(const call &call)
    {
        CHECK(tune::reduce_ordered<OP>(own_conf(), static_cast<const E *>(call.in), call.n,
                                       static_cast<E *>(call.out), call.workspace,
                                       call.workspace_bytes, call.stream));
    }
    static choice chosen(size_t n)
    {
        tune::reduce_ordered_plan<OP> plan;
        tune::choice why;
        CHECK(tune::plan_reduce_ordered(own_conf(), n, &plan, &why));
        return choice_of(why);
    }
    static constexpr contender contender_of = tune_call<tune_ordered>::as("tune::reduce_ordered");
};

} // namespace peers

#endif
