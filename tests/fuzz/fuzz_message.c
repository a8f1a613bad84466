/* Any bytes as what comes through a worker's pipe: it is refused, or what was read can be written
 * again and reads the same. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tuner/worker/frame.h"
#include "tuner/worker/message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void read_plan(const json_t *message)
{
    struct arena arena = {0};
    struct error error = {0};
    struct launch_plan plan;
    struct launch_plan again;
    const json_t *part = json_object_get(message, "plan");
    if (message_to_plan(part ? part : message, &arena, &plan, &error) == STATUS_OK) {
        json_t *written = message_from_plan(&plan);
        require(written && message_to_plan(written, &arena, &again, &error) == STATUS_OK);
        require(again.launch_count == plan.launch_count);
        json_decref(written);
    } else {
        require(error.text[0] != '\0');
    }
    arena_free(&arena);
}

static void read_others(const json_t *message)
{
    struct arena arena = {0};
    struct error error = {0};
    struct facts facts = {0};
    struct binary_request request;
    struct kernel_resources resources;
    if (message_to_request(message, &arena, &request, &error) == STATUS_OK)
        json_decref(message_from_request(&request));
    if (message_to_facts(json_object_get(message, "facts"), &facts, &error) == STATUS_OK)
        json_decref(message_from_facts(&facts));
    (void)message_to_resources(message, &resources, &error);
    (void)message_to_error(message, &error);
    facts_free(&facts);
    arena_free(&arena);
}

/* Answers to visits and moments: unknown stays unknown. */
static void read_answers(const json_t *message)
{
    struct error error = {0};
    struct worker_samples samples;
    struct conditions conditions;
    struct conditions again;
    if (message_to_samples(message, &samples, &error) == STATUS_OK)
        require(samples.count <= WORKER_SAMPLES_MAX);
    else
        require(error.text[0] != '\0');
    message_to_conditions(json_object_get(message, "conditions"), &conditions);
    json_t *written = message_from_conditions(&conditions);
    require(written);
    message_to_conditions(written, &again);
    require(isnan(again.power_w) == isnan(conditions.power_w));
    require(again.throttle == conditions.throttle);
    json_decref(written);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int ends[2];
    struct error error = {0};
    json_t *message = NULL;
    if (size > 60000 || pipe(ends) != 0) /* a pipe holds no more without a reader */
        return 0;
    require(write(ends[1], data, size) == (ssize_t)size);
    (void)close(ends[1]);
    if (frame_read(ends[0], 1000, &message, &error) == STATUS_OK) {
        read_plan(message);
        read_others(message);
        read_answers(message);
        json_decref(message);
    } else {
        require(error.text[0] != '\0' && !message);
    }
    (void)close(ends[0]);
    return 0;
}
