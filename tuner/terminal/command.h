/* A command of the program: one file each, and a row in the table of cli/main.c. */
#ifndef TUNE_TERMINAL_COMMAND_H
#define TUNE_TERMINAL_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/array.h"
#include "tuner/base/error.h"
#include "tuner/base/launch.h"

struct command {
    const char *name;
    const char *usage;  /* text after the name: "[EXPERIMENT...] [options]" */
    const char *about;  /* one line */
    const char *more;   /* further paragraph of the command's help; NULL: none */
    const char *manual; /* more paragraphs, in the manual alone; NULL: none */
    /* Runs the command. Results go to stdout, everything else to stderr. argv[0] is the command's
     * name. On failure the error is filled; main prints it as "tune NAME: text" and exits with the
     * status's exit code. */
    enum status (*run)(const struct command *command, int argc, char **argv, struct error *error);
};

/* Values of a repeatable option in their order; borrowed from argv. */
enum { OPTION_LIST_MAX = 64 };
struct option_list {
    size_t count;
    const char *items[OPTION_LIST_MAX];
};

/* One option. Exactly one of `flag`, `text` and `list` is set; the latter two take a value, as "--
 * name V" or "--name=V". With both `flag` and `text`, the value is an optional number. A letter of
 * 0 means none. */
struct option_spec {
    const char *name;
    char letter;
    const char *value; /* the value's name in the help: "FILE"; NULL for a flag */
    const char *about; /* for the help; after a newline, more for the manual alone */
    bool *flag;
    const char **text;
    struct option_list *list;
};

#define OPTION_TEXT(name_, value_, target_, about_)                                                \
    {                                                                                              \
        .name = (name_), .value = (value_), .text = (target_), .about = about_                     \
    }
#define OPTION_SHORT(letter_, name_, value_, target_, about_)                                      \
    {                                                                                              \
        .name = (name_), .letter = (letter_), .value = (value_), .text = (target_),                \
        .about = about_                                                                            \
    }
#define OPTION_LIST(letter_, name_, value_, target_, about_)                                       \
    {                                                                                              \
        .name = (name_), .letter = (letter_), .value = (value_), .list = (target_),                \
        .about = about_                                                                            \
    }
#define OPTION_NUMBER_OR_NONE(name_, value_, flag_, target_, about_)                               \
    {                                                                                              \
        .name = (name_), .value = (value_), .flag = (flag_), .text = (target_), .about = about_    \
    }
#define OPTION_FLAG(name_, target_, about_) OPTION_SHORT_FLAG(0, name_, target_, about_)
#define OPTION_SHORT_FLAG(letter_, name_, target_, about_)                                         \
    {                                                                                              \
        .name = (name_), .letter = (letter_), .flag = (target_), .about = about_                   \
    }

/* Reads the options into the targets of their rows; other arguments go to `words` (at most
 * `words_max`, borrowed from argv). "--" ends the options. STATUS_DONE: --help, which
 * printed the command's help to stdout. STATUS_USAGE: wrong use, with the nearest option's name. */
enum status options_parse(const struct command *command, const struct option_spec *options,
                          size_t option_count, int argc, char **argv, const char **words,
                          size_t words_max, size_t *word_count, struct error *error);

/* Calls `visit` for each option of the command; the rows live only during the call. */
void options_each(const struct command *command,
                  void (*visit)(void *context, const struct option_spec *option), void *context);

/* Prints the commands with their options, the content of docs/commands.md and of the manual. */
void options_print_manual(const struct command *const *commands, size_t count);

/* Reads a decimal number in [low, high] from an option's value. */
enum status option_integer(const char *name, const char *text, long long low, long long high,
                           long long *out, struct error *error);

/* Reads a problem's size, at least 1: 16777216, 2**24 or 2^24. */
enum status option_size(const char *name, const char *text, long long *out, struct error *error);

/* Reads the state of the caches before a run; NULL leaves *mode unchanged. */
enum status option_l2(const char *text, enum l2_mode *mode, struct error *error);

/* Reads a time of at least 1 ms: 90, 90s, 1.5h; units s (default), m, h, d. */
enum status option_duration(const char *name, const char *text, int64_t *nanoseconds,
                            struct error *error);

/* The options that most commands share. */
#define OPTION_DB_ABOUT "database (default: `tune.db`)"
/* The default name as an object, to tell it from the same name typed by a user (reading.h). */
extern const char default_database[];
#define DEFAULT_DATABASE  default_database
#define REPLAYED_DATABASE "replayed.db"
#define DEFAULT_CONF      "tuned.conf"
#define DEFAULT_REPORT    "report.html"

#endif
