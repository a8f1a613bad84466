/* A host's agent and its protocol. `tune __host`, started on the host by a command of the user's,
 * first writes the line AGENT_MARK (text before this line is the command's own), then frames of
 * JSON go both ways over its standard input and output. Each frame is an object, identified by its
 * first member in this list:
 *
 * to the agent
 *   "begin": VERSION, "cache": the parent's cache folder, "environment": {NAME: TEXT}
 *   "start": CHILD, "arguments": [..]
 *   "child": CHILD, "frame": a message for the child
 *   "end": CHILD, "how": whether to report how the child ended
 *   "file": PATH, and "same": true, or "bytes", or "error": why the file is unavailable
 *   "call": NUMBER, and "lock": NAME, "note", or "unlock": the lock's call,
 *       or "place": [PCI address or null]
 *   "beat": 1, once a second
 * from the agent
 *   "hello": VERSION, "version": the program's, "name", "cores", "left_s": of its job, if limited
 *   "beat": 1, once a second
 *   "child": CHILD, "frame": a message from the child
 *   "closed": CHILD, its output has ended
 *   "ended": CHILD, "how": text, "end": enum child_end
 *   "made": CHILD, "bytes": the compiled binary, before the child's answer
 *   "want": PATH, "child": CHILD, "hash": of the host's file; for a source "folders"
 *   "answer": NUMBER of the call, with its result, or "error" and "text"
 *
 * A path in the parent's cache stands for the same name in the host's cache. Any other path of a
 * request is used unchanged if the host has the same file there; else the parent sends the file. */
#ifndef TUNE_WORKER_AGENT_H
#define TUNE_WORKER_AGENT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/arena.h"
#include "tuner/base/error.h"

#define AGENT_MARK "tune host agent"
enum { AGENT_VERSION = 2, AGENT_CHILDREN_MAX = 256, AGENT_BEAT_MS = 1000 };
/* Silences (host_silent_ms) after which an agent ends; a parent gives a host up after one. The
 * parent may be stopped for a while. */
enum { AGENT_SILENCES = 10 };
/* Largest file in a frame, written in hexadecimal digits. */
enum { AGENT_FILE_BYTES_MAX = 7 * 1024 * 1024 };

/* Serves until the input ends or stays silent too long; returns the exit code. */
int agent_main(void);

/* Encodes bytes as a JSON text of hexadecimal digits; NULL when memory is short. */
json_t *bytes_encode(const void *data, size_t bytes);
/* Decodes into the arena; NULL when the JSON is no such text, or memory is short. */
unsigned char *bytes_decode(const json_t *json, struct arena *arena, size_t *bytes);

/* ---- files that requests name (agent_files.c) ---- */

struct agent_files;
/* Opens the host's folders and removes leftovers of killed agents. `parent_cache`: the parent's
 * path of its cache. */
enum status agent_files_open(const char *parent_cache, struct agent_files **out,
                             struct error *error);
/* Removes the files that the parent sent. NULL is allowed. */
void agent_files_close(struct agent_files *files);
/* Rewrites the paths of a child's request to paths of this host. If a file must come from the
 * parent first, *want is the message to send (a new reference), and the original request must be
 * localized again after the answer, since some paths may have been rewritten. *made, if not NULL,
 * is the path of the child's binary; owned by the request. */
enum status agent_files_localize(struct agent_files *files, json_t *request, json_t **want,
                                 const char **made, struct error *error);
/* Stores the parent's answer. */
enum status agent_files_take(struct agent_files *files, const json_t *answer, struct error *error);

#endif
