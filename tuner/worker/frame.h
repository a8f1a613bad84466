/* Messages between parent and child: frames of JSON over a pipe. A frame is the four bytes "TUN1"
 * (the protocol's version), the payload's length as 32 bits little-endian, and the payload, which
 * ends in a newline, since a program that relays frames from another host may buffer by line. */
#ifndef TUNE_WORKER_FRAME_H
#define TUNE_WORKER_FRAME_H

#include <jansson.h>
#include <stdint.h>

#include "tuner/base/error.h"

enum { FRAME_BYTES_MAX = 16 * 1024 * 1024 };

/* Writes one whole message. STATUS_DEVICE_LOST: the other end is closed. */
enum status frame_write(int file, const json_t *message, struct error *error);

struct child;
/* Writes a message for a child of ours (host.h), likewise. */
enum status child_send(const struct child *child, const json_t *message, struct error *error);

/* Reads one message, an object; *out is the caller's reference. `timeout_ms` < 0: no limit.
 * STATUS_TIMED_OUT; STATUS_DEVICE_LOST: the other end is closed; STATUS_INTERNAL: no valid
 * frame. */
enum status frame_read(int file, int64_t timeout_ms, json_t **out, struct error *error);

/* Reads one message, calling `wait` before each part; `wait` returns STATUS_OK when there is
 * input. */
typedef enum status frame_wait(void *context, struct error *error);
enum status frame_read_by(int file, frame_wait *wait, void *context, json_t **out,
                          struct error *error);

/* Answers messages with `serve` until the pipe closes. A failure of serve becomes an error answer,
 * with the "log" of serve's own answer; after STATUS_DEVICE_LOST the child ends, to be replaced by
 * a new one. */
typedef enum status frame_serve(void *context, const json_t *request, json_t **answer,
                                struct error *error);
int frames_answer(frame_serve *serve, void *context);
/* Names work that may end this process, as a user's function may: if it does, by a fault or exit(),
 * the parent gets STATUS_DEVICE_LOST with this text and the cause for an answer. NULL: no such
 * work. */
void child_may_end(const char *work);
/* Prepares this process for such ends. */
void expect_ends(void);

#endif
