// tune/reduce.cuh on a GPU: test_calls [--small]. Each check prints PASSED or FAILED; the exit
// code is 1 if one failed, 77 without a GPU. Needs only a driver.
#include "checks.cuh"

#include <thread>

static const size_t workspace_bytes = tune::reduce_workspace_bytes();

// Maps i to i % 1000 - 300; its sum is known.
static int counted(size_t i)
{
    return (int)(i % 1000) - 300;
}
static int counted_sum(size_t n)
{
    const size_t whole = n / 1000, rest = n % 1000;
    return (int)((long long)whole * 199500 + (long long)rest * ((long long)rest - 1) / 2 -
                 300 * (long long)rest);
}
static void fill_counted(const bench &on, size_t count)
{
    std::vector<int> host(count);
    for (size_t i = 0; i < count; i++)
        host[i] = counted(i);
    WELL(cudaMemcpyAsync(on.memory, host.data(), count * sizeof(int), cudaMemcpyHostToDevice,
                         on.stream));
    WELL(cudaStreamSynchronize(on.stream));
}
template <typename T> static T fetched(const bench &on, const T *from)
{
    T got;
    WELL(cudaMemcpyAsync(&got, from, sizeof got, cudaMemcpyDeviceToHost, on.stream));
    WELL(cudaStreamSynchronize(on.stream));
    return got;
}

// ---- the choice ----

enum : size_t { COUNTED = 300007, OUT_AT = 2 << 20, BENCH_BYTES = 4 << 20 };

static tune::choice sum_with(const bench &on, const struct tuned *tuned, size_t n)
{
    tune::choice why;
    int *out = on.at<int>(OUT_AT);
    WELL(tune::reduce<tune::sum>(tuned, on.at<int>(0), n, out, on.workspace, workspace_bytes,
                                 on.stream, &why));
    const int got = fetched(on, out);
    if (got != counted_sum(n))
        failed("sum_with", "%d instead of %d: %s", got, counted_sum(n), why.configuration);
    return why;
}

static bool has(const char *text, const char *part)
{
    return std::strstr(text, part) != nullptr;
}

static void without_tuned_conf_there_is_a_default(const bench &on)
{
    tune::choice why = sum_with(on, nullptr, 1000);
    EXPECT(why.grade == TUNED_NONE && !why.is_exact);
    EXPECT(has(why.configuration, "variant=one_block"));
    EXPECT(has(why.reason, "no tuned.conf is loaded") && has(why.reason, "default"));
    why = sum_with(on, nullptr, COUNTED);
    EXPECT(has(why.configuration, "variant=last_block"));
}

static const char *const compiled_in =
    "variant=flagged map=strided step=redux cluster_size=1 stages=0 block=256 count=4 loads=2 "
    "cache=l2_256b bound=full blocks_per_sm=3 min_blocks=8 grid=264";

static void entry_is_launched(const bench &on)
{
    struct tuned *tuned = conf_of("reduce.sum.i32", compiled_in);
    const tune::choice why = sum_with(on, tuned, COUNTED);
    EXPECT(why.grade == TUNED_IN_RANGE && why.is_exact);
    EXPECT(has(why.configuration, "variant=flagged") && has(why.configuration, "blocks_per_sm=3"));
    tuned_free(tuned);
}

static void entry_of_another_device_is_launched(const bench &on)
{
    struct tuned *tuned = conf_of("reduce.sum.i32", compiled_in, "NVIDIA Imaginary");
    const tune::choice why = sum_with(on, tuned, COUNTED);
    EXPECT(why.grade == TUNED_OTHER_DEVICE && why.is_exact);
    EXPECT(has(why.reason, "NVIDIA Imaginary"));
    tuned_free(tuned);
}

static void what_is_not_compiled_in_gives_the_nearest(const bench &on)
{
    struct tuned *tuned =
        conf_of("reduce.sum.i32", "variant=flagged map=strided step=redux block=96 count=4 loads=2 "
                                  "cache=l2_256b min_blocks=8 blocks_per_sm=2");
    const tune::choice why = sum_with(on, tuned, COUNTED);
    EXPECT(why.grade == TUNED_NONE && !why.is_exact);
    EXPECT(has(why.configuration, "variant=flagged") && has(why.configuration, "block=256"));
    EXPECT(has(why.configuration, "blocks_per_sm=2"));
    EXPECT(has(why.reason, "not compiled in") && has(why.reason, "differs in block"));
    tuned_free(tuned);
}

static void nonsense_gives_the_default(const bench &on)
{
    struct tuned *tuned = conf_of("reduce.sum.i32", "variant=guess map=strided");
    const tune::choice why = sum_with(on, tuned, COUNTED);
    EXPECT(!why.is_exact && has(why.configuration, "variant=last_block"));
    EXPECT(has(why.reason, "'variant'"));
    tuned_free(tuned);
}

static void one_block_is_not_stretched(const bench &on)
{
    const char *line = "variant=one_block map=strided step=shuffle block=512 count=4 loads=4 "
                       "cache=no_allocate blocks_per_sm=1";
    struct tuned *tuned = conf_of("reduce.sum.i32", line, nullptr, 1, 1024);
    EXPECT(sum_with(on, tuned, 2000).is_exact);
    const tune::choice why = sum_with(on, tuned, COUNTED);
    EXPECT(!why.is_exact && why.grade == TUNED_NONE); // more than eight times away
    EXPECT(has(why.configuration, "variant=last_block"));
    tuned_free(tuned);
}

static void what_cannot_be_is_refused(const bench &on)
{
    int *in = on.at<int>(0), *out = on.at<int>(OUT_AT), *nothing = nullptr;
    char *off = (char *)in + 1;
    const auto with = [&](int *from, int *to, void *workspace, size_t bytes) {
        return tune::reduce<tune::sum>(nullptr, from, 100, to, workspace, bytes, on.stream);
    };
    EXPECT(with(nothing, out, on.workspace, workspace_bytes) == cudaErrorInvalidValue);
    EXPECT(with((int *)(void *)off, out, on.workspace, workspace_bytes) == cudaErrorInvalidValue);
    EXPECT(with(in, nothing, on.workspace, workspace_bytes) == cudaErrorInvalidValue);
    EXPECT(with(in, out, nullptr, workspace_bytes) == cudaErrorInvalidValue);
    EXPECT(with(in, out, on.workspace, workspace_bytes - 1) == cudaErrorInvalidValue);
    EXPECT(tune::reduce_prepare(nullptr, workspace_bytes, on.stream) == cudaErrorInvalidValue);
    EXPECT(tune::reduce<tune::sum>(nullptr, nothing, 0, out, on.workspace, workspace_bytes,
                                   on.stream) == cudaSuccess);
    EXPECT(fetched(on, out) == 0);
}

// ---- streams, threads, graphs ----

// Launches some configurations in turn on one workspace, among other types and operators.
static void launches_follow_one_another(const bench &on)
{
    typedef tune::calls::reduce_problem<tune::sum, tune::i32> problem;
    const auto &table = tune::calls::table_of<problem, tune::calls::own_list>();
    std::vector<struct tuned *> tuned;
    for (int i = 0; i < table.count; i++) {
        char line[256];
        tune::calls::describe(table.fields, table.at[i].parameters, line, sizeof line);
        tuned.push_back(conf_of(problem::key.at, line));
    }
    const size_t rounds = chosen.is_small ? 1 : 200, bytes = sizeof(int);
    int *out = on.at<int>(OUT_AT);
    for (size_t i = 0; i < rounds * tuned.size(); i++) {
        WELL(tune::reduce<tune::sum>(tuned[i * 7 % tuned.size()], on.at<int>(0), 5000 + i * 13,
                                     out + 2 * i, on.workspace, workspace_bytes, on.stream));
        WELL(tune::reduce<tune::maximum>(nullptr, on.at<long long>(0), 40000,
                                         on.at<long long>(BENCH_BYTES - 256), on.workspace,
                                         workspace_bytes, on.stream));
    }
    std::vector<int> got(2 * rounds * tuned.size());
    WELL(cudaMemcpyAsync(got.data(), out, got.size() * bytes, cudaMemcpyDeviceToHost, on.stream));
    WELL(cudaStreamSynchronize(on.stream));
    for (size_t i = 0; i < rounds * tuned.size(); i++)
        if (got[2 * i] != counted_sum(5000 + i * 13)) {
            failed(__func__, "launch %zu is wrong", i);
            break;
        }
    for (struct tuned *each : tuned)
        tuned_free(each);
}

// Runs a thread for each of 8 streams, all at once.
static void streams_do_not_disturb_one_another(const bench &on)
{
    struct tuned *tuned = conf_of("reduce.sum.i32", compiled_in);
    const int launches = chosen.is_small ? 10 : 300;
    std::vector<std::thread> threads;
    std::vector<int> wrong(8);
    for (int t = 0; t < 8; t++)
        threads.emplace_back([&, t] {
            const bench own((size_t)launches * sizeof(int));
            for (int i = 0; i < launches; i++)
                WELL(tune::reduce<tune::sum>(
                    t % 2 ? tuned : nullptr, on.at<int>(0), COUNTED - 1000 * (size_t)t - (size_t)i,
                    own.at<int>(0) + i, own.workspace, workspace_bytes, own.stream));
            std::vector<int> got((size_t)launches);
            WELL(cudaMemcpyAsync(got.data(), own.memory, got.size() * sizeof(int),
                                 cudaMemcpyDeviceToHost, own.stream));
            WELL(cudaStreamSynchronize(own.stream));
            for (int i = 0; i < launches; i++)
                wrong[(size_t)t] +=
                    got[(size_t)i] != counted_sum(COUNTED - 1000 * (size_t)t - (size_t)i);
        });
    for (std::thread &thread : threads)
        thread.join();
    for (size_t t = 0; t < wrong.size(); t++)
        if (wrong[t] > 0)
            failed(__func__, "%d sums of stream %zu", wrong[t], t);
    tuned_free(tuned);
}

// Captures the program's first call for this problem.
static void first_call_is_captured(const bench &on)
{
    short *in = on.at<short>(0);
    int *out = on.at<int>(OUT_AT);
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t ready = nullptr;
    tune::choice why;
    WELL(cudaStreamBeginCapture(on.stream, cudaStreamCaptureModeGlobal));
    WELL(tune::reduce<tune::sum>(nullptr, in, 1000, out, on.workspace, workspace_bytes, on.stream,
                                 &why));
    WELL(cudaStreamEndCapture(on.stream, &graph));
    WELL(cudaGraphInstantiate(&ready, graph, 0));
    WELL(cudaMemsetAsync(in, 1, 1000 * sizeof *in, on.stream)); // each is 257
    WELL(cudaGraphLaunch(ready, on.stream));
    EXPECT(fetched(on, out) == 257000);
    WELL(cudaGraphExecDestroy(ready));
    WELL(cudaGraphDestroy(graph));
}

// Puts every configuration of a problem into one graph and replays it on changing input.
static void graphs_are_replayed(const bench &on)
{
    typedef tune::calls::reduce_problem<tune::sum, tune::i32> problem;
    const auto &table = tune::calls::table_of<problem, tune::calls::own_list>();
    const size_t n = 70001;
    int *in = on.at<int>(0), *out = on.at<int>(OUT_AT);
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t ready = nullptr;
    WELL(cudaStreamBeginCapture(on.stream, cudaStreamCaptureModeGlobal));
    for (int i = 0; i < table.count; i++) {
        char line[256];
        tune::calls::describe(table.fields, table.at[i].parameters, line, sizeof line);
        struct tuned *tuned = conf_of(problem::key.at, line);
        WELL(tune::reduce<tune::sum>(tuned, in, n, out + i, on.workspace, workspace_bytes,
                                     on.stream));
        tuned_free(tuned);
    }
    WELL(cudaStreamEndCapture(on.stream, &graph));
    WELL(cudaGraphInstantiate(&ready, graph, 0));
    std::vector<int> got((size_t)table.count);
    for (int replay = 0; replay < (chosen.is_small ? 2 : 50); replay++) {
        WELL(cudaMemsetAsync(in, replay, n * sizeof *in, on.stream));
        WELL(cudaGraphLaunch(ready, on.stream));
        WELL(cudaMemcpyAsync(got.data(), out, got.size() * sizeof(int), cudaMemcpyDeviceToHost,
                             on.stream));
        WELL(cudaStreamSynchronize(on.stream));
        for (int i = 0; i < table.count; i++)
            if (got[(size_t)i] != (int)((unsigned int)n * ((unsigned int)replay * 0x01010101u)))
                failed(__func__, "replay %d, configuration %d", replay, i);
    }
    WELL(cudaGraphExecDestroy(ready));
    WELL(cudaGraphDestroy(graph));
}

// Makes a plan once, copies it, and runs it at other sizes.
static void plans_are_kept(const bench &on)
{
    tune::reduce_plan<tune::sum, int> plan;
    int *out = on.at<int>(OUT_AT);
    WELL(tune::plan_reduce(nullptr, COUNTED, &plan));
    const tune::reduce_plan<tune::sum, int> copy = plan;
    for (const size_t n : {(size_t)COUNTED, (size_t)0, (size_t)5, (size_t)100000}) {
        WELL(copy.run(on.at<int>(0), n, out, on.workspace, on.stream));
        EXPECT(fetched(on, out) == counted_sum(n));
    }
}

static void types_of_callers_are_taken(const bench &on)
{
    static_assert(std::is_same_v<tune::reduce_result_t<tune::sum, int64_t>, int64_t>);
    static_assert(std::is_same_v<tune::reduce_result_t<tune::sum, long long>, long long>);
    static_assert(std::is_same_v<tune::reduce_result_t<tune::product, short>, int>);
    static_assert(std::is_same_v<tune::reduce_result_t<tune::sum, unsigned char>, unsigned int>);
    static_assert(std::is_same_v<tune::reduce_result_t<tune::sum, __half>, float>);
    static_assert(std::is_same_v<tune::reduce_result_t<tune::minimum, __half>, __half>);
    static_assert(std::is_same_v<tune::reduce_result_t<tune::maximum, char>, char>);
    int64_t *out = on.at<int64_t>(OUT_AT);
    WELL(cudaMemsetAsync(on.memory, 0xff, 80, on.stream));
    WELL(tune::reduce<tune::sum>(nullptr, on.at<int64_t>(0), 10, out, on.workspace, workspace_bytes,
                                 on.stream));
    EXPECT(fetched(on, out) == -10);
}

// ---- more than 2^31 elements ----

enum : size_t { MANY = ((size_t)1 << 31) + 5 };

template <typename OP, typename T>
static void many_elements(const bench &on, const T *in, tune::reduce_result_t<OP, T> want)
{
    typedef tune::calls::reduce_problem<OP, typename tune::calls::element_of<T>::type> problem;
    const auto &table = tune::calls::table_of<problem, tune::calls::own_list>();
    auto *out = on.at<tune::reduce_result_t<OP, T>>(0);
    const int before = failures;
    for (int i = 0; i < table.count; i++) {
        if (table.at[i].is_one_block && table.at[i].block < 1024)
            continue; // a second each, and the same code
        char line[256];
        tune::calls::describe(table.fields, table.at[i].parameters, line, sizeof line);
        struct tuned *tuned = conf_of(problem::key.at, line);
        WELL(tune::reduce<OP>(tuned, in, MANY, out, on.workspace, workspace_bytes, on.stream));
        if (fetched(on, out) != want)
            failed(problem::key.at, "%s: wrong for n = 2^31 + 5", line);
        tuned_free(tuned);
    }
    std::printf("%s %s of 2^31 + 5\n", failures == before ? "PASSED" : "FAILED", problem::key.at);
}

// Streams here wait for none of these by themselves.
static void set_bytes(void *to, int value, size_t bytes)
{
    WELL(cudaMemset(to, value, bytes));
    WELL(cudaDeviceSynchronize());
}

static void check_many()
{
    size_t free_bytes = 0, all_bytes = 0;
    WELL(cudaMemGetInfo(&free_bytes, &all_bytes));
    if (chosen.is_small || free_bytes < MANY + (64 << 20)) {
        std::printf("left out: 2^31 + 5 elements\n");
        return;
    }
    const bench on(256);
    unsigned char *in = nullptr;
    WELL(cudaMalloc(&in, MANY));
    set_bytes(in, 3, MANY);
    const int last = 200;
    set_bytes(in + MANY - 1, last, 1);
    many_elements<tune::sum, unsigned char>(on, in, (unsigned int)(3 * (MANY - 1) + (size_t)last));
    const signed char first = -7, end = 100;
    set_bytes(in, 0x80, MANY); // the least
    set_bytes(in, first, 1);
    many_elements<tune::maximum, signed char>(on, (const signed char *)in, first);
    set_bytes(in + MANY - 1, end, 1);
    many_elements<tune::maximum, signed char>(on, (const signed char *)in, end);
    WELL(cudaFree(in));
}

// ---- all of it ----

static void check(const char *name, void (*function)(const bench &), const bench &on)
{
    const int before = failures;
    fill_counted(on, COUNTED);
    function(on);
    std::printf("%s %s\n", failures == before ? "PASSED" : "FAILED", name);
}
#define CHECK(function) check(#function, function, on)

int main(int count, char **words)
{
    chosen.is_small = count > 1 && std::strcmp(words[1], "--small") == 0;
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        std::printf("skipped: no GPU\n");
        return 77;
    }
    {
        const bench on(BENCH_BYTES);
        CHECK(first_call_is_captured); // first of all
        CHECK(without_tuned_conf_there_is_a_default);
        CHECK(entry_is_launched);
        CHECK(entry_of_another_device_is_launched);
        CHECK(what_is_not_compiled_in_gives_the_nearest);
        CHECK(nonsense_gives_the_default);
        CHECK(one_block_is_not_stretched);
        CHECK(what_cannot_be_is_refused);
        CHECK(launches_follow_one_another);
        CHECK(streams_do_not_disturb_one_another);
        CHECK(graphs_are_replayed);
        CHECK(plans_are_kept);
        CHECK(types_of_callers_are_taken);
    }
    check_sum();
    check_product();
    check_minimum();
    check_maximum();
    check_families();
    check_any();
    check_many();
    std::printf("%s: %d failures\n", failures == 0 ? "PASSED" : "FAILED", failures);
    return failures == 0 ? 0 : 1;
}
