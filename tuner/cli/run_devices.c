/* Which devices `tune run` works on. */
#include <stdio.h>
#include <string.h>

#include "tuner/base/text.h"
#include "tuner/cli/run.h"
#include "tuner/device/traits.h"

static enum status add_device(struct run *run, const struct device_api *api, int index,
                              struct error *error)
{
    for (size_t i = 0; i < run->device_count; i++)
        if (run->devices[i].api == api && run->devices[i].index == index)
            return STATUS_OK;
    if (run->device_count == RUN_DEVICES_MAX)
        return error_set(error, STATUS_USAGE, "--device: more than %d devices", RUN_DEVICES_MAX);
    run->devices[run->device_count++] = (struct run_device){api, index};
    return STATUS_OK;
}

/* Every device of the kind. */
static enum status add_kind(struct run *run, const struct device_traits *traits,
                            struct error *error)
{
    const struct device_api *api = device_kind(traits->kind);
    int count = 0;
    if (!api)
        return error_set(error, STATUS_UNAVAILABLE, "this tune was built without %s",
                         traits->needs);
    enum status status = worker_count(api->kind, &count, error);
    for (int i = 0; status == STATUS_OK && i < count; i++)
        status = add_device(run, api, i, error);
    if (status == STATUS_OK && count == 0)
        status = error_set(error, STATUS_UNAVAILABLE, "the %s driver finds no GPU", traits->needs);
    return status;
}

/* All GPUs, of whatever kind; the error is the most preferred kind's. */
static enum status add_all_gpus(struct run *run, struct error *error)
{
    const size_t before = run->device_count;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < device_traits_count; i++) {
        struct error here = {0};
        if (device_traits_list[i].by_name_only || !device_traits_list[i].is_gpu ||
            add_kind(run, &device_traits_list[i], &here) == STATUS_OK || status != STATUS_OK)
            continue;
        *error = here;
        status = here.status;
    }
    if (run->device_count > before)
        error_clear(error);
    return run->device_count > before ? STATUS_OK : status;
}

/* Nothing asked for: the GPUs, else the CPU, and that is said aloud. */
static enum status choose_devices(struct run *run, struct error *error)
{
    enum status status = add_all_gpus(run, error);
    if (status == STATUS_OK)
        return STATUS_OK;
    fprintf(stderr, "tune: no GPU to tune (%s); tuning the CPU\n", error->text);
    error_clear(error);
    run->device_count = 0;
    return add_device(run, device_host(), 0, error);
}

enum status run_parse_devices(struct run *run, struct error *error)
{
    char list[256];
    char *rest = NULL;
    if (!run->text.device)
        return choose_devices(run, error);
    if (strcmp(run->text.device, "all") == 0)
        return add_all_gpus(run, error);
    if (!string_format(list, sizeof list, "%s", run->text.device))
        return error_set(error, STATUS_USAGE, "--device: the list is too long");
    enum status status = STATUS_OK;
    size_t words = 0;
    for (char *word = strtok_r(list, ",", &rest); word && status == STATUS_OK;
         word = strtok_r(NULL, ",", &rest), words++) {
        const struct device_api *api = NULL;
        int index = 0;
        status = device_parse(word, &api, &index, error);
        if (status == STATUS_OK)
            status = add_device(run, api, index, error);
    }
    if (status == STATUS_OK && words == 0)
        return error_set(error, STATUS_USAGE,
                         "--device: write a number (0), a list (0,1), all or cpu");
    return status;
}
