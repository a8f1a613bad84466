/* Waiting for another program that holds the database. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "tuner/base/clock.h"
#include "tuner/base/files.h"
#include "tuner/store/internal.h"

struct store_wait {
    struct store_patience patience;
    const char *path;
    int64_t since_ns;
    bool announced; /* wait was reported */
    bool given_up;  /* user wants to end */
};

static const int64_t print_after_ns = 3 * INT64_C(1000000000);

/* Returns the process that holds the lock; 0: unknown. Only the kernel's list is read: opening and
 * closing the file would drop all locks of this process on it. */
static long long writer_of(const struct stat *info, bool with_log)
{
    /* The byte that SQLite locks to write: in the log's index, or in the file without a log. */
    enum { LOG_WRITE_LOCK = 120, FILE_PENDING = 0x40000000, FILE_SHARED_END = FILE_PENDING + 512 };
    char line[256];
    long long writer = 0;
    FILE *locks = fopen("/proc/locks", "re");
    while (locks && writer == 0 && fgets(line, sizeof line, locks)) {
        char kind[16];
        long long pid = 0;
        unsigned major_number = 0;
        unsigned minor_number = 0;
        uint64_t inode = 0;
        int64_t first = 0;
        /* NUMBER: POSIX ADVISORY WRITE PID MAJOR:MINOR:INODE FIRST LAST, the kernel's own numbers.
         * NOLINTNEXTLINE(cert-err34-c) */
        if (sscanf(line, "%*[0-9]: POSIX %*s %15s %lld %x:%x:%" SCNu64 " %" SCNd64, kind, &pid,
                   &major_number, &minor_number, &inode, &first) == 6 &&
            strcmp(kind, "WRITE") == 0 && inode == info->st_ino &&
            makedev(major_number, minor_number) == info->st_dev &&
            (with_log ? first == LOG_WRITE_LOCK
                      : first >= FILE_PENDING && first < FILE_SHARED_END) &&
            pid != getpid())
            writer = pid;
    }
    if (locks)
        (void)fclose(locks);
    return writer;
}

static void note_line(const struct store_wait *wait, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void note_line(const struct store_wait *wait, const char *format, ...)
{
    char line[ERROR_TEXT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (wait->patience.note)
        wait->patience.note(wait->patience.context, line);
}

static void note_writer(const struct store_wait *wait)
{
    char name[64] = "";
    char path[64];
    struct stat info;
    struct text log = {0};
    long long writer = 0;
    text_printf(&log, "%s-shm", wait->path);
    if (!log.failed && stat(text_string(&log), &info) == 0)
        writer = writer_of(&info, true);
    if (writer <= 0 && stat(wait->path, &info) == 0)
        writer = writer_of(&info, false);
    text_free(&log);
    if (writer <= 0) {
        note_line(wait, "%s: another process keeps it locked; waiting until it lets go",
                  wait->path);
        return;
    }
    (void)string_format(path, sizeof path, "/proc/%lld/comm", writer);
    (void)file_line(path, name, sizeof name);
    text_make_printable(name);
    note_line(wait, "%s: process %lld%s%s%s keeps it locked; waiting until it lets go", wait->path,
              writer, *name ? " (" : "", name, *name ? ")" : "");
}

/* Handles a busy database for sqlite3_busy_handler: `tries` counts earlier calls for this
 * statement; 0 ends the wait. */
static int wait_more(void *context, int tries)
{
    struct store_wait *wait = context;
    bool stop = wait->patience.stop && *wait->patience.stop;
    if (tries == 0)
        wait->since_ns = clock_running_ns();
    int64_t waited_ns = clock_running_ns() - wait->since_ns;
    if (waited_ns >= print_after_ns && stop)
        wait->given_up = true;
    if (wait->given_up)
        return 0;
    if (waited_ns >= print_after_ns && !wait->announced) {
        wait->announced = true;
        note_writer(wait);
    }
    (void)usleep(tries < 10 ? 1000 * (unsigned)(tries + 1) : 20000);
    return 1;
}

enum status store_wait_for_writers(struct store *store, const struct store_patience *patience,
                                   struct error *error)
{
    if (!patience) {
        (void)sqlite3_busy_timeout(store->db, STORE_BUSY_MS);
        free(store->wait);
        store->wait = NULL;
        return STATUS_OK;
    }
    if (!store->wait && !(store->wait = calloc(1, sizeof *store->wait)))
        return error_no_memory(error);
    *store->wait = (struct store_wait){.patience = *patience, .path = store->path};
    (void)sqlite3_busy_handler(store->db, wait_more, store->wait);
    return STATUS_OK;
}

void store_go_on(const struct store *store)
{
    struct store_wait *wait = store->wait;
    if (!wait || !wait->announced)
        return;
    wait->announced = false;
    note_line(wait, "%s: free again after %lld s; going on", wait->path,
              (long long)((clock_running_ns() - wait->since_ns) / 1000000000));
}

bool store_gave_up(const struct store *store)
{
    return store->wait && store->wait->given_up;
}
