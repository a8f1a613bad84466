/* Between the files that say what a configuration means. */
#ifndef TUNE_EXPERIMENT_PLAN_H
#define TUNE_EXPERIMENT_PLAN_H

#include "tuner/experiment/model.h"

enum status point_environment(const struct point *point, struct environment *environment,
                              struct error *error);
/* Launches as a file has them: the experiment's, or those of a check. */
struct launch_list {
    const struct launch_rule *rules;
    size_t count;
};
struct launch_list launches_of(const struct experiment *experiment);
/* Those whose `when` holds; none is an error. */
enum status applying_launches(struct launch_list list, struct environment *environment,
                              const struct launch_rule *out[LAUNCHES_MAX], size_t *count,
                              struct error *error);
enum status make_plan(const struct experiment *experiment, struct launch_list list,
                      const struct problem *problem, struct environment *environment,
                      struct arena *arena, struct launch_plan *out, struct error *error);
/* Appends them to those of `out`. */
enum status make_defines(const struct define_list *defines, struct environment *environment,
                         struct arena *arena, struct binary_request *out, struct error *error);
/* What is compiled for these launches. */
enum status make_binary(const struct point *point, struct launch_list list,
                        struct environment *environment, struct arena *arena,
                        struct binary_request *out, struct error *error);

/* default.c: a configuration that the file names. */
enum status setting_values(const struct experiment *experiment, const struct setting *setting,
                           const struct problem *problem, const struct facts *facts,
                           struct configuration *out, struct error *error);

enum status make_argument(const struct experiment *experiment, const struct argument_rule *rule,
                          const struct problem *problem, struct environment *environment,
                          struct arena *arena, struct argument *out, struct error *error);
/* A type's name that a template gave. */
enum status named_type(const struct template *type, struct environment *environment,
                       struct arena *arena, enum element_type *out, struct error *error);
/* What the kernels take for granted of the vector's start, in bytes; 0 when nothing was said. */
enum status argument_alignment(const struct argument_rule *rule, enum element_type type,
                               struct environment *environment, uint32_t *out, struct error *error);
enum status argument_count(const struct argument_rule *rule, struct environment *environment,
                           int64_t *out, struct error *error);
enum status argument_fill(const struct fill_rule *rule, struct environment *environment,
                          struct arena *arena, enum argument_fill *out, struct error *error);
/* All of the fill of `out`, whose type and count are known. */
enum status make_fill(const struct experiment *experiment, const struct argument_rule *argument,
                      const struct problem *problem, struct environment *environment,
                      struct arena *arena, struct argument *out, struct error *error);
/* The least and the greatest value of an integer type; u64 up to what an int64_t holds. */
void integer_range(enum element_type type, int64_t *least, int64_t *most);
/* As the type holds it. */
double narrowed(double real, enum element_type type);

/* A series with everything but i written as its value; it has a number at both ends of `count`
 * elements. */
enum status series_text(const struct experiment *experiment, const struct formula *series,
                        int64_t count, struct environment *environment, struct arena *arena,
                        const char **out, struct error *error);
/* The absolute path that a template gives; the file is there. */
enum status file_path(const struct experiment *experiment, const struct template *file,
                      struct environment *environment, struct arena *arena, const char **out,
                      struct error *error);
/* STATUS_BAD_INPUT when the file is shorter than that many elements. */
enum status file_holds(const char *path, struct place place, int64_t count, enum element_type type,
                       struct error *error);

/* How far an output of that type may be off. */
enum status check_tolerance(const struct check_rule *rule, enum element_type type,
                            struct environment *environment, struct tolerance *out,
                            struct error *error);
/* What metrics: operations_type comes to. */
enum status problem_operations_type(const struct experiment *experiment,
                                    const struct problem *problem, struct environment *environment,
                                    enum element_type *out, struct error *error);
/* What metrics: ceiling comes to. */
enum status problem_ceiling(const struct experiment *experiment, struct environment *environment,
                            enum ceiling *out, struct error *error);

#endif
