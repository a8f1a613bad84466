/* The keeper of a remote host: runs the command, reads the output, and restarts a lost one. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tuner/base/array.h"
#include "tuner/base/clock.h"
#include "tuner/base/files.h"
#include "tuner/base/process.h"
#include "tuner/base/text.h"
#include "tuner/base/version.h"
#include "tuner/worker/frame.h"
#include "tuner/worker/message.h"
#include "tuner/worker/remote.h"

extern char **environ;

enum {
    LOOK_MS = 500,    /* longest interval between checks of the time */
    SILENT_MS = 3000, /* beats come once a second */
    STOP_MS = 5000,   /* time that a stopped run waits for a host's pending work */
    HELLO_MS = 60000,
    LEAVE_MS = 5000,  /* time for a command to end by itself, then by SIGTERM */
    RESTARTS_MAX = 4, /* in a row, each having lasted less than SOUND_MS */
    SOUND_MS = 600000,
    LEFT_MAX_S = 1000000000,
    BANNER_BYTES_MAX = 1 << 20,
    ERROR_READS_MAX = 64,
};

/* ---- frames from the agent ---- */

/* Sends a message, with `sending` locked. */
static enum status send_next(struct remote *remote, unsigned connection, const json_t *message,
                             struct error *error)
{
    (void)pthread_mutex_lock(&remote->mutex);
    bool there =
        remote->input >= 0 &&
        (connection == 0 || (remote->state == HOST_READY && remote->connections == connection));
    (void)pthread_mutex_unlock(&remote->mutex);
    enum status status = there ? frame_write(remote->input, message, error)
                               : error_set(error, STATUS_DEVICE_LOST, "%s is lost", remote->name);
    if (status == STATUS_DEVICE_LOST) {
        /* The connection is lost, which the keeper notices later by the command's end. */
        (void)pthread_mutex_lock(&remote->mutex);
        if (connection != 0 && remote->state == HOST_READY && remote->connections == connection) {
            remote->state = HOST_AWAITED;
            remote->is_deaf = true;
            (void)pthread_cond_broadcast(&remote->changed);
        }
        (void)pthread_mutex_unlock(&remote->mutex);
    }
    return status;
}

enum status remote_send(struct remote *remote, unsigned connection, json_t *message,
                        struct error *error)
{
    TRY_MEMORY(message);
    (void)pthread_mutex_lock(&remote->sending);
    const enum status status = send_next(remote, connection, message, error);
    (void)pthread_mutex_unlock(&remote->sending);
    json_decref(message);
    return status;
}

/* Sends a beat, since a connection may die without an end of file. Never waits, as the keeper ends
 * a command that no longer reads: a frame on its way is a sign of life, too. */
static void beat(struct remote *remote)
{
    struct error ignored = {0};
    const int64_t now_ns = clock_running_ns();
    (void)pthread_mutex_lock(&remote->mutex);
    const unsigned connection = remote->state == HOST_READY ? remote->connections : 0;
    (void)pthread_mutex_unlock(&remote->mutex);
    if (connection == 0 || now_ns - remote->beaten_ns < AGENT_BEAT_MS * INT64_C(1000000) ||
        pthread_mutex_trylock(&remote->sending) != 0)
        return;
    struct pollfd input = {.fd = remote->input, .events = POLLOUT};
    json_t *message = json_pack("{s:i}", "beat", 1);
    if (message && poll(&input, 1, 0) > 0)
        (void)send_next(remote, connection, message, &ignored);
    json_decref(message);
    (void)pthread_mutex_unlock(&remote->sending);
    remote->beaten_ns = now_ns;
}

/* Waits until a change or the deadline; called with the mutex locked. */
void remote_await(struct remote *remote, int64_t deadline_ns)
{
    struct timespec until;
    int64_t left_ns = deadline_ns - clock_running_ns();
    left_ns = left_ns < 0 ? 0 : left_ns > 200000000 ? 200000000 : left_ns;
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += (long)left_ns;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    (void)pthread_cond_timedwait(&remote->changed, &remote->mutex, &until);
}

int64_t remote_deadline(int64_t ms)
{
    return clock_running_ns() + ms * 1000000;
}

struct remote_child *remote_child_of(struct remote *remote, int64_t number)
{
    for (size_t i = 0; number > 0 && i < AGENT_CHILDREN_MAX; i++)
        if (remote->children[i].number == number)
            return &remote->children[i];
    return NULL;
}

/* Frees the child's slot once unused; called with the mutex locked. */
void remote_child_free(struct remote_child *child)
{
    if (!child->released || child->to_worker >= 0)
        return;
    json_decref(child->request);
    *child = (struct remote_child){.number = 0};
}

/* Returns whether the request contains the text: only files named by the current request are sent,
 * whatever the host requests. */
static bool names(const json_t *json, const char *text)
{
    const char *key, *here = json_string_value(json);
    const json_t *value;
    size_t index;
    if (here && strcmp(here, text) == 0)
        return true;
    json_object_foreach((json_t *)(uintptr_t)json, key, value) if (names(value, text)) return true;
    json_array_foreach(json, index, value) if (names(value, text)) return true;
    return false;
}

static json_t *file_bytes(const void *data, size_t bytes, struct error *error)
{
    if (bytes > AGENT_FILE_BYTES_MAX) {
        (void)error_set(error, STATUS_BAD_INPUT,
                        "%zu bytes are too many to be sent: let the host see the file", bytes);
        return NULL;
    }
    json_t *json = bytes_encode(data, bytes);
    if (!json)
        (void)error_no_memory(error);
    return json;
}

/* Reads a source with all includes, from the folders in the request. */
static json_t *read_source(const char *path, const json_t *request, struct error *error)
{
    struct arena arena = {0};
    struct compile_message message;
    const struct known_source *known = NULL;
    json_t *bytes = NULL;
    if (message_decode(&message_compile, request, &arena, &message, error) == STATUS_OK &&
        sources_find(path, &message.request, &known, error) == STATUS_OK)
        bytes = file_bytes(known->source.text, known->source.length, error);
    arena_free(&arena);
    return bytes;
}

static void send_file(struct remote *remote, const json_t *message)
{
    struct error error = {0}, ignored = {0};
    const char *path = json_string_value(json_object_get(message, "want"));
    const char *meant = json_string_value(json_object_get(message, "meant"));
    json_int_t number = json_integer_value(json_object_get(message, "child"));
    bool same = false;
    (void)pthread_mutex_lock(&remote->mutex);
    struct remote_child *child = remote_child_of(remote, number);
    json_t *request = child ? json_incref(child->request) : NULL;
    const unsigned connection = remote->connections;
    (void)pthread_mutex_unlock(&remote->mutex);
    json_t *bytes = NULL;
    if (!path || !names(request, path))
        (void)error_set(&error, STATUS_PERMISSION, "it was not named to the host");
    else if (meant)
        bytes = read_source(path, request, &error);
    else {
        const char *there = json_string_value(json_object_get(message, "hash"));
        struct arena arena = {0};
        char *contents = NULL, hash[HASH_TEXT_BYTES] = "";
        size_t length = 0;
        if (file_read(&arena, path, INT32_MAX, &contents, &length, &error) == STATUS_OK) {
            hash_bytes(contents, length, hash);
            same = there && strcmp(hash, there) == 0;
            if (!same && !(bytes = file_bytes(contents, length, &error)))
                (void)error_prefix(&error, "%s", path);
        }
        arena_free(&arena);
    }
    json_t *answer = bytes  ? json_pack("{s:o}", "bytes", bytes)
                     : same ? json_pack("{s:b}", "same", 1)
                            : message_from_error(&error);
    (void)json_object_set(answer, "file", json_object_get(message, "want"));
    (void)json_object_set_new(answer, "child", json_integer(number));
    if (meant)
        (void)json_object_set(answer, "meant", json_object_get(message, "meant"));
    (void)remote_send(remote, connection, answer, &ignored);
    json_decref(request);
}

/* Stores a binary at the path of its compilation request, and nowhere else. Damage is detected by
 * the seal. */
static void receive_binary(struct remote *remote, const json_t *message)
{
    struct arena arena = {0};
    struct error ignored = {0};
    size_t bytes = 0;
    (void)pthread_mutex_lock(&remote->mutex);
    struct remote_child *child =
        remote_child_of(remote, json_integer_value(json_object_get(message, "made")));
    json_t *request = child ? json_incref(child->request) : NULL;
    (void)pthread_mutex_unlock(&remote->mutex);
    const char *path = json_string_value(json_object_get(request, "path"));
    const unsigned char *data = bytes_decode(json_object_get(message, "bytes"), &arena, &bytes);
    if (path && data && !file_exists(path))
        (void)file_write_atomically(path, data, bytes, &ignored);
    arena_free(&arena);
    json_decref(request);
}

static void receive_end(struct remote *remote, const json_t *message)
{
    const char *how = json_string_value(json_object_get(message, "how"));
    json_int_t end = json_integer_value(json_object_get(message, "end"));
    (void)pthread_mutex_lock(&remote->mutex);
    struct remote_child *child =
        remote_child_of(remote, json_integer_value(json_object_get(message, "ended")));
    /* An agent does not know the children of an earlier one. */
    if (child && child->connection == remote->connections) {
        child->ended = true;
        child->end = end == CHILD_WAS_KILLED  ? CHILD_WAS_KILLED
                     : end == CHILD_HAD_ENDED ? CHILD_HAD_ENDED
                                              : CHILD_WAS_RUNNING;
        (void)string_format(child->how, sizeof child->how, "%s", how ? how : "");
    }
    (void)pthread_cond_broadcast(&remote->changed);
    (void)pthread_mutex_unlock(&remote->mutex);
}

static void close_down(struct remote *remote, int64_t number)
{
    (void)pthread_mutex_lock(&remote->mutex);
    for (size_t i = 0; i < AGENT_CHILDREN_MAX; i++) {
        struct remote_child *child = &remote->children[i];
        if (child->number == 0 || (number != 0 && child->number != number) || child->to_worker < 0)
            continue;
        (void)close(child->to_worker);
        child->to_worker = -1;
        remote_child_free(child);
    }
    (void)pthread_cond_broadcast(&remote->changed);
    (void)pthread_mutex_unlock(&remote->mutex);
}

static enum status take(struct remote *remote, json_t *message, struct error *error)
{
    /* Late messages are valid: their number was once assigned to a child or call. */
    static const char *const members[] = {"child", "closed", "ended", "made", "answer"};
    (void)pthread_mutex_lock(&remote->mutex);
    json_int_t last = remote->last_number;
    (void)pthread_mutex_unlock(&remote->mutex);
    bool is_one = json_object_get(message, "beat") || json_object_get(message, "failed");
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        const json_t *number = json_object_get(message, members[i]);
        if (number && !(json_integer_value(number) > 0 && json_integer_value(number) <= last))
            return error_set(error, STATUS_INTERNAL, "it sent a message that was not requested");
        is_one = is_one || number;
    }
    if (!is_one)
        return error_set(error, STATUS_INTERNAL, "it sent a message that was not requested");
    const json_t *closed = json_object_get(message, "closed");
    const json_t *frame = json_object_get(message, "frame");
    if (frame) {
        /* Relayed to the worker without the mutex, since the pipe may be closed or full. Only the
         * keeper closes these pipes, or the caller that knows the child's end. */
        struct error ignored = {0};
        (void)pthread_mutex_lock(&remote->mutex);
        const struct remote_child *child =
            remote_child_of(remote, json_integer_value(json_object_get(message, "child")));
        const int to_worker = child && !child->ended ? child->to_worker : -1;
        (void)pthread_mutex_unlock(&remote->mutex);
        if (to_worker >= 0)
            (void)frame_write(to_worker, frame, &ignored);
    } else if (closed)
        close_down(remote, json_integer_value(closed));
    else if (json_object_get(message, "ended"))
        receive_end(remote, message);
    else if (json_object_get(message, "made"))
        receive_binary(remote, message);
    else if (json_object_get(message, "want"))
        send_file(remote, message);
    else if (json_object_get(message, "answer")) {
        json_int_t number = json_integer_value(json_object_get(message, "answer"));
        (void)pthread_mutex_lock(&remote->mutex);
        for (struct call *call = remote->calls; call; call = call->next)
            if (call->number == number && !call->answer)
                call->answer = json_incref(message);
        (void)pthread_cond_broadcast(&remote->changed);
        (void)pthread_mutex_unlock(&remote->mutex);
    } else if (json_object_get(message, "failed"))
        return message_to_error(message, error);
    return STATUS_OK;
}

/* ---- the command ---- */

/* Reads the command's standard error. Its last line is reported to the user, even without a
 * newline, as of a prompt that waits for an answer. */
static void read_errors(struct remote *remote)
{
    char data[4096];
    ssize_t bytes = read(remote->errors, data, sizeof data);
    if (bytes == 0 || (bytes < 0 && errno != EINTR)) {
        (void)close(remote->errors);
        remote->errors = -1;
    }
    (void)pthread_mutex_lock(&remote->mutex);
    size_t length = remote->line_continues ? strlen(remote->last_line) : 0;
    for (ssize_t i = 0; i < bytes; i++) {
        if (data[i] == '\r' || data[i] == '\n') {
            length = 0;
        } else if (length < LINE_BYTES_MAX && (length > 0 || data[i] != ' ')) {
            if (length == 0)
                (void)string_format(remote->previous_line, sizeof remote->previous_line, "%s",
                                    remote->last_line);
            remote->last_line[length++] = data[i];
            remote->last_line[length] = '\0';
        }
    }
    remote->line_continues = length > 0;
    (void)pthread_mutex_unlock(&remote->mutex);
}

/* Starts the command in a session of its own, so that Ctrl-C reaches only us. Its group is never
 * signalled: srun is two processes, one of which cleans up when the other is killed. */
static enum status run_command(struct remote *remote, struct error *error)
{
    int in[2] = {-1, -1}, out[2] = {-1, -1}, err[2] = {-1, -1};
    char script[4096];
    if (!string_format(script, sizeof script, "exec %s \"$@\"", remote->command))
        return error_set(error, STATUS_BAD_INPUT, "the command is too long");
    const char *const arguments[] = {"sh", "-c", script, "sh", remote->program, "__host", NULL};
    enum status status = STATUS_OK;
    remote->wait_status = 0;
    remote->answers_by_ns = remote->wait_ms > 0 ? remote_deadline(remote->wait_ms) : INT64_MAX;
    if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0)
        status = error_set_errno(error, errno, "pipe");
    const int files[] = {in[0], out[1], err[1]};
    const struct process_start start = {.path = "/bin/sh",
                                        .argv = arguments,
                                        .files = files,
                                        .file_count = COUNT(files),
                                        .place = PROCESS_LEADS_SESSION};
    if (status == STATUS_OK)
        status = process_start(&start, &remote->pid, error);
    for (size_t i = 0; i < COUNT(files); i++)
        file_close(files[i]);
    remote->output = out[0];
    remote->errors = err[0];
    (void)pthread_mutex_lock(&remote->sending);
    (void)pthread_mutex_lock(&remote->mutex);
    remote->input = in[1];
    remote->is_deaf = false;
    (void)pthread_mutex_unlock(&remote->mutex);
    (void)pthread_mutex_unlock(&remote->sending);
    return status;
}

/* Returns whether the command has ended, without waiting. */
static bool is_over(struct remote *remote)
{
    const pid_t ended = remote->pid > 0 ? waitpid(remote->pid, &remote->wait_status, WNOHANG) : 1;
    if (ended == 0 || (ended < 0 && errno == EINTR))
        return false;
    remote->pid = 0;
    return true;
}

/* Waits for output of the agent. A job may wait in a queue for hours; without a limit the command's
 * end is an end, even if its children keep the output open. Leaves at closing, or when a stopped
 * run has waited long enough for a host without useful answers; also if the command never stops
 * printing. */
static enum status await_output(struct remote *remote, int64_t limit_ns, struct error *error)
{
    for (bool over = false;;) {
        (void)pthread_mutex_lock(&remote->mutex);
        const bool closing = remote->closing;
        (void)pthread_mutex_unlock(&remote->mutex);
        if (remote->stop && *remote->stop && remote->stopped_ns == 0)
            remote->stopped_ns = clock_running_ns();
        if (closing || (remote->stopped_ns != 0 &&
                        clock_running_ns() - remote->stopped_ns > STOP_MS * INT64_C(1000000)))
            return error_set(error, STATUS_INTERRUPTED, "ended");
        beat(remote);
        struct pollfd files[] = {{.fd = remote->output, .events = POLLIN},
                                 {.fd = remote->errors, .events = POLLIN}};
        (void)poll(files, 2, LOOK_MS);
        (void)pthread_mutex_lock(&remote->mutex);
        int64_t quiet_ns = clock_running_ns() - remote->received_ns;
        const bool is_deaf = remote->is_deaf;
        (void)pthread_mutex_unlock(&remote->mutex);
        if (files[1].revents)
            read_errors(remote);
        if (files[0].revents)
            return STATUS_OK;
        if (over || is_deaf)
            return error_set(error, STATUS_DEVICE_LOST, "its command ended");
        over = limit_ns == 0 && is_over(remote);
        if (limit_ns == 0 && clock_running_ns() > remote->answers_by_ns)
            return error_set(error, STATUS_TIMED_OUT,
                             "it did not answer within %.1f s (TUNE_HOST_WAIT_MS)",
                             (double)remote->wait_ms * 1e-3);
        if (limit_ns > 0 && quiet_ns > limit_ns)
            return error_set(error, STATUS_TIMED_OUT, "nothing was heard of it for %.0f s",
                             (double)limit_ns * 1e-9);
    }
}

/* A message being read: once begun it must be complete by the deadline, even if bytes trickle
 * in. */
struct rest {
    struct remote *remote;
    int64_t deadline_ns;
    int64_t silent_ns; /* longest silence meanwhile */
};

static enum status await_rest(void *context, struct error *error)
{
    const struct rest *rest = context;
    if (clock_running_ns() > rest->deadline_ns)
        return error_set(error, STATUS_TIMED_OUT, "a message of it has no end");
    return await_output(rest->remote, rest->silent_ns, error);
}

static enum status read_message(struct remote *remote, int64_t limit_ms, json_t **out,
                                struct error *error)
{
    struct rest rest = {remote, remote_deadline(limit_ms), limit_ms * 1000000};
    return frame_read_by(remote->output, await_rest, &rest, out, error);
}

/* Skips the login banner. There is no time limit by default, since a batch queue may take hours,
 * and its submit command may print meanwhile. */
static enum status skip_banner(struct remote *remote, struct error *error)
{
    char line[sizeof AGENT_MARK + 1];
    size_t length = 0;
    for (size_t i = 0; i < BANNER_BYTES_MAX; i++) {
        char byte = 0;
        TRY(await_output(remote, 0, error));
        if (read(remote->output, &byte, 1) <= 0)
            return error_set(error, STATUS_DEVICE_LOST, "its command ended");
        if (byte != '\n') {
            if (length < sizeof line)
                line[length++] = byte;
            continue;
        }
        if (length > 0 && line[length - 1] == '\r')
            length--;
        if (length == strlen(AGENT_MARK) && memcmp(line, AGENT_MARK, length) == 0)
            return STATUS_OK;
        length = 0;
    }
    return error_set(error, STATUS_DEVICE_LOST, "its command prints, and starts no agent");
}

static void note_word(struct remote *remote)
{
    int64_t now_ns = clock_running_ns();
    (void)pthread_mutex_lock(&remote->mutex);
    if (now_ns - remote->received_ns > SILENT_MS * INT64_C(1000000))
        remote->silence_ended_ns = now_ns;
    remote->received_ns = now_ns;
    (void)pthread_mutex_unlock(&remote->mutex);
}

static enum status greet(struct remote *remote, struct error *error)
{
    json_t *hello = NULL, *first = NULL;
    enum status status = skip_banner(remote, error);
    note_word(remote);
    TRY(status);
    remote->was_reached = true;
    TRY(read_message(remote, HELLO_MS, &hello, error));
    const char *name = json_string_value(json_object_get(hello, "name"));
    const char *version = json_string_value(json_object_get(hello, "version"));
    const json_t *left_s = json_object_get(hello, "left_s");
    if (json_integer_value(json_object_get(hello, "hello")) != AGENT_VERSION || !version ||
        strcmp(version, TUNE_VERSION) != 0)
        TRY_OR_CLEANUP(error_set(error, STATUS_UNAVAILABLE,
                                 "tune is %s there, and " TUNE_VERSION " here: install the same",
                                 version ? version : "another"));
    struct arena arena = {0};
    const char *cache = NULL;
    json_t *variables = json_object();
    for (char **at = environ; *at; at++) {
        const char *value = strchr(*at, '=');
        if (strncmp(*at, "TUNE_", 5) == 0 && value)
            (void)json_object_set_new(variables,
                                      arena_printf(&arena, "%.*s", (int)(value - *at), *at),
                                      json_string(value + 1));
    }
    json_t *begin = NULL;
    if (cache_folder(&arena, &cache, error) == STATUS_OK)
        begin = json_pack("{s:i, s:s, s:O}", "begin", AGENT_VERSION, "cache", cache, "environment",
                          variables);
    json_decref(variables);
    arena_free(&arena);
    status = begin ? remote_send(remote, 0, begin, error) : STATUS_NO_MEMORY;
    note_word(remote);
    TRY_OR_CLEANUP(status);
    TRY_OR_CLEANUP(read_message(remote, HELLO_MS, &first, error)); /* a beat, or a failed start */
    TRY_OR_CLEANUP(take(remote, first, error));
    (void)pthread_mutex_lock(&remote->mutex);
    if (remote->connections == 0)
        (void)string_format(remote->name, sizeof remote->name, "%.*s",
                            (int)strcspn(name ? name : "?", "."), name ? name : "?");
    remote->received_ns = clock_running_ns();
    remote->end_ns =
        left_s ? remote->received_ns + json_integer_value(left_s) % LEFT_MAX_S * INT64_C(1000000000)
               : INT64_MAX;
    remote->last_line[0] = remote->previous_line[0] = '\0';
    remote->line_continues = false;
    remote->connections++;
    remote->state = HOST_READY;
    (void)pthread_cond_broadcast(&remote->changed);
    (void)pthread_mutex_unlock(&remote->mutex);
cleanup:
    json_decref(first);
    json_decref(hello);
    return status;
}

enum status remote_receive(struct remote *remote, struct error *error)
{
    TRY(greet(remote, error));
    for (;;) {
        json_t *message = NULL;
        TRY(await_output(remote, remote->silent_ns, error));
        TRY(read_message(remote, remote->silent_ns / 1000000, &message, error));
        note_word(remote);
        enum status status = take(remote, message, error);
        json_decref(message);
        TRY(status);
    }
}

static bool has_ended(struct remote *remote, int64_t within_ms)
{
    int64_t deadline_ns = remote_deadline(within_ms);
    do {
        if (is_over(remote))
            return true;
        (void)usleep(5000);
    } while (clock_running_ns() < deadline_ns);
    return false;
}

/* Ends the command: closes its input before any signal, and signals one process only; the remote
 * part ends by either. */
static void end_command(struct remote *remote, bool patient)
{
    (void)pthread_mutex_lock(&remote->mutex);
    remote->state = HOST_AWAITED;
    (void)pthread_mutex_unlock(&remote->mutex);
    close_down(remote, 0);
    /* A thread stuck in a write holds `sending` until the command has ended. */
    bool closed = pthread_mutex_trylock(&remote->sending) == 0;
    if (closed) {
        file_close(remote->input);
        remote->input = -1;
        (void)pthread_mutex_unlock(&remote->sending);
    }
    if (remote->pid > 0 && !has_ended(remote, patient && closed ? LEAVE_MS : LEAVE_MS / 5)) {
        (void)kill(remote->pid, SIGTERM);
        if (!has_ended(remote, LEAVE_MS / 2)) {
            (void)kill(remote->pid, SIGKILL);
            (void)has_ended(remote, LEAVE_MS);
        }
        remote->wait_status = 0; /* caused by our signal, so without meaning */
    }
    remote->pid = 0;
    file_close(remote->output);
    /* Read only a bounded number of times: a process left behind may write for ever. */
    for (int i = 0; i < ERROR_READS_MAX && remote->errors >= 0; i++) {
        struct pollfd file = {.fd = remote->errors, .events = POLLIN};
        if (poll(&file, 1, 0) <= 0)
            break;
        read_errors(remote);
    }
    file_close(remote->errors);
    remote->output = remote->errors = -1;
    if (!closed) {
        (void)pthread_mutex_lock(&remote->sending);
        file_close(remote->input);
        remote->input = -1;
        (void)pthread_mutex_unlock(&remote->sending);
    }
}

/* Returns whether to restart the command. One that fails the first time is wrong, unless an agent
 * had answered, or the command was killed: launchers report that as a shell does. */
static bool is_worth_retrying(const struct remote *remote, enum status status)
{
    const int end = remote->wait_status;
    const bool was_killed = WIFSIGNALED(end) ? WTERMSIG(end) == SIGKILL
                                             : WIFEXITED(end) && WEXITSTATUS(end) == 128 + SIGKILL;
    if (remote->connections > 0)
        return status != STATUS_UNAVAILABLE;
    return status == STATUS_DEVICE_LOST && (remote->was_reached || was_killed);
}

/* Waits for the next try; false: closing. */
static bool pause_before_retry(struct remote *remote, int failures)
{
    int64_t deadline_ns = remote_deadline(remote->retry_ms << (2 * (failures - 1)));
    (void)pthread_mutex_lock(&remote->mutex);
    while (!remote->closing && clock_running_ns() < deadline_ns)
        remote_await(remote, deadline_ns);
    bool continues = !remote->closing;
    (void)pthread_mutex_unlock(&remote->mutex);
    return continues;
}

void *remote_keep(void *context)
{
    struct remote *remote = context;
    int failures = 0;
    bool continues = true;
    while (continues) {
        struct error error = {0};
        int64_t started_ns = clock_running_ns();
        enum status status = run_command(remote, &error);
        if (status == STATUS_OK)
            status = remote_receive(remote, &error);
        /* The command's last line says more than the exit code. */
        (void)pthread_mutex_lock(&remote->mutex);
        if (status != STATUS_DEVICE_LOST || !remote->last_line[0])
            (void)string_format(remote->last_line, sizeof remote->last_line, "%s", error.text);
        remote->line_continues = false;
        (void)pthread_mutex_unlock(&remote->mutex);
        end_command(remote, status == STATUS_INTERRUPTED);
        /* The reason again, from the complete output. */
        const int end = remote->wait_status;
        const int code = WIFEXITED(end)     ? WEXITSTATUS(end)
                         : WIFSIGNALED(end) ? 128 + WTERMSIG(end)
                                            : 0;
        char last[sizeof remote->last_line];
        (void)pthread_mutex_lock(&remote->mutex);
        const char *before = remote->previous_line;
        before = strcmp(before, error.text) == 0 ? "" : before;
        (void)string_format(last, sizeof last, "%s", remote->last_line);
        if (status != STATUS_DEVICE_LOST)
            (void)string_format(remote->last_line, sizeof remote->last_line, "%s", error.text);
        else if (strcmp(last, error.text) != 0)
            (void)string_format(remote->last_line, sizeof remote->last_line, "%s%s%.*s%s", before,
                                before[0] ? "; " : "", LINE_BYTES_MAX, last,
                                remote->connections == 0 && (strstr(before, remote->program) ||
                                                             strstr(last, remote->program))
                                    ? ": if tune is elsewhere there, name it with --remote-tune"
                                    : "");
        else if (code != 0)
            (void)string_format(remote->last_line, sizeof remote->last_line, "%.*s: exit code %d",
                                LINE_BYTES_MAX, last, code);
        remote->previous_line[0] = '\0';
        remote->line_continues = false;
        continues =
            !remote->closing && remote->stopped_ns == 0 && is_worth_retrying(remote, status);
        (void)pthread_mutex_unlock(&remote->mutex);
        if (clock_running_ns() - started_ns > SOUND_MS * INT64_C(1000000))
            failures = 0;
        continues = continues && ++failures <= RESTARTS_MAX && pause_before_retry(remote, failures);
    }
    (void)pthread_mutex_lock(&remote->mutex);
    remote->state = HOST_GONE;
    (void)pthread_cond_broadcast(&remote->changed);
    (void)pthread_mutex_unlock(&remote->mutex);
    return NULL;
}
