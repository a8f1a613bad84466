/* Admission to the page: checks made before a request is answered. */
#ifndef TUNE_WATCH_GATE_H
#define TUNE_WATCH_GATE_H

#include <stdbool.h>

#include "tuner/base/error.h"

/* 128 random bits in hexadecimal, and a NUL. */
enum { GATE_TOKEN_BYTES = 33 };
enum status gate_make_token(char out[GATE_TOKEN_BYTES], struct error *error);

enum gate {
    GATE_PAGE,      /* /TOKEN/ */
    GATE_LIVE,      /* /TOKEN/live.json */
    GATE_DATA,      /* /TOKEN/data.json */
    GATE_BARE,      /* /TOKEN: the slash is missing */
    GATE_NO_METHOD, /* anything but GET */
    GATE_NO_HOST,   /* a foreign Host name: another site's page that resolves to this machine */
    GATE_NOT_FOUND, /* a wrong token, or an unknown path behind the right one */
};
/* Checks a request. `host` is the header (NULL: none). Every wrong token takes equally long.
 * *knows: the token was right, even if the request is refused. */
enum gate gate_pass(const char *token, const char *method, const char *host, const char *path,
                    bool *authorized);

#endif
