#include "tuner/base/failpoint.h"

#ifdef TUNE_FAILPOINTS

#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ENTRIES_MAX = 8, EXIT_CODE_FAILPOINT = 70 };

/* Indexed by the entry's place in TUNE_FAILPOINT. */
static atomic_ulong times_reached[ENTRIES_MAX];

struct entry {
    const char *name;
    size_t name_length;
    unsigned long time;
    const char *action;
    size_t action_length;
};

static bool names_action(const struct entry *entry, const char *action)
{
    return entry->action_length == strlen(action) &&
           memcmp(entry->action, action, entry->action_length) == 0;
}

static bool act(const struct entry *entry)
{
    if (names_action(entry, "error"))
        return true;
    if (names_action(entry, "kill"))
        (void)kill(getpid(), SIGKILL);
    else if (names_action(entry, "stop"))
        (void)kill(getpid(), SIGSTOP);
    else if (names_action(entry, "exit"))
        _exit(EXIT_CODE_FAILPOINT);
    else if (entry->action_length > 6 && memcmp(entry->action, "sleep:", 6) == 0) {
        const long ms = strtol(entry->action + 6, NULL, 10);
        struct timespec remaining = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
        while (nanosleep(&remaining, &remaining) != 0)
            continue;
    } else {
        abort(); /* the action "abort", or an unknown action */
    }
    return false;
}

bool failpoint(const char *name)
{
    const char *next = getenv("TUNE_FAILPOINT");
    bool fails = false;
    for (size_t i = 0; next && *next; i++) {
        size_t length = strcspn(next, ";");
        if (i == ENTRIES_MAX)
            abort();
        /* A misspelt entry aborts, since the test would test no failure. */
        struct entry entry = {.name = next, .time = 1};
        const char *equals = memchr(next, '=', length);
        if (!equals)
            abort();
        entry.action = equals + 1;
        entry.action_length = length - (size_t)(entry.action - next);
        entry.name_length = (size_t)(equals - next);
        const char *number = memchr(next, '#', entry.name_length);
        if (number) {
            char *end = NULL;
            entry.name_length = (size_t)(number - next);
            entry.time = strtoul(number + 1, &end, 10);
            if (end != equals || entry.time == 0)
                abort();
        }
        const size_t named = entry.name_length;
        const bool is_prefix = named > 0 && entry.name[named - 1] == '*';
        const bool is_meant = strncmp(entry.name, name, named - is_prefix) == 0 &&
                              (is_prefix || strlen(name) == named);
        if (is_meant && atomic_fetch_add(&times_reached[i], 1) + 1 == entry.time)
            fails = act(&entry) || fails;
        next += length + (next[length] == ';' ? 1 : 0);
    }
    return fails;
}

#else

typedef int failpoint_is_compiled_out; /* ISO C requires a declaration in each file */

#endif
