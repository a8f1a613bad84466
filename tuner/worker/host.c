#include "tuner/worker/host.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tuner/base/arena.h"
#include "tuner/base/array.h"
#include "tuner/base/clock.h"
#include "tuner/base/failpoint.h"
#include "tuner/base/files.h"
#include "tuner/base/process.h"
#include "tuner/base/text.h"
#include "tuner/worker/agent.h"
#include "tuner/worker/frame.h"
#include "tuner/worker/worker.h"

bool worker_is_entry(const char *argument)
{
    static const char *const entries[] = {"__measure", "__compile", "__describe", "__host"};
    return WORD_INDEX(argument, entries, COUNT(entries)) < COUNT(entries);
}

static enum status start_local(const struct host *host, char *const *arguments, struct child *child,
                               struct error *error)
{
    struct process_pipes pipes;
    *child = child_none();
    TRY(process_start_self(arguments, &pipes, error));
    *child = (struct child){
        .host = host, .pid = pipes.pid, .input = pipes.input, .output = pipes.output};
    return STATUS_OK;
}

static enum child_end end_local(struct child *child, char *how, size_t how_bytes)
{
    /* A process whose pipe has just closed may need a moment to end. */
    static const int64_t moment_ns = 200000000;
    int wait_status = 0;
    enum child_end end = CHILD_WAS_RUNNING;
    struct process_pipes pipes = {
        .pid = child->pid, .input = child->input, .output = child->output};
    if (process_end(&pipes, how ? moment_ns : 0, &wait_status)) {
        const int number = WIFSIGNALED(wait_status) ? WTERMSIG(wait_status) : 0;
        if (number != 0)
            (void)string_format(how, how_bytes, "signal %d (%s)", number, strsignal(number));
        else if (WIFEXITED(wait_status))
            (void)string_format(how, how_bytes, "exit code %d", WEXITSTATUS(wait_status));
        end = number == SIGKILL || number == SIGTERM ? CHILD_WAS_KILLED : CHILD_HAD_ENDED;
    }
    *child = child_none();
    return end;
}

static enum status lock_local(const struct host *host, const char *name, const char *note,
                              struct host_lock *out, struct error *error)
{
    *out = (struct host_lock){0};
    TRY(lock_take(name, &out->here, error));
    out->host = host;
    if (note)
        lock_note(out->here, note);
    (void)string_format(out->warning, sizeof out->warning, "%s", lock_warning(out->here));
    return STATUS_OK;
}

static void unlock_local(struct host_lock *lock)
{
    lock_release(lock->here);
    *lock = (struct host_lock){0};
}

static enum status place_local(const struct host *host, const char *const *pci_addresses,
                               size_t count, struct placement *out, struct error *error)
{
    (void)host;
    return place_devices(NULL, pci_addresses, count, out, error);
}

const struct host *host_local(void)
{
    static const struct host local = {.name = "here",
                                      .start = start_local,
                                      .end = end_local,
                                      .lock = lock_local,
                                      .unlock = unlock_local,
                                      .place = place_local};
    return &local;
}

enum child_end child_kill(struct child *child, char *how, size_t how_bytes)
{
    if (how && how_bytes > 0)
        how[0] = '\0';
    return child->host ? child->host->end(child, how, how_bytes) : CHILD_WAS_RUNNING;
}

enum status child_send(const struct child *child, const json_t *message, struct error *error)
{
    return child->host->send ? child->host->send(child, message, error)
                             : frame_write(child->input, message, error);
}

bool time_left_parse(const char *text, int64_t *left_s)
{
    long long days = 0, seconds = 0;
    int parts = 0;
    char *end = NULL;
    for (const char *at = text; parts == 0 || *end == ':'; at = end + 1) {
        const long long value = strtoll(at, &end, 10);
        if (end == at || value < 0 || value > INT32_MAX || parts == 3)
            return false;
        if (*end == '-' && parts == 0 && days == 0) {
            days = value;
            continue;
        }
        seconds = seconds * 60 + value;
        parts++;
    }
    *left_s = days * 86400 + seconds;
    return parts > 1 && end[strspn(end, " \n")] == '\0';
}

/* End of the Slurm job by clock_running_ns; INT64_MAX: none, or unknown. Slurm 22.05 does not set
 * the end time for srun's tasks, but squeue knows the end. */
static int64_t job_end_ns;
static void ask_slurm(void)
{
    enum { ASK_MS = 10000, ANSWER_BYTES_MAX = 256 };
    struct arena arena = {0};
    struct text answer = {0};
    struct error ignored = {0};
    int code = 0;
    int64_t left_s = 0;
    const char *const argv[] = {"squeue", "-h", "-o", "%L", "-j", getenv("SLURM_JOB_ID"), NULL};
    const struct process_request request = {.path = program_find(&arena, argv[0]),
                                            .argv = argv,
                                            .input = -1,
                                            .timeout_ms = ASK_MS,
                                            .output_max = ANSWER_BYTES_MAX};
    const bool is_known = argv[5] && request.path &&
                          process_run(&request, &answer, &code, &ignored) == STATUS_OK &&
                          code == 0 && time_left_parse(text_string(&answer), &left_s);
    job_end_ns = is_known ? clock_running_ns() + left_s * INT64_C(1000000000) : INT64_MAX;
    text_free(&answer);
    arena_free(&arena);
}

bool job_time_left(int64_t *left_s)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const char *text = getenv("SLURM_JOB_END_TIME");
    char *end = NULL;
    const long long ends_at = text ? strtoll(text, &end, 10) : 0;
    *left_s = (int64_t)(ends_at - time(NULL));
    if (text)
        return ends_at > 0 && *end == '\0';
    (void)pthread_once(&once, ask_slurm);
    *left_s = (job_end_ns - clock_running_ns()) / INT64_C(1000000000);
    return job_end_ns != INT64_MAX;
}

enum status host_silent_ms(int64_t *out, struct error *error)
{
    return environment_integer("TUNE_HOST_SILENT_MS", INT64_C(2) * AGENT_BEAT_MS,
                               INT64_C(24) * 3600 * 1000, 30000, out, error);
}

int64_t host_end_ns(const struct host *host)
{
    int64_t left_s = 0;
    if (host->view)
        return host_view(host).end_ns;
    return job_time_left(&left_s) ? clock_running_ns() + left_s * INT64_C(1000000000) : INT64_MAX;
}

void machine_describe(struct machine *machine)
{
    cpu_set_t set;
    int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    *machine = (struct machine){.cores = (int32_t)sysconf(_SC_NPROCESSORS_ONLN)};
    ssize_t length = file >= 0 ? read(file, machine->boot_id, sizeof machine->boot_id - 1) : 0;
    file_close(file);
    machine->boot_id[length > 0 ? (size_t)length : 0] = '\0';
    machine->boot_id[strcspn(machine->boot_id, "\n")] = '\0';
    if (gethostname(machine->name, sizeof machine->name - 1) != 0)
        machine->name[0] = '\0';
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        machine->cores = CPU_COUNT(&set);
}
