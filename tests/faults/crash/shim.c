/* Loaded before the C library (LD_PRELOAD): makes the N-th call of a kind fail.
 *
 * TUNE_SHIM="CALL[@TEXT]#N[+]=HOW;...": the N-th CALL (with +, every one from then on) whose file's
 * path contains TEXT fails with HOW: the name of an error number, or "short" (half is read or
 * written). CALL is open, read, write, sync, rename, truncate, map, lock or alloc; open64, pread
 * and so on count as their kind. TUNE_SHIM_IN: in which processes: "parent" (default),
 * "__measure", "__compile". TUNE_SHIM_FIRED: a file that is made when anything failed.
 * TUNE_SHIM_PLACES: a file that receives the numbers of the allocations that are the first of their
 * place in the program. */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { RULES_MAX = 8, SHORT = -1 };

struct rule {
    char call[12];
    char text[64];
    unsigned long time;
    bool later;
    int how;
    atomic_ulong count;
};

static struct rule rules[RULES_MAX];
static size_t rule_count;
static bool ready;

static const struct {
    const char *name;
    int value;
} errors[] = {{"short", SHORT},   {"ENOSPC", ENOSPC},        {"EIO", EIO},
              {"EINTR", EINTR},   {"ENOMEM", ENOMEM},        {"EACCES", EACCES},
              {"EROFS", EROFS},   {"EMFILE", EMFILE},        {"ENOLCK", ENOLCK},
              {"EDQUOT", EDQUOT}, {"EOPNOTSUPP", EOPNOTSUPP}};

static _Noreturn void misspelt(void)
{
    static const char words[] = "shim: TUNE_SHIM cannot be read\n";
    (void)!write(2, words, sizeof words - 1);
    _exit(99);
}

static void read_rule(const char *item, size_t length)
{
    char text[128];
    struct rule *rule = &rules[rule_count++];
    if (rule_count > RULES_MAX || length >= sizeof text)
        misspelt();
    memcpy(text, item, length);
    text[length] = '\0';
    char *how = strchr(text, '=');
    char *number = strchr(text, '#');
    char *at = strchr(text, '@');
    if (!how || !number || number > how)
        misspelt();
    *how++ = *number++ = '\0';
    if (at)
        *at++ = '\0';
    if (strlen(text) >= sizeof rule->call || (at && strlen(at) >= sizeof rule->text))
        misspelt();
    strcpy(rule->call, text);
    strcpy(rule->text, at ? at : "");
    rule->time = strtoul(number, NULL, 10);
    rule->later = strchr(number, '+') != NULL;
    size_t i = 0;
    while (i < sizeof errors / sizeof errors[0] && strcmp(errors[i].name, how) != 0)
        i++;
    if (i == sizeof errors / sizeof errors[0] || rule->time == 0)
        misspelt();
    rule->how = errors[i].value;
}

/* Places that allocated so far: hashes of the inner and outer calls that lead there, those of a
 * library that call one another in thousands of ways left out; 0: free. */
enum { INNER_CALLS = 4, OUTER_CALLS = 9, CALLS_MAX = 128, PLACES_MAX = 1 << 16 };
static _Atomic uint64_t places[PLACES_MAX];
static atomic_ulong allocation_count;
static int places_file = -1;

/* Hashes a call by its address in its library, which is the same in each process. glibc 2.36 ends a
 * program whose look-up of a user's name gets no memory: false for calls in there. */
static bool add_call(uint64_t *to, void *call)
{
    Dl_info info = {0};
    const uintptr_t base = dladdr(call, &info) ? (uintptr_t)info.dli_fbase : 0;
    uint64_t hash = *to;
    hash = (hash ^ ((uintptr_t)call - base)) * UINT64_C(0x9e3779b97f4a7c15);
    *to = hash ^ hash >> 32;
    return !info.dli_sname || strcmp(info.dli_sname, "getpwuid_r") != 0;
}

static void watch_allocation(void)
{
    static _Thread_local bool watching;
    void *calls[CALLS_MAX];
    char line[24];
    uint64_t hash = 1, free_place = 0;
    if (places_file < 0 || watching)
        return;
    watching = true; /* its own calls may allocate */
    const unsigned long number = atomic_fetch_add(&allocation_count, 1) + 1;
    const int count = backtrace(calls, CALLS_MAX);
    bool ours = true;
    for (int i = 0; i < count; i++)
        if (i < INNER_CALLS || i >= count - OUTER_CALLS)
            ours &= add_call(&hash, calls[i]);
    hash += hash == 0;
    size_t at = hash % PLACES_MAX;
    while (!atomic_compare_exchange_strong(&places[at], &free_place, hash) && free_place != hash) {
        free_place = 0;
        at = (at + 1) % PLACES_MAX;
    }
    const int length = snprintf(line, sizeof line, "%lu\n", number);
    if (free_place == 0 && ours)
        (void)!syscall(SYS_write, places_file, line, length);
    watching = false;
}

/* Tells whether this process is meant, by the second word of a worker's command line. */
static bool is_meant(void)
{
    char line[4096] = "";
    const char *in = getenv("TUNE_SHIM_IN");
    int file = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/cmdline", O_RDONLY);
    ssize_t got = file < 0 ? 0 : syscall(SYS_read, file, line, sizeof line - 2);
    if (file >= 0)
        (void)syscall(SYS_close, file);
    if (got <= 0)
        return false;
    const char *program = strrchr(line, '/') ? strrchr(line, '/') + 1 : line;
    const char *word = line + strlen(line) + 1;
    bool worker = strncmp(word, "__", 2) == 0;
    if (strcmp(program, "tune") != 0)
        return false; /* a compiler, gnuplot */
    return in && *in && strcmp(in, "parent") != 0 ? strcmp(word, in) == 0 : !worker;
}

__attribute__((constructor)) static void begin(void)
{
    const char *next = getenv("TUNE_SHIM");
    const char *places_path = getenv("TUNE_SHIM_PLACES");
    if (places_path && is_meant()) {
        void *first[1];
        (void)backtrace(first, 1); /* loads what it needs */
        places_file = open(places_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    }
    if (!next || !is_meant())
        return;
    while (*next) {
        size_t length = strcspn(next, ";");
        read_rule(next, length);
        next += length + (next[length] == ';');
    }
    ready = true;
}

static void tell(void)
{
    const char *name = getenv("TUNE_SHIM_FIRED");
    int file = name ? (int)syscall(SYS_openat, AT_FDCWD, name, O_WRONLY | O_CREAT, 0600) : -1;
    if (file >= 0)
        (void)syscall(SYS_close, file);
}

/* Returns 0 to continue, SHORT, or the error number, which is also set. */
static int due(const char *call, const char *path)
{
    if (!ready)
        return 0;
    for (size_t i = 0; i < rule_count; i++) {
        struct rule *rule = &rules[i];
        if (strcmp(rule->call, call) != 0 || (rule->text[0] && !strstr(path, rule->text)))
            continue;
        unsigned long time = atomic_fetch_add(&rule->count, 1) + 1;
        if (time != rule->time && !(rule->later && time > rule->time))
            continue;
        tell();
        if (rule->how != SHORT)
            errno = rule->how;
        return rule->how;
    }
    return 0;
}

static int due_on(const char *call, int file)
{
    char name[32];
    char path[512];
    if (!ready)
        return 0;
    int before = errno;
    (void)snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    ssize_t length = readlink(name, path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    errno = before;
    return due(call, path);
}

static void *next_symbol(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

/* The function of that name further on, found once. */
#define NEXT(type, name)                                                                           \
    static __typeof__(type) *next;                                                                 \
    if (!next)                                                                                     \
    *(void **)&next = next_symbol(name)

#define SHORTENED(how, bytes) ((how) == SHORT && (bytes) > 1 ? (bytes) / 2 : (bytes))

typedef ssize_t write_call(int, const void *, size_t);
typedef ssize_t read_call(int, void *, size_t);
typedef ssize_t pwrite_call(int, const void *, size_t, off_t);
typedef ssize_t pread_call(int, void *, size_t, off_t);

ssize_t write(int file, const void *data, size_t bytes)
{
    NEXT(write_call, "write");
    int how = due_on("write", file);
    return how > 0 ? -1 : next(file, data, SHORTENED(how, bytes));
}

ssize_t read(int file, void *data, size_t bytes)
{
    NEXT(read_call, "read");
    int how = due_on("read", file);
    return how > 0 ? -1 : next(file, data, SHORTENED(how, bytes));
}

#define PWRITE(name)                                                                               \
    ssize_t name(int file, const void *data, size_t bytes, off_t offset)                           \
    {                                                                                              \
        NEXT(pwrite_call, #name);                                                                  \
        int how = due_on("write", file);                                                           \
        return how > 0 ? -1 : next(file, data, SHORTENED(how, bytes), offset);                     \
    }
PWRITE(pwrite)
PWRITE(pwrite64)

#define PREAD(name)                                                                                \
    ssize_t name(int file, void *data, size_t bytes, off_t offset)                                 \
    {                                                                                              \
        NEXT(pread_call, #name);                                                                   \
        int how = due_on("read", file);                                                            \
        return how > 0 ? -1 : next(file, data, SHORTENED(how, bytes), offset);                     \
    }
PREAD(pread)
PREAD(pread64)

#define OPEN(name)                                                                                 \
    int name(const char *path, int flags, ...)                                                     \
    {                                                                                              \
        NEXT(int(const char *, int, ...), #name);                                                  \
        va_list rest;                                                                              \
        va_start(rest, flags);                                                                     \
        unsigned mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg(rest, unsigned) : 0;              \
        va_end(rest);                                                                              \
        return due("open", path) > 0 ? -1 : next(path, flags, mode);                               \
    }
OPEN(open)
OPEN(open64)

#define ON_FILE(name, call)                                                                        \
    int name(int file)                                                                             \
    {                                                                                              \
        NEXT(int(int), #name);                                                                     \
        return due_on(call, file) > 0 ? -1 : next(file);                                           \
    }
ON_FILE(fsync, "sync")
ON_FILE(fdatasync, "sync")

#define TRUNCATE(name)                                                                             \
    int name(int file, off_t length)                                                               \
    {                                                                                              \
        NEXT(int(int, off_t), #name);                                                              \
        return due_on("truncate", file) > 0 ? -1 : next(file, length);                             \
    }
TRUNCATE(ftruncate)
TRUNCATE(ftruncate64)

int rename(const char *from, const char *to)
{
    NEXT(int(const char *, const char *), "rename");
    return due("rename", to) > 0 ? -1 : next(from, to);
}

int flock(int file, int operation)
{
    NEXT(int(int, int), "flock");
    return due_on("lock", file) > 0 ? -1 : next(file, operation);
}

#define MAP(name)                                                                                  \
    void *name(void *at, size_t bytes, int protection, int flags, int file, off_t offset)          \
    {                                                                                              \
        NEXT(void *(void *, size_t, int, int, int, off_t), #name);                                 \
        if (file >= 0 && due_on("map", file) > 0)                                                  \
            return MAP_FAILED;                                                                     \
        return next(at, bytes, protection, flags, file, offset);                                   \
    }
MAP(mmap)
MAP(mmap64)

/* Memory for dlsym, which allocates before malloc is found; never freed. */
static char early[65536];
static size_t early_used;

static void *take_early(size_t bytes)
{
    size_t start = (early_used + 15) & ~(size_t)15;
    if (bytes > sizeof early - start)
        return NULL;
    early_used = start + bytes;
    return early + start;
}

static bool is_early(const void *at)
{
    return (const char *)at >= early && (const char *)at < early + sizeof early;
}

static void *(*next_malloc)(size_t);
static void *(*next_calloc)(size_t, size_t);
static void *(*next_realloc)(void *, size_t);
static void (*next_free)(void *);

static bool find_allocator(void)
{
    static bool finding;
    if (next_free)
        return true;
    if (finding)
        return false;
    finding = true;
    *(void **)&next_malloc = next_symbol("malloc");
    *(void **)&next_calloc = next_symbol("calloc");
    *(void **)&next_realloc = next_symbol("realloc");
    *(void **)&next_free = next_symbol("free");
    return true;
}

void *malloc(size_t bytes)
{
    if (!find_allocator())
        return take_early(bytes);
    watch_allocation();
    return due("alloc", "") > 0 ? NULL : next_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    if (!find_allocator())
        return take_early(count * bytes);
    watch_allocation();
    return due("alloc", "") > 0 ? NULL : next_calloc(count, bytes);
}

void *realloc(void *at, size_t bytes)
{
    if (is_early(at) || !find_allocator())
        return take_early(bytes); /* no one enlarges dlsym's memory */
    watch_allocation();
    return due("alloc", "") > 0 ? NULL : next_realloc(at, bytes);
}

void free(void *at)
{
    if (!is_early(at) && find_allocator())
        next_free(at);
}
