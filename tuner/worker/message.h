/* Messages as JSON, and back, by tables of members: a shape says what a struct's members are
 * called, of what kind they are, and within which bounds. The same shapes serve parent and child.
 */
#ifndef TUNE_WORKER_MESSAGE_H
#define TUNE_WORKER_MESSAGE_H

#include <jansson.h>

#include "tuner/base/arena.h"
#include "tuner/base/conditions.h"
#include "tuner/base/error.h"
#include "tuner/base/facts.h"
#include "tuner/base/launch.h"
#include "tuner/worker/worker.h"

/* What is nothing is not sent, and what is not there is nothing. */
enum message_kind {
    MESSAGE_INTEGER,        /* of 1, 4 or 8 bytes, from low to high; nothing: low, or 0 */
    MESSAGE_TRUTH,          /* bool; nothing: false */
    MESSAGE_REAL,           /* double; nothing: 0 */
    MESSAGE_KNOWN_REAL,     /* double; nothing: NaN, unknown */
    MESSAGE_TEXT,           /* const char *, in the arena; nothing: NULL */
    MESSAGE_CHARS,          /* char[bytes]; nothing: "" */
    MESSAGE_VALUE,          /* struct value, its text in the arena; nothing: the integer 0 */
    MESSAGE_OBJECT,         /* a struct in place, of the shape `of` */
    MESSAGE_POINTED_OBJECT, /* a pointer to one, in the arena; nothing: NULL */
    MESSAGE_LIST,           /* an array in place, of at most `high` elements of the shape `of` */
    MESSAGE_POINTED_LIST,   /* a pointer to them, in the arena */
};

struct message_shape;
struct message_member {
    const char *name;
    enum message_kind kind;
    size_t offset, bytes;
    int64_t low, high;
    const struct message_shape *of;
    /* Of a list: the member with the number of elements, an unsigned integer; 0 bytes: there are
     * always `high`. */
    size_t count_offset, count_bytes;
    bool parallel; /* to a list before it, which it shares its count with */
    bool needed;   /* nothing is refused: of texts and pointed objects */
};
struct message_shape {
    const char *name;
    const struct message_member *members;
    size_t count;
    size_t bytes; /* of the struct */
    bool bare;    /* its only member stands for itself, not in an object */
    /* What no single member tells; may be NULL. */
    bool (*is_sound)(const void *message);
};

/* A new reference; NULL when memory is short, or a text is not UTF-8. */
json_t *message_encode(const struct message_shape *shape, const void *message);
/* STATUS_INTERNAL when something is of another kind, out of bounds or not sound. `out` is of
 * shape->bytes; the arena may be NULL where the shape has nothing in it. */
enum status message_decode(const struct message_shape *shape, const json_t *json,
                           struct arena *arena, void *out, struct error *error);

/* The answer of a child that failed, and that error again in the parent. */
json_t *message_from_error(const struct error *error);
/* STATUS_OK when the message carries no error. */
enum status message_to_error(const json_t *message, struct error *error);

/* ---- what is said (shapes.c) ---- */

/* What a measuring child is told before it opens its device. */
struct start_message {
    const char *protocol; /* protocol_format */
    const char *cpus;     /* where it is pinned; "": nowhere */
    const char *uuid;     /* unless "": of the device, whatever its number is now */
    /* It only makes ready, says that it is by an empty hello, and waits to be told once more. */
    bool is_spare;
};
/* And what it says then. */
struct hello_message {
    const struct fact *facts;
    size_t fact_count;
    struct calibration calibration;
    struct machine machine;
};
/* What a compiling child is asked for. */
struct compile_message {
    struct binary_request request;
    const char *path;
    int64_t timeout_ms;
    int64_t memory_bytes;
};

/* Whatever a measuring child is asked; who serves it says which members count. */
struct measure_request {
    const char *act; /* "trial": in measure_child.c, with what serves it */
    struct worker_task task;
    uint32_t slot;
    size_t launch_count;
    const struct launch *launches; /* whose resources are wanted */
    double window_ms;              /* of energy */
    bool anchor;                   /* is timed */
    uint32_t spares;               /* processes of ours that wait beside it */
    const char *cpus;
    int64_t bytes; /* of the buffers of ceilings */
};

/* Whatever a measuring child answers. */
struct measure_answer {
    char wrong[2 * ERROR_TEXT_BYTES]; /* what is wrong with a result; "": nothing */
    char remark[ERROR_TEXT_BYTES];    /* for people: what goes another way than it should */
    bool worn; /* a kernel has changed the process for those that would come after it */
    bool pinned;
    struct worker_samples samples;
    int64_t compared;     /* how many results */
    int64_t reference_ns; /* that the references took */
    size_t resource_count;
    struct kernel_resources resources[LAUNCHES_MAX];
    struct conditions conditions;
    double anchor_ns; /* NaN: none was timed */
    struct energy energy;
    struct bandwidth bandwidth;
    struct arithmetic arithmetic;
};
struct measure_answer measure_answer_empty(void);

extern const struct message_shape message_plan, message_binary_request, message_start,
    message_hello, message_compile, message_request, message_answer;

#endif
