// tune's calls of other inputs, operators and results.
#include "any.h"
#include "tune_adapter.h"

namespace peers
{

namespace
{

// Finds the launch of a call that is captured and thrown away: the addresses are never read.
template <typename CALL> choice chosen_by(size_t n)
{
    static char places[1] = {};
    tune::choice why;
    cudaStream_t stream;
    cudaGraph_t graph;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    void *const nowhere =
        reinterpret_cast<void *>((reinterpret_cast<uintptr_t>(places) + 255) / 256 * 256);
    CHECK(CALL::run({nowhere, n, nowhere, nowhere, tune::reduce_workspace_bytes(), stream}, &why));
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(stream));
    return choice_of(why);
}

template <typename RUN> struct any_call {
    static const struct tuned *own_conf()
    {
        static const struct tuned *const found = conf("reduce.");
        return found;
    }
    static cudaError_t run(const call &call, tune::choice *why)
    {
        return RUN::run(own_conf(), call, why);
    }
    static void submit(const call &call)
    {
        CHECK(run(call, nullptr));
    }
    static choice chosen(size_t n)
    {
        return chosen_by<any_call>(n);
    }
    static constexpr contender contender_of(const char *name)
    {
        return tune_call<any_call>::as(name);
    }
};

template <typename T, typename R, typename IN, typename OP>
cudaError_t reduce_with(const struct tuned *tuned, const call &call, const IN &in, OP op, R init,
                        tune::choice *why)
{
    return tune::reduce_with(tuned, in, call.n, static_cast<R *>(call.out), op, init,
                             call.workspace, call.workspace_bytes, call.stream, why);
}

struct wide {
    static cudaError_t run(const struct tuned *tuned, const call &call, tune::choice *why)
    {
        return reduce_with<int32_t>(tuned, call, static_cast<const int32_t *>(call.in), tune::sum(),
                                    int64_t(0), why);
    }
};
struct transform {
    static cudaError_t run(const struct tuned *tuned, const call &call, tune::choice *why)
    {
        const auto in = tune::transformed(static_cast<const float *>(call.in), doubled());
        return reduce_with<float>(tuned, call, in, tune::sum(), 0.0f, why);
    }
};
struct by_operator {
    static cudaError_t run(const struct tuned *tuned, const call &call, tune::choice *why)
    {
        return reduce_with<float>(tuned, call, static_cast<const float *>(call.in), furthest(),
                                  0.0f, why);
    }
};
struct least {
    static cudaError_t run(const struct tuned *tuned, const call &call, tune::choice *why)
    {
        place *const out = static_cast<place *>(call.out);
        return tune::arg_min(tuned, static_cast<const float *>(call.in), call.n, &out->value,
                             reinterpret_cast<int64_t *>(out->index), call.workspace,
                             call.workspace_bytes, call.stream, why);
    }
};

// The workspace has the results: that of the last segment is looked at.
template <int LENGTH> struct segments {
    static cudaError_t run(const call &call, tune::choice *why)
    {
        static const struct tuned *const tuned = conf("reduce_segments.");
        typedef boundary<LENGTH> at;
        const long long n = (long long)call.n;
        return tune::reduce_segments(
            tuned, static_cast<const float *>(call.in), at::count(call.n), at{n, 0}, at{n, LENGTH},
            LENGTH, static_cast<float *>(call.workspace), tune::sum(), 0.0f, call.stream, why);
    }
    static void submit(const call &call)
    {
        CHECK(run(call, nullptr));
    }
    static choice chosen(size_t n)
    {
        return chosen_by<segments>(n);
    }
    static size_t workspace_bytes(size_t n)
    {
        return boundary<LENGTH>::count(n) * sizeof(float);
    }
    static size_t result_offset(size_t n)
    {
        return (boundary<LENGTH>::count(n) - 1) * sizeof(float);
    }
    static void prepare(void *, size_t, cudaStream_t)
    {
    }
    static constexpr contender contender_of = {"tune::reduce_segments", workspace_bytes, prepare,
                                               result_offset,           submit,          chosen};
};

} // namespace

const contender tune_wide_i32 = any_call<wide>::contender_of("tune::reduce_with");
const contender tune_transform_f32 = any_call<transform>::contender_of("tune::reduce_with");
const contender tune_operator_f32 = any_call<by_operator>::contender_of("tune::reduce_with");
const contender tune_argmin_f32 = any_call<least>::contender_of("tune::arg_min");
const contender tune_segments_32_f32 = segments<32>::contender_of;
const contender tune_segments_1024_f32 = segments<1024>::contender_of;
const contender tune_segments_20000_f32 = segments<20000>::contender_of;

} // namespace peers
