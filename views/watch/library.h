/* libmicrohttpd, opened on demand: the only user of microhttpd.h. */
#ifndef TUNE_WATCH_LIBRARY_H
#define TUNE_WATCH_LIBRARY_H

#include <microhttpd.h>

#include "tuner/base/error.h"

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

/* Opens libmicrohttpd for the life of the process. Returns STATUS_UNAVAILABLE with the package's
 * name if not installed. */
enum status http_open(struct http *http, struct error *error);

#endif
