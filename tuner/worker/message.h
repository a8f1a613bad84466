/* Messages as JSON, and back, by tables of members: a shape gives the names, kinds and bounds of a
 * struct's members. Parent and child use the same shapes. */
#ifndef TUNE_WORKER_MESSAGE_H
#define TUNE_WORKER_MESSAGE_H

#include <jansson.h>

#include "tuner/base/arena.h"
#include "tuner/base/conditions.h"
#include "tuner/base/error.h"
#include "tuner/base/facts.h"
#include "tuner/base/launch.h"
#include "tuner/worker/worker.h"

/* Members with the default value are omitted; missing members decode to the default. */
enum message_kind {
    MESSAGE_INTEGER,        /* 1, 4 or 8 bytes, from low to high; default: low, or 0 */
    MESSAGE_TRUTH,          /* bool; default: false */
    MESSAGE_REAL,           /* double; default: 0 */
    MESSAGE_KNOWN_REAL,     /* double; default: NaN, unknown */
    MESSAGE_TEXT,           /* const char *, in the arena; default: NULL */
    MESSAGE_CHARS,          /* char[bytes]; default: "" */
    MESSAGE_VALUE,          /* struct value, its text in the arena; default: the integer 0 */
    MESSAGE_OBJECT,         /* a struct in place, of the shape `of` */
    MESSAGE_POINTED_OBJECT, /* a pointer to a struct, in the arena; default: NULL */
    MESSAGE_LIST,           /* an array in place, of at most `high` elements of the shape `of` */
    MESSAGE_POINTED_LIST,   /* a pointer to such an array, in the arena */
};

struct message_shape;
struct message_member {
    const char *name;
    enum message_kind kind;
    size_t offset, bytes;
    int64_t low, high;
    const struct message_shape *of;
    /* For a list: the member with the number of elements, an unsigned integer; 0 bytes: always
     * `high` elements. */
    size_t count_offset, count_bytes;
    bool parallel; /* shares the count of an earlier list */
    bool needed;   /* required, for texts and pointed objects */
};
struct message_shape {
    const char *name;
    const struct message_member *members;
    size_t count;
    size_t bytes; /* size of the struct */
    bool bare;    /* the only member, encoded without an enclosing object */
    /* Check across members; may be NULL. */
    bool (*is_sound)(const void *message);
};

/* Encodes a message as a new reference; NULL when memory is short, or a text is not UTF-8. */
json_t *message_encode(const struct message_shape *shape, const void *message);
/* Decodes a message. STATUS_INTERNAL when a member is of another kind, out of bounds or not sound.
 * `out` has shape->bytes bytes; the arena may be NULL for a shape without texts and pointers. */
enum status message_decode(const struct message_shape *shape, const json_t *json,
                           struct arena *arena, void *out, struct error *error);

/* Encodes a child's failure as an answer. */
json_t *message_from_error(const struct error *error);
/* Decodes an answer's failure; STATUS_OK when there is none. */
enum status message_to_error(const json_t *message, struct error *error);

/* ---- messages (shapes.c) ---- */

/* First message to a measuring child, before opening the device. */
struct start_message {
    const char *protocol; /* protocol_format */
    const char *cpus;     /* processors to pin to; "": none */
    const char *uuid;     /* unless "": UUID of the device, whatever its current number */
    /* Prepare only, send an empty hello, and wait for a second start message. */
    bool is_spare;
};
/* The child's answer to a start message. */
struct hello_message {
    const struct fact *facts;
    size_t fact_count;
    struct calibration calibration;
    struct machine machine;
};
/* Request to a compiling child. */
struct compile_message {
    struct binary_request request;
    const char *path;
    int64_t timeout_ms;
    int64_t memory_bytes;
};

/* Request to a measuring child; `act` determines the members in use. */
struct measure_request {
    const char *act; /* for example "trial"; the table in measure_child.c has all */
    struct worker_task task;
    uint32_t slot;
    size_t launch_count;
    const struct launch *launches; /* launches whose resources are wanted */
    double window_ms;              /* for energy */
    bool anchor;                   /* time the anchor */
    uint32_t spares;               /* our own spare processes on the device */
    const char *cpus;
    /* For ceilings: size of the buffers, and which to measure. */
    int64_t bytes;
    bool bandwidth, arithmetic;
};

/* Answer of a measuring child. */
struct measure_answer {
    bool answered;                    /* the child replied; not sent */
    char wrong[2 * ERROR_TEXT_BYTES]; /* fault of a result; "": none */
    char remark[ERROR_TEXT_BYTES];    /* for the user, for example about a fallback */
    bool worn;                        /* a kernel has damaged the process for later kernels */
    bool pinned;
    struct worker_samples samples;
    int64_t compared;     /* number of verified results */
    int64_t reference_ns; /* time that the references took */
    size_t resource_count;
    struct kernel_resources resources[LAUNCHES_MAX];
    struct conditions conditions;
    double anchor_ns; /* NaN: not timed */
    struct energy energy;
    struct bandwidth bandwidth;
    struct arithmetic arithmetic;
};
struct measure_answer measure_answer_empty(void);

extern const struct message_shape message_plan, message_binary_request, message_start,
    message_hello, message_compile, message_request, message_answer, message_placement;

#endif
