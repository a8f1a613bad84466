/* A host that is lost and comes back; its job's end according to the scheduler. */

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/unit/suite.h"
#include "tuner/base/facts.h"
#include "tuner/worker/host.h"
#include "tuner/worker/worker.h"

static char folder[] = "/tmp/tune-host.XXXXXX";
static char pid_path[64], gate_path[64];

static pid_t agent(void)
{
    char text[32] = "";
    FILE *file = fopen(pid_path, "r");
    assert_non_null(file);
    assert_non_null(fgets(text, sizeof text, file));
    (void)fclose(file);
    const pid_t pid = (pid_t)strtol(text, NULL, 10);
    assert_true(pid > 1);
    return pid;
}

/* Opens a host whose agent is this program, which begins if no gate is there. */
static struct host *open_host(void)
{
    struct host *host = NULL;
    struct error error = {0};
    char command[256], program[4096] = "";
    assert_true(readlink("/proc/self/exe", program, sizeof program - 1) > 0);
    (void)snprintf(command, sizeof command,
                   "sh -c 'while [ -e %s ]; do sleep 0.05; done; echo $$ >%s; exec \"$@\"' sh",
                   gate_path, pid_path);
    assert_int_equal(host_open(command, program, NULL, &host, &error), STATUS_OK);
    return host;
}

static void await_ready(const struct host *host, unsigned more_than)
{
    unsigned connections = more_than;
    while (host_await(host, 1000, NULL, &connections) == HOST_AWAITED)
        continue;
    assert_int_equal(host_state(host), HOST_READY);
    assert_int_equal(connections, more_than + 1);
}

/* Even if the host is back before anyone looks, the device does not count as lost for good. */
TEST(a_host_that_came_back_was_lost)
{
    struct worker *worker = NULL;
    struct worker_moment moment;
    struct error error = {0};
    int count = 0;
    struct host *host = open_host();
    await_ready(host, 0);
    assert_int_equal(worker_start(host, "null", 0, NULL, &worker, &error), STATUS_OK);
    assert_false(host_was_lost(host, 1));
    assert_int_equal(worker_moment(worker, false, &moment, &error), STATUS_OK);
    assert_false(worker_head(worker)->host_was_lost);

    (void)fclose(fopen(gate_path, "w"));
    assert_int_equal(kill(agent(), SIGKILL), 0);
    while (host_state(host) == HOST_READY)
        (void)usleep(1000);
    assert_int_not_equal(worker_moment(worker, false, &moment, &error), STATUS_OK);
    assert_true(worker_head(worker)->host_was_lost);
    assert_int_not_equal(worker_count(host, "null", &count, &error), STATUS_OK);
    assert_int_equal(unlink(gate_path), 0);
    await_ready(host, 1);
    assert_true(host_was_lost(host, 1));
    assert_true(worker_head(worker)->host_was_lost);

    assert_int_equal(worker_moment(worker, false, &moment, &error), STATUS_OK);
    assert_false(worker_head(worker)->host_was_lost);
    assert_int_equal(worker_count(host, "null", &count, &error), STATUS_OK);
    assert_true(count > 0);
    worker_stop(worker);
    host_close(host);
}

TEST(time_left_is_read)
{
    static const struct {
        const char *text;
        int64_t left_s; /* -1: no known end */
    } cases[] = {
        {"0:00\n", 0},       {"59:58\n", 3598},  {"7:59:00", 28740},    {"1-02:03:04", 93784},
        {"UNLIMITED\n", -1}, {"NOT_SET", -1},    {"INVALID", -1},       {"", -1},
        {"12", -1},          {"1-", -1},         {"1-1-1:00", -1},      {"1:2:3:4", -1},
        {"-1:00", -1},       {"1:00 of it", -1}, {"99999999999:00", -1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t left_s = -1;
        assert_int_equal(time_left_parse(cases[i].text, &left_s), cases[i].left_s >= 0);
        if (cases[i].left_s >= 0)
            assert_int_equal(left_s, cases[i].left_s);
    }
}

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    (void)snprintf(pid_path, sizeof pid_path, "%s/pid", folder);
    (void)snprintf(gate_path, sizeof gate_path, "%s/gate", folder);
    (void)setenv("TUNE_CACHE_DIR", folder, 1);
    (void)setenv("TUNE_HOST_RETRY_MS", "1", 1);
    return 0;
}

static int remove_folder(void **state)
{
    char command[128];
    (void)state;
    (void)snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command); // NOLINT(cert-env33-c)
}

TEST_MAIN_WITH_WORKERS(make_folder, remove_folder)
