#include "tuner/cli/hosts.h"

#include <stdio.h>
#include <string.h>

#include "tuner/base/clock.h"
#include "tuner/base/files.h"
#include "tuner/base/text.h"
#include "tuner/terminal/style.h"
#include "tuner/worker/worker.h"

enum { HOSTS_FILE_BYTES_MAX = 1 << 20, LOOK_MS = 200, PRINT_MS = 5000 };

static enum status add_host(struct host_list *hosts, const char *command, struct error *error)
{
    const char *program = hosts->program ? hosts->program : "tune";
    struct host *host = NULL;
    if (hosts->count == HOSTS_MAX)
        return error_set(error, STATUS_USAGE, "more than %d hosts", HOSTS_MAX);
    if (strcmp(command, "here") == 0) {
        for (size_t i = 0; i < hosts->count; i++)
            if (hosts->items[i] == host_local())
                return STATUS_OK;
        hosts->items[hosts->count++] = host_local();
        return STATUS_OK;
    }
    if (command[strspn(command, " \t")] == '\0')
        return error_set(error, STATUS_USAGE, "--on: write a command that reaches a host, or here");
    TRY(host_open(command, program, hosts->stop, &host, error));
    hosts->items[hosts->count++] = host;
    return STATUS_OK;
}

/* Returns the command in a line of the file: without a comment, from a # that begins a word, and
 * without surrounding blanks. */
static char *command_of(char *line)
{
    char quote = '\0';
    line += strspn(line, " \t");
    for (char *at = line; *at; at++)
        if (quote ? *at == quote : *at == '\'' || *at == '"') {
            quote = quote ? '\0' : *at;
        } else if (!quote && *at == '#' && (at == line || at[-1] == ' ' || at[-1] == '\t')) {
            *at = '\0';
            break;
        }
    for (size_t length = strlen(line);
         length > 0 && (line[length - 1] == ' ' || line[length - 1] == '\t'); length--)
        line[length - 1] = '\0';
    return line;
}

enum status hosts_open(struct host_list *hosts, struct error *error)
{
    char *text = NULL, *rest = NULL;
    for (size_t i = 0; i < hosts->on.count; i++)
        TRY(add_host(hosts, hosts->on.items[i], error));
    if (!hosts->file)
        return STATUS_OK;
    TRY(file_read(&hosts->arena, hosts->file, HOSTS_FILE_BYTES_MAX, &text, NULL, error));
    bool names_any = false;
    text += strncmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0; /* a mark of the order of bytes */
    for (char *line = strtok_r(text, "\r\n", &rest); line; line = strtok_r(NULL, "\r\n", &rest)) {
        const char *command = command_of(line);
        if (*command)
            TRY(add_host(hosts, command, error));
        names_any = names_any || *command;
    }
    if (!names_any)
        return error_set(error, STATUS_BAD_INPUT, "%s: names no host", hosts->file);
    return STATUS_OK;
}

void hosts_close(struct host_list *hosts)
{
    for (size_t i = 0; i < hosts->count; i++)
        host_close((struct host *)(uintptr_t)hosts->items[i]);
    hosts->count = 0;
    arena_free(&hosts->arena);
}

static void print_awaited(const struct host *host)
{
    char trouble[512] = "";
    host_trouble(host, trouble, sizeof trouble);
    text_make_printable(trouble);
    print_clean(stderr, "tune: waiting for '%s'%s%s%s\n", host_command(host),
                trouble[0] ? " (" : "", trouble, trouble[0] ? ")" : "");
}

enum host_state hosts_await_one(const struct host *host, const volatile sig_atomic_t *stop)
{
    unsigned connections = 0;
    enum host_state state = host_await(host, PRINT_MS, stop, &connections);
    if (state == HOST_AWAITED && !(stop && *stop))
        print_awaited(host);
    while (state == HOST_AWAITED && !(stop && *stop))
        state = host_await(host, LOOK_MS, stop, &connections);
    return state;
}

enum status hosts_gone(const struct host *host, const char *others, struct error *error)
{
    char trouble[512] = "";
    host_trouble(host, trouble, sizeof trouble);
    return error_set(error, STATUS_UNAVAILABLE, "'%s' gives no host: %s%s", host_command(host),
                     trouble, others);
}

bool hosts_ask_again(const struct host *host, const volatile sig_atomic_t *stop,
                     unsigned *connections, struct error *error)
{
    if (!host_was_lost(host, *connections))
        return false;
    if (hosts_await_one(host, stop) == HOST_READY) {
        *connections = host_connections(host);
        error_clear(error);
        return true;
    }
    (void)hosts_gone(host, "", error);
    return false;
}

enum status hosts_count(const struct host *host, const char *kind,
                        const volatile sig_atomic_t *stop, int *count, struct error *error)
{
    unsigned connections = host_connections(host);
    enum status status = STATUS_OK;
    do
        status = worker_count(host, kind, count, error);
    while (status != STATUS_OK && hosts_ask_again(host, stop, &connections, error));
    return status;
}

enum status hosts_describe(const struct host *host, const char *kind, int index,
                           const volatile sig_atomic_t *stop, struct facts *facts,
                           struct error *error)
{
    unsigned connections = host_connections(host);
    enum status status = STATUS_OK;
    do
        status = worker_describe(host, kind, index, facts, error);
    while (status != STATUS_OK && hosts_ask_again(host, stop, &connections, error));
    return status;
}

enum status hosts_await(const struct host_list *hosts, const volatile sig_atomic_t *stop,
                        const struct host *ready[HOSTS_MAX], size_t *count, struct error *error)
{
    int64_t grace_ms = 0, first_ns = 0, print_ns = clock_running_ns() + PRINT_MS * INT64_C(1000000);
    enum status status =
        environment_integer("TUNE_HOST_GRACE_MS", 0, INT64_C(3600) * 1000, 15000, &grace_ms, error);
    while (status == STATUS_OK) {
        size_t gone = 0;
        const struct host *awaited = NULL;
        *count = 0;
        for (size_t i = 0; i < hosts->count; i++) {
            enum host_state state = host_state(hosts->items[i]);
            if (state == HOST_READY)
                ready[(*count)++] = hosts->items[i];
            else if (state == HOST_AWAITED)
                awaited = hosts->items[i];
            else
                gone++;
        }
        if (gone == hosts->count)
            return hosts_gone(hosts->items[0], gone > 1 ? "; nor do the others" : "", error);
        if (*count > 0 && first_ns == 0)
            first_ns = clock_running_ns();
        if (*count == 0 && clock_running_ns() > print_ns) {
            print_ns = INT64_MAX;
            for (size_t i = 0; i < hosts->count; i++)
                if (host_state(hosts->items[i]) == HOST_AWAITED)
                    print_awaited(hosts->items[i]);
        }
        if (!awaited || (first_ns != 0 && clock_running_ns() - first_ns > grace_ms * 1000000))
            break;
        unsigned connections = 0;
        (void)host_await(awaited, LOOK_MS, stop, &connections);
        if (stop && *stop)
            return error_set(error, STATUS_INTERRUPTED, "stopped before a host was there");
    }
    return status;
}
