/* Between the files of the room: a T1 file on its way to an experiment file. Functions that return
 * bool say false after filling the error, with STATUS_BAD_INPUT or STATUS_NO_MEMORY. */
#ifndef TUNE_T1_INTERNAL_H
#define TUNE_T1_INTERNAL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frontends/t1/t1.h"
#include "tuner/base/text.h"
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
    const json_t *tune;                 /* what is ours: keys of experiment files; NULL: none */
    const struct device_traits *device; /* of tune.device */
    bool sized;                         /* the grid is made of ProblemSize */
    struct node *root_node;
    struct node spare;    /* what is put where memory is short */
    const char **origins; /* of the document's file; malloc'ed */
    size_t origin_count, origin_capacity;
    bool failed; /* memory ran out, or the error says why */
    struct text ignored;
    const char *in_place; /* which file was taken in place of the one that is named; NULL: none */
    struct text shaping;  /* parameters that sizes of arguments are made of: "a, b" */
    /* Of the kernel, by its own text. */
    int takes;                                  /* how many parameters; -1: not known */
    bool no_constants;                          /* it has no variables there, and takes all */
    const char *parameter_types[ARGUMENTS_MAX]; /* "f32"; NULL: a pointer, or not known */
    struct error *error;
};

/* "PATH: ORIGIN: what is wrong"; always false. */
bool t1_error(struct translation *t, const char *origin, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A text of the document's arena; "" (and `failed`) when memory ran out. */
const char *t1_printf(struct translation *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Adds to what is ignored, unless it is there. */
void t1_ignore(struct translation *t, const char *what);
/* Whether T1 has the key in `section` ("KernelSpecification", "Argument"), or `section` is not
 * T1's; else the nearest one, or NULL. */
bool t1_is_key(const char *section, const char *key, const char **nearest);

/* ---- t1_nodes.c: the experiment's nodes. `key` is NULL in a list; `origin`, of the arena or
 * static, may be NULL. Never NULL. ---- */
struct node *put_list(struct translation *t, struct node *parent, const char *key,
                      const char *origin);
struct node *put_mapping(struct translation *t, struct node *parent, const char *key,
                         const char *origin);
/* A scalar, plain where that is safe. */
void put_text(struct translation *t, struct node *parent, const char *key, const char *origin,
              const char *text);
void put_quoted(struct translation *t, struct node *parent, const char *key, const char *origin,
                const char *text);
/* What has `levels` below it has an entry a line, with an origin of its own. */
void put_json(struct translation *t, struct node *parent, const char *key, const char *origin,
              const json_t *value, int levels);
/* Puts `key` of what is ours, where that has it. */
bool put_ours(struct translation *t, const char *key);

/* ---- and what the JSON says ---- */
/* NULL where it is absent or null. */
const json_t *json_member(const json_t *object, const char *key);
/* The text of a key; NULL: it has none. */
const char *json_word(const json_t *object, const char *key);
bool json_says(const json_t *object, const char *key, const char *text);
/* False: there and no text. *out NULL: absent. */
bool json_text(struct translation *t, const json_t *object, const char *key, const char *origin,
               const char **out);
/* A number or a text that holds an expression, as a text. NULL: neither. */
const char *json_formula(struct translation *t, const json_t *value);
/* The same of a key, where NULL means that it is absent. */
bool json_expression(struct translation *t, const json_t *object, const char *key,
                     const char *origin, const char **out);
/* The number as it is written in experiment files; NULL when it is none. */
const char *json_number_text(struct translation *t, const json_t *value, bool integer);
/* JSON as a text. */
const char *json_dumped(struct translation *t, const json_t *value);

/* ---- one part of the file each ---- */
bool t1_merge_overlay(json_t *root, json_t *overlay, const char *overlay_path, struct error *error);
bool t1_translate_space(struct translation *t);
bool t1_translate_kernel(struct translation *t);
bool t1_translate_launch(struct translation *t);
bool t1_translate_arguments(struct translation *t);
bool t1_translate_checks(struct translation *t);

/* ProblemSize[K], max(PARAMETER) and min(PARAMETER) put in; the text stays as it is in KTT's
 * dialect. NULL after an error. */
const char *t1_expression(struct translation *t, const char *origin, const char *text);
const json_t *t1_parameter(const struct translation *t, const char *name);

/* t1_kernel.c. The text of KernelFile; NULL: it cannot be read. */
const char *t1_kernel_text(struct translation *t);
void t1_read_parameters(struct translation *t);
/* Whether the kernel takes what is copied into constant memory as well. */
bool t1_passes_symbols(struct translation *t);
/* The element type that the kernel has for a scalar argument; NULL: not known. */
const char *t1_parameter_type(struct translation *t, size_t index);

/* t1_types.c: what the name of a type stands for by the macros and aliases of the text (without
 * comments); itself where nothing says more, NULL where that is not known. */
const char *t1_named_type(struct translation *t, const char *text, const char *type);

/* What the arguments' roles tell others. */
bool t1_is_local(const json_t *argument);
/* Whether it is copied into a variable of the kernel instead of passed. */
bool t1_is_symbol(const struct translation *t, const json_t *argument);
const char *t1_argument_name(struct translation *t, size_t index);
struct t1_type {
    const char *element; /* "f32" */
    size_t bytes;        /* of an element */
    size_t components;   /* elements in one of it */
    bool real;
};
bool t1_type_of(struct translation *t, const json_t *argument, const char *origin,
                struct t1_type *out);

#endif
