/* How many devices there are, asked of a child, so that a driver that hangs or crashes does it
 * there. */
#include <string.h>

#include "tuner/base/text.h"
#include "tuner/worker/child.h"
#include "tuner/worker/frame.h"
#include "tuner/worker/host.h"
#include "tuner/worker/message.h"
#include "tuner/worker/worker.h"

enum { COUNT_TIMEOUT_MS = 60000 };

int count_child(const char *kind)
{
    const struct device_api *api = device_kind(kind);
    struct error error = {0};
    int count = 0;
    if (!api)
        return EXIT_CODE_USAGE;
    json_t *answer = api->count(&count, &error) == STATUS_OK ? json_pack("{s:i}", "count", count)
                                                             : message_from_error(&error);
    enum status sent = answer ? frame_write(CHILD_OUTPUT, answer, &error) : STATUS_NO_MEMORY;
    json_decref(answer);
    return sent == STATUS_OK ? EXIT_CODE_OK : EXIT_CODE_FAILED;
}

enum status worker_count(const struct host *host, const char *kind, int *count, struct error *error)
{
    char program[] = "tune";
    char entry[] = "__count";
    char wanted[16];
    char *arguments[] = {program, entry, wanted, NULL};
    struct child child;
    json_t *answer = NULL;
    char how[128];
    if (!string_format(wanted, sizeof wanted, "%s", kind))
        return error_set(error, STATUS_INTERNAL, "device name too long");
    enum status status = host->start(host, arguments, &child, error);
    if (status != STATUS_OK)
        return status;
    status = frame_read(child.output, COUNT_TIMEOUT_MS, &answer, error);
    (void)child_kill(&child, how, sizeof how);
    if (status != STATUS_OK)
        return error_set(error, STATUS_UNAVAILABLE,
                         "asking the driver of %s devices how many there are failed (%s)", kind,
                         how[0] ? how : status_text(status));
    status = message_to_error(answer, error);
    if (status == STATUS_OK)
        *count = (int)json_integer_value(json_object_get(answer, "count"));
    json_decref(answer);
    return status;
}
