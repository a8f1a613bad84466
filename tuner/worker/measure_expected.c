/* Expected outputs: computation, and comparison. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/clock.h"
#include "tuner/base/element_bits.h"
#include "tuner/base/environment.h"
#include "tuner/base/seal.h"
#include "tuner/base/text.h"
#include "tuner/worker/measure.h"
#include "tuner/worker/reference.h"

void expectations_free(struct expectations *expected)
{
    for (size_t i = 0; i < CHECKS_MAX; i++)
        free(expected->items[i].said.room);
    *expected = (struct expectations){0};
}

struct keeping {
    struct tune_expected *elements;
    struct said *said;
    const struct tolerance *tolerance;
};

/* Refuses an element whose tolerance is at least the largest number of the type, since then no
 * result could be wrong. */
static void refuse_magnitudes(const struct keeping *keeping, uint64_t first, uint64_t count,
                              struct error *error)
{
    const enum element_type type = keeping->said->type;
    const double largest = type == ELEMENT_F64 ? DBL_MAX : type == ELEMENT_F16 ? 65504 : FLT_MAX;
    for (uint64_t i = first; i < first + count; i++) {
        const struct tune_expected *element = &keeping->elements[i];
        if (!isfinite(element->real) ||
            element->magnitude * keeping->tolerance->magnitude < largest)
            continue;
        (void)error_set(error, STATUS_BAD_INPUT,
                        "the reference says of element %llu that it is %g with a magnitude of %g: "
                        "times the tolerance of %g that allows any result; a magnitude is a finite "
                        "number, about as large as what the element is made of",
                        (unsigned long long)i, element->real, element->magnitude,
                        keeping->tolerance->magnitude);
        return;
    }
}

static void keep_part(void *context, uint64_t first, uint64_t count, struct error *error)
{
    const struct keeping *keeping = context;
    const struct said *said = keeping->said;
    if (said->magnitudes && element_is_real(said->type))
        refuse_magnitudes(keeping, first, count, error);
    expected_keep(keeping->elements, said->type, said->count, said->magnitudes, first, count,
                  said->room);
}

static void clear_part(void *context, uint64_t first, uint64_t count, struct error *error)
{
    const struct keeping *keeping = context;
    (void)error;
    memset(keeping->elements + first, 0, count * sizeof *keeping->elements);
}

/* Computes a reference result by calling the function. */
static enum status compute(struct measuring *state, const struct worker_reference *reference,
                           const struct launch_plan *plan, struct expectation *out,
                           struct error *error)
{
    struct said *said = &out->said;
    const int64_t started_ns = clock_now_ns();
    const void *inputs[ARGUMENTS_MAX];
    struct keeping keeping = {.elements = host_room(said->count * sizeof *keeping.elements),
                              .said = said,
                              .tolerance = &out->tolerance};
    said->room = host_room(said_bytes(said));
    enum status status = STATUS_OK;
    if (!keeping.elements || !said->room)
        TRY_OR_CLEANUP(error_no_memory(error));
    TRY_OR_CLEANUP(
        host_in_parts(state, said->count, sizeof *keeping.elements, clear_part, &keeping, error));
    TRY_OR_CLEANUP(inputs_on_host(state, plan, inputs, error));
    TRY_OR_CLEANUP(reference_compute(reference->path, reference->name, plan, inputs, out->output,
                                     keeping.elements, error));
    status =
        host_in_parts(state, said->count, sizeof *keeping.elements, keep_part, &keeping, error);
cleanup:
    free(keeping.elements);
    said->made_ns = clock_now_ns() - started_ns;
    return status;
}

/* Makes the result of a reference function, from the cache or by a call. */
static enum status make_told(struct measuring *state, const struct worker_reference *reference,
                             const struct launch_plan *plan, struct expectation *out,
                             struct error *error)
{
    struct expected_difference *differs = &out->differs;
    struct said *said = &out->said;
    const bool has_base = differs->base.serial != 0;
    char hash[HASH_TEXT_BYTES] = "";
    if (!reference->path || !reference->name)
        return error_set(error, STATUS_INTERNAL, "a reference without its function");
    said->magnitudes = out->tolerance.magnitude > 0;
    TRY(seal_check(reference->path, error));
    TRY(reference_hash(reference->path, reference->name, plan, out->output, said->magnitudes,
                       has_base, hash, error));
    if (reference_recall(state, hash, said)) {
        state->recalled_ns += said->made_ns;
    } else {
        TRY(compute(state, reference, plan, out, error));
        said_flatten(said);
        if (has_base)
            said_differ(said, &differs->base);
        reference_keep(state, hash, said);
    }
    if (said->differing > 0) {
        differs->count = said->differing;
        differs->at = said->room;
        differs->instead = said_elements(said);
        out->must.scale = differs->instead.scale;
    } else {
        out->must = said_elements(said);
    }
    return STATUS_OK;
}

enum status blame_plan(const struct launch_plan *plan, struct error *error)
{
    struct text who = {0};
    for (size_t i = 0; i < plan->launch_count; i++)
        text_printf(&who, "%s'%s'", i > 0 ? ", " : "kernel ", plan->launches[i].kernel);
    const char *between = " with ";
    for (size_t i = 0; i < plan->argument_count; i++) {
        const struct argument *argument = &plan->arguments[i];
        if (!argument_is_bound(argument))
            continue;
        text_printf(&who, "%s%s[%lld]", between, argument->name, (long long)argument->count);
        between = ", ";
    }
    enum status status =
        error_prefix(error, "what the results are held against (%s)", text_string(&who));
    text_free(&who);
    return status;
}

/* Converts element `i` to a number; false for an integer that the other type cannot represent. */
static bool number_of(const void *elements, enum element_type type, enum element_type other,
                      uint64_t i, struct tune_expected *out)
{
    int64_t least = 0, most = 0;
    const uint64_t raw = element_raw(elements, type, i);
    out->real = element_real_of(raw, type);
    if (compare_is_real(type))
        return true;
    element_integer_range(other, &least, &most);
    out->integer = (int64_t)integer_extended(raw, type);
    const bool is_large = !compare_is_signed(type) && out->integer < 0;
    return (type == other || !is_large) && out->integer >= least && out->integer <= most;
}

/* Converts a plan's output to elements of another type, as if computed by a function. */
static enum status keep_by_value(const void *elements, enum element_type type,
                                 struct expectation *out, struct error *error)
{
    struct said *said = &out->said;
    const double scale = expected_scale(elements, type, said->count);
    struct tune_expected *numbers = host_room(said->count * sizeof *numbers);
    said->magnitudes = true;
    said->room = host_room(said_bytes(said));
    enum status status = numbers && said->room ? STATUS_OK : error_no_memory(error);
    for (uint64_t i = 0; status == STATUS_OK && i < said->count; i++) {
        if (!number_of(elements, type, said->type, i, &numbers[i]) && out->unfit == 0)
            out->unfit = i + 1;
        numbers[i].magnitude = fmax(fabs(numbers[i].real), scale);
    }
    if (status == STATUS_OK) {
        expected_keep(numbers, said->type, said->count, true, 0, said->count, said->room);
        out->must = said_elements(said);
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
    const struct argument *left = &other->arguments[out->output];
    TRY_OR_CLEANUP(load_binary(state, reference->path, error));
    if (!(room = host_room(argument_bytes(left))))
        TRY_OR_CLEANUP(error_no_memory(error));
    TRY_OR_CLEANUP(inputs_bind(state, other, inputs, 1, error));
    TRY_OR_CLEANUP(state->api->run(state->device, other, &ignored_ns, error));
    TRY_OR_CLEANUP(state->api->read(state->device, out->output, room, argument_bytes(left), error));
    /* Inputs that the reference changes are not the candidate's fault. */
    TRY_OR_CLEANUP(
        state->api->intact(state->device, other, &ignored, &worn, detail, sizeof detail, error));
    if (left->type == output->type) {
        out->said.room = room;
        out->must = (struct expected_output){.elements = room};
        return STATUS_OK;
    }
    status = keep_by_value(room, left->type, out, error);
    free(room);
    return status;
cleanup:
    if (status != STATUS_INTERNAL)
        (void)blame_plan(other, error);
    free(room);
    return status;
}

bool works_on_device(struct measuring *state, size_t bytes)
{
    static const size_t least_bytes = 1 << 20;
    struct error ignored = {0};
    if (!state->check_mode_known) {
        (void)environment_integer("TUNE_CHECK_ON_HOST", 0, 1, -1, &state->check_on_host, &ignored);
        state->check_mode_known = true;
    }
    return state->check_on_host != 1 && (state->check_on_host == 0 || bytes >= least_bytes);
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
        .said = {.type = argument->type, .count = (uint64_t)argument->count},
    };
    if (base && base->output == output && base->count == out->count &&
        compares_on_device(state, argument))
        out->differs.base = base->must;
    enum status status = STATUS_OK;
    if (reference->kind == REFERENCE_FUNCTION) {
        status = make_told(state, reference, plan, out, error);
    } else if (reference->kind == REFERENCE_PLAN) {
        status = make_by_plan(state, reference, plan, inputs, out, error);
    } else {
        struct argument as_input = *argument;
        as_input.fill = reference->fill;
        as_input.fill_text = reference->name ? reference->name : "";
        out->said.room = host_room(argument_bytes(argument));
        out->must = (struct expected_output){.elements = out->said.room};
        status = out->said.room ? host_fill(state, &as_input, out->said.room, error)
                                : error_no_memory(error);
    }
    if (status == STATUS_OK && reference->kind != REFERENCE_FUNCTION && out->must.elements &&
        out->tolerance.magnitude > 0)
        out->must.scale = expected_scale(out->said.room, argument->type, out->count);
    out->must.serial = ++state->expectation_serial;
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

enum status expectations_ahead(struct measuring *state, const struct worker_task *task,
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
        const struct said whole = {.type = output->type,
                                   .count = (uint64_t)output->count,
                                   .magnitudes = reference->tolerance.magnitude > 0};
        if (!reference_has_room(said_bytes(&whole)))
            continue;
        status = make_one(state, reference, task->plan, NULL, NULL, &made, error);
        free(made.said.room);
    }
    inputs_free(state);
    memset(state->inputs, 0, sizeof state->inputs);
    memset(state->cases, 0, sizeof state->cases);
    memset(state->others, 0, sizeof state->others);
    return status;
}

/* Returns the complete expected output for a comparison on the host; *room is to be freed. */
static enum status whole_of(const struct expectation *item, struct expected_output *out,
                            void **room, struct error *error)
{
    *room = NULL;
    *out = item->must;
    return item->differs.count > 0 ? said_whole(&item->said, &item->differs.base, room, out, error)
                                   : STATUS_OK;
}

/* Compares on the device. *held: done there; false if the device cannot, so that the host must. */
static enum status hold_there(struct measuring *state, const struct expectation *item,
                              const struct argument *output, bool *held, bool *right, char *detail,
                              size_t detail_bytes, struct error *error)
{
    struct comparing what =
        comparing_of(NULL, output->type, item->count, &item->must, &item->tolerance);
    what.expected.differs = item->differs.count > 0 ? &item->differs : NULL;
    struct findings findings;
    uint64_t got_raw[2] = {0};
    enum status status = state->api->compare(state->device, item->output, output->type, &what,
                                             &findings, got_raw, error);
    *held = status == STATUS_OK;
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
    if (*right)
        return STATUS_OK;
    void *room = NULL;
    status = whole_of(item, &what.expected, &room, error);
    if (status == STATUS_OK)
        findings_describe(&findings, &what, output->type, got_raw, output->name, detail,
                          detail_bytes);
    free(room);
    return status;
}

enum status expectations_hold(struct measuring *state, const struct expectations *expected,
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
            (void)string_format(detail, detail_bytes,
                                "'%s' has %lld elements here and %zu in what it is held against",
                                output->name, (long long)output->count, item->count);
        else if (!*right)
            (void)string_format(detail, detail_bytes, "%s[%llu] is to be what %s cannot hold",
                                output->name, (unsigned long long)item->unfit - 1,
                                element_name(output->type));
        if (!*right)
            return STATUS_OK;
        const void *got = NULL;
        bool held = false;
        if (compares_on_device(state, output))
            TRY(hold_there(state, item, output, &held, right, detail, detail_bytes, error));
        if (held)
            continue;
        TRY(state->api->look(state->device, item->output, &got, argument_bytes(output), error));
        struct expected_output whole;
        void *room = NULL;
        TRY(whole_of(item, &whole, &room, error));
        *right = output_matches(got, output->type, item->count, &whole, &item->tolerance,
                                output->name, detail, detail_bytes);
        free(room);
    }
    return STATUS_OK;
}
