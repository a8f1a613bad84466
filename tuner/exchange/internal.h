/* Between the files of the room: a T1 file on its way to an experiment file. */
#ifndef TUNE_EXCHANGE_INTERNAL_H
#define TUNE_EXCHANGE_INTERNAL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/text.h"
#include "tuner/exchange/t1.h"

enum {
    T1_BYTES_MAX = 1 << 20,
    T1_PARAMETERS_MAX = EXPERIMENT_PARAMETERS_MAX,
    T1_CONDITIONS_MAX = 256,
    T1_ARGUMENTS_MAX = ARGUMENTS_MAX,
    DIMENSIONS = 3,
};

struct translation {
    struct arena *arena;
    const char *path;
    enum t1_dialect dialect;
    const json_t *root;   /* overlay merged */
    const json_t *space;  /* ConfigurationSpace */
    const json_t *kernel; /* KernelSpecification */
    const json_t *tune;   /* what is ours: keys of experiment files; NULL: none */
    bool cpu;             /* tune.device is cpu */
    bool sized;           /* the grid is made of ProblemSize */
    struct text yaml;
    const char **origins; /* by line of `yaml`; malloc'ed */
    size_t line_count;
    size_t line_capacity;
    bool failed; /* memory ran out */
    struct text ignored;
    /* Of the kernel, by its own text (t1_parameters.c). */
    int takes;                                  /* how many parameters; -1: not known */
    const char *parameter_types[ARGUMENTS_MAX]; /* "f32"; NULL: a pointer, or not known */
    struct text shaping; /* parameters that sizes of arguments are made of: "a, b" */
    struct error *error;
};

/* "PATH: ORIGIN: what is wrong"; always false. */
bool t1_error(struct translation *t, const char *origin, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A text of the arena; "" (and `failed`) when memory ran out. */
const char *t1_printf(struct translation *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Adds to what is ignored, unless it is there. */
void t1_ignore(struct translation *t, const char *what);

/* ---- yaml.c ---- */
/* One line of the experiment file; `origin` (of the arena or static) may be NULL. */
void yaml_line(struct translation *t, const char *origin, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The text as a scalar of a block: plain where that is safe, else in double quotes. */
const char *yaml_scalar(struct translation *t, const char *text);
const char *yaml_quoted(struct translation *t, const char *text);
/* JSON is YAML. */
const char *yaml_of_json(struct translation *t, const json_t *value);
/* Writes `key` out of what is ours, where that has it. */
bool yaml_overridden(struct translation *t, const char *key);
/* What is ours and has no place above. */
void yaml_rest(struct translation *t);

/* ---- json.c ---- */
/* NULL where it is absent or null. */
const json_t *json_member(const json_t *object, const char *key);
/* False: there and no text. *out NULL: absent. */
bool json_text(struct translation *t, const json_t *object, const char *key, const char *origin,
               const char **out);
/* A number or a text that holds an expression, as a text. NULL: absent. */
bool json_expression(struct translation *t, const json_t *object, const char *key,
                     const char *origin, const char **out);
/* The number as it is written in experiment files; NULL when it is none. */
const char *json_number_text(struct translation *t, const json_t *value, bool integer);

/* ---- one part of the file each; false: the error says why ---- */
bool t1_detect(struct translation *t, enum t1_dialect wanted);
/* False: `error` says why, as STATUS_BAD_INPUT or STATUS_NO_MEMORY. */
bool t1_merge_overlay(json_t *root, json_t *overlay, const char *overlay_path, struct error *error);
/* The key of T1 that is nearest to one it does not have in `section` ("KernelSpecification"); NULL:
 * it has that key, or knows nothing of the section. */
bool t1_is_key(const char *section, const char *key, const char **nearest);
bool t1_write_space(struct translation *t);
bool t1_write_kernel(struct translation *t);
bool t1_write_launch(struct translation *t);
bool t1_write_arguments(struct translation *t);
bool t1_write_checks(struct translation *t);
void t1_list_ignored(struct translation *t);

/* ProblemSize[K], max(PARAMETER) and min(PARAMETER) put in; the text stays as it is in KTT's
 * dialect. NULL after an error. */
const char *t1_expression(struct translation *t, const char *origin, const char *text);
/* The values of a parameter; false: the error says why. */
bool t1_parameter_bound(struct translation *t, const char *name, bool most, const char **out);
const json_t *t1_parameter(const struct translation *t, const char *name);

/* t1_parameters.c. The text of KernelFile; NULL: it cannot be read. */
const char *t1_kernel_text(struct translation *t);
void t1_read_parameters(struct translation *t);
/* Whether the kernel takes what is copied into constant memory as well. */
bool t1_passes_symbols(struct translation *t);
/* The element type that the kernel has for a scalar argument; NULL: not known. */
const char *t1_parameter_type(struct translation *t, size_t index);

/* What the arguments' roles tell others. */
const json_t *t1_arguments(const struct translation *t);
bool t1_is_local(const json_t *argument);
/* Whether it is copied into a variable of the kernel instead of passed. */
bool t1_is_symbol(const struct translation *t, const json_t *argument);
const char *t1_argument_name(struct translation *t, size_t index);
/* As of KernelSpecification.ReferenceArguments: whether one has it as its target. */
bool t1_is_target(const struct translation *t, const char *name);
struct t1_type {
    const char *element; /* "f32" */
    size_t bytes;        /* of an element */
    size_t components;   /* elements in one of it */
    bool real;
};
bool t1_type_of(struct translation *t, const json_t *argument, const char *origin,
                struct t1_type *out);
/* A fill by file or script. The path of DataSource, or the expression in i. */
bool t1_data_source(struct translation *t, const json_t *object, const char *origin,
                    const char *fill, const char **out);

#endif
