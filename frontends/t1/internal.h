/* Functions of the room's files. A T1 file is translated into an experiment. Functions that return
 * bool return false after filling the error, with STATUS_BAD_INPUT or STATUS_NO_MEMORY. */
#ifndef TUNE_T1_INTERNAL_H
#define TUNE_T1_INTERNAL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frontends/t1/t1.h"
#include "tuner/base/text.h"
#include "tuner/base/tokens.h"
#include "tuner/device/traits.h"

enum { T1_BYTES_MAX = 1 << 20, DIMENSIONS = 3 };

struct translation {
    struct document *document;
    const char *path;
    enum t1_dialect dialect;
    const json_t *root;                 /* overlays merged */
    const json_t *space;                /* ConfigurationSpace */
    const json_t *kernel;               /* KernelSpecification */
    const json_t *arguments;            /* its Arguments */
    const json_t *tune;                 /* tune's own keys, as in experiment files; NULL: none */
    const struct device_traits *device; /* the device's kind, from tune.device */
    bool sized;                         /* the grid is made of ProblemSize */
    struct node *root_node;
    struct node spare;    /* scratch node used when memory is short */
    const char **origins; /* origins of the document's file; malloc'ed */
    size_t origin_count, origin_capacity;
    bool failed; /* memory ran out, or the error says why */
    struct text ignored;
    const char *in_place; /* file used instead of the named one; NULL: none */
    struct text shaping;  /* parameters that sizes of arguments are made of: "a, b" */
    /* Properties of the kernel, read from its text. */
    int takes;         /* how many parameters; -1: not known */
    bool no_constants; /* the kernel has no constant variables and takes all arguments */
    const char *parameter_types[ARGUMENTS_MAX]; /* "f32"; NULL: a pointer, or not known */
    struct error *error;
};

/* Fills the error with "PATH: ORIGIN: problem". Returns false. */
bool t1_error(struct translation *t, const char *origin, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Formats a text in the document's arena. Returns "" and sets `failed` when memory runs out. */
const char *t1_printf(struct translation *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Adds a key to the ignored ones, once. */
void t1_ignore(struct translation *t, const char *what);
/* Returns true if T1 has the key in `section` ("KernelSpecification", "Argument") or `section` is
 * not T1's. Otherwise *nearest is the nearest key, or NULL. */
bool t1_is_key(const char *section, const char *key, const char **nearest);

/* Adds a node (t1_nodes.c). `key` is NULL in a list; `origin`, of the arena or static, may be NULL.
 * Never returns NULL. */
struct node *put_list(struct translation *t, struct node *parent, const char *key,
                      const char *origin);
struct node *put_mapping(struct translation *t, struct node *parent, const char *key,
                         const char *origin);
/* Adds a scalar, plain if that is safe. */
void put_text(struct translation *t, struct node *parent, const char *key, const char *origin,
              const char *text);
void put_quoted(struct translation *t, struct node *parent, const char *key, const char *origin,
                const char *text);
/* Adds a JSON value. Entries at the first `levels` levels get a line and an origin of their own. */
void put_json(struct translation *t, struct node *parent, const char *key, const char *origin,
              const json_t *value, int levels);
/* Adds tune's own `key`, if present. */
bool put_ours(struct translation *t, const char *key);

/* ---- reading the JSON ---- */
/* Returns a member, or NULL if it is absent or null. */
const json_t *json_member(const json_t *object, const char *key);
/* Returns a member's text, or NULL. */
const char *json_word(const json_t *object, const char *key);
bool json_has_text(const json_t *object, const char *key, const char *text);
/* Reads a member's text into *out (NULL: absent). Returns false if it is another type. */
bool json_text(struct translation *t, const json_t *object, const char *key, const char *origin,
               const char **out);
/* Returns a number, or a text with an expression, as text; NULL for other types. */
const char *json_formula(struct translation *t, const json_t *value);
/* Reads a member as json_formula does; *out is NULL if it is absent. */
bool json_expression(struct translation *t, const json_t *object, const char *key,
                     const char *origin, const char **out);
/* Formats a number as in experiment files. Returns NULL if the value is no number. */
const char *json_number_text(struct translation *t, const json_t *value, bool integer);
/* Formats JSON as text. */
const char *json_dumped(struct translation *t, const json_t *value);

/* ---- parts of the file ---- */
bool t1_merge_overlay(json_t *root, json_t *overlay, const char *overlay_path, struct error *error);
bool t1_translate_space(struct translation *t);
bool t1_translate_kernel(struct translation *t);
bool t1_translate_launch(struct translation *t);
bool t1_translate_arguments(struct translation *t);
bool t1_translate_checks(struct translation *t);

/* Substitutes ProblemSize[K], max(PARAMETER) and min(PARAMETER); texts of KTT's dialect stay.
 * Returns NULL after an error. */
const char *t1_expression(struct translation *t, const char *origin, const char *text);
const json_t *t1_parameter(const struct translation *t, const char *name);

/* Returns the text of KernelFile, or NULL if it cannot be read (t1_kernel.c). */
const char *t1_kernel_text(struct translation *t);
void t1_read_parameters(struct translation *t);
/* Returns true if the kernel also takes the arguments that are copied into constant memory. */
bool t1_passes_symbols(struct translation *t);
/* Returns the kernel's element type for a scalar argument, or NULL if unknown. */
const char *t1_parameter_type(struct translation *t, size_t index);

/* Resolves a type name through the macros and aliases of the source (t1_types.c).
 * Returns the name itself if it is not redefined, NULL if the definition is uncertain. */
const char *t1_named_type(struct translation *t, const struct tokens *tokens, const char *type);

/* Returns true for dynamic shared memory, which is not passed. */
bool t1_is_local(const json_t *argument);
/* Returns true if the argument is copied into a variable of the kernel instead of passed. */
bool t1_is_symbol(const struct translation *t, const json_t *argument);
const char *t1_argument_name(struct translation *t, size_t index);
struct t1_type {
    const char *element; /* "f32" */
    size_t bytes;        /* bytes per element */
    size_t components;   /* elements per value */
    bool real;
};
bool t1_type_of(struct translation *t, const json_t *argument, const char *origin,
                struct t1_type *out);

#endif
