#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/text.h"
#include "tuner/terminal/command.h"
#include "tuner/terminal/style.h"

enum { HELP_LEFT = 28, HELP_WIDTH = 100 };

/* Writes "--name VALUE" or "--name [VALUE]". */
static void name_option(const struct option_spec *option, char *out, size_t bytes)
{
    const bool may = option->flag && option->value;
    (void)string_format(out, bytes, "--%s%s%s%s", option->name,
                        option->value ? may ? " [" : " " : "", option->value ? option->value : "",
                        may ? "]" : "");
}

static void print_option(const struct option_spec *option, int width)
{
    char name[64];
    char letter[8] = "    ";
    if (option->letter)
        (void)string_format(letter, sizeof letter, "-%c, ", option->letter);
    name_option(option, name, sizeof name);
    const int columns = printf("  %s%-*s ", letter, HELP_LEFT - 2 - (int)strlen(letter), name);
    style_put_words(stdout, option->about, columns, HELP_LEFT + 1, width, '\'');
}

/* ---- the manual ---- */

static void print_paragraphs(const char *text)
{
    for (; text && *text; text += strspn(text, "\n")) {
        style_put_words(stdout, text, 0, 0, HELP_WIDTH, '`');
        putchar('\n');
        text += strcspn(text, "\n");
    }
}

static void print_item(void *context, const struct option_spec *option)
{
    char name[64];
    (void)context;
    name_option(option, name, sizeof name);
    printf("- **`%s`**", name);
    if (option->letter)
        printf(", **`-%c`**", option->letter);
    for (const char *text = option->about; *text; text += strspn(text, "\n")) {
        printf("\n  ");
        style_put_words(stdout, text, 2, 2, HELP_WIDTH, '`');
        text += strcspn(text, "\n");
    }
}

void options_print_manual(const struct command *const *commands, size_t count)
{
    printf(
        "# Commands and options\n\n"
        "Printed by `tune __options`, from the tables that also make the help, the completion and\n"
        "the manual page. Variables, files and exit codes: `man tune`.\n");
    for (size_t i = 0; i < count; i++) {
        printf("\n## tune %s\n\n`tune %s %s`\n\n", commands[i]->name, commands[i]->name,
               commands[i]->usage);
        print_paragraphs(commands[i]->about);
        print_paragraphs(commands[i]->more);
        print_paragraphs(commands[i]->manual);
        options_each(commands[i], print_item, NULL);
    }
}

static enum status unknown_option(const struct command *command, const char *argument,
                                  const struct option_spec *options, size_t count,
                                  struct error *error)
{
    const char *names[64] = {"help"};
    size_t name_count = 1;
    for (size_t i = 0; i < count && name_count < 64; i++)
        names[name_count++] = options[i].name;
    char name[64];
    const char *start = argument + strspn(argument, "-");
    (void)string_format(name, sizeof name, "%.*s", (int)strcspn(start, "="), start);
    const char *nearest = nearest_word(name, names, name_count);
    if (nearest)
        return error_set(error, STATUS_USAGE, "unknown option '%s'; did you mean '--%s'?", argument,
                         nearest);
    return error_set(error, STATUS_USAGE, "unknown option '%s'; 'tune %s --help' lists them",
                     argument, command->name);
}

/* Finds the option that an argument such as "--db", "--db=FILE" or "-o" names; NULL: none. */
static const struct option_spec *find_option(const struct option_spec *options, size_t count,
                                             const char *argument)
{
    const bool is_long = argument[0] == '-' && argument[1] == '-';
    const size_t length = is_long ? strcspn(argument + 2, "=") : 0;
    for (size_t i = 0; i < count && argument[0] == '-' && argument[1] != '\0'; i++)
        if (is_long ? strlen(options[i].name) == length &&
                          memcmp(options[i].name, argument + 2, length) == 0
                    : argument[2] == '\0' && options[i].letter == argument[1])
            return &options[i];
    return NULL;
}

/* Stores one option; *taken is true if the next argument was its value. */
static enum status take_option(const struct option_spec *option, const char *attached,
                               const char *next, bool *taken, struct error *error)
{
    *taken = false;
    if (option->flag && option->text) {
        const bool follows = next && *next && next[strspn(next, "0123456789")] == '\0';
        *option->flag = true;
        *option->text = attached ? attached : follows ? next : NULL;
        *taken = !attached && follows;
        return STATUS_OK;
    }
    if (option->flag) {
        if (attached)
            return error_set(error, STATUS_USAGE, "--%s takes no value", option->name);
        *option->flag = true;
        return STATUS_OK;
    }
    if (!attached && !next)
        return error_set(error, STATUS_USAGE, "--%s needs a value: --%s %s", option->name,
                         option->name, option->value);
    *taken = !attached;
    if (option->text) {
        *option->text = attached ? attached : next;
        return STATUS_OK;
    }
    if (option->list->count == OPTION_LIST_MAX)
        return error_set(error, STATUS_USAGE, "--%s: more than %d of them", option->name,
                         OPTION_LIST_MAX);
    option->list->items[option->list->count++] = attached ? attached : next;
    return STATUS_OK;
}

/* Set by options_each, which visits the rows instead of reading options. */
static void (*visitor)(void *context, const struct option_spec *option);
static void *visitor_context;

void options_each(const struct command *command,
                  void (*visit)(void *context, const struct option_spec *option), void *context)
{
    char name[32];
    char *words[] = {name, NULL};
    struct error ignored = {0};
    (void)string_format(name, sizeof name, "%s", command->name);
    visitor = visit;
    visitor_context = context;
    (void)command->run(command, 1, words, &ignored);
    visitor = NULL;
}

enum status options_parse(const struct command *command, const struct option_spec *options,
                          size_t option_count, int argc, char **argv, const char **words,
                          size_t words_max, size_t *word_count, struct error *error)
{
    bool only_words = false;
    *word_count = 0;
    for (size_t i = 0; visitor && i < option_count; i++)
        visitor(visitor_context, &options[i]);
    if (visitor)
        return STATUS_DONE;
    for (int i = 1; i < argc; i++) {
        const char *argument = argv[i];
        enum status status = STATUS_OK;
        if (only_words || argument[0] != '-' || argument[1] == '\0') {
            if (*word_count == words_max)
                return error_set(error, STATUS_USAGE, "one word too many: '%s'", argument);
            words[(*word_count)++] = argument;
        } else if (strcmp(argument, "--") == 0) {
            only_words = true;
        } else if (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0) {
            static const struct option_spec help = {
                .name = "help", .letter = 'h', .about = "print this and exit"};
            const int page = style_page_columns();
            const int width = page < HELP_WIDTH ? page : HELP_WIDTH;
            printf("usage: tune %s %s\n\n", command->name, command->usage);
            style_put_words(stdout, command->about, 0, 0, width, '\'');
            if (command->more)
                style_put_words(stdout, command->more, 0, 0, width, '\'');
            printf("\noptions:\n");
            for (size_t j = 0; j < option_count; j++)
                print_option(&options[j], width);
            print_option(&help, width);
            return STATUS_DONE;
        } else {
            const struct option_spec *option = find_option(options, option_count, argument);
            if (!option)
                return unknown_option(command, argument, options, option_count, error);
            const char *equals = argument[1] == '-' ? strchr(argument, '=') : NULL;
            /* Another option is no value: '--header -o x.h' lacks one. */
            const char *next = i + 1 < argc && !find_option(options, option_count, argv[i + 1])
                                   ? argv[i + 1]
                                   : NULL;
            bool taken = false;
            status = take_option(option, equals ? equals + 1 : NULL, next, &taken, error);
            i += taken ? 1 : 0;
        }
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

enum status option_integer(const char *name, const char *text, long long low, long long high,
                           long long *out, struct error *error)
{
    char *end = NULL;
    long long value = strtoll(text, &end, 10);
    if (end == text || *end != '\0' || value < low || value > high)
        return error_set(error, STATUS_USAGE, "--%s %s: write a whole number from %lld to %lld",
                         name, text, low, high);
    *out = value;
    return STATUS_OK;
}

enum status option_duration(const char *name, const char *text, int64_t *nanoseconds,
                            struct error *error)
{
    static const double least_s = 1e-3, most_s = 365 * 86400.0;
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"", 1}, {"s", 1}, {"m", 60}, {"min", 60}, {"h", 3600}, {"d", 86400}};
    char *end = NULL;
    bool number = strspn(text, "0123456789.") > 0;
    double value = number ? strtod(text, &end) : 0;
    const size_t unit = number ? ROW_INDEX(end, units, name) : COUNT(units);
    const double seconds = unit < COUNT(units) ? value * units[unit].seconds : 0;
    if (!(seconds >= least_s) || seconds > most_s)
        return error_set(error, STATUS_USAGE, "--%s %s: write a time such as 90s, 30m or 8h", name,
                         text);
    *nanoseconds = (int64_t)(seconds * 1e9);
    return STATUS_OK;
}

enum status option_size(const char *name, const char *text, long long *out, struct error *error)
{
    /* BASE, BASE**POWER or BASE^POWER */
    char *end = NULL;
    errno = 0;
    long long base = isdigit((unsigned char)text[0]) ? strtoll(text, &end, 10) : 0;
    long long value = base;
    if (end && (*end == '^' || strncmp(end, "**", 2) == 0)) {
        const char *start = end + (*end == '^' ? 1 : 2);
        long power = isdigit((unsigned char)start[0]) ? strtol(start, &end, 10) : -1;
        value = power == 0 ? 1 : base;
        for (long i = 1; i < power && value > 1; i++)
            value = __builtin_mul_overflow(value, base, &value) ? 0 : value;
        end = power < 0 ? NULL : end;
    }
    if (!end || *end != '\0' || errno != 0 || value <= 0)
        return error_set(error, STATUS_USAGE, "--%s %s: write a size such as 16777216 or 2**24",
                         name, text);
    *out = value;
    return STATUS_OK;
}

enum status option_l2(const char *text, enum l2_mode *mode, struct error *error)
{
    const char *names[L2_STATES];
    if (!text || l2_mode_parse(text, mode))
        return STATUS_OK;
    for (int i = 0; i < L2_STATES; i++)
        names[i] = l2_mode_name((enum l2_mode)i);
    const char *nearest = nearest_word(text, names, L2_STATES);
    if (nearest)
        return error_set(error, STATUS_USAGE, "--l2 %s: did you mean '%s'?", text, nearest);
    return error_set(error, STATUS_USAGE, "--l2 %s: write cold, hot, stream or dirty", text);
}
