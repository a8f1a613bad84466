#include "views/watch/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tuner/base/process.h"
#include "views/watch/server.h"

/* The child's single message before it closes the pipe: the address, or a status and a text. */
enum { REPLY_READY = 'R', REPLY_ERROR = 'E' };

struct watch {
    struct process_pipes child;
};

enum status watch_port_parse(const char *text, struct watch_port *out, struct error *error)
{
    char *end = NULL;
    *out = (struct watch_port){.first = WATCH_PORT, .count = WATCH_PORTS_TRIED};
    if (!text)
        return STATUS_OK;
    const long port = text[0] >= '0' && text[0] <= '9' ? strtol(text, &end, 10) : -1;
    if (!end || *end != '\0' || port < 0 || port > 65535)
        return error_set(error, STATUS_USAGE,
                         "'%s' is no port: write 1 to 65535, or 0 for any that is free", text);
    *out = (struct watch_port){.first = (int)port, .count = 1};
    return STATUS_OK;
}

/* ---- the child ---- */

static void say_ready(void *context, const char *url)
{
    (void)context;
    (void)dprintf(CHILD_OUTPUT, "%c%s", REPLY_READY, url);
    (void)close(CHILD_OUTPUT);
}

int watch_child(const char *port, const char *database)
{
    struct error error = {0};
    if (fcntl(CHILD_INPUT, F_GETFD) < 0 || fcntl(CHILD_OUTPUT, F_GETFD) < 0)
        return EXIT_CODE_USAGE; /* user's input */
    struct server_options options = {
        .database = database, .input = CHILD_INPUT, .ready = say_ready};
    enum status status = watch_port_parse(*port ? port : NULL, &options.port, &error);
    if (status == STATUS_OK)
        status = server_run(&options, &error);
    if (status != STATUS_OK)
        (void)dprintf(CHILD_OUTPUT, "%c%d %s", REPLY_ERROR, (int)status, error.text);
    return status_exit_code(status);
}

/* ---- its parent ---- */

/* Reads the child's message. Waits without a limit: a child that ends closes the pipe. */
static enum status read_greeting(int file, char url[WATCH_URL_BYTES], struct error *error)
{
    char reply[ERROR_TEXT_BYTES + 16] = "";
    size_t length = 0;
    ssize_t count = 0;
    while (length + 1 < sizeof reply &&
           ((count = read(file, reply + length, sizeof reply - 1 - length)) > 0 ||
            (count < 0 && errno == EINTR)))
        length += count > 0 ? (size_t)count : 0;
    reply[length] = '\0';
    if (reply[0] == REPLY_READY && string_format(url, WATCH_URL_BYTES, "%s", reply + 1))
        return STATUS_OK;
    char *text = reply;
    const long status = reply[0] == REPLY_ERROR ? strtol(reply + 1, &text, 10) : 0;
    if (status <= STATUS_OK || status > STATUS_INTERNAL || *text != ' ')
        return error_set(error, STATUS_INTERNAL, "the page's server ended at once");
    return error_set(error, (enum status)status, "%s", text + 1);
}

enum status watch_begin(const char *database, const char *port, struct watch **out,
                        char url[WATCH_URL_BYTES], struct error *error)
{
    char program[] = "tune", entry[] = "__watch", number[16] = "";
    struct watch_port parsed;
    struct text path = {0};
    *out = NULL;
    TRY(watch_port_parse(port, &parsed, error));
    if (port)
        (void)string_format(number, sizeof number, "%d", parsed.first);
    text_append(&path, database);
    struct watch *watch = calloc(1, sizeof *watch);
    if (!watch || path.failed) {
        free(watch);
        text_free(&path);
        return error_no_memory(error);
    }
    char *arguments[] = {program, entry, number, path.data, NULL};
    enum status status = process_start_self(arguments, &watch->child, error);
    text_free(&path);
    if (status == STATUS_OK)
        status = read_greeting(watch->child.output, url, error);
    if (status != STATUS_OK) {
        (void)process_end(&watch->child, 0, NULL);
        free(watch);
        return status;
    }
    (void)fcntl(watch->child.input, F_SETFL, O_NONBLOCK);
    *out = watch;
    return STATUS_OK;
}

/* Writes a whole line or none: pipe writes of up to PIPE_BUF bytes are atomic. A child that ended
 * does no harm: the run ignores SIGPIPE. */
void watch_send(struct watch *watch, enum watch_line line, const struct text *json)
{
    struct text whole = {0};
    if (!watch || json->failed)
        return;
    text_printf(&whole, "%c%s\n", line, text_string(json));
    if (!whole.failed && whole.length <= PIPE_BUF)
        (void)!write(watch->child.input, whole.data, whole.length);
    text_free(&whole);
}

void watch_end(struct watch *watch)
{
    static const int64_t most_ns = 35000000000;
    int wait_status = 0;
    if (!watch)
        return;
    watch_send(watch, WATCH_END, &(struct text){0});
    (void)process_end(&watch->child, most_ns, &wait_status);
    free(watch);
}

/* ---- by itself ---- */

static void pass_on(void *context, const char *url)
{
    void (*const *ready)(const char *) = context;
    (*ready)(url);
}

enum status watch_serve(const char *database, const char *port, const volatile sig_atomic_t *stop,
                        void (*ready)(const char *url), struct error *error)
{
    struct server_options options = {
        .database = database, .input = -1, .stop = stop, .context = &ready, .ready = pass_on};
    const enum status status = watch_port_parse(port, &options.port, error);
    return status == STATUS_OK ? server_run(&options, error) : status;
}
