/* In a build without libmicrohttpd, in the place of server.c. */
#include "views/watch/server.h"

enum status server_run(const struct server_options *options, struct error *error)
{
    (void)options;
    return error_set(error, STATUS_UNAVAILABLE,
                     "this tune was built without libmicrohttpd, which serves the page: install "
                     "libmicrohttpd-dev and build again");
}
