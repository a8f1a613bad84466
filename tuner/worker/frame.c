#include "tuner/worker/frame.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tuner/base/array.h"
#include "tuner/base/clock.h"
#include "tuner/base/failpoint.h"
#include "tuner/base/files.h"
#include "tuner/base/json.h"
#include "tuner/base/process.h"
#include "tuner/worker/message.h"

static const unsigned char frame_magic[4] = {'T', 'U', 'N', '1'};
enum { HEADER_BYTES = 8 };

/* Appends each message to TUNE_WORKER_TRACE as a line: ">" to a child, "<" from a child. */
static void trace(char direction, const json_t *message)
{
    const char *path = getenv("TUNE_WORKER_TRACE");
    FILE *file = path && *path ? fopen(path, "ae") : NULL;
    if (!file)
        return;
    (void)fprintf(file, "%c ", direction);
    (void)json_dumpf(message, file, JSON_COMPACT);
    (void)fprintf(file, "\n");
    (void)fclose(file);
}

/* Encodes a message as a frame of *bytes bytes, freed by free(); NULL with the error. */
static unsigned char *frame_encode(const json_t *message, size_t *bytes, struct error *error)
{
    const size_t payload = json_dumpb(message, NULL, 0, JSON_COMPACT) + 1;
    unsigned char *frame = NULL;
    if (payload == 1 || payload > FRAME_BYTES_MAX)
        (void)error_set(error, STATUS_INTERNAL, "a worker message of %zu bytes cannot be sent",
                        payload);
    else if (!(frame = malloc(HEADER_BYTES + payload)))
        (void)error_no_memory(error);
    if (!frame)
        return NULL;
    memcpy(frame, frame_magic, sizeof frame_magic);
    for (int i = 0; i < 4; i++)
        frame[4 + i] = (unsigned char)(payload >> (8 * i));
    (void)json_dumpb(message, (char *)frame + HEADER_BYTES, payload - 1, JSON_COMPACT);
    frame[HEADER_BYTES + payload - 1] = '\n';
    *bytes = HEADER_BYTES + payload;
    return frame;
}

enum status frame_write(int file, const json_t *message, struct error *error)
{
    size_t bytes = 0;
    unsigned char *frame = frame_encode(message, &bytes, error);
    if (!frame)
        return error->status;
    trace('>', message);
    const int failure = file_write(file, frame, bytes);
    free(frame);
    return failure == 0 ? STATUS_OK
                        : error_set(error, STATUS_DEVICE_LOST, "worker process is gone: %s",
                                    strerror(failure));
}

struct deadline {
    int file;
    int64_t ns; /* < 0: none */
};

/* Waits for input or the deadline. Input that is present at the deadline is still read: this
 * process may have been the late one. */
static enum status wait_readable(void *context, struct error *error)
{
    const struct deadline *deadline = context;
    for (;;) {
        int64_t left_ms = -1;
        if (deadline->ns >= 0) {
            left_ms = (deadline->ns - clock_running_ns() + 999999) / 1000000;
            left_ms = left_ms > 0 ? left_ms : 0;
        }
        struct pollfd poller = {.fd = deadline->file, .events = POLLIN};
        int ready = poll(&poller, 1, left_ms > 60000 ? 60000 : (int)left_ms);
        if (ready > 0)
            return STATUS_OK;
        if (ready < 0 && errno != EINTR)
            return error_set_errno(error, errno, "poll");
        if (ready == 0 && left_ms == 0)
            return error_set(error, STATUS_TIMED_OUT, "no answer within the time limit");
    }
}

static enum status read_all(int file, frame_wait *wait, void *context, unsigned char *out,
                            size_t bytes, struct error *error)
{
    while (bytes > 0) {
        TRY(wait(context, error));
        ssize_t part = read(file, out, bytes);
        if (part < 0 && errno == EINTR)
            continue;
        if (part <= 0)
            return error_set(error, STATUS_DEVICE_LOST, "the process at the other end is gone");
        out += part;
        bytes -= (size_t)part;
    }
    return STATUS_OK;
}

enum status frame_read(int file, int64_t timeout_ms, json_t **out, struct error *error)
{
    struct deadline deadline = {file,
                                timeout_ms < 0 ? -1 : clock_running_ns() + timeout_ms * 1000000};
    return frame_read_by(file, wait_readable, &deadline, out, error);
}

enum status frame_read_by(int file, frame_wait *wait, void *context, json_t **out,
                          struct error *error)
{
    unsigned char header[HEADER_BYTES];
    size_t bytes = 0;
    TRY(read_all(file, wait, context, header, sizeof header, error));
    for (int i = 3; i >= 0; i--)
        bytes = bytes << 8 | header[4 + i];
    if (memcmp(header, frame_magic, sizeof frame_magic) != 0 || bytes == 0 ||
        bytes > FRAME_BYTES_MAX)
        return error_set(error, STATUS_INTERNAL, "received data that is no message of tune");
    unsigned char *payload = malloc(bytes);
    TRY_MEMORY(payload);
    enum status status = read_all(file, wait, context, payload, bytes, error);
    if (status == STATUS_OK)
        *out = json_read_bytes((const char *)payload, bytes, JSON_REJECT_DUPLICATES, NULL);
    free(payload);
    TRY(status);
    if (json_is_object(*out)) {
        trace('<', *out);
        return STATUS_OK;
    }
    json_decref(*out);
    *out = NULL;
    return error_set(error, STATUS_INTERNAL, "a worker message that is no JSON object");
}

int frames_answer(frame_serve *serve, void *context)
{
    for (;;) {
        struct error error = {0};
        json_t *request = NULL;
        json_t *answer = NULL;
        if (frame_read(CHILD_INPUT, -1, &request, &error) != STATUS_OK)
            return EXIT_CODE_OK; /* the parent closed our input */
        FAILPOINT("child.asked");
        enum status served = serve(context, request, &answer, &error);
        json_decref(request);
        if (served != STATUS_OK) {
            json_t *failure = message_from_error(&error);
            if (failure && json_object_get(answer, "log"))
                (void)json_object_set(failure, "log", json_object_get(answer, "log"));
            json_decref(answer);
            answer = failure;
        }
        FAILPOINT("child.done");
        enum status sent = answer ? frame_write(CHILD_OUTPUT, answer, &error) : STATUS_NO_MEMORY;
        json_decref(answer);
        if (sent != STATUS_OK || served == STATUS_DEVICE_LOST)
            return EXIT_CODE_FAILED;
    }
}

/* ---- an end within named work ---- */

/* Answers of child_may_end: for exit(), and for a signal, whose number is filled in. */
static struct last_answer {
    unsigned char *frame;
    size_t bytes; /* 0: none */
} last_answers[2];
static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
static struct sigaction other_faults[COUNT(faults)];

/* Sends the answer; only calls that a signal handler may make. */
static void send_last(struct last_answer *last)
{
    if (last->bytes > 0)
        (void)!write(CHILD_OUTPUT, last->frame, last->bytes);
    last_answers[0].bytes = last_answers[1].bytes = 0;
}

static void send_at_exit(void)
{
    send_last(&last_answers[0]);
}

/* The text and the frame end in `00)"}` and a line feed. */
static void send_at_fault(int number, siginfo_t *info, void *context)
{
    struct last_answer *last = &last_answers[1];
    (void)context;
    if (last->bytes > 0) {
        last->frame[last->bytes - 6] = (unsigned char)('0' + number / 10);
        last->frame[last->bytes - 5] = (unsigned char)('0' + number % 10);
    }
    send_last(last);
    for (size_t i = 0; i < COUNT(faults); i++)
        if (faults[i] == number)
            (void)sigaction(number, &other_faults[i], NULL);
    if (info->si_code <= 0) /* sent, so that it does not repeat by itself */
        (void)raise(number);
}

void expect_ends(void)
{
    struct sigaction action = {.sa_sigaction = send_at_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    (void)sigemptyset(&action.sa_mask);
    (void)atexit(send_at_exit);
    for (size_t i = 0; i < COUNT(faults); i++)
        (void)sigaction(faults[i], &action, &other_faults[i]);
}

void child_may_end(const char *work)
{
    static const char *const how[] = {"it calls exit()", "it crashes (signal 00)"};
    for (size_t i = 0; i < COUNT(how); i++) {
        struct last_answer *last = &last_answers[i];
        struct error error = {0};
        last->bytes = 0;
        free(last->frame);
        last->frame = NULL;
        if (!work)
            continue;
        (void)error_set(&error, STATUS_DEVICE_LOST, "%s: %s", work, how[i]);
        json_t *message = message_from_error(&error);
        size_t bytes = 0;
        last->frame = message ? frame_encode(message, &bytes, &error) : NULL;
        last->bytes = last->frame ? bytes : 0;
        json_decref(message);
    }
}
