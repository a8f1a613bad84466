#include <stdlib.h>

#include "tuner/device/device.h"
#include "tuner/worker/child.h"
#include "tuner/worker/message.h"

static enum status compile_one(const struct device_api *api, const json_t *request,
                               struct arena *arena, struct text *log, struct error *error)
{
    struct binary_request binary;
    enum status status = message_to_request(request, arena, &binary, error);
    if (status != STATUS_OK)
        return status;
    return api->compile(&binary, message_text(request, "path", ""), log, error);
}

static enum status serve(void *context, const json_t *request, json_t **answer, struct error *error)
{
    const struct device_api *api = context;
    struct arena arena = {0};
    struct text log = {0};
    enum status status = compile_one(api, request, &arena, &log, error);
    if (status == STATUS_OK)
        *answer = json_object();
    arena_free(&arena);
    text_free(&log);
    return status;
}

int compile_child(const char *kind)
{
    const struct device_api *api = device_kind(kind);
    if (!api)
        return EXIT_CODE_USAGE;
    const struct device_api *context = api;
    return child_loop(serve, (void *)(uintptr_t)context);
}
