#include "views/watch/gate.h"

#include <string.h>
#include <strings.h>
#include <sys/random.h>

#include "tuner/base/text.h"

enum { TOKEN_LENGTH = GATE_TOKEN_BYTES - 1 };

enum status gate_make_token(char out[GATE_TOKEN_BYTES], struct error *error)
{
    unsigned char bytes[TOKEN_LENGTH / 2];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return error_set(error, STATUS_INTERNAL, "the system gives no random bytes");
    for (size_t i = 0; i < sizeof bytes; i++)
        (void)string_format(out + 2 * i, 3, "%02x", (unsigned)bytes[i]);
    return STATUS_OK;
}

/* Returns true for this machine's own names, with any port: the other end of a tunnel has another.
 */
static bool host_is_ours(const char *host)
{
    static const char *const names[] = {"127.0.0.1", "localhost", "[::1]"};
    for (size_t i = 0; host && i < sizeof names / sizeof names[0]; i++) {
        const size_t length = strlen(names[i]);
        if (strncasecmp(host, names[i], length) != 0)
            continue;
        const char *port = host + length;
        const size_t digits = *port == ':' ? strspn(port + 1, "0123456789") : 0;
        if (*port == '\0' || (digits > 0 && digits <= 5 && port[1 + digits] == '\0'))
            return true;
    }
    return false;
}

/* Compares the token in constant time. */
static bool begins_with_token(const char *token, const char *path)
{
    char given[TOKEN_LENGTH] = {0};
    volatile unsigned char differs = 0;
    memcpy(given, path, strnlen(path, sizeof given));
    for (size_t i = 0; i < sizeof given; i++)
        differs = (unsigned char)(differs | (given[i] ^ token[i]));
    return differs == 0;
}

enum gate gate_pass(const char *token, const char *method, const char *host, const char *path,
                    bool *authorized)
{
    *authorized = path[0] == '/' && begins_with_token(token, path + 1);
    if (strcmp(method, "GET") != 0)
        return GATE_NO_METHOD;
    if (!host_is_ours(host))
        return GATE_NO_HOST;
    if (!*authorized)
        return GATE_NOT_FOUND;
    const char *rest = path + 1 + TOKEN_LENGTH;
    if (strcmp(rest, "/") == 0)
        return GATE_PAGE;
    if (strcmp(rest, "/live.json") == 0)
        return GATE_LIVE;
    if (strcmp(rest, "/data.json") == 0)
        return GATE_DATA;
    return *rest == '\0' ? GATE_BARE : GATE_NOT_FOUND;
}
