/* Expected outputs: computation, and comparison. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tuner/base/clock.h"
#include "tuner/base/element_bits.h"
#include "tuner/base/files.h"
#include "tuner/base/seal.h"
#include "tuner/base/text.h"
#include "tuner/worker/frame.h"
#include "tuner/worker/measure.h"
#include "tuner/worker/reference.h"

void expectations_free(struct expectations *expected)
{
    for (size_t i = 0; i < CHECKS_MAX; i++)
        free(expected->items[i].result.room);
    *expected = (struct expectations){0};
}

struct conversion {
    struct tune_expected *elements;
    struct reference_result *result;
    const struct tolerance *tolerance;
};

static void convert_part(void *context, uint64_t first, uint64_t count, struct error *error)
{
    const struct conversion *conversion = context;
    const struct reference_result *result = conversion->result;
    if (result->magnitudes && element_is_real(result->type)) {
        /* An element whose tolerance is at least the largest number of the type could not be wrong.
         */
        const enum element_type type = conversion->result->type;
        const double largest = type == ELEMENT_F64   ? DBL_MAX
                               : type == ELEMENT_F16 ? 65504
                                                     : FLT_MAX;
        for (uint64_t i = first; i < first + count; i++) {
            const struct tune_expected *element = &conversion->elements[i];
            if (!isfinite(element->real) ||
                element->magnitude * conversion->tolerance->magnitude < largest)
                continue;
            (void)error_set(
                error, STATUS_BAD_INPUT,
                "the reference gives element %llu the value %g and the magnitude %g: times "
                "the tolerance of %g that allows any result; a magnitude is a finite "
                "number, about as large as the values that the element is made of",
                (unsigned long long)i, element->real, element->magnitude,
                conversion->tolerance->magnitude);
            break;
        }
    }
    expected_keep(conversion->elements, result->type, result->count, result->magnitudes, first,
                  count, result->room);
}

static void clear_part(void *context, uint64_t first, uint64_t count, struct error *error)
{
    const struct conversion *conversion = context;
    (void)error;
    memset(conversion->elements + first, 0, count * sizeof *conversion->elements);
}

enum { MARKED = 64, MARK = 0xa5 };

/* Appends "computing the expected results (kernel 'sum' with in[1000], out[1])"; `function`: the
 * reference function, NULL: the plan's kernels. */
static void name_work(const struct launch_plan *plan, const char *function, struct text *out)
{
    const char *between = "computing the expected results (kernel ";
    if (function)
        text_printf(out, "computing the expected results (reference '%s'", function);
    for (size_t i = 0; !function && i < plan->launch_count; i++) {
        text_printf(out, "%s'%s'", between, plan->launches[i].kernel);
        between = ", ";
    }
    between = " with ";
    for (size_t i = 0; i < plan->argument_count; i++) {
        const struct argument *argument = &plan->arguments[i];
        if (!argument_is_bound(argument))
            continue;
        text_printf(out, "%s%s[%lld]", between, argument->name, (long long)argument->count);
        between = ", ";
    }
    text_append(out, ")");
}

enum status blame_reference(const struct launch_plan *plan, const char *function,
                            struct error *error)
{
    struct text work = {0};
    name_work(plan, function, &work);
    enum status status = error_prefix(error, "%s", text_string(&work));
    text_free(&work);
    return status;
}

/* Names the work to the parent, in case the reference ends this process. */
static void may_end(const struct launch_plan *plan, const char *function)
{
    struct text work = {0};
    name_work(plan, function, &work);
    child_may_end(work.failed ? NULL : text_string(&work));
    text_free(&work);
}

/* Computes a reference result by calling the function. */
static enum status compute(struct measuring *state, const struct worker_reference *reference,
                           const struct launch_plan *plan, struct expectation *out,
                           struct error *error)
{
    struct reference_result *result = &out->result;
    const int64_t started_ns = clock_now_ns();
    const void *inputs[ARGUMENTS_MAX];
    struct conversion conversion = {.result = result, .tolerance = &out->tolerance};
    enum status status = STATUS_OK;
    /* A guard follows the elements, for functions that write too many: marked elements, and pages
     * that cost nothing until they are reached. */
    static const size_t guard_most = (size_t)1 << 30, guard_least = (size_t)1 << 20;
    const size_t bytes = (result->count + MARKED) * sizeof *conversion.elements;
    size_t mapped = 0;
    void *room = MAP_FAILED;
    for (size_t guard = guard_most; room == MAP_FAILED && guard >= guard_least; guard /= 32) {
        mapped = bytes + guard;
        room = mmap(NULL, mapped, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    }
    result->room = host_room(reference_bytes(result));
    if (room == MAP_FAILED || !result->room)
        TRY_OR_CLEANUP(error_no_memory(error));
    (void)madvise(room, bytes, MADV_HUGEPAGE);
    conversion.elements = room;
    memset(conversion.elements + result->count, MARK, MARKED * sizeof *conversion.elements);
    TRY_OR_CLEANUP(host_in_parts(state, result->count, sizeof *conversion.elements, clear_part,
                                 &conversion, error));
    TRY_OR_CLEANUP(inputs_on_host(state, plan, inputs, error));
    may_end(plan, reference->name);
    status = reference_compute(reference->path, reference->name, plan, inputs, out->output,
                               conversion.elements, error);
    child_may_end(NULL);
    TRY_OR_CLEANUP(status);
    const unsigned char *marks = (const unsigned char *)(conversion.elements + result->count);
    size_t whole = 0;
    while (whole < MARKED * sizeof *conversion.elements && marks[whole] == MARK)
        whole++;
    if (whole < MARKED * sizeof *conversion.elements)
        TRY_OR_CLEANUP(
            error_set(error, STATUS_BAD_INPUT,
                      "the reference '%s' writes behind the %s that '%s' has here; if its "
                      "count varies with parameters, pass it as an argument",
                      reference->name, count_text(result->count, "element").text,
                      plan->arguments[out->output].name));
    status = host_in_parts(state, result->count, sizeof *conversion.elements, convert_part,
                           &conversion, error);
cleanup:
    if (room != MAP_FAILED)
        (void)munmap(room, mapped);
    result->made_ns = clock_now_ns() - started_ns;
    return status;
}

/* Makes the result of a reference function, from the cache or by a call. */
static enum status make_by_function(struct measuring *state,
                                    const struct worker_reference *reference,
                                    const struct launch_plan *plan, struct expectation *out,
                                    struct error *error)
{
    struct expected_difference *differs = &out->differs;
    struct reference_result *result = &out->result;
    const bool has_base = differs->base.serial != 0;
    char hash[HASH_TEXT_BYTES] = "";
    if (!reference->path || !reference->name)
        return error_set(error, STATUS_INTERNAL, "a reference without its function");
    result->magnitudes = out->tolerance.magnitude > 0;
    TRY(seal_check(reference->path, error));
    TRY(reference_hash(reference->path, reference->name, plan, out->output, result->magnitudes,
                       has_base, hash, error));
    if (reference_recall(state, hash, result)) {
        state->recalled_ns += result->made_ns;
    } else {
        TRY(compute(state, reference, plan, out, error));
        reference_flatten(result);
        if (has_base)
            reference_make_patch(result, &differs->base);
        reference_store(state, hash, result);
    }
    if (result->differing > 0) {
        differs->count = result->differing;
        differs->at = result->room;
        differs->instead = reference_elements(result);
        out->expected.scale = differs->instead.scale;
    } else {
        out->expected = reference_elements(result);
    }
    return STATUS_OK;
}

/* Converts element `i` to a number; false for an integer that the other type cannot represent. */
static bool number_of(const void *elements, enum element_type type, enum element_type other,
                      uint64_t i, struct tune_expected *out)
{
    int64_t least = 0, most = 0;
    const uint64_t raw = element_raw(elements, type, i);
    *out = (struct tune_expected){.real = element_real_of(raw, type)};
    if (element_is_real(type))
        return true;
    element_integer_range(other, &least, &most);
    out->integer = (int64_t)integer_extended(raw, type);
    const bool is_large = !element_is_signed(type) && out->integer < 0;
    return (type == other || !is_large) && out->integer >= least && out->integer <= most;
}

/* Converts a plan's output to elements of another type, as if computed by a function. */
static enum status keep_by_value(const void *elements, enum element_type type,
                                 struct expectation *out, struct error *error)
{
    struct reference_result *result = &out->result;
    const double scale = expected_scale(elements, type, result->count);
    struct tune_expected *numbers = host_room(result->count * sizeof *numbers);
    result->magnitudes = true;
    result->room = host_room(reference_bytes(result));
    enum status status = numbers && result->room ? STATUS_OK : error_no_memory(error);
    for (uint64_t i = 0; status == STATUS_OK && i < result->count; i++) {
        if (!number_of(elements, type, result->type, i, &numbers[i]) && out->unfit == 0)
            out->unfit = i + 1;
        numbers[i].magnitude = fmax(fabs(numbers[i].real), scale);
    }
    if (status == STATUS_OK) {
        expected_keep(numbers, result->type, result->count, true, 0, result->count, result->room);
        out->expected = reference_elements(result);
    }
    free(numbers);
    return status;
}

/* Runs another plan on the same inputs and takes the output. */
static enum status make_by_plan(struct measuring *state, const struct worker_reference *reference,
                                const struct launch_plan *plan, const void *const *inputs,
                                struct expectation *out, struct error *error)
{
    const struct argument *output = &plan->arguments[out->output];
    const struct launch_plan *other = reference->plan;
    void *room = NULL;
    char detail[ERROR_TEXT_BYTES];
    bool ignored = false;
    bool worn = false;
    double ignored_ns = 0;
    enum status status = STATUS_OK;
    if (!other || !reference->path || other->argument_count != plan->argument_count ||
        other->arguments[out->output].count != output->count)
        return error_set(error, STATUS_INTERNAL, "the reference's arguments are others");
    const struct argument *original = &other->arguments[out->output];
    TRY_OR_CLEANUP(load_binary(state, reference->path, error));
    if (!(room = host_room(argument_bytes(original))))
        TRY_OR_CLEANUP(error_no_memory(error));
    TRY_OR_CLEANUP(inputs_bind(state, other, inputs, 1, NULL, error));
    may_end(other, NULL);
    status = state->api->run(state->device, other, RUN_FIRST, &ignored_ns, error);
    child_may_end(NULL);
    TRY_OR_CLEANUP(status);
    TRY_OR_CLEANUP(
        state->api->read(state->device, out->output, room, argument_bytes(original), error));
    /* Inputs that the reference changes are not the candidate's fault. */
    TRY_OR_CLEANUP(state->api->inputs_intact(state->device, other, &ignored, &worn, detail,
                                             sizeof detail, error));
    if (original->type == output->type) {
        out->result.room = room;
        out->expected = (struct expected_output){.elements = room};
        return STATUS_OK;
    }
    status = keep_by_value(room, original->type, out, error);
    free(room);
    return status;
cleanup:
    if (status != STATUS_INTERNAL)
        (void)blame_reference(other, NULL, error);
    free(room);
    return status;
}

static bool compares_on_device(struct measuring *state, const struct argument *output)
{
    return state->api->compare && works_on_device(state, argument_bytes(output));
}

/* Makes one expectation. `base`: the result for inputs that differ little; NULL: none. */
static enum status make_one(struct measuring *state, const struct worker_reference *reference,
                            const struct launch_plan *plan, const void *const *inputs,
                            const struct expectation *base, struct expectation *out,
                            struct error *error)
{
    size_t output = reference->output;
    if (output >= plan->argument_count || !argument_is_written(&plan->arguments[output]))
        return error_set(error, STATUS_INTERNAL, "the checked argument is no output");
    const struct argument *argument = &plan->arguments[output];
    *out = (struct expectation){
        .output = output,
        .count = (size_t)argument->count,
        .tolerance = reference->tolerance,
        .result = {.type = argument->type, .count = (uint64_t)argument->count},
    };
    if (base && base->output == output && base->count == out->count &&
        compares_on_device(state, argument))
        out->differs.base = base->expected;
    enum status status = STATUS_OK;
    if (reference->kind == REFERENCE_FUNCTION) {
        status = make_by_function(state, reference, plan, out, error);
    } else if (reference->kind == REFERENCE_PLAN) {
        status = make_by_plan(state, reference, plan, inputs, out, error);
    } else {
        struct argument as_input = *argument;
        as_input.fill = reference->fill;
        as_input.fill_text = reference->name ? reference->name : "";
        out->result.room = host_room(argument_bytes(argument));
        out->expected = (struct expected_output){.elements = out->result.room};
        status = out->result.room ? host_fill(state, &as_input, out->result.room, error)
                                  : error_no_memory(error);
    }
    if (status == STATUS_OK && reference->kind != REFERENCE_FUNCTION && out->expected.elements &&
        out->tolerance.magnitude > 0)
        out->expected.scale = expected_scale(out->result.room, argument->type, out->count);
    out->expected.serial = ++state->expectation_serial;
    return status;
}

enum status expectations_make(struct measuring *state, const struct worker_checks *checks,
                              const struct launch_plan *plan,
                              const void *const inputs[ARGUMENTS_MAX],
                              const struct expectations *base, struct expectations *out,
                              struct error *error)
{
    enum status status = STATUS_OK;
    expectations_free(out);
    for (size_t i = 0; status == STATUS_OK && i < checks->count; i++) {
        status = make_one(state, &checks->items[i], plan, inputs,
                          base && i < base->count ? &base->items[i] : NULL, &out->items[i], error);
        out->count = i + 1;
    }
    if (status != STATUS_OK)
        expectations_free(out);
    return status;
}

enum status expectations_precompute(struct measuring *state, const struct worker_task *task,
                                    struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < task->checks.count; i++) {
        struct expectation made = {0};
        const struct worker_reference *reference = &task->checks.items[i];
        if (reference->kind != REFERENCE_FUNCTION ||
            reference->output >= task->plan->argument_count)
            continue;
        const struct argument *output = &task->plan->arguments[reference->output];
        const struct reference_result whole = {.type = output->type,
                                               .count = (uint64_t)output->count,
                                               .magnitudes = reference->tolerance.magnitude > 0};
        if (!reference_has_room(reference_bytes(&whole)))
            continue;
        status = make_one(state, reference, task->plan, NULL, NULL, &made, error);
        free(made.result.room);
    }
    inputs_free(state);
    memset(state->inputs, 0, sizeof state->inputs);
    memset(state->cases, 0, sizeof state->cases);
    memset(state->others, 0, sizeof state->others);
    return status;
}

/* Returns the complete expected output for a comparison on the host; *room is to be freed. */
static enum status complete_output(const struct expectation *item, struct expected_output *out,
                                   void **room, struct error *error)
{
    *room = NULL;
    *out = item->expected;
    return item->differs.count > 0
               ? reference_complete(&item->result, &item->differs.base, room, out, error)
               : STATUS_OK;
}

/* Compares on the device. *held: done there; false if the device cannot, so that the host must. */
static enum status compare_on_device(struct measuring *state, const struct expectation *item,
                                     const struct argument *output, bool *compared, bool *right,
                                     char *detail, size_t detail_bytes, struct error *error)
{
    struct comparing comparing =
        comparing_of(NULL, output->type, item->count, &item->expected, &item->tolerance);
    comparing.expected.differs = item->differs.count > 0 ? &item->differs : NULL;
    struct findings findings;
    uint64_t got_raw[2] = {0};
    enum status status = state->api->compare(state->device, item->output, output->type, &comparing,
                                             &findings, got_raw, error);
    *compared = status == STATUS_OK;
    if (status == STATUS_UNAVAILABLE) {
        measure_remark(state, "outputs are checked on the host: %s", error->text);
        state->check_on_host = 1;
    }
    if (status == STATUS_UNAVAILABLE || status == STATUS_NO_MEMORY) {
        error_clear(error);
        return STATUS_OK;
    }
    if (status != STATUS_OK)
        return status;
    *right = findings_match(&findings, &item->tolerance);
    if (state->deviation && findings.largest != COMPARE_NONE)
        *state->deviation = fmax(*state->deviation, findings.largest_size);
    if (*right)
        return STATUS_OK;
    void *room = NULL;
    status = complete_output(item, &comparing.expected, &room, error);
    if (status == STATUS_OK)
        findings_describe(&findings, &comparing, output->type, got_raw, output->name, detail,
                          detail_bytes);
    free(room);
    return status;
}

enum status expectations_compare(struct measuring *state, const struct expectations *expected,
                                 const struct launch_plan *plan, bool *right, char *detail,
                                 size_t detail_bytes, struct error *error)
{
    *right = true;
    for (size_t i = 0; *right && i < expected->count; i++) {
        const struct expectation *item = &expected->items[i];
        const struct argument *output = &plan->arguments[item->output];
        if (item->output >= plan->argument_count)
            return error_set(error, STATUS_INTERNAL, "the plan's output is not the problem's");
        *right = (size_t)output->count == item->count && item->unfit == 0;
        if (!*right && item->unfit == 0)
            (void)string_format(detail, detail_bytes, "'%s' has %s here and %zu in its reference",
                                output->name, count_text((uint64_t)output->count, "element").text,
                                item->count);
        else if (!*right)
            (void)string_format(detail, detail_bytes,
                                "the expected value of %s[%llu] does not fit into %s", output->name,
                                (unsigned long long)item->unfit - 1, element_name(output->type));
        if (!*right)
            return STATUS_OK;
        const void *got = NULL;
        bool compared = false;
        if (compares_on_device(state, output))
            TRY(compare_on_device(state, item, output, &compared, right, detail, detail_bytes,
                                  error));
        if (compared)
            continue;
        TRY(state->api->look(state->device, item->output, &got, argument_bytes(output), error));
        struct expected_output whole;
        void *room = NULL;
        TRY(complete_output(item, &whole, &room, error));
        *right = output_matches(got, output->type, item->count, &whole, &item->tolerance,
                                output->name, detail, detail_bytes);
        if (*right && state->deviation && element_is_real(output->type))
            *state->deviation =
                fmax(*state->deviation, output_deviation(got, output->type, item->count, &whole));
        free(room);
    }
    return STATUS_OK;
}
