/* Messages to people, compared with two things: the test's own expectation (the place and the
 * important words), and the whole texts, in one file a room, tests/unit/ROOM/messages.txt. After a
 * change of a sentence in the code, tests/rewrite_texts.py ROOM writes that file, whose
 * diff is to be read. */
#ifndef TUNE_TESTS_UNIT_GOLDEN_H
#define TUNE_TESTS_UNIT_GOLDEN_H

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/suite.h"

enum { GOLDEN_BYTES = 4096 };

/* Tells whether `text` begins with the part of `expected` before the first ": " and contains the
 * rest, with any text for each "...". */
static inline bool message_has(const char *text, const char *expected)
{
    const char *place_end = strstr(expected, ": ");
    const char *words = place_end ? place_end + 1 : expected;
    if (place_end && strncmp(text, expected, (size_t)(place_end - expected) + 1) != 0)
        return false;
    text += words - expected;
    while (*words) {
        char part[GOLDEN_BYTES];
        words += strspn(words, " ");
        const char *gap = strstr(words, "...");
        size_t length = gap ? (size_t)(gap - words) : strlen(words);
        while (gap && length > 0 && words[length - 1] == ' ')
            length--;
        (void)snprintf(part, sizeof part, "%.*s", (int)length, words);
        const char *found = strstr(text, part);
        if (!found)
            return false;
        text = found + length;
        words = gap ? gap + 3 : words + length;
    }
    return true;
}

/* Tells whether the whole text is among those of this program. */
static inline bool message_is_golden(const char *text)
{
    char line[GOLDEN_BYTES];
    char heading[256];
    bool within = false;
    bool found = false;
    FILE *file = fopen(TEST_SOURCE_DIR "/tests/unit/" TEST_ROOM "/messages.txt", "r");
    (void)snprintf(heading, sizeof heading, "[%s]", program_invocation_short_name);
    while (file && !found && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "[test_", 6) == 0)
            within = strcmp(line, heading) == 0;
        else
            found = within && strcmp(line, text) == 0;
    }
    if (file)
        (void)fclose(file);
    return found;
}

static inline void expect_message(const char *text, const char *expected)
{
    const char *record = getenv("TUNE_RECORD_MESSAGES");
    if (!message_has(text, expected))
        fail_msg("\"%s\" has not, in its place, \"%s\"", text, expected);
    if (record) {
        FILE *file = fopen(record, "a");
        assert_non_null(file);
        (void)fprintf(file, "%s\n", text);
        (void)fclose(file);
    } else if (!message_is_golden(text)) {
        fail_msg("\"%s\" is not in tests/unit/" TEST_ROOM "/messages.txt. Where it is meant: "
                 "tests/rewrite_texts.py " TEST_ROOM,
                 text);
    }
}

#endif
