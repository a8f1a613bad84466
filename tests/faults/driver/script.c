#include "tests/faults/driver/script.h"

#include <ctype.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { CONDITIONS_MAX = 8, SETTINGS_MAX = 16, WORD_BYTES = 128 };

struct condition {
    char key[WORD_BYTES];
    char values[WORD_BYTES]; /* split by | */
};

struct rule {
    char call[WORD_BYTES];
    long from; /* first call that it applies to, counted from 1 */
    long to;
    uint64_t above; /* bytes */
    struct condition conditions[CONDITIONS_MAX];
    size_t condition_count;
    long every; /* fires for every so many-th call only */
    int times;  /* how often it applies, over all processes; -1: always */
    char until[WORD_BYTES];
    struct fault fault;
    long seen;
};

struct setting {
    char name[WORD_BYTES];
    char value[WORD_BYTES];
};

static struct rule rules[RULES_MAX];
static size_t rule_count;
static struct setting settings[SETTINGS_MAX];
static size_t setting_count;
static pthread_once_t once = PTHREAD_ONCE_INIT;

int script_device;

void script_fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)fputs("stand-in driver: ", stderr);
    (void)vfprintf(stderr, format, arguments);
    (void)fputc('\n', stderr);
    va_end(arguments);
    _exit(99);
}

uint64_t script_bytes(const char *text)
{
    static const char units[] = "KMGT";
    char *end = NULL;
    uint64_t value = strtoull(text, &end, 10);
    const char *unit = *end ? strchr(units, *end) : NULL;
    if (end == text || (*end && (!unit || end[1])))
        script_fail("TUNE_FAULTS: '%s' is no number of bytes", text);
    return unit ? value << 10 * (unit - units + 1) : value;
}

static long number(const char *text, const char *what)
{
    char *end = NULL;
    long value = strtol(text, &end, 10);
    if (end == text || *end)
        script_fail("TUNE_FAULTS: %s: '%s' is no number", what, text);
    return value;
}

static void keep(char out[WORD_BYTES], const char *text)
{
    if (strlen(text) >= WORD_BYTES)
        script_fail("TUNE_FAULTS: '%s' is too long", text);
    (void)snprintf(out, WORD_BYTES, "%s", text);
}

/* Cuts the text at the mark; returns the text behind it, or NULL. */
static char *cut(char *text, char mark)
{
    char *at = strchr(text, mark);
    if (at)
        *at++ = '\0';
    return at;
}

static char *trim(char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    for (size_t n = strlen(text); n > 0 && isspace((unsigned char)text[n - 1]); n--)
        text[n - 1] = '\0';
    return text;
}

struct fault script_no_fault(void)
{
    return (struct fault){.exit_code = -1,
                          .lost = -1,
                          .anchor = -1,
                          .throttle = -1,
                          .sm_clock_mhz = -1,
                          .memory_clock_mhz = -1,
                          .temperature_c = -1,
                          .power_w = -1,
                          .others = -1,
                          .ecc = -1};
}

unsigned long long script_throttle(const char *names)
{
    static const struct {
        const char *name;
        unsigned bit;
    } reasons[] = {
        {"nothing", 0},
        {"idle", 0x1},
        {"application_clocks", 0x2},
        {"power_cap", 0x4},
        {"hw_slowdown", 0x8},
        {"sync_boost", 0x10},
        {"sw_thermal", 0x20},
        {"hw_thermal", 0x40},
        {"power_brake", 0x80},
        {"display_clocks", 0x100},
    };
    unsigned long long found = 0;
    while (*names) {
        size_t length = strcspn(names, "|");
        size_t i = 0;
        while (i < sizeof reasons / sizeof *reasons &&
               (strlen(reasons[i].name) != length || strncmp(names, reasons[i].name, length) != 0))
            i++;
        if (i == sizeof reasons / sizeof *reasons)
            script_fail("TUNE_FAULTS: '%.*s' is no reason to throttle", (int)length, names);
        found |= reasons[i].bit;
        names += length + (names[length] == '|' ? 1 : 0);
    }
    return found;
}

static double real(const char *text, const char *what)
{
    char *end = NULL;
    double value = strtod(text, &end);
    if (end == text || *end)
        script_fail("TUNE_FAULTS: %s: '%s' is no number", what, text);
    return value;
}

/* Reads a value of a rule about "conditions"; false: none of these words. */
static bool read_reading(struct fault *fault, const char *word, const char *value)
{
    const struct {
        const char *word;
        double *out;
    } reals[] = {
        {"anchor", &fault->anchor},
        {"sm_clock", &fault->sm_clock_mhz},
        {"memory_clock", &fault->memory_clock_mhz},
        {"temperature", &fault->temperature_c},
        {"power", &fault->power_w},
    };
    for (size_t i = 0; i < sizeof reals / sizeof *reals && value; i++) {
        if (strcmp(word, reals[i].word) != 0)
            continue;
        *reals[i].out = real(value, word);
        return true;
    }
    if (strcmp(word, "throttle") == 0 && value)
        fault->throttle = (long long)script_throttle(value);
    else if (strcmp(word, "others") == 0 && value)
        fault->others = number(value, word);
    else if (strcmp(word, "ecc") == 0 && value)
        fault->ecc = number(value, word);
    else
        return false;
    return true;
}

static void read_action(struct rule *rule, char *word)
{
    struct fault *fault = &rule->fault;
    const char *value = cut(word, '=');
    if (isdigit((unsigned char)*word))
        fault->code = (int)number(word, "error");
    else if (strcmp(word, "sticky") == 0)
        fault->sticky = true;
    else if (strcmp(word, "hang") == 0)
        fault->hang = true;
    else if (strcmp(word, "crash") == 0)
        fault->crash = true;
    else if (strcmp(word, "abort") == 0)
        fault->abort = true;
    else if (strcmp(word, "wrong") == 0)
        fault->wrong = true;
    else if (strcmp(word, "nothing") == 0)
        fault->nothing = true;
    else if (strcmp(word, "remembers") == 0)
        fault->remembers = true;
    else if (strcmp(word, "every") == 0 && value)
        rule->every = number(value, word);
    else if (strcmp(word, "exit") == 0)
        fault->exit_code = value ? (int)number(value, word) : 0;
    else if (strcmp(word, "lost") == 0)
        fault->lost = value ? (int)number(value, word) : LOST_FOR_GOOD;
    else if (strcmp(word, "slow") == 0 && value)
        fault->slow_ms = (int)number(value, word);
    else if (strcmp(word, "until") == 0 && value) {
        keep(rule->until, value);
        fault->until = rule->until;
    } else if (strcmp(word, "slower") == 0 && value)
        fault->slower = real(value, word);
    else if (strcmp(word, "hog") == 0 && value)
        fault->hog = script_bytes(value);
    else if (strcmp(word, "times") == 0 && value)
        rule->times = (int)number(value, word);
    else if (!read_reading(fault, word, value))
        script_fail("TUNE_FAULTS: '%s' is no action", word);
}

static void read_conditions(struct rule *rule, char *list)
{
    char *rest = NULL;
    for (char *word = strtok_r(list, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
        const char *value = cut(word, '=');
        if (!value || rule->condition_count == CONDITIONS_MAX)
            script_fail("TUNE_FAULTS: '%s' is no KEY=VALUE, or one too many", word);
        struct condition *condition = &rule->conditions[rule->condition_count++];
        keep(condition->key, trim(word));
        keep(condition->values, value);
    }
}

/* "3", "3+" or "3-5" */
static void read_range(struct rule *rule, char *text)
{
    size_t length = strlen(text);
    char *last = cut(text, '-');
    if (!last && length > 0 && text[length - 1] == '+') {
        text[length - 1] = '\0';
        rule->from = number(text, "#");
        return;
    }
    rule->from = number(text, "#");
    rule->to = last ? number(last, "#") : rule->from;
}

/* Reads the parts behind the call, each with its mark, in any order. */
static void read_parts(struct rule *rule, char *part)
{
    while (*part) {
        char mark = *part;
        size_t length = strcspn(part + 1, "#>@");
        char text[4 * WORD_BYTES];
        if (length >= sizeof text)
            script_fail("TUNE_FAULTS: '%s' is too long", part);
        (void)snprintf(text, sizeof text, "%.*s", (int)length, part + 1);
        if (mark == '#')
            read_range(rule, trim(text));
        else if (mark == '>')
            rule->above = script_bytes(trim(text));
        else
            read_conditions(rule, text);
        part += 1 + length;
    }
}

static void read_rule(char *head, char *actions)
{
    char *rest = NULL;
    if (rule_count == RULES_MAX)
        script_fail("TUNE_FAULTS: more than %d rules", RULES_MAX);
    struct rule *rule = &rules[rule_count++];
    *rule = (struct rule){
        .from = 1, .to = LONG_MAX, .every = 1, .times = -1, .fault = script_no_fault()};
    size_t length = strcspn(head, "#>@");
    read_parts(rule, head + length);
    head[length] = '\0';
    keep(rule->call, trim(head));
    for (char *word = strtok_r(actions, " \t\n", &rest); word;
         word = strtok_r(NULL, " \t\n", &rest))
        read_action(rule, word);
}

static void read_item(char *item)
{
    char *actions = cut(item, ':');
    if (actions) {
        read_rule(item, actions);
        return;
    }
    char *value = cut(item, '=');
    if (!value || setting_count == SETTINGS_MAX)
        script_fail("TUNE_FAULTS: '%s' is neither CALL: ACTION nor NAME=VALUE", item);
    struct setting *setting = &settings[setting_count++];
    keep(setting->name, trim(item));
    keep(setting->value, trim(value));
}

static void read_script(void)
{
    const char *text = getenv("TUNE_FAULTS");
    char *rest = NULL;
    char *whole = text ? strdup(text) : NULL;
    if (!whole)
        return;
    for (char *item = strtok_r(whole, ";\n", &rest); item; item = strtok_r(NULL, ";\n", &rest)) {
        char *trimmed = trim(item);
        if (*trimmed && *trimmed != '#')
            read_item(trimmed);
    }
    free(whole);
}

const char *script_setting(const char *name, const char *otherwise)
{
    (void)pthread_once(&once, read_script);
    for (size_t i = 0; i < setting_count; i++)
        if (strcmp(settings[i].name, name) == 0)
            return settings[i].value;
    return otherwise;
}

uint64_t script_number(const char *name, uint64_t otherwise)
{
    const char *value = script_setting(name, NULL);
    return value ? script_bytes(value) : otherwise;
}

/* Tells whether `text` is one of the values. */
static bool is_one_of(const char *values, const char *text)
{
    size_t length = strlen(text);
    for (const char *at = values;; at++) {
        size_t word = strcspn(at, "|");
        if (word == length && strncmp(at, text, length) == 0)
            return true;
        at += word;
        if (!*at)
            return false;
    }
}

static bool number_is_one_of(const char *values, uint64_t value)
{
    char text[32];
    (void)snprintf(text, sizeof text, "%" PRIu64, value);
    return is_one_of(values, text);
}

/* Tells whether a condition holds. Any other key is a define of the binary. */
static bool holds(const struct condition *condition, const struct subject *subject)
{
    const char *key = condition->key;
    if (strcmp(key, "kernel") == 0)
        return subject->kernel && is_one_of(condition->values, subject->kernel);
    if (strcmp(key, "grid") == 0)
        return subject->grid && number_is_one_of(condition->values, subject->grid);
    if (strcmp(key, "block") == 0)
        return subject->block && number_is_one_of(condition->values, subject->block);
    if (strcmp(key, "timed") == 0)
        return subject->kernel && is_one_of(condition->values, subject->timed ? "yes" : "no");
    if (strcmp(key, "shared") == 0)
        return subject->kernel && number_is_one_of(condition->values, subject->shared);
    if (strcmp(key, "source") == 0)
        return subject->image && strstr(subject->image->source, condition->values);
    if (strcmp(key, "device") == 0)
        return number_is_one_of(condition->values, (uint64_t)script_device);
    if (strcmp(key, "start") == 0)
        return number_is_one_of(condition->values, (uint64_t)state_starts());
    const char *define = subject->image ? image_define(subject->image, key) : NULL;
    return define && is_one_of(condition->values, define);
}

static bool is_about(const struct rule *rule, const struct subject *subject)
{
    if (rule->above > 0 && subject->bytes <= rule->above)
        return false;
    for (size_t i = 0; i < rule->condition_count; i++)
        if (!holds(&rule->conditions[i], subject))
            return false;
    return true;
}

static bool is_call(const struct rule *rule, const char *call)
{
    size_t length = strlen(rule->call);
    return strncmp(call, rule->call, length) == 0 &&
           (!call[length] || strncmp(call + length, "_v", 2) == 0);
}

bool script_match(const char *call, const struct subject *subjects, size_t count, struct fault *out)
{
    bool found = false;
    (void)pthread_once(&once, read_script);
    for (size_t i = 0; i < rule_count; i++) {
        struct rule *rule = &rules[i];
        bool about = false;
        if (!is_call(rule, call))
            continue;
        for (size_t j = 0; j < count && !about; j++)
            about = is_about(rule, &subjects[j]);
        if (!about)
            continue;
        rule->seen++;
        if (found || rule->seen < rule->from || rule->seen > rule->to ||
            rule->seen % rule->every != 0 || (rule->times >= 0 && !state_may_fire(i, rule->times)))
            continue;
        *out = rule->fault;
        found = true;
    }
    return found;
}

static void hog_memory(uint64_t bytes)
{
    char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    for (uint64_t i = 0; memory != MAP_FAILED && i < bytes; i += 4096)
        memory[i] = 1;
}

static void await_file(const char *path)
{
    const struct timespec moment = {.tv_nsec = 10000000};
    char mark[WORD_BYTES + sizeof ".awaited"];
    (void)snprintf(mark, sizeof mark, "%s.awaited", path);
    int file = open(mark, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (file >= 0)
        (void)close(file);
    while (access(path, F_OK) != 0)
        (void)nanosleep(&moment, NULL);
}

int script_perform(const struct fault *fault)
{
    if (fault->until)
        await_file(fault->until);
    if (fault->slow_ms > 0) {
        struct timespec pause = {fault->slow_ms / 1000, fault->slow_ms % 1000 * 1000000L};
        (void)nanosleep(&pause, NULL);
    }
    if (fault->hog > 0)
        hog_memory(fault->hog);
    if (fault->lost >= 0)
        state_lose(script_device, fault->lost);
    if (fault->crash) {
        (void)signal(SIGSEGV, SIG_DFL); /* not a sanitizer's handler, which ends otherwise */
        (void)raise(SIGSEGV);
    }
    if (fault->abort)
        abort();
    if (fault->exit_code >= 0)
        _exit(fault->exit_code);
    while (fault->hang)
        (void)pause();
    return fault->code;
}

int script_call(const char *call)
{
    struct subject none = {.kernel = NULL};
    struct fault fault;
    return script_match(call, &none, 1, &fault) ? script_perform(&fault) : 0;
}
