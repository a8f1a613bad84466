/* The hidden command behind the shells' completion: `tune __complete WORD...`, the words of a
 * command line after `tune`, of which the last is being typed. Prints what may stand in its place,
 * one per line: "WORD", or "WORD<tab>what it is"; then, where files may stand there, ":files" with
 * the endings of those that fit (":files db"; none: any), or ":folders". */
#ifndef TUNE_CLI_COMPLETE_H
#define TUNE_CLI_COMPLETE_H

#include "tuner/cli/command.h"

void complete(const struct command *const *commands, size_t command_count, int word_count,
              char *const *words);

/* ---- between complete.c and complete_values.c ---- */

/* The word that is being typed: what of it is complete ("--format=png,"), and what is to be
 * completed. */
struct typed {
    char before[256];
    const char *rest;
    const char *db; /* the database that the command line names, or the default */
};

/* Prints the word if what is typed is its beginning. `about`: NULL, or a text whose first line
 * counts. */
void complete_offer(const struct typed *typed, const char *word, const char *about);
/* What may stand as the option's value. */
void complete_value(struct typed *typed, const struct option_spec *option);
/* What may stand as a word of the command that is no option. */
void complete_word(const struct typed *typed, const char *command);

#endif
