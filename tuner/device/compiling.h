/* Compilers that are programs, of any kind of device: their options, the files that they get, a
 * run, and the settings that they report. */
#ifndef TUNE_DEVICE_COMPILING_H
#define TUNE_DEVICE_COMPILING_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/arena.h"
#include "tuner/base/error.h"
#include "tuner/base/hash.h"
#include "tuner/base/launch.h"
#include "tuner/base/source.h"
#include "tuner/base/text.h"

enum { OPTIONS_MAX = DEFINES_MAX + 2 * FLAGS_MAX + 2 * UNITS_MAX + 28 };

/* Options, or all words of a command; the one behind the last is NULL. */
struct options {
    struct arena *arena;
    const char *items[OPTIONS_MAX + 1];
    int count;
    bool failed; /* memory was short */
};
/* Adds the prefix and the value; a NULL value counts as short memory. */
void options_add(struct options *options, const char *prefix, const char *value);
/* Adds the libraries among the request's flags. One that is a path is found again at that place
 * when the binary is loaded; `rpath` is the option for a folder of these. */
void options_add_libraries(struct options *options, const struct binary_request *request,
                           const char *rpath);

/* Returns the path of a unit: 0 is the request's source. */
const char *unit_path(const struct binary_request *request, size_t unit);
/* Reads the units from `first` on, which must be those that the request's hashes are of. */
enum status units_read(struct arena *arena, const struct binary_request *request, size_t first,
                       struct source *out, struct error *error);
/* Writes the units' texts to files beside the binary, BINARY.0.c for the ending "c", and adds these
 * as options. Each has its own name and line numbers, behind before[i] (NULL: nothing); behind the
 * first one stand the callers of host functions that the request names. */
enum status units_write(struct options *options, const struct binary_request *request,
                        const char *binary_path, const char *ending, const char *const *texts,
                        const char *const *before, struct error *error);
void units_remove(const struct binary_request *request, const char *binary_path,
                  const char *ending);

/* Runs a compiler, whose messages go to the log, until its end: the requester watches the time, and
 * kills our group. *code is not 0 where the source is at fault. STATUS_KILLED: ended from
 * outside; STATUS_IO: the disk is full. `name`: for messages. */
enum status compiler_run(const char *name, const char *const *argv, struct text *log, int *code,
                         struct error *error);

/* A compiler's settings, read once in a process; zero-initialise. */
struct compiler_report {
    bool is_read;
    char hash[HASH_TEXT_BYTES];
    struct error error; /* a run without them would take their absence for other settings */
};
/* Runs a compiler with arguments by which it reports its settings, and hashes the report; *out is
 * the report's hash. Search paths of programs are left out, since what is found by them reports
 * itself. */
enum status compiler_report_hash(struct compiler_report *report, const char *const *argv,
                                 const char **out, struct error *error);

#endif
