/* The parent's side of a remote host: a command of the user's that runs an agent there. Frames for
 * its children go through the command's input, and theirs come through its output (agent.h); each
 * child has a pipe to its worker as a local one has. Each host has a thread, the keeper, which runs
 * the command, reads its output, and restarts a lost one (remote_keeper.c). */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tuner/base/clock.h"
#include "tuner/base/files.h"
#include "tuner/base/text.h"
#include "tuner/device/device.h"
#include "tuner/worker/frame.h"
#include "tuner/worker/message.h"
#include "tuner/worker/remote.h"

enum { END_MS = 60000 /* a process that holds a device may end slowly */, CALL_MS = 60000 };

static struct remote *remote_of(const struct host *host)
{
    return (struct remote *)(void *)host; /* the first member */
}

/* ---- sending ---- */

/* Calls the agent of *connection and returns its answer, the caller's reference; NULL with the
 * error, which may be the agent's. */
static json_t *call(struct remote *remote, json_t *message, unsigned *connection,
                    struct error *error)
{
    struct call *call = &(struct call){.next = NULL};
    int64_t deadline_ns = remote_deadline(CALL_MS);
    if (!message) {
        (void)error_no_memory(error);
        return NULL;
    }
    (void)pthread_mutex_lock(&remote->mutex);
    call->number = ++remote->last_number;
    call->next = remote->calls;
    remote->calls = call;
    *connection = remote->connections;
    (void)pthread_mutex_unlock(&remote->mutex);
    (void)json_object_set_new(message, "call", json_integer(call->number));
    enum status status = remote_send(remote, *connection, message, error);
    (void)pthread_mutex_lock(&remote->mutex);
    while (status == STATUS_OK && !call->answer && remote->state == HOST_READY &&
           remote->connections == *connection && clock_running_ns() < deadline_ns)
        remote_await(remote, deadline_ns);
    struct call **link = &remote->calls;
    while (*link != call)
        link = &(*link)->next;
    *link = call->next;
    (void)pthread_mutex_unlock(&remote->mutex);
    if (status == STATUS_OK && !call->answer)
        (void)error_set(error, STATUS_DEVICE_LOST, "%s does not answer", remote->name);
    if (!call->answer || message_to_error(call->answer, error) == STATUS_OK)
        return call->answer;
    json_decref(call->answer);
    return NULL;
}

/* ---- struct host ---- */

static enum status start_remote(const struct host *host, char *const *arguments, struct child *out,
                                struct error *error)
{
    struct remote *remote = remote_of(host);
    struct remote_child *child = NULL;
    int down[2] = {-1, -1};
    int64_t number = 0;
    enum status status = STATUS_OK;
    *out = child_none();
    if (pipe2(down, O_CLOEXEC) != 0)
        return error_set_errno(error, errno, "pipe");
    (void)pthread_mutex_lock(&remote->mutex);
    const unsigned connection = remote->connections;
    for (size_t i = 0; i < AGENT_CHILDREN_MAX && !child; i++)
        if (remote->children[i].number == 0)
            child = &remote->children[i];
    if (remote->state != HOST_READY)
        status =
            error_set(error, STATUS_DEVICE_LOST, "%s is lost: %s", remote->name, remote->last_line);
    else if (!child)
        status = error_set(error, STATUS_UNAVAILABLE, "%s: too many processes", remote->name);
    else
        *child = (struct remote_child){
            .number = ++remote->last_number, .connection = connection, .to_worker = down[1]};
    number = remote->last_number;
    (void)pthread_mutex_unlock(&remote->mutex);
    TRY_OR_CLEANUP(status);
    *out = (struct child){host, (pid_t)number, -1, down[0]};
    json_t *words = json_array();
    for (size_t i = 0; arguments[i]; i++)
        (void)json_array_append_new(words, json_string(arguments[i]));
    status = remote_send(remote, connection,
                         json_pack("{s:I, s:o}", "start", (json_int_t)number, "arguments", words),
                         error);
    if (status != STATUS_OK)
        (void)child_kill(out, NULL, 0);
    return status;
cleanup:
    file_close(down[0]);
    file_close(down[1]);
    return status;
}

static enum status send_to_child(const struct child *child, const json_t *message,
                                 struct error *error)
{
    struct remote *remote = remote_of(child->host);
    json_t *request = json_deep_copy(message); /* for the keeper, which may send its files */
    TRY_MEMORY(request);
    (void)pthread_mutex_lock(&remote->mutex);
    struct remote_child *found = remote_child_of(remote, child->pid);
    const unsigned connection = found && !found->ended ? found->connection : 0;
    if (found) {
        json_decref(found->request);
        found->request = json_incref(request);
    }
    (void)pthread_mutex_unlock(&remote->mutex);
    enum status status =
        connection == 0
            ? error_set(error, STATUS_DEVICE_LOST, "the process at the other end is gone")
            : remote_send(
                  remote, connection,
                  json_pack("{s:I, s:O}", "child", (json_int_t)child->pid, "frame", request),
                  error);
    json_decref(request);
    return status;
}

static enum child_end end_remote(struct child *child, char *how, size_t how_bytes)
{
    struct remote *remote = remote_of(child->host);
    struct error ignored = {0};
    int64_t number = child->pid;
    int64_t deadline_ns = remote_deadline(END_MS);
    enum child_end end = CHILD_WAS_KILLED;
    (void)close(child->output);
    *child = child_none();
    (void)pthread_mutex_lock(&remote->mutex);
    struct remote_child *found = remote_child_of(remote, number);
    const unsigned connection = found ? found->connection : 0;
    (void)pthread_mutex_unlock(&remote->mutex);
    if (connection == 0 ||
        remote_send(remote, connection,
                    json_pack("{s:I, s:b}", "end", (json_int_t)number, "how", how != NULL),
                    &ignored) != STATUS_OK)
        deadline_ns = 0;
    (void)pthread_mutex_lock(&remote->mutex);
    while (found && !found->ended && remote->state == HOST_READY &&
           found->connection == remote->connections && clock_running_ns() < deadline_ns)
        remote_await(remote, deadline_ns);
    if (!found || remote->state != HOST_READY || found->connection != remote->connections)
        end = CHILD_WAS_LOST;
    if (found && found->ended) {
        end = how ? found->end : CHILD_WAS_RUNNING;
        if (how)
            (void)string_format(how, how_bytes, "%s", found->how);
    }
    if (found) {
        if (found->to_worker >= 0 && found->ended) {
            (void)close(found->to_worker);
            found->to_worker = -1;
        }
        found->released = true;
        remote_child_free(found);
    }
    (void)pthread_mutex_unlock(&remote->mutex);
    return end;
}

static enum status lock_remote(const struct host *host, const char *name, const char *note,
                               struct host_lock *out, struct error *error)
{
    *out = (struct host_lock){0};
    json_t *answer = call(remote_of(host), json_pack("{s:s, s:s*}", "lock", name, "note", note),
                          &out->connections, error);
    if (!answer)
        return error->status;
    out->host = host;
    out->number = json_integer_value(json_object_get(answer, "answer"));
    const char *warning = json_string_value(json_object_get(answer, "warning"));
    (void)string_format(out->warning, sizeof out->warning, "%s", warning ? warning : "");
    json_decref(answer);
    return STATUS_OK;
}

static void unlock_remote(struct host_lock *lock)
{
    struct error ignored = {0};
    unsigned connections = 0;
    if (!host_was_lost(lock->host, lock->connections))
        json_decref(call(remote_of(lock->host),
                         json_pack("{s:I}", "unlock", (json_int_t)lock->number), &connections,
                         &ignored));
    *lock = (struct host_lock){0};
}

static enum status place_remote(const struct host *host, const char *const *pci_addresses,
                                size_t count, struct placement *out, struct error *error)
{
    json_t *addresses = json_array();
    unsigned connections = 0;
    *out = (struct placement){0};
    for (size_t i = 0; i < count; i++)
        (void)json_array_append_new(addresses,
                                    pci_addresses[i] ? json_string(pci_addresses[i]) : json_null());
    json_t *answer =
        call(remote_of(host), json_pack("{s:o}", "place", addresses), &connections, error);
    if (!answer)
        return error->status;
    enum status status = message_decode(&message_placement, answer, NULL, out, error);
    json_decref(answer);
    return status == STATUS_OK ? status : error_prefix(error, "%s", remote_of(host)->name);
}

static struct host_view view_remote(const struct host *host)
{
    struct remote *remote = remote_of(host);
    (void)pthread_mutex_lock(&remote->mutex);
    const struct host_view view = {remote->state, remote->connections, remote->received_ns,
                                   remote->silence_ended_ns, remote->end_ns};
    (void)pthread_mutex_unlock(&remote->mutex);
    return view;
}

enum host_state host_await(const struct host *host, int64_t timeout_ms,
                           const volatile sig_atomic_t *stop, unsigned *connections)
{
    struct remote *remote = remote_of(host);
    int64_t deadline_ns = remote_deadline(timeout_ms);
    if (!host->view)
        return HOST_READY;
    (void)pthread_mutex_lock(&remote->mutex);
    while (remote->state != HOST_GONE && clock_running_ns() < deadline_ns && !(stop && *stop) &&
           (remote->state != HOST_READY || remote->connections <= *connections))
        remote_await(remote, deadline_ns);
    enum host_state state = remote->state;
    *connections = remote->connections;
    (void)pthread_mutex_unlock(&remote->mutex);
    return state;
}

void host_trouble(const struct host *host, char *out, size_t bytes)
{
    struct remote *remote = remote_of(host);
    (void)pthread_mutex_lock(&remote->mutex);
    (void)string_format(out, bytes, "%s", remote->last_line);
    (void)pthread_mutex_unlock(&remote->mutex);
}

const char *host_command(const struct host *host)
{
    return host->view ? remote_of(host)->command : NULL;
}

/* ---- opening and closing ---- */

static void free_remote(struct remote *remote)
{
    for (size_t i = 0; i < AGENT_CHILDREN_MAX; i++)
        json_decref(remote->children[i].request);
    (void)pthread_mutex_destroy(&remote->mutex);
    (void)pthread_mutex_destroy(&remote->sending);
    (void)pthread_cond_destroy(&remote->changed);
    free(remote->command);
    free(remote->program);
    free(remote);
}

enum status host_open(const char *command, const char *program, const volatile sig_atomic_t *stop,
                      struct host **out, struct error *error)
{
    struct remote *remote = calloc(1, sizeof *remote);
    int64_t silent_ms = 0;
    *out = NULL;
    TRY_MEMORY(remote);
    remote->host = (struct host){.name = remote->name,
                                 .start = start_remote,
                                 .end = end_remote,
                                 .send = send_to_child,
                                 .lock = lock_remote,
                                 .unlock = unlock_remote,
                                 .place = place_remote,
                                 .view = view_remote};
    remote->end_ns = INT64_MAX;
    (void)pthread_mutex_init(&remote->mutex, NULL);
    (void)pthread_mutex_init(&remote->sending, NULL);
    (void)pthread_cond_init(&remote->changed, NULL);
    (void)signal(SIGPIPE, SIG_IGN);
    (void)setenv(COMPILERS_VARIABLE, "1", 1);
    (void)string_format(remote->name, sizeof remote->name, "%.60s", command);
    remote->command = strdup(command);
    remote->program = strdup(program);
    remote->stop = stop;
    remote->state = HOST_AWAITED;
    remote->input = remote->output = remote->errors = -1;
    enum status status = remote->command && remote->program ? STATUS_OK : error_no_memory(error);
    if (status == STATUS_OK)
        status = host_silent_ms(&silent_ms, error);
    if (status == STATUS_OK)
        status = environment_integer("TUNE_HOST_RETRY_MS", 1, INT64_C(3600) * 1000, 2000,
                                     &remote->retry_ms, error);
    if (status == STATUS_OK)
        status = environment_integer("TUNE_HOST_WAIT_MS", 0, INT64_C(366) * 24 * 3600 * 1000, 0,
                                     &remote->wait_ms, error);
    remote->silent_ns = silent_ms * 1000000;
    if (status == STATUS_OK && pthread_create(&remote->keeper, NULL, remote_keep, remote) != 0)
        status = error_set(error, STATUS_UNAVAILABLE, "no more threads");
    if (status == STATUS_OK)
        *out = &remote->host;
    else
        free_remote(remote);
    return status;
}

void host_close(struct host *host)
{
    if (!host || !host->view)
        return;
    struct remote *remote = remote_of(host);
    (void)pthread_mutex_lock(&remote->mutex);
    remote->closing = true;
    (void)pthread_cond_broadcast(&remote->changed);
    (void)pthread_mutex_unlock(&remote->mutex);
    (void)pthread_join(remote->keeper, NULL);
    free_remote(remote);
}
