/* SPDX-FileCopyrightText: 2026 The tune authors
 * SPDX-License-Identifier: MIT
 * Debugging of libtuned: the reason for an answer, stale entries, TUNED_VERBOSE and TUNED_OVERRIDE
 * (docs/libtuned.md). This file is optional and uses only functions of tuned.h. */
#include "tuned_debug.h"

#include <stdio.h>
#include <string.h>

/* ---- sentences ---- */

/* Appends ", m from 512 to 1023" of each size besides n. */
static int add_further(const struct tuned_entry *entry, char *out, size_t bytes, int used)
{
    const char *name;
    long long low, high;
    for (size_t i = 0; (name = tuned_entry_size_at(entry, i, &low, &high)) != NULL; i++)
        if ((size_t)used < bytes) /* cppcheck-suppress wrongPrintfScanfArgNum */
            used += snprintf(out + used, bytes - (size_t)used,
                             low == high ? ", %.40s = %lld" : ", %.40s from %lld to %lld", name,
                             low, high);
    return used;
}

/* Appends the requested sizes besides n: ", m = 500". */
static void add_requested_size(const struct tuned_answer *answer, char *out, size_t bytes, int used)
{
    for (size_t i = 0; i < answer->size_count && (size_t)used < bytes; i++)
        used += snprintf(out + used, bytes - (size_t)used, ", %.40s = %lld", answer->sizes[i].name,
                         answer->sizes[i].size);
}

/* Describes the entry's sizes: "n = 1024", "n from 512 to 1023 (measured at 1000)", and others. */
static void describe_sizes(const struct tuned_answer *answer, char *out, size_t bytes)
{
    const struct tuned_entry *entry = answer->entry;
    const long long low = tuned_entry_n_low(entry), high = tuned_entry_n_high(entry);
    const char *at = tuned_evidence_text(entry, "at", NULL);
    const char *format = "n from %lld to %lld (measured at %lld)";
    long long first = answer->grade == TUNED_EXACT ? answer->n : low;
    if (first == high || answer->grade == TUNED_EXACT)
        format = "n = %lld";
    else if (!at || strchr(at, ','))
        format = "n from %lld to %lld";
    /* cppcheck-suppress wrongPrintfScanfArgNum */
    int used = snprintf(out, bytes, format, first, high, tuned_entry_n(entry));
    if (answer->grade == TUNED_EXACT) {
        add_requested_size(answer, out, bytes, used);
        return;
    }
    used = add_further(entry, out, bytes, used);
    if (at && strchr(at, ',') && (size_t)used < bytes)
        used += snprintf(out + used, bytes - (size_t)used, " (measured at %.80s)", at);
    if (answer->grade == TUNED_NEAREST_SIZE)
        format = "; requested: n = %lld";
    else if (answer->grade < TUNED_NEAREST_SIZE && (answer->n < low || answer->n > high))
        format = ", which is nearest";
    else
        return;
    if ((size_t)used < bytes) /* cppcheck-suppress wrongPrintfScanfArgNum */
        used += snprintf(out + used, bytes - (size_t)used, format, answer->n);
    if (answer->grade == TUNED_NEAREST_SIZE)
        add_requested_size(answer, out, bytes, used);
}

static const char *describe_capability(const struct tuned_device *device,
                                       const struct tuned_device *found)
{
    if (found->compute_capability_major == 0)
        return "";
    if (found->compute_capability_major != device->compute_capability_major)
        return ", of another compute capability";
    return found->compute_capability_minor != device->compute_capability_minor
               ? ", of the same major compute capability"
               : ", of the same compute capability";
}

/* Appends two texts, cut off at the end of `out`. */
static void add_to(char *out, size_t bytes, const char *first, const char *second)
{
    size_t used = strlen(out);
    if (used + 1 < bytes)
        snprintf(out + used, bytes - used, "%s%.160s", first, second);
}

/* Appends the nearer entry for other sizes, if any, and the reason for a missing launch. */
static void add_limits(const struct tuned_answer *answer, char *out, size_t bytes)
{
    const struct tuned_entry *entry = answer->entry, *other = answer->passed_over;
    struct tuned_launch launch;
    char number[32];
    if (other) {
        snprintf(number, sizeof number, "%d", tuned_entry_line(other));
        add_to(out, bytes, "; line ", number);
        add_to(out, bytes, " is not for this size, but where ",
               tuned_evidence_text(other, "domain", ""));
    }
    if (!entry || strcmp(tuned_entry_device(entry)->kind, "cpu") == 0 ||
        tuned_answer_launch(answer, 0, &launch))
        return;
    snprintf(number, sizeof number, "%lld", tuned_entry_n(entry));
    if (tuned_evidence_text(entry, "no_launch", NULL))
        add_to(out, bytes, "; no launch: ", tuned_evidence_text(entry, "no_launch", ""));
    else if (tuned_evidence_text(entry, "launch.grid", NULL) &&
             (!tuned_evidence_text(entry, "measured", NULL) || answer->grade == TUNED_EXACT))
        add_to(out, bytes, "; no launch: it has no value for this size and device, or exceeds ",
               "the device's limits");
    else if (tuned_evidence_text(entry, "launch.grid", NULL))
        add_to(out, bytes, "; no launch: the file has it for the measured size only, n = ", number);
    else
        add_to(out, bytes, "; no launch: the file has none", "");
}

static void describe_answer(const struct tuned_answer *answer, char *out, size_t bytes);

void tuned_reason(const struct tuned_answer *answer, char *out, size_t bytes)
{
    describe_answer(answer, out, bytes);
    if (bytes > 0)
        add_limits(answer, out, bytes);
}

/* Writes the sentence for the answer's grade. Arguments that a format ignores follow the used ones.
 */
static void describe_answer(const struct tuned_answer *answer, char *out, size_t bytes)
{
    /* Formats by grade. Arguments: the problem, the requested device, the entry's device, sizes,
     * file, the entry's device again ... %.0s skips one. */
    static const char elsewhere[] = "%.60s has no entry for %.60s that fits; taken, for %.0s%s, "
                                    "from %.0s%.60s%s (%d %s; here %d)",
                      for_all[] = "%.60s has no entry for %.60s that fits; taken, for %.0s%s, "
                                  "from the entry of %.60s for every device";
    static const char *const formats[] = {"",
                                          elsewhere,
                                          for_all,
                                          elsewhere,
                                          for_all,
                                          elsewhere,
                                          "%.0s%.0son %.60s the nearest that fits is %s",
                                          "%.0s%.0stuned on %.60s for %s",
                                          "%.0s%.0smeasured on %.60s at %s"};
    const struct tuned_entry *entry = answer->entry;
    const struct tuned_device *device = answer->device;
    const char *problem = answer->problem, *kind = NULL;
    char sizes[320];
    if (!entry) {
        const char *format = "no tuned.conf is loaded";
        if (answer->tuned) {
            format = "no device or no problem was named";
            kind = device && problem ? device->kind : NULL;
        }
        if (kind)
            format = tuned_value_index(answer->tuned, problem) >= 0
                         ? "%.60s has no entry for the kind '%.60s' that fits n = %lld here"
                         : "no file has the problem '%.60s'";
        /* cppcheck-suppress wrongPrintfScanfArgNum */
        snprintf(out, bytes, format, problem, kind, answer->n);
        return;
    }
    const struct tuned_device *found = tuned_entry_device(entry);
    describe_sizes(answer, sizes, sizeof sizes);
    /* cppcheck-suppress wrongPrintfScanfArgNum */
    snprintf(out, bytes, formats[answer->grade], problem,
             device->name ? device->name : "this device", found->name, sizes,
             tuned_entry_file(entry), found->name, describe_capability(device, found),
             found->unit_count, strcmp(found->kind, "cpu") == 0 ? "cores" : "SMs",
             device->unit_count);
}

void tuned_debug_print(void *context, const struct tuned_answer *answer)
{
    char line[2 * TUNED_REASON_BYTES + 1024], reason[TUNED_REASON_BYTES];
    const struct tuned_entry *entry = answer->entry;
    (void)context;
    tuned_reason(answer, reason, sizeof reason);
    int used = snprintf(line, TUNED_REASON_BYTES + 300, "tuned: %.200s n=%lld: %s: %s",
                        answer->problem ? answer->problem : "(no problem)", answer->n,
                        tuned_grade_name(answer->grade), reason);
    if (used > TUNED_REASON_BYTES + 299)
        used = TUNED_REASON_BYTES + 299;
    if (entry)
        used += snprintf(line + used, 300, "; line %d of %.200s:", tuned_entry_line(entry),
                         tuned_entry_file(entry));
    for (size_t i = 0; i < tuned_value_count(entry) && used < (int)sizeof line - 200; i++) {
        const char *name, *value;
        tuned_value_at(entry, i, &name, &value);
        used += snprintf(line + used, 180, " %.80s=%.80s", name, value);
    }
    fprintf(stderr, "%s\n", line); /* one call, so that lines of several threads do not mix */
}

/* ---- stale entries ---- */

/* Returns whether two texts are equal, or `now` equals the part of `then` in parentheses:
 * "580.159.04 (CUDA 13.0)" equals "CUDA 13.0". */
static int is_same(const char *then, const char *now)
{
    const char *within = strchr(then, '(');
    size_t length = strlen(now);
    return strcmp(then, now) == 0 ||
           (within && length > 0 && within[1] != ')' && strncmp(within + 1, now, length) == 0 &&
            strcmp(within + 1 + length, ")") == 0);
}

int tuned_stale(const struct tuned_entry *entry, const struct tuned_build *have, char *out,
                size_t bytes)
{
    const char *const mine[][2] = {{"source", have->source},
                                   {"flags", have->flags},
                                   {"driver", have->driver},
                                   {"compiler", have->compiler}};
    for (size_t i = 0; i < sizeof mine / sizeof *mine; i++) {
        const char *then = tuned_evidence_text(entry, mine[i][0], NULL), *now = mine[i][1];
        if (!now || !then || is_same(then, now))
            continue;
        if (out)
            snprintf(out, bytes, "%s: %.80s when it was measured, %.80s now", mine[i][0], then,
                     now);
        return 1;
    }
    return 0;
}

/* ---- TUNED_OVERRIDE ---- */

/* A part of a text. */
struct piece {
    const char *at;
    size_t length;
};

static int is(struct piece piece, const char *text, size_t length)
{
    return piece.length == length && memcmp(piece.at, text, length) == 0;
}

static int begins(struct piece piece, const char *text)
{
    return piece.length >= strlen(text) && memcmp(piece.at, text, strlen(text)) == 0;
}

/* Takes the piece up to one of the characters outside quotes and moves *text past the character, or
 * to the end if there is none. */
static struct piece take_until(struct piece *text, const char *ends)
{
    struct piece piece = {text->at, 0};
    int is_quoted = 0;
    for (; piece.length < text->length; piece.length++) {
        if (!is_quoted && strchr(ends, piece.at[piece.length]))
            break;
        is_quoted ^= piece.at[piece.length] == '"';
    }
    size_t past = piece.length < text->length ? piece.length + 1 : piece.length;
    text->at += past;
    text->length -= past;
    return piece;
}

/* Returns whether c separates fields. Newlines do, since continued lines of an entry are read as
 * one. */
static int is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Takes a token of a line, such as a field: up to a blank outside quotes. */
static struct piece take_token(struct piece *line)
{
    struct piece token;
    int is_quoted = 0;
    while (line->length > 0 && is_blank(*line->at)) {
        line->at++;
        line->length--;
    }
    token = (struct piece){line->at, 0};
    for (; token.length < line->length; token.length++) {
        char c = token.at[token.length];
        if (c == '\n') /* also without a closing quote */
            break;
        if (c == '\\' && is_quoted && token.length + 1 < line->length &&
            token.at[token.length + 1] != '\n')
            token.length++;
        else if (c == '"')
            is_quoted = !is_quoted;
        else if (!is_quoted && (is_blank(c) || (c == '|' && token.length > 0)))
            break;
        else if (!is_quoted && c == '|') {
            token.length = 1;
            break;
        }
    }
    line->at += token.length;
    line->length -= token.length;
    return token;
}

static struct piece name_of(struct piece token)
{
    return take_until(&token, "=@");
}

/* Returns the fields of a problem in "PROBLEM:NAME=VALUE,NAME=VALUE;PROBLEM:...". */
static struct piece fields_of(const char *override, struct piece problem)
{
    struct piece rest = {override, strlen(override)};
    while (rest.length > 0) {
        struct piece fields = take_until(&rest, ";\n"), its = take_until(&fields, ":");
        if (is(its, problem.at, problem.length))
            return fields;
    }
    return rest;
}

/* Returns the field with a name; its length is 0 if there is none. */
static struct piece field_of(struct piece fields, struct piece name)
{
    while (fields.length > 0) {
        struct piece field = take_until(&fields, ",");
        if (is(name_of(field), name.at, name.length) && field.length > name.length)
            return field;
    }
    return fields;
}

struct writer {
    char *out; /* NULL: counts bytes only */
    size_t length;
};

static void append(struct writer *writer, const char *before, struct piece piece)
{
    size_t length = strlen(before);
    if (writer->out) {
        memcpy(writer->out + writer->length, before, length);
        if (piece.length > 0)
            memcpy(writer->out + writer->length + length, piece.at, piece.length);
    }
    writer->length += length + piece.length;
}

/* Returns the names of the line's derived values, between commas. */
static struct piece derived_of(struct piece line)
{
    while (line.length > 0) {
        struct piece token = take_token(&line);
        if (begins(token, "derived="))
            return (struct piece){token.at + 8,
                                  token.length - 8}; /* names of values need no quotes */
    }
    return line;
}

static int lists(struct piece names, struct piece name)
{
    while (names.length > 0)
        if (is(take_until(&names, ","), name.at, name.length))
            return 1;
    return 0;
}

/* Takes the next line, including its end and its continuation lines. */
static struct piece take_line(struct piece *text)
{
    struct piece line = {text->at, 0};
    int is_whole = 0;
    while (!is_whole && line.length < text->length) {
        struct piece next;
        is_whole = line.at[line.length++] == '\n';
        next = (struct piece){line.at + line.length, text->length - line.length};
        while (is_whole && next.length > 0 && (*next.at == ' ' || *next.at == '\t')) {
            next.at++;
            next.length--;
        }
        is_whole = is_whole && (next.length == 0 || *next.at != '|');
    }
    text->at += line.length;
    text->length -= line.length;
    return line;
}

/* Writes an entry's line with replaced values. Dependent values (derived ones, launches) are only
 * those of the override, since none is known for a configuration that was not measured. */
static void write_overridden(struct writer *writer, struct piece line, struct piece fields)
{
    static const char *const follow[] = {"at", "derived", "measured", "per_unit"};
    static const char lost[] = " no_launch=\"TUNED_OVERRIDE changed its values and names none\"";
    const struct piece derived = derived_of(line), rest = fields, empty = {"", 0};
    int is_evidence = 0, had_launch = 0;
    size_t newlines = 0;
    for (size_t i = 0; i < line.length; i++)
        newlines += line.at[i] == '\n';
    append(writer, "", take_token(&line));
    while (line.length > 0) {
        struct piece token = take_token(&line), name = name_of(token);
        struct piece field = field_of(rest, name);
        int follows =
            is_evidence ? begins(name, "launch") || begins(name, "formula.") : lists(derived, name);
        had_launch |= is_evidence && begins(name, "launch");
        for (size_t i = 0; is_evidence && i < sizeof follow / sizeof *follow; i++)
            follows |= is(name, follow[i], strlen(follow[i]));
        if (is(token, "|", 1))
            is_evidence = 1;
        if (field.length > 0 && !is(name, "n", 1) && !begins(name, "launch"))
            append(writer, " ", field);
        else if (token.length > 0 && !follows)
            append(writer, " ", token);
    }
    if (!is_evidence)
        append(writer, " |", empty);
    while (fields.length > 0) {
        struct piece field = take_until(&fields, ",");
        if (begins(field, "launch")) {
            append(writer, " ", field);
            had_launch = 0;
        }
    }
    if (had_launch)
        append(writer, lost, empty);
    for (const char *before = ""; newlines > 0; newlines--, before = "|") {
        append(writer, before, empty);
        append(writer, "\n", empty);
    }
}

/* Returns whether the line has an overridden value. */
static int is_concerned(struct piece line, struct piece fields)
{
    while (line.length > 0) {
        struct piece token = take_token(&line);
        if (is(token, "|", 1))
            return 0;
        if (!is(name_of(token), "n", 1) && field_of(fields, name_of(token)).length > 0)
            return 1;
    }
    return 0;
}

size_t tuned_debug_override(const char *override, const char *text, size_t bytes, char *out)
{
    struct piece rest = {text, bytes};
    struct writer writer = {out, 0};
    while (rest.length > 0) {
        struct piece line = take_line(&rest), after = line;
        struct piece fields = fields_of(override, take_token(&after));
        if (fields.length > 0 && is_concerned(after, fields))
            write_overridden(&writer, line, fields);
        else
            append(&writer, "", line);
    }
    return writer.length;
}

/* Returns whether an entry of the problem has the value. */
static int has_value(const struct tuned *tuned, struct piece problem, struct piece name)
{
    for (size_t i = 0; i < tuned_entry_count(tuned); i++) {
        const struct tuned_entry *entry = tuned_entry_at(tuned, i);
        const char *its = tuned_entry_problem(entry), *value, *its_name = its;
        if (!is(problem, its, strlen(its)))
            continue;
        for (size_t position = 0; its_name; position++) {
            tuned_value_at(entry, position, &its_name, &value);
            if (its_name && is(name, its_name, strlen(its_name)))
                return 1;
        }
    }
    return 0;
}

static void print_unused(const char *format, struct piece what, struct piece of)
{
    char part[2][84];
    snprintf(part[0], sizeof part[0], "%.*s", what.length < 80 ? (int)what.length : 80, what.at);
    snprintf(part[1], sizeof part[1], "%.*s", of.length < 80 ? (int)of.length : 80, of.at);
    /* cppcheck-suppress wrongPrintfScanfArgNum */
    fprintf(stderr, format, part[0], part[1]);
}

/* Prints the fields of the override that change no entry of the problem. */
static void check_fields(const struct tuned *tuned, struct piece problem, struct piece fields)
{
    struct piece launch = {NULL, 0};
    int changes = 0;
    while (fields.length > 0) {
        struct piece field = take_until(&fields, ","), name = name_of(field);
        if (name.length == 0 || field.length == name.length)
            print_unused("tuned: TUNED_OVERRIDE: '%s' is not NAME=VALUE\n", field, problem);
        else if (begins(name, "launch"))
            launch = name;
        else if (has_value(tuned, problem, name))
            changes = 1;
        else
            print_unused("tuned: TUNED_OVERRIDE: nothing has '%s' among entries of '%s'\n", name,
                         problem);
    }
    if (launch.at && !changes)
        print_unused("tuned: TUNED_OVERRIDE: '%s' of '%s' counts with a value that changes only\n",
                     launch, problem);
}

void tuned_debug_check(const char *override, const struct tuned *tuned)
{
    struct piece rest = {override, strlen(override)};
    while (rest.length > 0) {
        struct piece fields = take_until(&rest, ";\n"), whole = fields;
        struct piece problem = take_until(&fields, ":");
        if (whole.length == 0)
            continue;
        if (fields.length == 0)
            print_unused("tuned: TUNED_OVERRIDE: '%s' is not PROBLEM:NAME=VALUE\n", whole, whole);
        else if (fields.at != fields_of(override, problem).at)
            print_unused("tuned: TUNED_OVERRIDE: '%s' is given twice, the first counts\n", problem,
                         whole);
        else
            check_fields(tuned, problem, fields);
    }
}
