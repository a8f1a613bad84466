// Choice among the compiled-in configurations, with its reason. Internal to the headers of
// tune/.
#ifndef TUNE_CALLS_CHOOSE
#define TUNE_CALLS_CHOOSE

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <utility>

#include "device.cuh"
#include "launch.cuh"
#include "list.cuh"

namespace tune
{

/* A fixed configuration, independent of tuned.conf. The text is a choice's `configuration`
 * ("variant=flagged map=strided ..."); add "blocks=264" to make the order of a sum independent of
 * the device. A call returns cudaErrorNotSupported and launches no kernel if the configuration's
 * kernel is not compiled in (docs/calls.md) or cannot run on the device. Without a text: the
 * default of the problem and size with 528 blocks, equal in every version of these headers. */
struct pinned {
    const char *configuration = nullptr; /* borrowed during the call */
};

/* Source of a call's configuration: a tuned.conf (may be NULL) or a pinned configuration. */
class configured_by
{
  public:
    configured_by(const struct tuned *from)
        : tuned(from) // implicit, as most calls pass a tuned.conf
    {
    }
    configured_by(const tune::pinned &from) : is_pinned(true), text(from.configuration)
    {
    }
    const struct tuned *tuned = nullptr;
    bool is_pinned = false;
    const char *text = nullptr;
};

/* The configuration that a call launches, with the reason. */
struct choice {
    /* Grade of the launched entry of tuned.conf (tuned.h) for this problem, size and device;
     * TUNED_NONE for a relative or the default. */
    enum tuned_grade grade;
    bool is_exact;           /* the entry's or the pinned configuration is launched */
    char configuration[256]; /* launched configuration: "variant=last_block step=shuffle ..." */
    char reason[TUNED_REASON_BYTES + 768]; /* one line */
};

namespace calls
{

// Compiled-in configurations of a problem, with their state on each device.
struct instance_table {
    field_list fields;
    const instance *at;
    int count;
    std::atomic<int> *resident; // [DEVICES_MAX][count]: results of resident_blocks
};

enum : int { RESIDENT_UNKNOWN = 0, CANNOT_RUN = -1 };

// Raises the kernel's limits above those of every device: 48 KiB of shared memory (static
// included) and clusters of 8 blocks.
inline cudaError_t allow_kernel(const instance &of)
{
    cudaError_t result = cudaSuccess;
    if (of.cluster > 8)
        result = cudaFuncSetAttribute(of.kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    if (result == cudaSuccess && of.shared_bytes > 0)
        result = cudaFuncSetAttribute(of.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      of.shared_bytes);
    return result;
}

// Asks whether one cluster of this size fits on the device.
inline cudaError_t ask_cluster(const instance &of, bool *has_room)
{
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = (unsigned int)of.cluster;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((unsigned int)of.cluster);
    config.blockDim = dim3((unsigned int)of.block);
    config.attrs = &attribute;
    config.numAttrs = 1;
    int clusters = 0;
    const cudaError_t result = cudaOccupancyMaxActiveClusters(&clusters, of.kernel, &config);
    *has_room = clusters > 0;
    return result;
}

inline cudaError_t ask_resident(const instance &of, const device &device, int *resident)
{
    const beside_capture beside;
    *resident = CANNOT_RUN;
    if (device.capability < of.capability || of.shared_bytes > device.shared_bytes_most)
        return cudaSuccess;
    // Code for an older architecture runs on a newer device but lacks the newer features.
    cudaFuncAttributes attributes;
    cudaError_t result = cudaFuncGetAttributes(&attributes, of.kernel);
    if (result != cudaSuccess)
        return result;
    if (attributes.ptxVersion < of.capability || attributes.maxThreadsPerBlock < of.block)
        return cudaSuccess;
    result = allow_kernel(of);
    int blocks = 0;
    if (result == cudaSuccess)
        result = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, of.kernel, of.block,
                                                               (size_t)of.shared_bytes);
    bool has_room = blocks > 0;
    if (result == cudaSuccess && has_room && of.cluster > 1)
        result = ask_cluster(of, &has_room);
    if (result == cudaSuccess && has_room)
        *resident = blocks;
    return result;
}

// Counts the resident blocks per SM, once per device. CANNOT_RUN: not supported by the device or
// by the program's code for the device.
inline cudaError_t resident_blocks(const instance_table &table, int index, const device &device,
                                   int *resident)
{
    std::atomic<int> &cell = table.resident[device.index * table.count + index];
    *resident = cell.load(std::memory_order_relaxed);
    if (*resident != RESIDENT_UNKNOWN)
        return cudaSuccess;
    const cudaError_t result = ask_resident(table.at[index], device, resident);
    if (result == cudaSuccess)
        cell.store(*resident, std::memory_order_relaxed);
    return result;
}

// ---- the reason ----

struct line {
    char *at;
    size_t bytes, length;
};

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
inline void
append(line &to, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    const int length = std::vsnprintf(to.at + to.length, to.bytes - to.length, format, list);
    va_end(list);
    if (length > 0)
        to.length +=
            (size_t)length < to.bytes - to.length ? (size_t)length : to.bytes - to.length - 1;
}

inline void append_value(line &to, const field &field, int value)
{
    if (value >= 0) {
        append(to, "%d", value);
        return;
    }
    std::string_view words = field.words, taken = take_until(words, ' ');
    for (int i = 0; word(i) != value && !words.empty(); i++)
        taken = take_until(words, ' ');
    append(to, "%.*s", (int)taken.size(), taken.data());
}

inline void describe(field_list fields, const configuration &of, char *out, size_t bytes)
{
    line to = {out, bytes, 0};
    for (int i = 0; i < fields.count; i++) {
        append(to, "%s%.*s=", i > 0 ? " " : "", (int)fields.at[i].name.size(),
               fields.at[i].name.data());
        append_value(to, fields.at[i], of.value[i]);
    }
}

// Writes the line that compiles a kernel in, as tune export does.
inline void append_list_line(line &to, field_list fields, const char *key, int field_of_key,
                             const configuration &of)
{
    append(to, "TUNE_CONFIGURATION(\"%s", key);
    for (int i = 0; i < fields.count; i++) {
        if (fields.at[i].is == role::launch || i == field_of_key)
            continue;
        append(to, " %.*s=", (int)fields.at[i].name.size(), fields.at[i].name.data());
        append_value(to, fields.at[i], of.value[i]);
    }
    append(to, "\")");
}

// ---- the choice ----

enum class found {
    exact,
    not_compiled_in,
    cannot_run, // compiled in, but not supported by the device or the program's code for the device
    unreadable, // tuned.conf has no configuration of these kernels
    unfit,      // kernel for other sizes
    nothing,
};

struct selection {
    int index;
    found how;            // state of the entry's own kernel
    bool is_wanted;       // the entry's kernel or one of its alternatives is chosen
    bool is_relative;     // the nearest kernel of the entry's kind is chosen
    int alternative;      // number of the entry's alternative, from 1; 0: none
    int unreadable;       // field with a wrong value; -1: none
    configuration wanted; // chosen configuration of tuned.conf, if any
};

// Configurations of an entry: its own and its equally fast alternatives.
enum : int { ALTERNATIVES_MAX = 3 };
struct wanted_list {
    configuration at[1 + ALTERNATIVES_MAX]; // completed for the problem's kernels
    configuration as_written;               // the first
    int count;
};

template <typename PROBLEM>
wanted_list wanted_of(field_list fields, const struct tuned_entry *entry, int shape_field,
                      int shape)
{
    wanted_list out = {};
    configuration own = unread(fields);
    const size_t values = entry != nullptr ? tuned_value_count(entry) : 0;
    for (size_t i = 0; i < values; i++) {
        const char *name = nullptr, *value = nullptr;
        tuned_value_at(entry, i, &name, &value);
        if (name != nullptr && value != nullptr)
            read_value(fields, name, value, own);
    }
    if (shape_field >= 0)
        own.value[shape_field] = shape;
    out.as_written = own;
    char name[] = "also0";
    for (const char *text = ""; text != nullptr && out.count <= ALTERNATIVES_MAX;) {
        configuration &next = out.at[out.count++];
        next = own;
        read_values(fields, text, next);
        PROBLEM::complete(next);
        name[4] = (char)('0' + out.count);
        text = entry != nullptr ? tuned_evidence_text(entry, name, nullptr) : nullptr;
    }
    return out;
}

// Finds the runnable kernel of the wanted one's kind that is nearest; -1: none.
inline cudaError_t find_nearest(const instance_table &table, const device &device,
                                const configuration &wanted, int *nearest)
{
    int least = INT_MAX;
    *nearest = -1;
    for (int i = 0; i < table.count; i++) {
        const configuration &have = table.at[i].parameters;
        if (!same_kind(table.fields, have, wanted))
            continue;
        const int apart = distance(table.fields, have, wanted);
        if (apart >= least)
            continue;
        int resident = 0;
        const cudaError_t result = resident_blocks(table, i, device, &resident);
        if (result != cudaSuccess)
            return result;
        if (resident == CANNOT_RUN)
            continue;
        least = apart;
        *nearest = i;
    }
    return cudaSuccess;
}

// Returns whether a kernel is unsuitable for n: too many elements, or one block for a size many
// times the tuned ones.
inline bool is_unfit(const instance &of, const struct tuned_answer &answer)
{
    return answer.n > of.n_most || (of.is_one_block && answer.grade < TUNED_IN_RANGE &&
                                    answer.n / 8 > tuned_entry_n_high(answer.entry));
}

inline int index_of(const instance_table &table, const configuration &wanted)
{
    for (int i = 0; i < table.count; i++)
        if (same_kernel(table.fields, table.at[i].parameters, wanted))
            return i;
    return -1;
}

// Finds a wanted kernel. *how: found::exact, or the reason against a launch.
inline cudaError_t find_wanted(const instance_table &table, const device &device,
                               const struct tuned_answer &answer, const configuration &wanted,
                               found *how, int *index)
{
    *index = -1;
    *how = found::unreadable;
    if (first_wrong(table.fields, wanted) >= 0)
        return cudaSuccess;
    *how = found::not_compiled_in;
    *index = index_of(table, wanted);
    if (*index < 0)
        return cudaSuccess;
    int resident = 0;
    const cudaError_t result = resident_blocks(table, *index, device, &resident);
    *how = resident == CANNOT_RUN               ? found::cannot_run
           : is_unfit(table.at[*index], answer) ? found::unfit
                                                : found::exact;
    return result;
}

// Selects the entry's first configuration that is compiled in and can run; else the nearest of
// its kind, else the default.
inline cudaError_t select(const instance_table &table, const device &device,
                          const struct tuned_answer &answer, const wanted_list &wanted,
                          int otherwise, selection *out)
{
    *out = {otherwise, found::nothing, false, false, 0, -1, {}};
    if (answer.entry == nullptr)
        return cudaSuccess;
    cudaError_t result = cudaSuccess;
    for (int i = 0; i < wanted.count && result == cudaSuccess; i++) {
        found how = found::nothing;
        int index = -1;
        result = find_wanted(table, device, answer, wanted.at[i], &how, &index);
        if (i == 0)
            out->how = how;
        if (result == cudaSuccess && how == found::exact) {
            out->index = index;
            out->is_wanted = true;
            out->alternative = i;
            out->wanted = wanted.at[i];
            return result;
        }
    }
    out->wanted = wanted.at[0];
    out->unreadable = first_wrong(table.fields, out->wanted);
    if (result != cudaSuccess || out->how == found::unreadable || out->how == found::unfit)
        return result;
    int nearest = -1;
    result = find_nearest(table, device, out->wanted, &nearest);
    if (result != cudaSuccess || nearest < 0 || is_unfit(table.at[nearest], answer))
        return result;
    out->is_relative = true;
    out->index = nearest;
    return result;
}

inline void explain_difference(const instance_table &table, const selection &of, line &to)
{
    append(to, ": the nearest of its kind differs in");
    const char *separator = " ";
    for (int i = 0; i < table.fields.count; i++) {
        const field &field = table.fields.at[i];
        if (field.is == role::launch ||
            of.wanted.value[i] == table.at[of.index].parameters.value[i])
            continue;
        append(to, "%s%.*s", separator, (int)field.name.size(), field.name.data());
        separator = ", ";
    }
}

// Request for a plan.
struct question {
    std::string_view key; // "reduce.sum.i32"; empty: no look-up in tuned.conf
    long long n;
    int otherwise;            // index of the default
    long long length = -1;    // length, appended to the key after a dot; -1: none
    int shape_field = -1;     // field with the length as its value; -1: none
    bool is_stand_in = false; // the key belongs to another problem
};

struct lookup_key {
    char at[96];
};
inline lookup_key key_of(const question &question)
{
    lookup_key out = {};
    line to = {out.at, sizeof out.at, 0};
    append(to, "%.*s", (int)question.key.size(), question.key.data());
    if (question.length >= 0)
        append(to, ".%lld", question.length);
    return out;
}
inline int shape_of(const question &question)
{
    return question.length <= INT_MAX ? (int)question.length : 0;
}

inline void explain_pinned(const instance_table &table, const configuration &launched,
                           const char *text, int blocks, choice *why)
{
    *why = {};
    why->is_exact = true;
    describe(table.fields, launched, why->configuration, sizeof why->configuration);
    line to = {why->configuration, sizeof why->configuration, std::strlen(why->configuration)};
    if (blocks > 0)
        append(to, " blocks=%d", blocks);
    line reason = {why->reason, sizeof why->reason, 0};
    append(reason, "%s", text == nullptr ? "pinned: the default, which stays" : "pinned");
}

inline void explain(const instance_table &table, const struct tuned_answer &answer,
                    const selection &of, const question &question, const wanted_list &wanted,
                    const configuration &launched, choice *why)
{
    why->grade = of.is_wanted ? answer.grade : TUNED_NONE;
    why->is_exact = of.is_wanted;
    describe(table.fields, launched, why->configuration, sizeof why->configuration);
    line to = {why->reason, sizeof why->reason, 0};
    if (question.key.empty()) {
        append(to, "of segments whose length is not said: the default");
        return;
    }
    const lookup_key key = key_of(question);
    if (question.is_stand_in)
        append(to, "%s of %lld stands in: ", key.at, question.n);
    tuned_reason(&answer, why->reason + to.length, sizeof why->reason - to.length);
    to.length = std::strlen(why->reason);
    if (of.how == found::exact)
        return;
    if (of.how == found::unreadable)
        append(to, "; its '%.*s' is missing or no value of these kernels'",
               (int)table.fields.at[of.unreadable].name.size(),
               table.fields.at[of.unreadable].name.data());
    else if (of.how == found::cannot_run)
        append(to, "; its kernel cannot run on this device");
    else if (of.how == found::not_compiled_in)
        append(to, "; its kernel is not compiled in");
    else if (of.how == found::unfit)
        append(to, "; its kernel is not for a size like this");
    if (of.alternative > 0)
        append(to, ": also%d, which is as fast", of.alternative);
    else if (of.is_relative)
        explain_difference(table, of, to);
    else
        append(to, ": the default for this size");
    if (of.how == found::not_compiled_in) {
        append(to, "; compiled in by ");
        append_list_line(to, table.fields, key.at, question.shape_field, wanted.as_written);
    }
}

enum : int { PINNED_BLOCKS = 528 }; // promised, so it never changes

// Selects the pinned configuration. *blocks: number of blocks, or 0 for the configuration's
// blocks per SM. Returns false if the kernel is not compiled in.
template <typename PROBLEM>
bool select_pinned(const instance_table &table, const question &question, const char *text,
                   selection *out, int *blocks)
{
    *out = {question.otherwise,
            found::exact,
            true,
            false,
            0,
            -1,
            table.at[question.otherwise].parameters};
    *blocks = PINNED_BLOCKS;
    if (text == nullptr)
        return true;
    out->wanted = read_configuration(table.fields, text);
    if (question.shape_field >= 0)
        out->wanted.value[question.shape_field] = shape_of(question);
    PROBLEM::complete(out->wanted);
    *blocks = 0;
    std::string_view rest = text;
    while (!rest.empty()) {
        std::string_view value = take_until(rest, ' ');
        if (take_until(value, '=') == "blocks")
            *blocks = number_of(value);
    }
    if (*blocks < 0 || first_wrong(table.fields, out->wanted) >= 0)
        return false;
    out->index = index_of(table, out->wanted);
    return out->index >= 0;
}

// A plan with its configuration.
struct made_plan {
    tune::calls::plan plan;
    configuration launched;
};

inline void fill_plan(const instance &chosen, const device &here, long long most, plan *out)
{
    *out = {};
    out->kernel = chosen.kernel;
    out->second = chosen.second;
    out->tile = chosen.tile;
    out->n_most = chosen.n_most;
    out->waiting = (unsigned int)chosen.waiting;
    out->alone_most = (unsigned int)chosen.alone_most;
    out->least_blocks = (unsigned int)chosen.cluster;
    out->most_blocks =
        chosen.is_one_block
            ? out->least_blocks
            : (unsigned int)((most + chosen.cluster - 1) / chosen.cluster * chosen.cluster);
    out->block = (unsigned int)chosen.block;
    out->shared_bytes = (unsigned int)chosen.shared_bytes;
    out->is_dependent = chosen.is_dependent;
    out->needs_state = chosen.needs_state;
    out->device = here.index;
    out->number = launch_number();
}

// Finds the plan for the current device: the entry's, else the nearest, else the default; or the
// pinned one.
template <typename PROBLEM>
cudaError_t find_plan(const instance_table &table, const configured_by &by,
                      const question &question, made_plan *out, choice *why)
{
    const device *here = nullptr;
    cudaError_t result = device_here(&here);
    if (result != cudaSuccess)
        return result;
    struct tuned_answer answer = {};
    const lookup_key key = key_of(question); // must live as long as the answer
    wanted_list wanted = {};
    selection of;
    int blocks = 0, resident = 0;
    if (by.is_pinned) {
        if (!select_pinned<PROBLEM>(table, question, by.text, &of, &blocks))
            return cudaErrorNotSupported;
    } else {
        if (!question.key.empty())
            (void)tuned_find(by.tuned, &here->identity, key.at, question.n, &answer);
        wanted = wanted_of<PROBLEM>(table.fields, answer.entry, question.shape_field,
                                    shape_of(question));
        result = select(table, *here, answer, wanted, question.otherwise, &of);
    }
    if (result == cudaSuccess)
        result = resident_blocks(table, of.index, *here, &resident);
    if (result == cudaSuccess && resident == CANNOT_RUN)
        result = cudaErrorNotSupported;
    if (result != cudaSuccess)
        return result;
    const instance &chosen = table.at[of.index];
    out->launched = chosen.parameters;
    for (int i = 0; i < table.fields.count; i++)
        if ((of.is_wanted || of.is_relative) && table.fields.at[i].is == role::launch)
            out->launched.value[i] = of.wanted.value[i];
    long long most = PROBLEM::most_blocks(out->launched, here->sm_count, resident);
    if (blocks > 0 && PROBLEM::blocks_most > 0)
        most = blocks < PROBLEM::blocks_most ? blocks : PROBLEM::blocks_most;
    fill_plan(chosen, *here, most, &out->plan);
    if (why != nullptr && by.is_pinned)
        explain_pinned(table, out->launched, by.text, blocks, why);
    else if (why != nullptr)
        explain(table, answer, of, question, wanted, out->launched, why);
    return cudaSuccess;
}

// ---- compiled-in configurations ----

template <typename PROBLEM, typename SET, int... INDICES>
const instance_table &make_table(std::integer_sequence<int, INDICES...>)
{
    static_assert(has_launch_defaults(PROBLEM::fields()), "a line that export writes lacks it");
    static_assert((SET::template nth<INDICES>::is_well && ...), "see the line above");
    static const instance instances[] = {
        PROBLEM::template make<typename SET::template nth<INDICES>>()...};
    static std::atomic<int> resident[DEVICES_MAX * sizeof...(INDICES)];
    static const instance_table table = {PROBLEM::fields(), instances, (int)sizeof...(INDICES),
                                         resident};
    return table;
}

template <typename PROBLEM, typename LIST> const instance_table &table_of()
{
    typedef compiled_set<PROBLEM, LIST> set;
    return make_table<PROBLEM, set>(std::make_integer_sequence<int, set::set.count>());
}

// ---- remembered choices ----

// A plan remembered per thread, so without locks, for the last requested sizes.
struct remembered {
    made_plan made;
    unsigned long long serial; // serial of the tuned.conf; PINNED: the fixed default
    long long n, length;
    int device;
    bool is_there;
};
enum : unsigned long long { PINNED = ~0ull };
enum : int { REMEMBERED_BITS = 5 };

// Makes a plan as find_plan, but reuses a remembered one unless `why` is requested.
template <typename PROBLEM, typename LIST>
cudaError_t make_plan(const configured_by &by, const question &question, made_plan *out,
                      choice *why)
{
    static thread_local remembered all[1 << REMEMBERED_BITS];
    int device = 0;
    const cudaError_t result = cudaGetDevice(&device);
    if (result != cudaSuccess)
        return result;
    const unsigned long long serial =
        by.is_pinned ? (unsigned long long)PINNED : tuned_serial(by.tuned);
    const long long length = question.key.empty() ? -2 - question.otherwise : question.length;
    const u64 mixed = ((u64)question.n * 31 + (u64)length) * 31 + (u64)device;
    remembered &last = all[mixed * 0x9e3779b97f4a7c15ull >> (64 - REMEMBERED_BITS)];
    if (last.is_there && last.n == question.n && last.serial == serial && last.device == device &&
        last.length == length && why == nullptr && by.text == nullptr) {
        *out = last.made;
        return cudaSuccess;
    }
    const cudaError_t found = find_plan<PROBLEM>(table_of<PROBLEM, LIST>(), by, question, out, why);
    if (found == cudaSuccess && by.text == nullptr)
        last = {*out, serial, question.n, length, device, true};
    return found;
}

} // namespace calls
} // namespace tune

#endif
