#include "views/watch/server.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tuner/base/clock.h"
#include "tuner/base/json.h"
#include "tuner/store/query.h"
#include "views/page/report.h"
#include "views/watch/embedded.h"
#include "views/watch/gate.h"

/* ---- libmicrohttpd, opened on demand ---- */

#define HTTP_FUNCTIONS(X)                                                                          \
    X(start_daemon)                                                                                \
    X(stop_daemon)                                                                                 \
    X(run)                                                                                         \
    X(get_timeout)                                                                                 \
    X(get_daemon_info)                                                                             \
    X(get_connection_info)                                                                         \
    X(lookup_connection_value)                                                                     \
    X(create_response_from_buffer)                                                                 \
    X(add_response_header)                                                                         \
    X(queue_response)                                                                              \
    X(suspend_connection)                                                                          \
    X(resume_connection)                                                                           \
    X(destroy_response)

struct http {
#define HTTP_MEMBER(name) __typeof__(&MHD_##name) name;
    HTTP_FUNCTIONS(HTTP_MEMBER)
#undef HTTP_MEMBER
};

/* Opens the library for the life of the process. Returns STATUS_UNAVAILABLE with the package's name
 * if not installed. */
static enum status http_open(struct http *http, struct error *error)
{
    /* All of 0.9 and 1.0 have this name. */
    static const char file[] = "libmicrohttpd.so.12";
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return error_set(
            error, STATUS_UNAVAILABLE,
            "a page is served by libmicrohttpd, and %s is not here: install "
            "libmicrohttpd12 (Debian, Ubuntu), libmicrohttpd12t64 (newer) or libmicrohttpd",
            file);
#define HTTP_LOAD(name)                                                                            \
    {                                                                                              \
        void *const symbol = dlsym(library, "MHD_" #name);                                         \
        if (!symbol)                                                                               \
            return error_set(error, STATUS_UNAVAILABLE, "%s has no MHD_%s: update it", file,       \
                             #name);                                                               \
        memcpy(&http->name, &symbol, sizeof symbol);                                               \
    }
    HTTP_FUNCTIONS(HTTP_LOAD)
#undef HTTP_LOAD
    return STATUS_OK;
}

/* ---- the server ---- */

enum {
    CLIENTS_MAX = 128,
    CLIENTS_CROWD = 96, /* limit beyond which a new client replaces an old one */
    CLIENT_MEMORY_BYTES = 16 * 1024,
    SILENT_S = 15, /* idle time after which a connection is closed */
    EVENTS_KEPT = 200,
    REST = 20, /* pause after reading the database, as a multiple of the reading time */
};
static const int64_t second_ns = 1000000000;
/* Limits of a connection without the token, and of any: slow clients free their place soon. */
static const int64_t stranger_ns = 5 * second_ns, client_ns = 120 * second_ns;
/* Who asks without a page's name is told for so long that the run is over. */
static const int64_t farewell_ns = 5 * second_ns / 2;
/* Pages are told until each has drawn the end, but no longer than this. One that has not asked for
 * `gone_ns` before the end is taken for closed. A hidden page, whose clock its browser slows down,
 * has one question held for `held_ns`. */
static const int64_t farewell_most_ns = 30 * second_ns, gone_ns = 15 * second_ns,
                     held_ns = 50 * second_ns;

/* A page in a browser. */
enum { READERS_MAX = 64, READER_BYTES = 33 };
struct reader {
    char id[READER_BYTES]; /* drawn by the page itself; "": the place is free */
    int64_t requested_at_ns;
    bool has_end;                /* has drawn the run's end */
    struct MHD_Connection *held; /* whose question waits for news; NULL: none does */
};

struct client {
    int fd; /* -1: the place is free */
    int64_t since_ns;
    bool authorized; /* has shown the token */
    bool ending;     /* being closed */
};

/* Time of making a costly response, and its duration. */
struct made {
    int64_t at_ns, cost_ns;
};

/* Parts of the report, the page and its data: made on the first request, shared by all clients. */
enum part { PART_PAGE, PART_DATA, PARTS };
struct served {
    struct MHD_Response *response; /* NULL: not yet */
    struct text revision;          /* revision of the database in the response */
    struct made made;
};

struct server {
    const struct server_options *options;
    struct http http;
    struct MHD_Daemon *daemon;
    char token[GATE_TOKEN_BYTES], nonce[GATE_TOKEN_BYTES];
    struct client clients[CLIENTS_MAX];
    size_t client_count;
    struct text unread; /* input: less than a line */
    struct text state;
    int64_t state_at_ns, event_count, requested_at_ns, ended_at_ns; /* 0: not yet */
    struct text events[EVENTS_KEPT];                                /* a ring */
    struct text database, revision;                                 /* from snapshot_live */
    struct error database_error;
    struct made looked;
    struct served parts[PARTS];
    struct reader readers[READERS_MAX];
    size_t pages_coming; /* sent, and not yet heard of ... */
    int64_t page_at_ns;  /* ... the last one then */
};

/* ---- clients ---- */

static void send_away(struct client *client)
{
    client->ending = true;
    (void)shutdown(client->fd, SHUT_RDWR);
}

static void on_connection(void *context, struct MHD_Connection *connection, void **client_of,
                          enum MHD_ConnectionNotificationCode what)
{
    struct server *server = context;
    if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
        struct client *gone = *client_of;
        for (size_t i = 0; i < READERS_MAX; i++)
            if (server->readers[i].held == connection)
                server->readers[i] = (struct reader){0};
        server->client_count -= gone != NULL;
        if (gone)
            gone->fd = -1;
        return;
    }
    const union MHD_ConnectionInfo *info =
        server->http.get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    if (server->client_count >= CLIENTS_CROWD) {
        /* Closes the oldest connection, those without the token first. */
        struct client *oldest = NULL;
        for (size_t i = 0; i < CLIENTS_MAX; i++) {
            struct client *client = &server->clients[i];
            if (client->fd < 0 || client->ending)
                continue;
            if (!oldest || client->authorized < oldest->authorized ||
                (client->authorized == oldest->authorized && client->since_ns < oldest->since_ns))
                oldest = client;
        }
        if (oldest)
            send_away(oldest);
    }
    for (size_t i = 0; info && i < CLIENTS_MAX; i++)
        if (server->clients[i].fd < 0) {
            server->clients[i] =
                (struct client){.fd = info->connect_fd, .since_ns = clock_now_ns()};
            server->client_count++;
            *client_of = &server->clients[i];
            return;
        }
}

/* ---- responses ---- */

static void add_headers(struct server *server, struct MHD_Response *response, const char *type)
{
    char policy[256];
    /* Policy of the page itself; frames are forbidden. */
    (void)string_format(policy, sizeof policy,
                        "default-src 'none'; style-src 'unsafe-inline'; script-src 'nonce-%s'; "
                        "img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
                        "frame-ancestors 'none'",
                        server->nonce);
    const char *const headers[][2] = {
        {"Content-Type", type},
        {"Content-Security-Policy", policy},
        {"Cache-Control", "no-store"},
        {"Referrer-Policy", "no-referrer"}, /* the address holds the token */
        {"X-Content-Type-Options", "nosniff"},
        {"X-Frame-Options", "DENY"},
        {"Cross-Origin-Opener-Policy", "same-origin"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
        {"Allow", "GET"},
    };
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++)
        (void)server->http.add_response_header(response, headers[i][0], headers[i][1]);
}

static bool may_look_again(const struct made *made, int64_t least_ns)
{
    const int64_t rest_ns = REST * made->cost_ns > least_ns ? REST * made->cost_ns : least_ns;
    return made->at_ns == 0 || clock_now_ns() - made->at_ns >= rest_ns;
}

/* Reads the JSON object of db/queries/watch.sql, and a revision that changes with the page. The
 * database is opened for each reading only. */
static void look(struct server *server)
{
    struct text json = {0}, revision = {0};
    struct error error = {0};
    struct store *store = NULL;
    struct store_query *query = NULL;
    bool row = false;
    if (!may_look_again(&server->looked, second_ns))
        return;
    const int64_t begun_ns = clock_now_ns();
    enum status status = store_open(server->options->database, STORE_READ, &store, &error);
    if (status == STATUS_OK)
        status = store_query_open(store, watch_query, NULL, 0, &query, &error);
    if (status == STATUS_OK)
        status = store_query_next(query, &row, &error);
    if (status == STATUS_OK && row) {
        text_append(&json, store_query_text(query, 0));
        text_append(&revision, store_query_text(query, 1));
        if (json.failed || revision.failed)
            status = error_no_memory(&error);
    }
    if (query)
        store_query_close(query);
    store_close(store);
    server->looked.at_ns = clock_now_ns();
    server->looked.cost_ns = server->looked.at_ns - begun_ns;
    server->database_error = error;
    if (status == STATUS_OK) {
        text_free(&server->database);
        text_free(&server->revision);
        server->database = json;
        server->revision = revision;
        return;
    }
    text_free(&json);
    text_free(&revision);
}

/* Makes the part anew if outdated. On failure the old one stays. */
static void make_part(struct server *server, enum part part, struct error *error)
{
    struct served *served = &server->parts[part];
    const char *database = server->options->database;
    const char *revision = text_string(&server->revision);
    if (served->response && (strcmp(text_string(&served->revision), revision) == 0 ||
                             !may_look_again(&served->made, second_ns)))
        return;
    struct text body = {0}, live_body = {0};
    struct store *store = NULL;
    text_printf(&live_body, "<aside id=\"watch\" aria-label=\"Live\" data-revision=\"%s\">",
                revision);
    text_append(&live_body, watch_body);
    text_append(&live_body, "</aside>\n");
    const struct report_live live = {.style = watch_style,
                                     .script = watch_script,
                                     .body = text_string(&live_body),
                                     .nonce = server->nonce};
    const struct report_request page = {.database = database, .live = &live};
    const struct report_request data = {.database = database};
    const int64_t begun_ns = clock_now_ns();
    enum status status =
        live_body.failed ? error_no_memory(error) : store_open(database, STORE_READ, &store, error);
    if (status == STATUS_OK)
        status = part == PART_PAGE ? report_make(store, &page, &body, error)
                                   : report_data(store, &data, &body, error);
    store_close(store);
    text_free(&live_body);
    served->made.at_ns = clock_now_ns();
    served->made.cost_ns = served->made.at_ns - begun_ns;
    struct MHD_Response *made =
        status == STATUS_OK ? server->http.create_response_from_buffer(body.length, body.data,
                                                                       MHD_RESPMEM_MUST_FREE)
                            : NULL;
    if (!made) {
        text_free(&body);
        return;
    }
    add_headers(server, made, part == PART_PAGE ? "text/html; charset=utf-8" : "application/json");
    if (part == PART_DATA)
        (void)server->http.add_response_header(made, "Tune-Revision", revision);
    if (served->response)
        server->http.destroy_response(served->response);
    served->response = made;
    text_clear(&served->revision);
    text_append(&served->revision, revision);
}

static void append_age(struct text *out, const char *name, int64_t at_ns)
{
    if (at_ns != 0)
        text_printf(out, ",\"%s\":%.1f", name, (double)(clock_now_ns() - at_ns) * 1e-9);
}

static void write_live(struct server *server, struct text *out)
{
    const bool has_database = server->database.length > 0;
    text_printf(out, "{\"serves\":\"%s\",\"state\":%s",
                server->options->input < 0 ? "database"
                : server->ended_at_ns != 0 ? "ended"
                                           : "run",
                server->state.length > 0 ? text_string(&server->state) : "null");
    append_age(out, "state_age_s", server->state_at_ns);
    append_age(out, "looked_age_s", server->looked.at_ns);
    text_printf(out, ",\"database\":%s,\"revision\":",
                has_database ? text_string(&server->database) : "null");
    json_append_string(out, text_string(&server->revision));
    text_append(out, ",\"trouble\":");
    json_append_string(out, server->database_error.text[0] ? server->database_error.text : NULL);
    text_printf(out, ",\"event_count\":%lld,\"events\":[", (long long)server->event_count);
    const int64_t kept = server->event_count < EVENTS_KEPT ? server->event_count : EVENTS_KEPT;
    for (int64_t i = server->event_count - kept; i < server->event_count; i++)
        text_printf(out, "%s%s", i > server->event_count - kept ? "," : "",
                    text_string(&server->events[i % EVENTS_KEPT]));
    text_append(out, "]}");
}

/* ---- answering ---- */

/* Sends `body` and frees the text. */
static enum MHD_Result send_text(struct server *server, struct MHD_Connection *connection,
                                 unsigned code, const char *type, struct text *body)
{
    if (body->failed || !body->data) {
        text_free(body);
        return MHD_NO; /* closes the connection */
    }
    struct MHD_Response *response =
        server->http.create_response_from_buffer(body->length, body->data, MHD_RESPMEM_MUST_FREE);
    if (!response) {
        text_free(body);
        return MHD_NO;
    }
    add_headers(server, response, type);
    const enum MHD_Result result = server->http.queue_response(connection, code, response);
    server->http.destroy_response(response);
    return result;
}

/* ---- pages ---- */

/* The page that asks; of too many the one that asked first makes room. NULL: it has no name. */
static struct reader *reader_of(struct server *server, struct MHD_Connection *connection)
{
    const char *id =
        server->http.lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "page");
    struct reader *oldest = &server->readers[0];
    if (!id || !*id || strlen(id) >= READER_BYTES)
        return NULL;
    for (size_t i = 0; i < READERS_MAX; i++) {
        struct reader *reader = &server->readers[i];
        if (strcmp(reader->id, id) == 0)
            return reader;
        if (!reader->held && (oldest->held || reader->requested_at_ns < oldest->requested_at_ns))
            oldest = reader;
    }
    if (oldest->held)
        return NULL;
    *oldest = (struct reader){0};
    server->pages_coming -= server->pages_coming > 0;
    (void)string_format(oldest->id, READER_BYTES, "%s", id);
    return oldest;
}

/* Takes note of who asks; true: the question is held, and asked again when it is let go. */
static bool hold_question(struct server *server, struct MHD_Connection *connection)
{
    struct reader *reader = reader_of(server, connection);
    if (!reader)
        return false;
    const bool was_held = reader->held == connection;
    const char *drawn =
        server->http.lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "drawn");
    reader->requested_at_ns = clock_now_ns();
    reader->has_end = server->ended_at_ns != 0 && drawn &&
                      server->looked.at_ns > server->ended_at_ns &&
                      strcmp(drawn, text_string(&server->revision)) == 0;
    if (was_held)
        reader->held = NULL;
    if (was_held || reader->held || server->ended_at_ns != 0 || server->options->input < 0 ||
        !server->http.lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "wait"))
        return false;
    reader->held = connection;
    server->http.suspend_connection(connection);
    return true;
}

/* Answers a request. Called after the head, for each part of a body, and at the end. A refusal is
 * sent at once and closes the connection: no body is read. */
static enum MHD_Result on_request(void *context, struct MHD_Connection *connection, const char *url,
                                  const char *method, const char *version, const char *upload,
                                  size_t *upload_bytes, void **passed)
{
    static char once;
    struct server *server = context;
    struct text body = {0};
    bool authorized = false;
    (void)version, (void)upload;
    const char *host =
        server->http.lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);
    const enum gate gate = gate_pass(server->token, method, host, url, &authorized);
    const union MHD_ConnectionInfo *info =
        server->http.get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    if (info && info->socket_context && authorized)
        ((struct client *)info->socket_context)->authorized = true;
    if (gate == GATE_PAGE || gate == GATE_LIVE || gate == GATE_DATA) {
        if (*upload_bytes > 0)
            return MHD_NO;
        if (!*passed) {
            *passed = &once;
            return MHD_YES;
        }
    }
    if (gate == GATE_DATA)
        (void)reader_of(server, connection);
    if (gate == GATE_PAGE) { /* a slow browser asks later for the first time */
        server->pages_coming++;
        server->page_at_ns = clock_now_ns();
    }
    if (gate == GATE_PAGE || gate == GATE_DATA) {
        const enum part part = gate == GATE_PAGE ? PART_PAGE : PART_DATA;
        struct error error = {0};
        look(server);
        make_part(server, part, &error);
        if (server->parts[part].response)
            return server->http.queue_response(connection, MHD_HTTP_OK,
                                               server->parts[part].response);
        struct text reason = {0};
        text_printf(&reason, "It cannot be made: %s\n", error.text);
        return send_text(server, connection, MHD_HTTP_SERVICE_UNAVAILABLE,
                         "text/plain; charset=utf-8", &reason);
    }
    if (gate == GATE_LIVE) {
        if (hold_question(server, connection))
            return MHD_YES;
        server->requested_at_ns = clock_now_ns();
        look(server);
        write_live(server, &body);
        return send_text(server, connection, MHD_HTTP_OK, "application/json", &body);
    }
    static const struct {
        unsigned code;
        const char *text;
    } refusals[] = {
        [GATE_BARE] = {MHD_HTTP_NOT_FOUND, "The address ends in a slash.\n"},
        [GATE_NO_METHOD] = {MHD_HTTP_METHOD_NOT_ALLOWED, "Only GET.\n"},
        [GATE_NO_HOST] = {MHD_HTTP_FORBIDDEN, "Only as http://127.0.0.1 or http://localhost.\n"},
        [GATE_NOT_FOUND] = {MHD_HTTP_NOT_FOUND, "Not found.\n"},
    };
    text_append(&body, refusals[gate].text);
    return send_text(server, connection, refusals[gate].code, "text/plain; charset=utf-8", &body);
}

/* ---- state of the run ---- */

/* Notes the end of the run, and has the database read again at once. */
static void note_end(struct server *server)
{
    if (server->ended_at_ns != 0)
        return;
    server->ended_at_ns = clock_now_ns();
    server->looked.at_ns = 0;
    /* Nothing is measured any more; an ordinary user may not leave SCHED_IDLE. */
    (void)sched_setscheduler(0, SCHED_OTHER, &(struct sched_param){0});
    for (size_t i = 0; i < PARTS; i++)
        server->parts[i].made.at_ns = 0;
}

static void take_line(struct server *server, const char *line, size_t length)
{
    if (length > 1 && line[0] == WATCH_STATE) {
        text_clear(&server->state);
        text_append_bytes(&server->state, line + 1, length - 1);
        server->state_at_ns = clock_now_ns();
    } else if (length > 1 && line[0] == WATCH_EVENT) {
        struct text *event = &server->events[server->event_count++ % EVENTS_KEPT];
        text_clear(event);
        text_append_bytes(event, line + 1, length - 1);
    } else if (length > 0 && line[0] == WATCH_END) {
        note_end(server);
    }
}

/* ---- the loop ---- */

static bool is_over(const struct server *server)
{
    if (server->options->stop && *server->options->stop)
        return true;
    if (server->ended_at_ns == 0)
        return false;
    const int64_t since_ns = clock_now_ns() - server->ended_at_ns;
    bool is_awaited = server->requested_at_ns != 0 && since_ns <= farewell_ns &&
                      server->ended_at_ns - server->requested_at_ns < 2 * farewell_ns;
    is_awaited |= server->pages_coming > 0 && since_ns <= farewell_most_ns &&
                  clock_now_ns() - server->page_at_ns < gone_ns;
    for (size_t i = 0; i < READERS_MAX && !is_awaited; i++) {
        const struct reader *reader = &server->readers[i];
        is_awaited = reader->id[0] && !reader->has_end && since_ns <= farewell_most_ns &&
                     (reader->held || server->ended_at_ns - reader->requested_at_ns < gone_ns);
    }
    return !is_awaited;
}

static void serve(struct server *server)
{
    const union MHD_DaemonInfo *info =
        server->http.get_daemon_info(server->daemon, MHD_DAEMON_INFO_EPOLL_FD);
    struct pollfd files[2] = {{.fd = info->epoll_fd, .events = POLLIN},
                              {.fd = server->options->input, .events = POLLIN}};
    while (!is_over(server)) {
        MHD_UNSIGNED_LONG_LONG soon_ms = 0;
        int wait_ms = server->client_count > 0 || server->options->stop ? 1000 : -1;
        if (server->ended_at_ns != 0) {
            files[1].fd = -1;
            wait_ms = 100;
        }
        if (server->http.get_timeout(server->daemon, &soon_ms) == MHD_YES &&
            (wait_ms < 0 || soon_ms < (MHD_UNSIGNED_LONG_LONG)wait_ms))
            wait_ms = (int)soon_ms;
        (void)poll(files, 2, wait_ms);
        if (files[1].fd >= 0 && files[1].revents != 0) {
            /* The input's end is the end of the run, however it went. */
            char buffer[4096];
            ssize_t count = 0;
            while ((count = read(server->options->input, buffer, sizeof buffer)) > 0) {
                text_append_bytes(&server->unread, buffer, (size_t)count);
                const char *line = text_string(&server->unread);
                for (const char *end = strchr(line, '\n'); end; end = strchr(line, '\n')) {
                    take_line(server, line, (size_t)(end - line));
                    line = end + 1;
                }
                struct text rest = {0};
                text_append(&rest, line);
                text_free(&server->unread);
                server->unread = rest;
            }
            if (count == 0)
                note_end(server);
        }
        /* Lets go of questions that were held long enough, or of all at the end. */
        for (size_t i = 0; i < READERS_MAX; i++) {
            struct reader *reader = &server->readers[i];
            if (reader->held &&
                (server->ended_at_ns != 0 || clock_now_ns() - reader->requested_at_ns > held_ns))
                server->http.resume_connection(reader->held);
        }
        (void)server->http.run(server->daemon);
        for (size_t i = 0; i < CLIENTS_MAX; i++) {
            struct client *client = &server->clients[i];
            if (client->fd >= 0 && !client->ending &&
                clock_now_ns() - client->since_ns > (client->authorized ? client_ns : stranger_ns))
                send_away(client);
        }
    }
}

/* Opens a listening socket on the first free port. */
static enum status listen_here(const struct watch_port *port, int *out, int *number,
                               struct error *error)
{
    int failure = 0;
    *out = -1;
    for (int i = 0; i < port->count; i++) {
        struct sockaddr_in address = {.sin_family = AF_INET,
                                      .sin_port = htons((uint16_t)(port->first + i)),
                                      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
        socklen_t bytes = sizeof address;
        const int on = 1;
        const int file = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        if (file < 0)
            return error_set_errno(error, errno, "--watch: no socket");
        (void)setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        if (bind(file, (const struct sockaddr *)&address, sizeof address) == 0 &&
            listen(file, SOMAXCONN) == 0 &&
            getsockname(file, (struct sockaddr *)&address, &bytes) == 0) {
            *out = file;
            *number = ntohs(address.sin_port);
            return STATUS_OK;
        }
        failure = errno;
        (void)close(file);
        if (failure != EADDRINUSE)
            break;
    }
    if (failure == EADDRINUSE)
        return error_set(error, STATUS_USAGE,
                         "port %d of 127.0.0.1 is in use: name another one, or 0 for any that is "
                         "free",
                         port->first);
    return error_set_errno(error, failure, "port %d of 127.0.0.1", port->first);
}

static enum status start(struct server *server, int listener, struct error *error)
{
    server->daemon = server->http.start_daemon(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, on_request, server,
        MHD_OPTION_LISTEN_SOCKET, listener, MHD_OPTION_CONNECTION_LIMIT, (unsigned)CLIENTS_MAX,
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)SILENT_S, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t)CLIENT_MEMORY_BYTES, MHD_OPTION_NOTIFY_CONNECTION, on_connection, server,
        MHD_OPTION_END);
    if (!server->daemon)
        return error_set(error, STATUS_UNAVAILABLE, "libmicrohttpd does not start");
    return STATUS_OK;
}

enum status server_run(const struct server_options *options, struct error *error)
{
    struct server *server = calloc(1, sizeof *server);
    char url[WATCH_URL_BYTES];
    int listener = -1, port = 0;
    if (!server)
        return error_no_memory(error);
    server->options = options;
    for (size_t i = 0; i < CLIENTS_MAX; i++)
        server->clients[i].fd = -1;
    enum status status = http_open(&server->http, error);
    if (status == STATUS_OK)
        status = gate_make_token(server->token, error);
    if (status == STATUS_OK)
        status = gate_make_token(server->nonce, error);
    if (status == STATUS_OK)
        status = listen_here(&options->port, &listener, &port, error);
    if (status == STATUS_OK)
        status = start(server, listener, error);
    if (status == STATUS_OK) {
        (void)signal(SIGPIPE,
                     SIG_IGN); /* closed connections raise SIGPIPE; libmicrohttpd requires this */
        (void)sched_setscheduler(0, SCHED_IDLE, &(struct sched_param){0});
        if (options->input >= 0)
            (void)fcntl(options->input, F_SETFL, O_NONBLOCK);
        (void)string_format(url, sizeof url, "http://127.0.0.1:%d/%s/", port, server->token);
        options->ready(options->context, url);
        serve(server);
        for (size_t i = 0; i < READERS_MAX; i++)
            if (server->readers[i].held)
                server->http.resume_connection(server->readers[i].held);
        server->http.stop_daemon(server->daemon); /* closes the listener */
    } else if (listener >= 0) {
        (void)close(listener);
    }
    for (size_t i = 0; i < PARTS; i++) {
        if (server->parts[i].response)
            server->http.destroy_response(server->parts[i].response);
        text_free(&server->parts[i].revision);
    }
    for (size_t i = 0; i < EVENTS_KEPT; i++)
        text_free(&server->events[i]);
    text_free(&server->unread);
    text_free(&server->state);
    text_free(&server->database);
    text_free(&server->revision);
    free(server);
    return status;
}
