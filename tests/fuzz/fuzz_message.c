/* Any bytes as input of a worker's pipe: refused, or written again and read back equal. */
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

/* Reads a message: refused with a reason, or written and read back equal. */
static void read_as(const struct message_shape *shape, const json_t *message)
{
    struct arena arena = {0};
    struct error error = {0};
    void *read = arena_alloc(&arena, 1, shape->bytes);
    void *again = arena_alloc(&arena, 1, shape->bytes);
    require(read && again);
    if (message_decode(shape, message, &arena, read, &error) == STATUS_OK) {
        json_t *written = message_encode(shape, read);
        require(written && message_decode(shape, written, &arena, again, &error) == STATUS_OK);
        json_t *once_more = message_encode(shape, again);
        require(once_more && json_equal(written, once_more));
        json_decref(once_more);
        json_decref(written);
    } else {
        require(error.text[0] != '\0');
    }
    arena_free(&arena);
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
        static const struct message_shape *const shapes[] = {
            &message_plan,    &message_binary_request, &message_start,  &message_hello,
            &message_compile, &message_request,        &message_answer, &message_placement};
        const json_t *part = json_object_get(message, "plan");
        for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
            read_as(shapes[i], message);
        read_as(&message_plan, part ? part : message);
        (void)message_to_error(message, &error);
        json_decref(message);
    } else {
        require(error.text[0] != '\0' && !message);
    }
    (void)close(ends[0]);
    return 0;
}
