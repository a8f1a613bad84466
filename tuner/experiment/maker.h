/* Working out what an experiment's expressions come to. */
#ifndef TUNE_EXPERIMENT_MAKER_H
#define TUNE_EXPERIMENT_MAKER_H

#include "tuner/experiment/model.h"

/* Whether the value is one that spaces take of the list. */
bool list_takes(const struct named_list *list, struct value value);

/* What expressions come to at a problem, on a device and in a configuration, as far as these are
 * known. Functions of it that return bool say false after filling the error, mostly as
 * STATUS_BAD_INPUT with the place. */
struct maker {
    const struct experiment *experiment;
    const struct problem *problem; /* NULL: none */
    struct arena *arena;           /* what texts belong to */
    struct error *error;
    struct environment environment;
};
/* Binds the facts that are known (NULL: none) and the problem. Texts are borrowed. */
void maker_start(struct maker *maker, const struct experiment *experiment,
                 const struct problem *problem, const struct facts *facts, struct arena *arena,
                 struct error *error);
/* The parameter's value; NULL: it has none. `likely`: its place in the order of the file, where it
 * stands unless the configuration comes from elsewhere. */
const struct value *configuration_value(const struct configuration *configuration, size_t likely,
                                        const char *name);
bool maker_configure(struct maker *maker, const struct configuration *configuration);
#define maker_error(maker, place, ...) place_refuses((maker)->error, place, __VA_ARGS__)
bool maker_no_memory(struct maker *maker);
/* select.c: whether the parameter has all values that spaces take of it; true where it cannot be
 * told. */
bool check_restriction(struct maker *maker, const struct named_list *list);
bool make_value(struct maker *maker, const struct formula *formula, struct value *out);
/* *out stays as it is where no formula was given. */
bool make_integer(struct maker *maker, const struct formula *formula, const char *what,
                  int64_t least, int64_t most, int64_t *out);
/* Reals are finite. */
bool make_real(struct maker *maker, const struct formula *formula, const char *what, double least,
               double most, double *out);
bool make_truth(struct maker *maker, const struct formula *formula, bool *out);
/* The text of a template. */
bool make_text(struct maker *maker, const struct template *template, const char **out);
/* A value for each parameter. */
bool make_configuration(struct maker *maker, const struct formula values[EXPERIMENT_PARAMETERS_MAX],
                        struct configuration *out);

#endif
