#include "tuner/cli/complete.h"

#include <stdio.h>
#include <string.h>

#include "tuner/base/text.h"

/* The line as far as it was read. */
struct line {
    const struct command *command;
    struct typed typed;
    const char *name; /* of the option that is looked for, without dashes */
    size_t name_length;
    char letter;
    const struct option_spec *found;
    struct option_spec copy; /* rows live only while they are visited */
};

void complete_offer(const struct typed *typed, const char *word, const char *about)
{
    if (strncmp(word, typed->rest, strlen(typed->rest)) != 0)
        return;
    printf("%s%s", typed->before, word);
    if (about)
        printf("\t%.*s", (int)strcspn(about, "\n"), about);
    putchar('\n');
}

static void match_option(void *context, const struct option_spec *option)
{
    struct line *line = context;
    if (line->letter ? option->letter == line->letter
                     : strlen(option->name) == line->name_length &&
                           strncmp(option->name, line->name, line->name_length) == 0) {
        line->copy = *option;
        line->found = &line->copy;
    }
}

/* The option that the word names, "--db", "--db=x" or "-d"; NULL when it names none. */
static const struct option_spec *find_option(struct line *line, const char *word)
{
    line->found = NULL;
    line->letter = 0;
    if (word[0] != '-' || word[1] == '\0')
        return NULL;
    if (word[1] == '-') {
        line->name = word + 2;
        line->name_length = strcspn(line->name, "=");
    } else if (word[2] == '\0') {
        line->letter = word[1];
    } else {
        return NULL;
    }
    options_each(line->command, match_option, line);
    return line->found;
}

static void offer_option(void *context, const struct option_spec *option)
{
    char word[64];
    (void)string_format(word, sizeof word, "--%s", option->name);
    complete_offer(context, word, option->about);
}

static void offer_options(struct line *line, bool is_first)
{
    options_each(line->command, offer_option, &line->typed);
    complete_offer(&line->typed, "--help", "print help and exit");
    if (is_first)
        complete_offer(&line->typed, "--version", "print the version and exit");
}

/* --db FILE or --db=FILE among the words; the last one counts. */
static const char *database_named(int count, char *const *words)
{
    const char *db = DEFAULT_DATABASE;
    for (int i = 0; i + 1 < count; i++) {
        if (strcmp(words[i], "--db") == 0)
            db = strcmp(words[i + 1], "=") == 0 && i + 2 < count ? words[i + 2] : words[i + 1];
        else if (strncmp(words[i], "--db=", 5) == 0)
            db = words[i] + 5;
    }
    return db;
}

/* The option whose value is being typed; bash makes words of "--name", "=" and "value". */
static const struct option_spec *option_before(struct line *line, int count, char *const *words)
{
    const char *last = words[count - 1];
    const bool is_equal = strcmp(last, "=") == 0;
    const int before = count - 2 - (!is_equal && count > 2 && strcmp(words[count - 2], "=") == 0);
    const char *equal = strchr(last, '=');
    if (is_equal)
        line->typed.rest = "";
    if (last[0] == '-' && equal && equal - last < (long)sizeof line->typed.before - 1) {
        (void)string_format(line->typed.before, sizeof line->typed.before, "%.*s",
                            (int)(equal + 1 - last), last);
        line->typed.rest = equal + 1;
        return find_option(line, last);
    }
    if (before < 0 || strchr(words[before], '='))
        return NULL;
    return find_option(line, words[before]);
}

void complete(const struct command *const *commands, size_t command_count, int word_count,
              char *const *words)
{
    if (word_count == 0)
        return;
    const bool is_first = word_count == 1;
    struct line line = {.command = commands[0], .typed = {.rest = words[word_count - 1]}};
    for (size_t i = 0; !is_first && i < command_count; i++)
        if (strcmp(commands[i]->name, words[0]) == 0)
            line.command = commands[i];
    line.typed.db = database_named(word_count, words);
    const struct option_spec *option = option_before(&line, word_count, words);
    if (option && !option->flag) {
        complete_value(&line.typed, option);
        return;
    }
    if (words[word_count - 1][0] == '-') {
        offer_options(&line, is_first);
        return;
    }
    for (size_t i = 0; is_first && i < command_count; i++)
        complete_offer(&line.typed, commands[i]->name, commands[i]->about);
    /* Alone, the many names of problems would bury the commands. */
    if (!is_first || line.typed.rest[0] != '\0')
        complete_word(&line.typed, line.command->name);
    else
        puts(":files yaml json");
}
