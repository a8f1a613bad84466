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

/* Counts the devices of a kind, or describes one (`index` not NULL) without opening it: in a
 * process of its own, since a driver may hang or crash. */
static int describe_child(const char *kind, const char *index)
{
    const struct device_api *api = device_kind(kind);
    struct hello_message hello = {.facts = NULL};
    struct facts facts = {0};
    struct error error = {0};
    json_t *answer = NULL;
    int count = 0;
    if (!api)
        return EXIT_CODE_USAGE;
    machine_describe(&hello.machine);
    if (!index && api->count(&count, &error) == STATUS_OK) {
        answer = json_pack("{s:i}", "count", count);
    } else if (index &&
               api->describe((int)strtol(index, NULL, 10), NULL, &facts, &error) == STATUS_OK) {
        hello.facts = facts.items;
        hello.fact_count = facts.count;
        answer = message_encode(&message_hello, &hello);
    } else {
        answer = message_from_error(&error);
    }
    enum status sent = answer ? frame_write(CHILD_OUTPUT, answer, &error) : STATUS_NO_MEMORY;
    json_decref(answer);
    facts_free(&facts);
    return sent == STATUS_OK ? EXIT_CODE_OK : EXIT_CODE_FAILED;
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
    if (strcmp(argv[1], "__describe") == 0 && (argc == 3 || argc == 4))
        return describe_child(argv[2], argc == 4 ? argv[3] : NULL);
    return EXIT_CODE_USAGE;
}
