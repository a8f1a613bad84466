/* Who may see the page: what a request must be like before anything is answered. */
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
    GATE_NO_HOST, /* a name that is not this machine's own: a page elsewhere that resolves to it */
    GATE_NOTHING, /* a wrong token, or nothing of ours behind the right one */
};
/* `host`: the header; NULL: none. Takes as long for one wrong token as for another. *knows: the
 * token was right, whatever the rest. */
enum gate gate_pass(const char *token, const char *method, const char *host, const char *path,
                    bool *knows);

#endif
