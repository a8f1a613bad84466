#include "tuner/worker/child.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tuner/base/array.h"
#include "tuner/worker/agent.h"
#include "tuner/worker/frame.h"
#include "tuner/worker/host.h"
#include "tuner/worker/message.h"
#include "tuner/worker/worker.h"

bool worker_is_entry(const char *argument)
{
    return strcmp(argument, "__measure") == 0 || strcmp(argument, "__compile") == 0 ||
           strcmp(argument, "__count") == 0 || strcmp(argument, "__describe") == 0 ||
           strcmp(argument, "__host") == 0;
}

/* Ends this process and its children when the parent's end of our input closes, as it does for any
 * exit of the parent: a hanging kernel must not outlive the parent. (The kernel's parent-death
 * signal depends on the thread that started the child, not on the process.) */
static void *watch_parent(void *unused)
{
    struct pollfd input = {.fd = CHILD_INPUT};
    (void)unused;
    while (poll(&input, 1, -1) < 0 && errno == EINTR)
        continue;
    (void)kill(0, SIGKILL);
    return NULL;
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

static void expect_ends(void)
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

int worker_main(int argc, char **argv)
{
    if (strcmp(argv[1], "__host") == 0) /* started by a command of the user's */
        return agent_main();
    /* In a shell's group, watch_parent would kill the shell's other programs. */
    struct stat input;
    const bool is_child =
        getpgrp() == getpid() && fstat(CHILD_INPUT, &input) == 0 && S_ISFIFO(input.st_mode);
    if (!is_child) {
        static const char text[] = "tune: only tune itself starts this command\n";
        (void)!write(STDERR_FILENO, text, sizeof text - 1);
        return EXIT_CODE_USAGE;
    }
    pthread_t thread;
    sigset_t all;
    sigset_t before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&thread, NULL, watch_parent, NULL) == 0)
        (void)pthread_detach(thread);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    (void)unsetenv("TUNE_WORKER_TRACE"); /* the parent traces both directions */
    (void)signal(SIGPIPE, SIG_IGN);
    if (strcmp(argv[1], "__measure") == 0 && argc == 4) {
        expect_ends();
        return measure_child(argv[2], (int)strtol(argv[3], NULL, 10));
    }
    if (strcmp(argv[1], "__compile") == 0 && (argc == 3 || argc == 4))
        return compile_child(argv[2], argc == 4 ? argv[3] : NULL);
    if (strcmp(argv[1], "__count") == 0 && argc == 3)
        return count_child(argv[2]);
    if (strcmp(argv[1], "__describe") == 0 && argc == 4)
        return describe_child(argv[2], (int)strtol(argv[3], NULL, 10));
    return EXIT_CODE_USAGE;
}

/* Counts devices in a process of its own, since a driver may hang or crash. */
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

int describe_child(const char *kind, int index)
{
    const struct device_api *api = device_kind(kind);
    struct facts facts = {0};
    struct error error = {0};
    if (!api)
        return EXIT_CODE_USAGE;
    bool described = api->describe(index, NULL, &facts, &error) == STATUS_OK;
    struct hello_message hello = {.facts = facts.items, .fact_count = facts.count};
    machine_describe(&hello.machine);
    json_t *answer =
        described ? message_encode(&message_hello, &hello) : message_from_error(&error);
    enum status sent = answer ? frame_write(CHILD_OUTPUT, answer, &error) : STATUS_NO_MEMORY;
    json_decref(answer);
    facts_free(&facts);
    return sent == STATUS_OK ? EXIT_CODE_OK : EXIT_CODE_FAILED;
}
