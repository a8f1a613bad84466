/* Between the files that say what a configuration means. */
#ifndef TUNE_EXPERIMENT_PLAN_H
#define TUNE_EXPERIMENT_PLAN_H

#include "tuner/experiment/maker.h"

/* Launches as a file has them: the experiment's, or those of a check. */
struct launch_list {
    const struct launch_rule *rules;
    size_t count;
};
struct launch_list launches_of(const struct experiment *experiment);
/* A maker that has all that the point says. */
bool point_begin(const struct point *point, struct arena *arena, struct error *error,
                 struct maker *out);
bool make_plan(struct maker *maker, struct launch_list list, struct launch_plan *out);
/* Appends them to those of `out`. */
bool make_defines(struct maker *maker, const struct define_list *defines,
                  struct binary_request *out);
/* What is compiled for these launches. */
bool make_binary(struct maker *maker, const struct facts *facts, struct launch_list list,
                 struct binary_request *out);
/* What metrics: operations_type and ceiling come to. */
bool make_operations_type(struct maker *maker, enum element_type *out);
bool make_ceiling(struct maker *maker, enum ceiling *out);

/* ---- plan_arguments.c ---- */
bool make_argument(struct maker *maker, const struct argument_rule *rule, struct argument *out);
/* Which of `count` words a template gives; what: "type". */
bool make_choice(struct maker *maker, const struct template *template, const char *what,
                 const char *const *words, size_t count, size_t *out);
/* A type's name that a template gave. */
bool make_type(struct maker *maker, const struct template *type, enum element_type *out);
/* What the kernels take for granted of the vector's start, in bytes; 0 when nothing was said. */
bool make_alignment(struct maker *maker, const struct argument_rule *rule, enum element_type type,
                    uint32_t *out);
bool make_count(struct maker *maker, const struct argument_rule *rule, int64_t *out);
bool make_fill_kind(struct maker *maker, const struct fill_rule *rule, enum argument_fill *out);
/* All of the fill of `out`, whose type and count are known. */
bool make_fill(struct maker *maker, const struct argument_rule *rule, struct argument *out);
/* A series with everything but i written as its value; it has a number at both ends of `count`
 * elements. */
bool make_series(struct maker *maker, const struct formula *series, int64_t count,
                 const char **out);
/* The absolute path that a template gives; the file is there. */
bool make_file_path(struct maker *maker, const struct template *file, const char **out);
/* Whether the file has so many elements. */
bool file_holds(struct maker *maker, const char *path, struct place place, int64_t count,
                enum element_type type);

/* ---- checks.c ---- */
/* Tolerance and reference, as far as the problem alone decides them. */
bool check_of_problem(struct maker *maker, const struct check_rule *rule);
/* Whether the reference is what the default configuration leaves. */
bool check_uses_default(const struct check_rule *rule);

#endif
