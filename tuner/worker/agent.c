/* `tune __host`: starts and ends children for a parent on another machine, and relays frames. The
 * agent ends at the end of input, or after a long silence of the parent; a child likewise. */
#include "tuner/worker/agent.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tuner/base/clock.h"
#include "tuner/base/files.h"
#include "tuner/base/lock.h"
#include "tuner/base/text.h"
#include "tuner/base/version.h"
#include "tuner/worker/frame.h"
#include "tuner/worker/host.h"
#include "tuner/worker/message.h"
#include "tuner/worker/worker.h"

enum {
    WORDS_MAX = 8,
    LOCKS_MAX = 256,
    END_GRACE_MS = 3000,
    GONE_MS = 500,
};

struct agent;
struct served {
    struct agent *agent;
    int64_t number; /* number given by the parent; 0: the slot is free */
    struct child child;
    int reads; /* a copy of the child's output descriptor, for the reader */
    pthread_t reader;
    json_t *held; /* a request that waits for a missing file; NULL: none */
    bool ending;
    char *made;       /* path of the binary that the child is compiling; guarded by the mutex */
    bool reports_end; /* the parent wants to know how the child ended */
};

struct agent {
    int output;
    pthread_mutex_t mutex;   /* guards the children's slots */
    pthread_mutex_t writing; /* guards the output: frames are written whole */
    struct agent_files *files;
    struct served children[AGENT_CHILDREN_MAX];
    struct {
        int64_t call;
        struct host_lock lock;
    } locks[LOCKS_MAX];
};

/* Sends the message and drops it. A failure is ignored, since no parent is then left to receive
 * it. */
static void agent_send(struct agent *agent, json_t *message)
{
    struct error ignored = {0};
    (void)pthread_mutex_lock(&agent->writing);
    if (message)
        (void)frame_write(agent->output, message, &ignored);
    (void)pthread_mutex_unlock(&agent->writing);
    json_decref(message);
}

/* ---- children ---- */

static struct served *find_served(struct agent *agent, int64_t number)
{
    struct served *found = NULL;
    (void)pthread_mutex_lock(&agent->mutex);
    for (size_t i = 0; i < AGENT_CHILDREN_MAX && !found; i++)
        if (agent->children[i].number == number)
            found = &agent->children[i];
    (void)pthread_mutex_unlock(&agent->mutex);
    return found;
}

static void *read_child(void *context)
{
    struct served *served = context;
    struct error ignored = {0};
    json_t *frame = NULL;
    while (frame_read(served->reads, -1, &frame, &ignored) == STATUS_OK) {
        if (!json_object_get(frame, "error")) { /* the parent keeps all compiled binaries */
            struct arena arena = {0};
            char *data = NULL, *path = NULL;
            size_t bytes = 0;
            (void)pthread_mutex_lock(&served->agent->mutex);
            if (served->made)
                path = arena_strdup(&arena, served->made);
            (void)pthread_mutex_unlock(&served->agent->mutex);
            if (path &&
                file_read(&arena, path, AGENT_FILE_BYTES_MAX, &data, &bytes, &ignored) == STATUS_OK)
                agent_send(served->agent,
                           json_pack("{s:I, s:o}", "made", (json_int_t)served->number, "bytes",
                                     bytes_encode(data, bytes)));
            arena_free(&arena);
        }
        agent_send(served->agent,
                   json_pack("{s:I, s:o}", "child", (json_int_t)served->number, "frame", frame));
    }
    agent_send(served->agent, json_pack("{s:I}", "closed", (json_int_t)served->number));
    (void)close(served->reads);
    return NULL;
}

static enum status start_child(struct served *served, const json_t *words, struct error *error)
{
    char *arguments[WORDS_MAX + 1] = {NULL};
    bool whole = true;
    for (size_t i = 0; i < json_array_size(words) && i < WORDS_MAX; i++) {
        const char *word = json_string_value(json_array_get(words, i));
        whole = whole && (arguments[i] = strdup(word ? word : "")) != NULL;
    }
    /* Only entries that a local tuner would start. */
    enum status status = whole && arguments[1] && worker_is_entry(arguments[1]) &&
                                 strcmp(arguments[1], "__host") != 0
                             ? host_local()->start(host_local(), arguments, &served->child, error)
                             : error_set(error, STATUS_INTERNAL, "no child of a tuner's");
    for (size_t i = 0; i < WORDS_MAX; i++)
        free(arguments[i]);
    return status;
}

static void handle_start(struct agent *agent, const json_t *message)
{
    struct error error = {0};
    struct served *served = find_served(agent, 0);
    json_int_t number = json_integer_value(json_object_get(message, "start"));
    enum status status = served && number > 0
                             ? start_child(served, json_object_get(message, "arguments"), &error)
                             : error_set(&error, STATUS_UNAVAILABLE, "too many children");
    if (status == STATUS_OK) {
        (void)pthread_mutex_lock(&agent->mutex);
        served->agent = agent;
        served->number = number;
        (void)pthread_mutex_unlock(&agent->mutex);
        served->reads = fcntl(served->child.output, F_DUPFD_CLOEXEC, 10);
        if (served->reads < 0 || pthread_create(&served->reader, NULL, read_child, served) != 0) {
            file_close(served->reads);
            (void)child_kill(&served->child, NULL, 0);
            *served = (struct served){0};
            status = error_set(&error, STATUS_UNAVAILABLE, "no more threads or files");
        }
    }
    if (status != STATUS_OK) {
        agent_send(agent, json_pack("{s:I, s:s, s:i}", "ended", number, "how", error.text, "end",
                                    CHILD_HAD_ENDED));
        agent_send(agent, json_pack("{s:I}", "closed", number));
    }
}

/* Ends a child, in a thread of its own: a process that holds a device may end slowly. */
static void *end_child(void *context)
{
    struct served *served = context;
    struct agent *agent = served->agent;
    char how[128] = "";
    json_int_t number = served->number;
    enum child_end end = child_kill(&served->child, served->reports_end ? how : NULL, sizeof how);
    (void)pthread_join(served->reader, NULL);
    json_decref(served->held);
    (void)pthread_mutex_lock(&agent->mutex);
    free(served->made);
    *served = (struct served){0};
    (void)pthread_mutex_unlock(&agent->mutex);
    agent_send(agent, json_pack("{s:I, s:s, s:i}", "ended", number, "how", how, "end", (int)end));
    return NULL;
}

static void end(struct agent *agent, const json_t *message)
{
    pthread_t thread;
    struct served *served = find_served(agent, json_integer_value(json_object_get(message, "end")));
    if (!served) {
        agent_send(agent, json_pack("{s:O, s:s, s:i}", "ended", json_object_get(message, "end"),
                                    "how", "", "end", CHILD_WAS_RUNNING));
        return;
    }
    served->ending = true;
    served->reports_end = json_is_true(json_object_get(message, "how"));
    if (pthread_create(&thread, NULL, end_child, served) == 0)
        (void)pthread_detach(thread);
    else
        (void)end_child(served);
}

/* Forwards the request to the child, or requests the first missing file from the parent. */
static void pass_on(struct served *served)
{
    struct agent *agent = served->agent;
    struct error error = {0};
    json_t *want = NULL, *request = json_deep_copy(served->held);
    const char *made = NULL;
    enum status status = agent_files_localize(agent->files, request, &want, &made, &error);
    if (want) {
        (void)json_object_set_new(want, "child", json_integer(served->number));
        agent_send(agent, want);
        json_decref(request);
        return;
    }
    (void)pthread_mutex_lock(&agent->mutex);
    free(served->made);
    served->made = made ? strdup(made) : NULL;
    (void)pthread_mutex_unlock(&agent->mutex);
    if (status == STATUS_OK) /* a dead child shows by the closed output */
        (void)frame_write(served->child.input, request, &error);
    else
        agent_send(agent, json_pack("{s:I, s:o}", "child", (json_int_t)served->number, "frame",
                                    message_from_error(&error)));
    json_decref(request);
    json_decref(served->held);
    served->held = NULL;
}

static void forward_to_child(struct agent *agent, const json_t *message)
{
    struct served *served =
        find_served(agent, json_integer_value(json_object_get(message, "child")));
    if (!served || served->number == 0 || served->ending)
        return;
    json_decref(served->held);
    served->held = json_incref(json_object_get(message, "frame"));
    pass_on(served);
}

static void take_file(struct agent *agent, const json_t *message)
{
    struct error error = {0};
    struct served *served =
        find_served(agent, json_integer_value(json_object_get(message, "child")));
    enum status status = agent_files_take(agent->files, message, &error);
    if (!served || served->number == 0 || served->ending || !served->held)
        return;
    if (status == STATUS_OK) {
        pass_on(served);
        return;
    }
    json_decref(served->held);
    served->held = NULL;
    agent_send(agent, json_pack("{s:I, s:o}", "child", (json_int_t)served->number, "frame",
                                message_from_error(&error)));
}

/* ---- calls ---- */

static void answer(struct agent *agent, const json_t *message)
{
    struct error error = {0};
    json_t *reply = NULL;
    const json_int_t call = json_integer_value(json_object_get(message, "call"));
    const char *lock = json_string_value(json_object_get(message, "lock"));
    const json_t *unlock = json_object_get(message, "unlock");
    if (lock) {
        const char *note = json_string_value(json_object_get(message, "note"));
        size_t i = 0;
        while (i < LOCKS_MAX && agent->locks[i].lock.host)
            i++;
        if (i == LOCKS_MAX) {
            (void)error_set(&error, STATUS_UNAVAILABLE, "too many locks");
        } else if (host_local()->lock(host_local(), lock, note, &agent->locks[i].lock, &error) ==
                   STATUS_OK) {
            agent->locks[i].call = call;
            reply = json_pack("{s:s}", "warning", agent->locks[i].lock.warning);
        }
    } else if (unlock) {
        for (size_t i = 0; i < LOCKS_MAX; i++)
            if (agent->locks[i].lock.host && agent->locks[i].call == json_integer_value(unlock))
                host_unlock(&agent->locks[i].lock);
        reply = json_object();
    } else {
        const json_t *addresses = json_object_get(message, "place");
        const char *texts[PLACE_DEVICES_MAX] = {NULL};
        struct placement placement = {0};
        size_t count = json_array_size(addresses);
        count = count < PLACE_DEVICES_MAX ? count : PLACE_DEVICES_MAX;
        for (size_t i = 0; i < count; i++)
            texts[i] = json_string_value(json_array_get(addresses, i));
        if (place_devices(NULL, texts, count, &placement, &error) == STATUS_OK)
            reply = message_encode(&message_placement, &placement);
    }
    if (!reply)
        reply = message_from_error(&error);
    (void)json_object_set_new(reply, "answer", json_integer(call));
    agent_send(agent, reply);
}

/* ---- the main loop ---- */

static void *beat(void *context)
{
    for (;;) {
        agent_send(context, json_pack("{s:i}", "beat", 1));
        (void)usleep(AGENT_BEAT_MS * 1000);
    }
    return NULL;
}

/* Ends the process after the end of input, even if the main loop is busy. Children end when the
 * inputs close; leftovers of a sudden end are removed by later processes. */
static void *watch_input(void *unused)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLRDHUP};
    (void)unused;
    while (poll(&input, 1, -1) < 0 && errno == EINTR)
        continue;
    (void)usleep(END_GRACE_MS * 1000);
    _exit(EXIT_CODE_OK);
}

static bool start_thread(void *(*run)(void *), void *context)
{
    pthread_t thread;
    return pthread_create(&thread, NULL, run, context) == 0 && pthread_detach(thread) == 0;
}

static enum status begin(struct agent *agent, struct error *error)
{
    struct machine machine;
    json_t *message = NULL;
    int64_t left_s = 0;
    machine_describe(&machine);
    json_t *hello =
        json_pack("{s:i, s:s, s:s, s:i}", "hello", AGENT_VERSION, "version", TUNE_VERSION, "name",
                  machine.name[0] ? machine.name : "?", "cores", (int)machine.cores);
    if (job_time_left(&left_s))
        (void)json_object_set_new(hello, "left_s", json_integer(left_s));
    agent_send(agent, hello);
    enum status status = frame_read(STDIN_FILENO, -1, &message, error);
    if (status != STATUS_OK)
        return status;
    /* Numeric variables only, since paths belong to the parent's machine. */
    const char *name;
    json_t *value;
    json_object_foreach(json_object_get(message, "environment"), name, value)
    {
        const char *text = json_string_value(value);
        if (strncmp(name, "TUNE_", 5) == 0 && text && strspn(text, "0123456789.") == strlen(text))
            (void)setenv(name, text, 0);
    }
    const char *cache = json_string_value(json_object_get(message, "cache"));
    status = cache ? agent_files_open(cache, &agent->files, error)
                   : error_set(error, STATUS_INTERNAL, "no parent that this agent understands");
    json_decref(message);
    if (status != STATUS_OK && cache) {
        const struct error why = *error;
        (void)error_set(error, why.status,
                        "%s: tune needs a folder there, which `env TUNE_CACHE_DIR=FOLDER` at the "
                        "end of the command names",
                        why.text);
    }
    if (status == STATUS_OK && (!start_thread(beat, agent) || !start_thread(watch_input, NULL)))
        status = error_no_memory(error);
    if (status != STATUS_OK) {
        json_t *failure = message_from_error(error);
        (void)json_object_set_new(failure, "failed", json_true());
        agent_send(agent, failure);
    }
    return status;
}

int agent_main(void)
{
    struct agent *agent = calloc(1, sizeof *agent);
    struct error error = {0};
    json_t *message = NULL;
    /* A login banner may lack a newline. */
    static const char mark[] = "\n" AGENT_MARK "\n";
    (void)signal(SIGPIPE, SIG_IGN);
    (void)unsetenv("TUNE_WORKER_TRACE");
    if (!agent)
        return EXIT_CODE_FAILED;
    (void)pthread_mutex_init(&agent->mutex, NULL);
    (void)pthread_mutex_init(&agent->writing, NULL);
    /* Libraries that print must not write between frames. */
    agent->output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10);
    if (agent->output < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0 ||
        write(agent->output, mark, sizeof mark - 1) != (ssize_t)sizeof mark - 1) {
        free(agent);
        return EXIT_CODE_FAILED;
    }
    int64_t silent_ms = 0;
    enum status status = begin(agent, &error);
    if (status == STATUS_OK)
        status = host_silent_ms(&silent_ms, &error);
    while (status == STATUS_OK &&
           frame_read(STDIN_FILENO, AGENT_SILENCES * silent_ms, &message, &error) == STATUS_OK) {
        static const struct {
            const char *name;
            void (*act)(struct agent *, const json_t *);
        } acts[] = {{"start", handle_start},
                    {"end", end},
                    {"file", take_file},
                    {"child", forward_to_child},
                    {"call", answer}};
        for (size_t i = 0; i < sizeof acts / sizeof acts[0]; i++)
            if (json_object_get(message, acts[i].name)) {
                acts[i].act(agent, message);
                break;
            }
        json_decref(message);
    }
    /* All children are killed, with a moment in which scratch folders of compilers can be removed.
     */
    int64_t deadline_ns = clock_running_ns() + GONE_MS * INT64_C(1000000);
    for (size_t i = 0; i < AGENT_CHILDREN_MAX; i++)
        if (agent->children[i].number != 0 && agent->children[i].child.pid > 0)
            (void)kill(-agent->children[i].child.pid, SIGKILL);
    for (size_t i = 0; i < AGENT_CHILDREN_MAX; i++) {
        pid_t pid = agent->children[i].child.pid;
        while (agent->children[i].number != 0 && pid > 0 && waitpid(pid, NULL, WNOHANG) == 0 &&
               clock_running_ns() < deadline_ns)
            (void)usleep(1000);
    }
    agent_files_close(agent->files);
    /* Do not free: threads may still run, and memory is released with the process. */
    (void)fflush(NULL);
    _exit(status == STATUS_OK ? EXIT_CODE_OK : EXIT_CODE_FAILED);
}
