/* Functions of the room's files. A T1 file is translated into an experiment. Functions that return
 * bool return false after filling the error, with STATUS_BAD_INPUT or STATUS_NO_MEMORY. */
#ifndef TUNE_T1_INTERNAL_H
#define TUNE_T1_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frontends/t1/t1.h"
#include "tuner/base/array.h"
#include "tuner/base/element.h"
#include "tuner/base/json.h"
#include "tuner/base/text.h"
#include "tuner/device/traits.h"

enum { T1_BYTES_MAX = 1 << 20, DIMENSIONS = 3 };

/* A kernel's parameters, as the compiler reports them. */
struct t1_signature {
    size_t count;
    struct {
        unsigned bits; /* 0: no number */
        bool is_real;
    } parameters[ARGUMENTS_MAX];
    bool has_constants; /* the source has variables in constant memory */
};

struct translation {
    struct document *document;
    const char *path;
    enum t1_dialect dialect;
    const struct t1_signature *signature; /* NULL: not known */
    const json_t *root;                   /* overlays merged */
    const json_t *space;                  /* ConfigurationSpace */
    const json_t *kernel;                 /* KernelSpecification */
    const json_t *arguments;              /* its Arguments */
    const json_t *tune;                   /* tune's own keys, as in experiment files; NULL: none */
    const struct device_traits *device;   /* the device's kind, from tune.device */
    bool sized;                           /* the grid is made of ProblemSize */
    bool is_question; /* for the compiler: without constraints, since any point has the types */
    struct node *root_node;
    struct node spare;    /* scratch node used when memory is short */
    const char **origins; /* origins of the document's file; malloc'ed */
    size_t origin_count, origin_capacity;
    bool failed; /* memory ran out, or the error says why */
    struct text ignored;
    const char *in_place; /* file used instead of the named one; NULL: none */
    struct text shaping;  /* parameters that sizes of arguments are made of: "a, b" */
    struct error *error;
};

/* ---- t1_nodes.c ---- */
/* Fills the error with "PATH: ORIGIN: problem". Returns false. */
bool t1_error(struct translation *t, const char *origin, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Formats a text in the document's arena. Returns "" and sets `failed` when memory runs out. */
const char *t1_printf(struct translation *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Returns the path of a file that the T1 file names. */
const char *t1_path(struct translation *t, const char *name);
/* Adds a key to the ignored ones, "A, B", once. */
void t1_ignore(struct translation *t, const char *key);

/* Adds a node. `key` is NULL in a list; `origin`, of the arena or static, may be NULL. Never
 * returns NULL. */
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

/* Returns a member, or NULL if it is absent or null. */
const json_t *json_member(const json_t *object, const char *key);
/* Returns a member's text, or NULL. */
const char *json_word(const json_t *object, const char *key);
/* Returns an item of a list, or the first of a value that is none; NULL behind the last. */
const json_t *json_item(const json_t *value, size_t index);
bool json_has_text(const json_t *object, const char *key, const char *text);
/* Reads a member's text into *out (NULL: absent). Returns false if it is another type. */
bool json_text(struct translation *t, const json_t *object, const char *key, const char *origin,
               const char **out);
/* Formats a number as in experiment files. Returns NULL if the value is no number. */
const char *json_number_text(struct translation *t, const json_t *value, bool integer);
/* Formats JSON as text. */
const char *json_dumped(struct translation *t, const json_t *value);

/* ---- t1_overlay.c ---- */
enum { T1_SECTIONS = 8, T1_KEYS_MAX = 20 };
extern const struct t1_section {
    const char *path;   /* "KernelSpecification.Arguments[]" */
    const char *needed; /* the key of a list's new item; NULL: no list's */
    const char *keys[T1_KEYS_MAX];
} t1_sections[T1_SECTIONS];
/* Returns true if T1 has the key there. Otherwise *nearest is the nearest key, or NULL. */
bool t1_has_key(const struct t1_section *section, const char *key, const char **nearest);
bool t1_merge_overlay(json_t *root, json_t *overlay, const char *overlay_path, struct error *error);

/* ---- t1_space.c ---- */
bool t1_translate_space(struct translation *t);
/* Substitutes ProblemSize[K], max(PARAMETER) and min(PARAMETER); texts of KTT's dialect stay.
 * Returns NULL after an error. */
const char *t1_expression(struct translation *t, const char *origin, const char *text);
/* Reads a number, or a text with an expression, and substitutes; *out is NULL if it is absent. */
bool t1_formula(struct translation *t, const json_t *value, const char *origin, const char **out);
const json_t *t1_parameter(const struct translation *t, const char *name);

/* ---- t1_kernel.c ---- */
bool t1_translate_kernel(struct translation *t);
/* Returns whether the text of KernelFile has the name; false if it cannot be read. */
bool t1_kernel_names(struct translation *t, const char *name);
/* Asks the compiler for the parameters of the experiment's kernel, at the defaults or first values.
 * Returns false where that is not possible. The document's memory is freed. */
bool t1_ask_compiler(struct document *document, struct t1_signature *out);

/* ---- t1_arguments.c ---- */
bool t1_translate_arguments(struct translation *t);
bool t1_translate_checks(struct translation *t);
/* Returns true for dynamic shared memory, which is not passed. */
bool t1_is_local(const json_t *argument);
/* Returns true if the argument is copied into a variable of the kernel. */
bool t1_is_symbol(const struct translation *t, const json_t *argument);
bool t1_is_passed(const struct translation *t, const json_t *argument);
const char *t1_argument_name(struct translation *t, size_t index);
/* Reads Type: `components` elements make a value. */
bool t1_type_of(struct translation *t, const json_t *argument, const char *origin,
                enum element_type *type, size_t *components);

/* ---- t1_launch.c ---- */
bool t1_translate_launch(struct translation *t);

#endif
