/* Evaluation of an experiment's expressions. */
#ifndef TUNE_EXPERIMENT_MAKER_H
#define TUNE_EXPERIMENT_MAKER_H

#include "tuner/experiment/model.h"

/* Returns whether spaces include the value of the list. */
bool list_accepts(const struct named_list *list, struct value value);

/* Values of expressions for a problem, a device and a configuration, as far as these are known.
 * Functions on it that return bool return false after filling the error, mostly STATUS_BAD_INPUT
 * with the place. */
struct maker {
    const struct experiment *experiment;
    const struct problem *problem; /* NULL: none */
    struct arena *arena;           /* owner of texts */
    struct error *error;
    struct environment environment;
};
/* Binds the known facts (NULL: none) and the problem. Texts are borrowed. */
void maker_start(struct maker *maker, const struct experiment *experiment,
                 const struct problem *problem, const struct facts *facts, struct arena *arena,
                 struct error *error);
/* Returns the parameter's value; NULL: none. `likely`: its index in the order of the file, which
 * holds unless the configuration has another source. */
const struct value *configuration_value(const struct configuration *configuration, size_t likely,
                                        const char *name);
bool maker_configure(struct maker *maker, const struct configuration *configuration);
#define maker_error(maker, place, ...) place_refuses((maker)->error, place, __VA_ARGS__)
#define maker_no_memory(maker)         ((void)error_no_memory((maker)->error), false)
/* Checks that the parameter has all values of the restriction; true if unknown (select.c). */
bool check_restriction(struct maker *maker, const struct named_list *list);
bool make_value(struct maker *maker, const struct formula *formula, struct value *out);
/* Evaluates an integer; *out is unchanged without a formula. */
bool make_integer(struct maker *maker, const struct formula *formula, const char *subject,
                  int64_t least, int64_t most, int64_t *out);
/* Evaluates a finite real. */
bool make_real(struct maker *maker, const struct formula *formula, const char *subject,
               double least, double most, double *out);
bool make_truth(struct maker *maker, const struct formula *formula, bool *out);
/* Evaluates a template's text. */
bool make_text(struct maker *maker, const struct template *template, const char **out);
/* Evaluates a value for each parameter. */
bool make_configuration(struct maker *maker, const struct formula values[EXPERIMENT_PARAMETERS_MAX],
                        struct configuration *out);

#endif
