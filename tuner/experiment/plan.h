/* Declarations shared by the files for the meaning of a configuration. */
#ifndef TUNE_EXPERIMENT_PLAN_H
#define TUNE_EXPERIMENT_PLAN_H

#include "tuner/experiment/maker.h"

/* A list of launch rules: the experiment's, or those of a check. */
struct launch_list {
    const struct launch_rule *rules;
    size_t count;
};
struct launch_list launches_of(const struct experiment *experiment);
/* Starts a maker with all values of the point. */
bool point_begin(const struct point *point, struct arena *arena, struct error *error,
                 struct maker *out);
bool make_plan(struct maker *maker, struct launch_list list, struct launch_plan *out);
/* Appends defines to those of `out`. */
bool make_defines(struct maker *maker, const struct define_list *defines,
                  struct binary_request *out);
/* Makes the binary request for these launches. */
bool make_binary(struct maker *maker, const struct facts *facts, struct launch_list list,
                 struct binary_request *out);
/* Evaluate the metrics operations_type and ceiling. */
bool make_operations_type(struct maker *maker, enum element_type *out);
bool make_ceiling(struct maker *maker, enum ceiling *out);

/* ---- plan_arguments.c ---- */
bool make_argument(struct maker *maker, const struct argument_rule *rule, struct argument *out);
/* Returns the index of a template's text among `count` words; subject: "type". */
bool make_choice(struct maker *maker, const struct template *template, const char *subject,
                 const char *const *words, size_t count, size_t *out);
/* Returns the type named by a template. */
bool make_type(struct maker *maker, const struct template *type, enum element_type *out);
/* Evaluates the alignment that kernels assume, in bytes; 0 if not given. */
bool make_alignment(struct maker *maker, const struct argument_rule *rule, enum element_type type,
                    uint32_t *out);
bool make_count(struct maker *maker, const struct argument_rule *rule, int64_t *out);
bool make_fill_kind(struct maker *maker, const struct fill_rule *rule, enum argument_fill *out);
/* Makes the fill of `out`, whose type and count are set. */
bool make_fill(struct maker *maker, const struct argument_rule *rule, struct argument *out);
/* Writes a series with the values of all variables but i, and checks for a number at both ends of
 * `count` elements. */
bool make_series(struct maker *maker, const struct formula *series, int64_t count,
                 const char **out);
/* Returns the absolute path named by a template; the file must exist. */
bool make_file_path(struct maker *maker, const struct template *file, const char **out);
/* Checks that the file has `count` elements. */
bool file_holds(struct maker *maker, const char *path, struct place place, int64_t count,
                enum element_type type);

/* ---- checks.c ---- */
/* Checks tolerance and reference, as far as they depend on the problem only. */
bool check_of_problem(struct maker *maker, const struct check_rule *rule);
/* Returns whether the reference is the default configuration. */
bool check_uses_default(const struct check_rule *rule);

#endif
