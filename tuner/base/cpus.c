#include "tuner/base/cpus.h"

#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/types.h>

/* More processors than Linux supports. */
enum { CPUS_MAX = 16384 };

/* Reads digits only: no sign, no space. */
static bool take_number(const char **at, int *out)
{
    int number = 0;
    if (**at < '0' || **at > '9')
        return false;
    for (; **at >= '0' && **at <= '9'; ++*at) {
        number = number * 10 + (**at - '0');
        if (number >= CPUS_MAX)
            return false;
    }
    *out = number;
    return true;
}

static bool parse(const char *list, cpu_set_t *set, size_t bytes)
{
    CPU_ZERO_S(bytes, set);
    for (;;) {
        int first, last;
        if (!take_number(&list, &first))
            return false;
        last = first;
        if (*list == '-') {
            list++;
            if (!take_number(&list, &last) || last < first)
                return false;
        }
        for (int i = first; i <= last; i++)
            CPU_SET_S((size_t)i, bytes, set);
        if (*list == '\0')
            return true;
        if (*list++ != ',')
            return false;
    }
}

/* Pins the calling thread to the whole list or fails, since the system narrows a list silently. */
static bool pin_caller(const cpu_set_t *set, cpu_set_t *before, cpu_set_t *after, size_t bytes)
{
    if (sched_getaffinity(0, bytes, before) != 0 || sched_setaffinity(0, bytes, set) != 0)
        return false;
    CPU_ZERO_S(bytes, after);
    if (sched_getaffinity(0, bytes, after) == 0 && CPU_EQUAL_S(bytes, set, after))
        return true;
    (void)sched_setaffinity(0, bytes, before);
    return false;
}

/* Pins every thread of the process. A thread that ends meanwhile is skipped; a new thread inherits
 * the starter's processors. */
static bool pin_all(const cpu_set_t *set, size_t bytes)
{
    DIR *threads = opendir("/proc/self/task");
    if (!threads)
        return false;
    bool pinned = true;
    for (struct dirent *entry; (entry = readdir(threads));) {
        long thread = strtol(entry->d_name, NULL, 10);
        if (thread > 0 && sched_setaffinity((pid_t)thread, bytes, set) != 0 && errno != ESRCH)
            pinned = false;
    }
    (void)closedir(threads);
    return pinned;
}

bool cpus_pin(const char *list)
{
    size_t bytes = CPU_ALLOC_SIZE(CPUS_MAX);
    cpu_set_t *set = CPU_ALLOC(CPUS_MAX);
    cpu_set_t *before = CPU_ALLOC(CPUS_MAX);
    cpu_set_t *after = CPU_ALLOC(CPUS_MAX);
    bool pinned = set && before && after && parse(list, set, bytes) &&
                  pin_caller(set, before, after, bytes) && pin_all(set, bytes);
    CPU_FREE(set);
    CPU_FREE(before);
    CPU_FREE(after);
    return pinned;
}
