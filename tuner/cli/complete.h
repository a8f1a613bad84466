/* The hidden command behind the shells' completion: `tune __complete WORD...`, the words of a
 * command line after `tune`, of which the last is being typed. Prints the candidates for this word,
 * one per line: "WORD", or "WORD<tab>description"; then, where files are possible, ":files" with
 * the endings of those that fit (":files db"; none: any), or ":folders". */
#ifndef TUNE_CLI_COMPLETE_H
#define TUNE_CLI_COMPLETE_H

#include "tuner/cli/commands.h"

void complete(const struct command *const *commands, size_t command_count, int word_count,
              char *const *words);

#endif
