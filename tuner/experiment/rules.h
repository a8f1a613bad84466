/* Sections of an experiment file after reading: formulas in place of a plan's numbers. */
#ifndef TUNE_EXPERIMENT_RULES_H
#define TUNE_EXPERIMENT_RULES_H

#include "tuner/experiment/experiment.h"
#include "tuner/experiment/expression.h"

/* Text with ${expression} in it. */
struct template_part {
    const char *literal; /* NULL: the formula */
    struct formula formula;
};
struct template
{
    const struct template_part *parts;
    size_t count;
    struct place place;
    struct slot_set uses;
};

/* A named list of values: an axis, the size, a parameter. */
struct named_list {
    const char *name;
    struct place place;
    size_t slot;
    const struct formula *values;
    size_t count;
    /* A parameter whose values are one list expression (expression_parse); `values` is then
     * empty. The tree is NULL without one. */
    struct formula list;
    const char *
        restriction; /* "64,128": the values that spaces include (experiment_restrict); NULL: all */
};

struct named_formula {
    const char *name;
    struct formula formula;
};

struct define_list {
    struct named_formula *items;
    size_t count;
};

struct flag_rule {
    struct template text;
    struct formula when;
    struct template file; /* a file whose path follows the text; no parts: none */
};

struct launch_rule {
    struct place place;
    struct formula when;
    struct template kernel;
    bool is_function; /* `kernel` names a host function */
    struct formula workspace;
    struct template workspace_of;
    struct formula grid[3];
    struct formula block[3];
    struct formula cluster[3];
    size_t grid_count;
    size_t block_count;
    size_t cluster_count;
    struct formula shared;
    struct formula dependent;
    struct formula cooperative;
    struct formula repeat;
    struct formula threads;
    struct template schedule;
    uint8_t arguments[ARGUMENTS_MAX];
    size_t argument_count;
    uint8_t swap[2];
};

struct fill_rule {
    struct place place;
    struct template word; /* zero, random, random_exact, random_odd; no parts: see `kind` */
    enum argument_fill kind;
    struct formula low, high; /* for constant, uniform, normal */
    struct formula series;
    struct template file;
    struct formula seed;
};

struct field_rule {
    struct template type;
    struct formula value; /* for a pointer: offset in bytes from the vector's start, if any */
    uint8_t points_to;    /* see struct field */
};

struct texture_rule {
    struct place place;
    struct formula width, height, channels; /* no width: no texture */
    struct texture fixed;
};

struct argument_rule {
    const char *name;
    struct place place;
    enum argument_role role;
    struct template type;   /* no parts: a struct */
    struct template symbol; /* no parts: passed */
    struct fill_rule fill;
    const char *data_of; /* argument whose data this one shares; NULL: none */
    struct formula count;
    struct formula alignment;
    struct formula value;
    struct texture_rule texture;
    bool unchecked;    /* declared so in the file */
    bool is_pointed;   /* a struct contains the address */
    bool is_workspace; /* or its bytes: made for functions, not in the file */
    struct field_rule *fields;
    size_t field_count;
};

struct baseline_rule {
    const char *name;
    const char *about;
    struct formula when;
    const char *occupancy;
    struct formula values[EXPERIMENT_PARAMETERS_MAX];
};

/* A value for each parameter: an experiment's defaults, or a check's configuration. */
struct setting {
    struct place place;
    bool given;
    struct formula values[EXPERIMENT_PARAMETERS_MAX];
};

struct tolerance_rule {
    struct place place;
    bool given; /* any member is given */
    struct formula magnitude, absolute, relative, ulps, total;
};

struct check_kind; /* check.h */
struct check_rule {
    struct place place;
    size_t output;
    struct slot_set per; /* parameters whose values change the expectations */
    const struct check_kind *kind;
    struct tolerance_rule tolerance;
    /* REFERENCE_FUNCTION */
    const char *source;
    struct template reference;
    struct define_list defines;
    /* REFERENCE_PLAN: `setting`, or the default configuration if not given, with these launches, or
     * the experiment's if none. */
    struct setting setting;
    struct launch_rule *launches;
    size_t launch_count;
    struct formula series;
    struct template file;
};

#endif
