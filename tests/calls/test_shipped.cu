// The entries of configs/tuned.conf for each device, launched by the installed calls: each
// entry's kernel or one of its alternatives is compiled in, with launch bounds that the device
// has, and the grid equals the file's. Needs no GPU; the first argument is the file.
#include <cstdio>
#include <cstring>

#include <tune/reduce.cuh>
#include <tune/reduce_ordered.cuh>
#include <tune/reduce_rows.cuh>

#include "tests/calls/fake_runtime.h"

namespace
{

int failures;
alignas(16) char workspace[tune::reduce_workspace_bytes()];
alignas(16) char memory[64]; // inputs and results, never read

struct call {
    const char *key; // without the length of rows and segments
    cudaError_t (*run)(const struct tuned *tuned, size_t n, size_t length, tune::choice *why);
};

template <typename OP, typename T>
cudaError_t reduce(const struct tuned *tuned, size_t n, size_t, tune::choice *why)
{
    return tune::reduce<OP>(tuned, (const T *)memory, n, (tune::reduce_result_t<OP, T> *)memory,
                            workspace, sizeof workspace, nullptr, why);
}
template <typename OP>
cudaError_t ordered(const struct tuned *tuned, size_t n, size_t, tune::choice *why)
{
    typedef typename OP::element E;
    return tune::reduce_ordered<OP>(tuned, (const E *)memory, n, (E *)memory, workspace,
                                    sizeof workspace, nullptr, why);
}
template <typename OP, typename T>
cudaError_t rows(const struct tuned *tuned, size_t n, size_t length, tune::choice *why)
{
    has_few_arguments = true;
    const cudaError_t result = tune::reduce_rows<OP>(
        tuned, (const T *)memory, n, length, (tune::reduce_result_t<OP, T> *)memory, nullptr, why);
    has_few_arguments = false;
    return result;
}
cudaError_t segments(const struct tuned *tuned, size_t n, size_t length, tune::choice *why)
{
    const int *const at = (const int *)memory;
    return tune::reduce_segments(tuned, (const float *)memory, n, at, at, length, (float *)memory,
                                 tune::sum(), 0.0f, nullptr, why);
}

const call calls[] = {
    {"reduce.sum.i32", reduce<tune::sum, int>},
    {"reduce.sum.f32", reduce<tune::sum, float>},
    {"reduce.sum.f64", reduce<tune::sum, double>},
    {"reduce.sum.i64", reduce<tune::sum, long long>},
    {"reduce.sum.u8", reduce<tune::sum, unsigned char>},
    {"reduce.max.f32", reduce<tune::maximum, float>},
    {"reduce.min.i32", reduce<tune::minimum, int>},
    {"reduce.sum.f16", reduce<tune::sum, tune::f16>},
    {"reduce_ordered.affine_u32", ordered<tune::affine_u32>},
    {"reduce_ordered.matrix_u32", ordered<tune::matrix_u32>},
    {"reduce_ordered.matrix_f32", ordered<tune::matrix_f32>},
    {"reduce_rows.sum_f32", rows<tune::sum, float>},
    {"reduce_rows.sum_i32", rows<tune::sum, int>},
    {"reduce_rows.affine_u64", rows<tune::composition, unsigned long long>},
    {"reduce_segments.sum_f32", segments},
};

const call *call_of(const char *key, size_t *length)
{
    for (const call &each : calls) {
        const size_t bytes = std::strlen(each.key);
        *length = 0;
        if (std::strncmp(key, each.key, bytes) == 0 &&
            (key[bytes] == '\0' || std::sscanf(key + bytes, ".%zu", length) == 1))
            return &each;
    }
    return nullptr;
}

// Returns a number of "name=value name=value"; 1 if it is missing.
int number_in(const char *text, const char *name)
{
    const char *const at = std::strstr(text, name);
    int value = 1;
    if (at != nullptr)
        (void)std::sscanf(at + std::strlen(name), "%d", &value);
    return value;
}

// Returns "" or the error of a launch on compute capability 9.0: 2048 threads an SM, 32 blocks,
// 227 KiB.
const char *wrong_launch(const struct tuned_answer &answer, const tune::choice &why)
{
    if (!why.is_exact)
        return "neither its kernel nor an alternative is compiled in";
    const launched &first = launches[0];
    const int min_blocks = number_in(why.configuration, "min_blocks=");
    if (first.grid < 1 || first.block < 32 || first.block > 1024 || first.shared > 227 * 1024)
        return "it cannot be launched";
    if (min_blocks > 32 || min_blocks * (int)first.block > 2048)
        return "its launch bounds are more than an SM has";
    struct tuned_launch says = {};
    if (std::strstr(why.reason, ": also") != nullptr ||
        std::strstr(why.configuration, "=occupancy") != nullptr ||
        std::strstr(why.configuration, "=resident") != nullptr ||
        std::strstr(why.configuration, "waves=") != nullptr ||
        !tuned_answer_launch(&answer, 0, &says))
        return ""; // another kernel, or as many blocks as are resident, a number unknown here
    return says.grid[0] == first.grid && says.block[0] == first.block &&
                   says.shared_bytes == (long long)first.shared
               ? ""
               : "the file says another launch";
}

void check(const struct tuned *tuned, const struct tuned_entry *entry, long long n)
{
    const char *const key = tuned_entry_problem(entry);
    size_t length = 0;
    const call *const by = call_of(key, &length);
    const tune::calls::device *here = nullptr;
    struct tuned_answer answer = {};
    tune::choice why = {};
    launches.clear();
    const char *wrong = "no call launches it";
    if (by != nullptr && tune::calls::device_here(&here) == cudaSuccess &&
        tuned_find(tuned, &here->identity, key, n, &answer) >= TUNED_IN_RANGE) {
        wrong = by->run(tuned, (size_t)n, length, &why) == cudaSuccess && !launches.empty()
                    ? wrong_launch(answer, why)
                    : "the call fails";
    } else if (by != nullptr) {
        wrong = n == tuned_entry_n(entry) ? "it is not found where it was measured" : "";
    }
    if (*wrong == '\0')
        return;
    failures++;
    std::printf("%s n=%lld on %s: %s: %s: %s\n", key, n, machines[current].name, wrong,
                why.configuration, why.reason);
}

} // namespace

int main(int count, char **arguments)
{
    struct tuned_error error;
    struct tuned *tuned = tuned_load(count > 1 ? arguments[1] : "tuned.conf", &error);
    if (tuned == nullptr) {
        std::printf("%s\n", error.text);
        return 1;
    }
    size_t entries = 0;
    int devices = 0;
    for (size_t i = 0; i < tuned_entry_count(tuned); i++) {
        const struct tuned_entry *const entry = tuned_entry_at(tuned, i);
        const struct tuned_device *const device = tuned_entry_device(entry);
        if (std::strcmp(device->name, "*") == 0)
            continue;
        for (current = 0; current < devices; current++)
            if (std::strcmp(machines[current].name, device->name) == 0)
                break;
        if (current == devices) {
            if (devices == 3)
                return std::printf("more than 3 devices\n"), 1;
            machines[devices++] = {
                device->name,
                (int)device->compute_capability_major,
                (int)device->compute_capability_minor,
                (int)device->unit_count,
                (int)(device->compute_capability_major * 10 + device->compute_capability_minor),
                10};
        }
        entries++;
        for (const long long n :
             {tuned_entry_n_low(entry), tuned_entry_n(entry), tuned_entry_n_high(entry)})
            check(tuned, entry, n);
    }
    std::printf("%zu entries of %d devices, %d failures\n", entries, devices, failures);
    tuned_free(tuned);
    return failures > 0 || entries == 0;
}
