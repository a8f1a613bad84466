/* The agent of a host, and what it says. `tune __host`, started there by a command of the user's,
 * first writes the line AGENT_MARK (what stands before it is the command's own), then frames of
 * JSON go both ways over its standard input and output; each is an object, told by its first member
 * here:
 *
 *   to the agent     "begin": VERSION, "cache": the parent's cache folder, "environment": {NAME:
 * TEXT} "start": CHILD, "arguments": [..]     "child": CHILD, "frame": what it is told "end":
 * CHILD, "how": whether that is asked "file": PATH, and "same": true, or "bytes", or "error": why
 * it cannot be had "call": NUMBER, and "lock": NAME, "note", or "unlock": the call that took it, or
 * "place": [PCI address or null] "beat": 1, once a second from the agent   "hello": VERSION,
 * "version": of the program, "name", "cores", "left_s" of its job, if it ends "beat": 1, once a
 * second "child": CHILD, "frame": what it says   "closed": CHILD, its output has ended "ended":
 * CHILD, "how": text, "end": enum child_end "made": CHILD, "bytes": of the binary that it compiled,
 * before its answer "want": PATH, "child": CHILD, "hash": of what lies there; of a source "folders"
 * "answer": NUMBER of the call, with what it gave, or "error" and "text"
 *
 * A path of the parent's cache stands for the same name in the host's. Any other that a request
 * names is used as it is where the same file lies there, else the parent sends it. */
#ifndef TUNE_WORKER_AGENT_H
#define TUNE_WORKER_AGENT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/arena.h"
#include "tuner/base/error.h"

#define AGENT_MARK "tune host agent"
enum { AGENT_VERSION = 2, AGENT_CHILDREN_MAX = 256, AGENT_BEAT_MS = 1000 };
/* An agent ends when nothing has come for so many times the silence after which a parent gives its
 * host up (host_silent_ms): that may be stopped for a while. */
enum { AGENT_SILENCES = 10 };
/* In hexadecimal digits it must go into a frame. */
enum { AGENT_FILE_BYTES_MAX = 7 * 1024 * 1024 };

/* Serves until its input ends, or nothing has come from it for very long; the exit code. */
int agent_main(void);

/* Bytes as a JSON text of hexadecimal digits; NULL when memory is short. */
json_t *bytes_encode(const void *data, size_t bytes);
/* In the arena; NULL when the JSON is no such text, or memory is short. */
unsigned char *bytes_decode(const json_t *json, struct arena *arena, size_t *bytes);

/* ---- files that requests name (agent_files.c) ---- */

struct agent_files;
/* `parent_cache`: as the parent calls its own. Cleans up after agents that were killed. */
enum status agent_files_open(const char *parent_cache, struct agent_files **out,
                             struct error *error);
/* Removes what was sent. NULL is taken. */
void agent_files_close(struct agent_files *files);
/* Rewrites the paths in a request to a child to what they are here. Where the parent must be asked
 * for one first, *want is what to ask it (a new reference), and the request, of which some may have
 * been rewritten, is to be tried again as it was when the answer has come. *made, if not NULL, is
 * where the child is to put a binary; it belongs to the request. */
enum status agent_files_localize(struct agent_files *files, json_t *request, json_t **want,
                                 const char **made, struct error *error);
/* Takes the parent's answer in. */
enum status agent_files_take(struct agent_files *files, const json_t *answer, struct error *error);

#endif
