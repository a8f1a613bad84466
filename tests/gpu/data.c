#include "tests/gpu/data.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/files.h"
#include "tuner/base/pack.h"
#include "tuner/experiment/series.h"
#include "tuner/worker/reference.h"

static enum status fill_from_file(const struct argument *argument, void *out, struct error *error)
{
    struct arena arena = {0};
    char *contents = NULL;
    size_t length = 0;
    const size_t bytes = argument_bytes(argument);
    enum status status =
        file_read(&arena, argument->fill_text, (size_t)1 << 32, &contents, &length, error);
    if (status == STATUS_OK && length < bytes)
        status = error_set(error, STATUS_BAD_INPUT, "%s: %zu bytes, not %zu", argument->fill_text,
                           length, bytes);
    if (status == STATUS_OK)
        memcpy(out, contents, bytes);
    arena_free(&arena);
    return status;
}

static enum status fill(const struct argument *argument, void *out, struct error *error)
{
    struct series *series = NULL;
    if (argument->fill == FILL_FILE)
        return fill_from_file(argument, out, error);
    if (argument->fill != FILL_SERIES) {
        fill_vector(out, argument, 0, (uint64_t)argument->count);
        return STATUS_OK;
    }
    enum status status = series_read(argument->fill_text, &series, error);
    if (status == STATUS_OK)
        status = series_fill(series, argument->type, 0, (uint64_t)argument->count, out, error);
    series_free(series);
    return status;
}

enum status inputs_make(struct input kept[ARGUMENTS_MAX], const struct launch_plan *plan,
                        const void *inputs[ARGUMENTS_MAX], struct error *error)
{
    memset(inputs, 0, ARGUMENTS_MAX * sizeof *inputs);
    for (size_t i = 0; i < plan->argument_count; i++) {
        const struct argument *argument = &plan->arguments[i];
        struct input *input = &kept[i];
        if (!role_is_filled(argument->role))
            continue;
        if (!input->data || input->contents != argument_contents(argument) ||
            input->count < argument->count) {
            /* Before the old data is freed: the device identifies data by its address. */
            void *data = malloc(argument_bytes(argument) + 1);
            if (!data)
                return error_no_memory(error);
            enum status status = fill(argument, data, error);
            if (status != STATUS_OK) {
                free(data);
                return status;
            }
            free(input->data);
            *input = (struct input){data, argument_contents(argument), argument->count};
        }
        inputs[i] = input->data;
    }
    return STATUS_OK;
}

void inputs_free(struct input kept[ARGUMENTS_MAX])
{
    for (size_t i = 0; i < ARGUMENTS_MAX; i++)
        free(kept[i].data);
}

static enum status leave_by_plan(const struct device_api *api, struct device *device,
                                 const struct wanted *wanted, const char *binary,
                                 const void *const *inputs, struct error *error)
{
    const struct launch_plan *other = wanted->check->plan;
    double ignored_ns = 0;
    enum status status = api->load(device, binary, error);
    if (status == STATUS_OK)
        status = api->bind(device, other, inputs, 1, NULL, error);
    if (status == STATUS_OK)
        status = api->run(device, other, RUN_FIRST, &ignored_ns, error);
    if (status == STATUS_OK)
        status = api->read(device, wanted->check->output, wanted->elements,
                           argument_bytes(&other->arguments[wanted->check->output]), error);
    return status;
}

enum status wanted_make(const struct device_api *api, struct device *device,
                        const struct output_check *check, const char *binary,
                        const struct launch_plan *plan, const void *const *inputs,
                        struct wanted *out, struct error *error)
{
    struct argument output = plan->arguments[check->output];
    *out = (struct wanted){.check = check};
    if (check->kind == REFERENCE_FUNCTION) {
        out->expected = calloc((size_t)output.count + 1, sizeof *out->expected);
        return out->expected ? reference_compute(binary, check->reference, plan, inputs,
                                                 check->output, out->expected, error)
                             : error_no_memory(error);
    }
    out->elements = malloc(argument_bytes(&output) + 1);
    if (!out->elements)
        return error_no_memory(error);
    output.fill = check->fill;
    output.fill_text = check->reference;
    enum status status = check->kind == REFERENCE_PLAN
                             ? leave_by_plan(api, device, out, binary, inputs, error)
                             : fill(&output, out->elements, error);
    if (status == STATUS_OK)
        out->scale = expected_scale(out->elements, output.type, (size_t)output.count);
    return status;
}

void wanted_free(struct wanted *wanted)
{
    free(wanted->expected);
    free(wanted->elements);
    *wanted = (struct wanted){0};
}

enum status wanted_holds(const struct device_api *api, struct device *device,
                         const struct wanted *wanted, const struct launch_plan *plan,
                         struct error *error)
{
    const struct output_check *check = wanted->check;
    const struct argument *output = &plan->arguments[check->output];
    struct expected_output must = {.elements = wanted->elements, .scale = wanted->scale};
    const size_t bytes = argument_bytes(output);
    char detail[ERROR_TEXT_BYTES] = "";
    const bool magnitudes = check->tolerance.magnitude > 0;
    void *got = malloc(bytes + 1);
    void *room = wanted->expected
                     ? malloc(expected_bytes(output->type, (size_t)output->count, magnitudes) + 1)
                     : NULL;
    if (!got || (wanted->expected && !room)) {
        free(got);
        free(room);
        return error_no_memory(error);
    }
    if (wanted->expected) {
        const size_t count = (size_t)output->count;
        expected_keep(wanted->expected, output->type, count, magnitudes, 0, count, room);
        must = expected_in(room, output->type, count, magnitudes);
    }
    enum status status = api->read(device, check->output, got, bytes, error);
    if (status == STATUS_OK &&
        !output_matches(got, output->type, (size_t)output->count, &must, &check->tolerance,
                        output->name, detail, sizeof detail))
        status = error_set(error, STATUS_BAD_INPUT, "%s", detail);
    free(got);
    free(room);
    return status;
}
