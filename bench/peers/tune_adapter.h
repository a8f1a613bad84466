// tune's calls as contenders.
#ifndef TUNE_BENCH_PEERS_TUNE_ADAPTER
#define TUNE_BENCH_PEERS_TUNE_ADAPTER

#include <tune/reduce.cuh>

#include "peers.h"

namespace peers
{

const struct tuned *conf(); // tune.cu

inline choice choice_of(const tune::choice &why)
{
    return {why.configuration,
            std::string(tuned_grade_name(why.grade)) + (why.is_exact ? "" : ", not launched"),
            why.reason};
}

// The result is R.
template <typename OP, typename T, typename R> struct tune_reduce {
    static size_t workspace_bytes(size_t)
    {
        return tune::reduce_workspace_bytes();
    }
    static void prepare(void *workspace, size_t bytes, cudaStream_t stream)
    {
        CHECK(tune::reduce_prepare(workspace, bytes, stream));
    }
    static void submit(const call &call)
    {
        CHECK(tune::reduce<OP>(conf(), static_cast<const T *>(call.in), call.n,
                               static_cast<R *>(call.out), call.workspace, call.workspace_bytes,
                               call.stream));
    }
    static choice chosen(size_t n)
    {
        tune::reduce_plan<OP, T> plan;
        tune::choice why;
        CHECK(tune::plan_reduce(conf(), n, &plan, &why));
        return choice_of(why);
    }
    static constexpr contender contender_of = {"tune::reduce", workspace_bytes, prepare,
                                               nullptr,        submit,          chosen};
};

} // namespace peers

#endif
