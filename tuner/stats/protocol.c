#include "tuner/stats/protocol.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/value.h"

/* ---- the names ---- */

struct row {
    const char *name;
    size_t offset;
    bool integer;
    size_t elements; /* 0: no array */
    double least, most;
    const char *about;
};

#define REAL(field, least, most, about)                                                            \
    {                                                                                              \
#field, offsetof(struct protocol, field), false, 0, least, most, about                     \
    }
#define INTEGER(field, least, most, about)                                                         \
    {                                                                                              \
#field, offsetof(struct protocol, field), true, 0, least, most, about                      \
    }
#define REALS(field, elements, least, most, about)                                                 \
    {                                                                                              \
#field, offsetof(struct protocol, field), false, elements, least, most, about              \
    }
#define INTEGERS(field, elements, least, most, about)                                              \
    {                                                                                              \
#field, offsetof(struct protocol, field), true, elements, least, most, about               \
    }

/* Limits: ESTIMATE_MAX for rounds, WORKER_SAMPLES_MAX for blocks. */
static const struct row rows[] = {
    REAL(warm_window_ms, 1, 10000, "warm-up: length of a window; the clock is read after each"),
    REAL(warm_settled, 0, 1,
         "warm-up: ends when clock and anchor change by less over three windows"),
    REAL(warm_least_ms, 0, 600000, "warm-up: shortest duration"),
    REAL(warm_most_ms, 0, 600000, "warm-up: longest duration"),
    REAL(pause_ms, 0, 600000, "warm-up: repeated for one window after a longer pause"),
    REAL(block_ns, 1, 1e12, "block (a timing of several runs): has as many runs as fill this time"),
    REAL(block_most_ns, 1, 1e12, "block: longest time of several runs"),
    INTEGER(sweep_blocks, 1, 64, "sweep: blocks per configuration"),
    REAL(sweep_slower, 0, 100, "sweep: one block only if slower than the best by more than this"),
    INTEGER(visit_blocks, 1, 64, "race: blocks of each candidate per round"),
    INTEGER(screen_blocks, 1, 64, "race: blocks of each candidate per round until the last screen"),
    INTEGER(noisy_blocks, 0, 64,
            "race: most blocks per round, if short blocks differ by more than delta"),
    INTEGERS(screen_rounds, PROTOCOL_SCREENS, 1, 512, "screen: valid rounds before it"),
    REALS(screen_slower, PROTOCOL_SCREENS, 0, 100,
          "screen: a candidate leaves if slower by more than this in each round"),
    INTEGERS(look_rounds, PROTOCOL_LOOKS, 0, 512, "look: valid rounds before it; 0: no look"),
    REAL(race_z, 1, 8, "look: half width of the intervals, in standard errors"),
    REAL(delta, 0, 1, "largest difference that counts as a tie"),
    REAL(race_slack, 0, 1,
         "look: a candidate leaves if shown to be slower than a tie by more than this"),
    REAL(anchor_shift, 0, 10,
         "round: invalid if the anchor is off its median by more than this ..."),
    REAL(anchor_mads, 0, 1000, "... and by more than this many of its usual deviations"),
    REAL(clock_shift, 0, 10, "round: invalid if the clock is off its median by more than this"),
    REAL(dropped_most, 0, 1, "not sure: a larger share of the rounds is invalid"),
    REAL(twin_bias, 0, 1,
         "not sure: two timings of one configuration differ by more, and not by chance"),
    REAL(floor_most, 0, 1000,
         "not sure: two timings of one configuration differ by more (A/A floor)"),
    REAL(other_wait_ms, 0, 3600000, "longest wait while another process uses the device; 0: none"),
    INTEGER(finalists, 1, 1024, "confirmation: most candidates timed again in fresh processes"),
    INTEGER(confirm_processes, 0, 60, "confirmation: fresh processes; 0: none"),
    INTEGER(confirm_rounds, 1, 512, "confirmation: rounds per process"),
    INTEGER(state_rounds, 0, 512,
            "confirmation: rounds with dirty caches, and with hot ones; 0: none"),
    REAL(confidence, 0.5, 0.999999, "confidence of the claims about a winner"),
    REAL(process_spread, 0, 1,
         "assumed spread of a difference between processes, until it is measured"),
    INTEGER(energy_candidates, 1, 1024, "energy: candidates measured"),
    INTEGER(energy_rounds, 1, 512, "energy: rounds"),
    REAL(energy_window_ms, 1, 60000, "energy: length of one reading"),
    REAL(within, 0, 10, "ranges: largest loss of a configuration at each measured size"),
    INTEGER(look_between, 0, 16, "ranges: sizes between two measured ones at which it is tried"),
};
enum { ROWS = sizeof rows / sizeof *rows };
enum { NAME_BYTES = 32, VALUE_BYTES = 40 };
enum { NAMES_MAX = ROWS + 2 * PROTOCOL_SCREENS + PROTOCOL_LOOKS };
_Static_assert(sizeof(double) == sizeof(int64_t), "elements have one size");

/* The names, of each element of an array one, and the offsets of their values. */
struct names {
    size_t count;
    struct name {
        const struct row *row;
        size_t offset;
        char text[NAME_BYTES];
    } items[NAMES_MAX];
};

static void list_names(struct names *out)
{
    out->count = 0;
    for (const struct row *row = rows; row < rows + ROWS; row++)
        for (size_t i = 0; i == 0 || i < row->elements; i++) {
            struct name *name = &out->items[out->count++];
            *name = (struct name){.row = row, .offset = row->offset + i * sizeof(double)};
            if (row->elements > 0)
                (void)string_format(name->text, sizeof name->text, "%s.%zu", row->name, i);
            else
                (void)string_format(name->text, sizeof name->text, "%s", row->name);
        }
}

/* ---- defaults ---- */

static const struct protocol normal = {
    .warm_window_ms = 50,
    .warm_settled = 0.005,
    .warm_least_ms = 300,
    .warm_most_ms = 3000,
    .pause_ms = 20,
    .block_ns = 200000,
    .block_most_ns = 10e6,
    .sweep_blocks = 5,
    .sweep_slower = 0.25,
    .visit_blocks = 2,
    .screen_blocks = 1,
    .screen_rounds = {2, 4, 8},
    .screen_slower = {0.15, 0.07, 0.03},
    .look_rounds = {16, 24, 32},
    .race_z = 3.8,
    .delta = 0.0025,
    .race_slack = 0.01,
    .anchor_shift = 0.01,
    .anchor_mads = 4,
    .clock_shift = 0.02,
    .dropped_most = 0.2,
    .twin_bias = 0.001,
    .floor_most = 0.1,
    .other_wait_ms = 10000,
    .finalists = 12,
    /* Differences between processes exceed the noise that forty rounds leave: more processes of
       fewer rounds are worth more in the same time. */
    .confirm_processes = 8,
    .confirm_rounds = 20,
    .state_rounds = 2,
    .confidence = 0.99,
    .process_spread = 0.002,
    .energy_candidates = 12,
    .energy_rounds = 5,
    .energy_window_ms = 500,
    .within = 0.005,
    .look_between = 1,
};

static void set_looks(struct protocol *protocol, const int64_t *looks, size_t count)
{
    for (size_t i = 0; i < PROTOCOL_LOOKS; i++)
        protocol->look_rounds[i] = i < count ? looks[i] : 0;
}

void protocol_defaults(enum effort effort, bool is_shared, struct protocol *protocol)
{
    *protocol = normal;
    static const int64_t all_looks[PROTOCOL_LOOKS] = {16, 24, 32, 48, 64, 96, 128};
    if (effort == EFFORT_QUICK) {
        set_looks(protocol, all_looks, 2);
        protocol->confirm_processes = 0;
        protocol->look_between = 0;
    } else if (effort == EFFORT_THOROUGH) {
        set_looks(protocol, all_looks, PROTOCOL_LOOKS);
        protocol->visit_blocks = 4;
        protocol->confirm_processes = 12;
        protocol->confirm_rounds = 40;
        protocol->state_rounds = 4;
        protocol->energy_rounds = 12;
        protocol->energy_window_ms = 1000;
        protocol->look_between = 3;
    }
    if (is_shared) {
        /* A device shared with other programs (a CPU): its times spread ten times as wide, and a
         * round in which another process could run is an ordinary one. Emptying its caches takes
         * longer than most kernels: one block a visit. */
        static const int64_t looks[] = {12, 20, 32};
        static const double screens[PROTOCOL_SCREENS] = {0.25, 0.10, 0.05};
        memcpy(protocol->screen_slower, screens, sizeof screens);
        protocol->anchor_shift = 0.10;
        protocol->clock_shift = 0.5;
        protocol->dropped_most = 0.5;
        protocol->delta = 0.01;
        protocol->race_slack = 0.02;
        protocol->within = 0.02;
        protocol->process_spread = 0.005;
        protocol->twin_bias = 0.01;
        protocol->other_wait_ms = 0;
        protocol->block_ns = 100000;
        protocol->visit_blocks = 1;
        protocol->noisy_blocks = 9;
        set_looks(protocol, looks, effort == EFFORT_QUICK ? 1 : effort == EFFORT_NORMAL ? 2 : 3);
        protocol->confirm_rounds = 10;
        protocol->state_rounds = 2;
        if (effort != EFFORT_QUICK)
            protocol->confirm_processes = effort == EFFORT_THOROUGH ? 8 : 4;
    }
}

double protocol_tie_band(const struct protocol *protocol, double floor)
{
    double band = fmax(protocol->delta, floor); /* fmax skips NaN */
    return fmax(protocol->delta, fmin(band, protocol->floor_most));
}

static const char *const efforts[] = {
    [EFFORT_QUICK] = "quick", [EFFORT_NORMAL] = "normal", [EFFORT_THOROUGH] = "thorough"};

bool effort_parse(const char *name, enum effort *out)
{
    for (size_t i = 0; i < sizeof efforts / sizeof *efforts; i++) {
        if (strcmp(name, efforts[i]) == 0) {
            *out = (enum effort)i;
            return true;
        }
    }
    return false;
}

const char *effort_name(enum effort effort)
{
    return efforts[effort];
}

/* Sets one name, and finds its number among all names. */
static enum status set_name(struct protocol *protocol, const char *assignment, size_t *which,
                            struct error *error)
{
    char name[NAME_BYTES * 2];
    const char *equals = strchr(assignment, '=');
    size_t length = equals ? (size_t)(equals - assignment) : 0;
    if (length == 0 || length >= sizeof name)
        return error_set(error, STATUS_USAGE, "protocol: '%s' is not NAME=VALUE", assignment);
    memcpy(name, assignment, length);
    name[length] = '\0';
    struct names names;
    const char *words[NAMES_MAX];
    list_names(&names);
    for (size_t i = 0; i < names.count; i++)
        words[i] = names.items[i].text;
    *which = WORD_INDEX(name, words, names.count);
    if (*which == names.count) {
        const char *nearest = nearest_word(name, words, names.count);
        if (nearest)
            return error_set(error, STATUS_USAGE, "protocol: unknown name '%s'; did you mean '%s'?",
                             name, nearest);
        return error_set(error, STATUS_USAGE, "protocol: unknown name '%s'; there are '%s' to '%s'",
                         name, words[0], words[names.count - 1]);
    }
    const struct row *row = names.items[*which].row;
    const char *value = equals + 1;
    char *end = NULL;
    errno = 0;
    const int64_t integer = row->integer ? strtoll(value, &end, 10) : 0;
    const double real = row->integer ? (double)integer : strtod(value, &end);
    /* Neither below nor above is false for NaN, too. */
    if (end == value || *end != '\0' || (row->integer && errno != 0) ||
        !(real >= row->least && real <= row->most))
        return error_set(error, STATUS_USAGE, "protocol: %s=%s: %s from %.10g to %.10g is allowed",
                         name, value, row->integer ? "a whole number" : "a number", row->least,
                         row->most);
    memcpy((char *)protocol + names.items[*which].offset,
           row->integer ? (const void *)&integer : (const void *)&real, sizeof real);
    return STATUS_OK;
}

enum status protocol_set(struct protocol *protocol, const char *assignment, struct error *error)
{
    size_t which = 0;
    return set_name(protocol, assignment, &which, error);
}

/* ---- as text ---- */

void protocol_each(const struct protocol *protocol,
                   void (*each)(void *context, const char *name, const char *value,
                                const char *about),
                   void *context)
{
    struct names names;
    list_names(&names);
    for (size_t i = 0; i < names.count; i++) {
        const struct name *name = &names.items[i];
        const char *place = (const char *)protocol + name->offset;
        char text[VALUE_BYTES];
        int64_t integer = 0;
        double real = 0;
        memcpy(&integer, place, sizeof integer);
        memcpy(&real, place, sizeof real);
        (void)value_format(name->row->integer ? value_integer(integer) : value_real(real), text,
                           sizeof text);
        each(context, name->text, text, name->row->about);
    }
}

static void append_pair(void *context, const char *name, const char *value, const char *about)
{
    struct text *out = context;
    (void)about;
    text_printf(out, "%s%s=%s", out->length > 0 ? " " : "", name, value);
}

void protocol_format(const struct protocol *protocol, struct text *text)
{
    struct text pairs = {0};
    protocol_each(protocol, append_pair, &pairs);
    text->failed = text->failed || pairs.failed;
    text_append(text, text_string(&pairs));
    text_free(&pairs);
}

/* Sets the names in the text, and marks each in seen[NAMES_MAX]. */
static enum status set_pairs(const char *text, struct protocol *protocol, bool *seen,
                             struct error *error)
{
    for (const char *at = text + strspn(text, " "); *at; at += strspn(at, " ")) {
        char pair[NAME_BYTES * 2 + VALUE_BYTES];
        size_t length = strcspn(at, " ");
        size_t which = 0;
        (void)string_format(pair, sizeof pair, "%.*s", (int)length, at);
        TRY(set_name(protocol, pair, &which, error));
        seen[which] = true;
        at += length;
    }
    return STATUS_OK;
}

enum status protocol_parse(const char *text, struct protocol *protocol, struct error *error)
{
    bool seen[NAMES_MAX] = {false};
    struct protocol parsed = normal;
    TRY(set_pairs(text, &parsed, seen, error));
    struct names names;
    list_names(&names);
    for (size_t i = 0; i < names.count; i++)
        if (!seen[i])
            return error_set(error, STATUS_BAD_INPUT, "protocol: '%s' is missing",
                             names.items[i].text);
    *protocol = parsed;
    return STATUS_OK;
}

bool protocol_changes(const char *stored, const char *effort, bool is_shared, struct text *out)
{
    enum effort level = EFFORT_NORMAL;
    bool seen[NAMES_MAX] = {false};
    struct protocol usual;
    struct text was = {0};
    struct text would = {0};
    struct error ignored = {0};
    if (!stored || !effort || !effort_parse(effort, &level))
        return false;
    protocol_defaults(level, is_shared, &usual);
    struct protocol protocol = usual;
    if (set_pairs(stored, &protocol, seen, &ignored) != STATUS_OK)
        return false;
    protocol_format(&protocol, &was);
    protocol_format(&usual, &would);
    /* Both have the same names in the same order. */
    const char *b = text_string(&would);
    for (const char *a = text_string(&was); *a; a += strspn(a, " "), b += strspn(b, " ")) {
        size_t length = strcspn(a, " ");
        size_t other = strcspn(b, " ");
        if (length != other || memcmp(a, b, length) != 0)
            text_printf(out, "%s%.*s", out->length > 0 ? " " : "", (int)length, a);
        a += length;
        b += other;
    }
    bool good = !was.failed && !would.failed && !out->failed;
    text_free(&was);
    text_free(&would);
    return good;
}
