/* Between point.c and plan.c. */
#ifndef TUNE_EXPERIMENT_PLAN_H
#define TUNE_EXPERIMENT_PLAN_H

#include "tuner/experiment/model.h"

enum status point_environment(const struct point *point, struct environment *environment,
                              struct error *error);
/* The launches whose `when` holds; none is an error. */
enum status applying_launches(const struct experiment *experiment, struct environment *environment,
                              const struct launch_rule *out[LAUNCHES_MAX], size_t *count,
                              struct error *error);
/* A type's name that a template gave. */
enum status argument_type(const struct argument_rule *rule, struct environment *environment,
                          struct arena *arena, enum element_type *out, struct error *error);
/* What the kernels take for granted of the vector's start, in bytes; 0 when nothing was said. */
enum status argument_alignment(const struct argument_rule *rule, enum element_type type,
                               struct environment *environment, uint32_t *out, struct error *error);
enum status argument_fill(const struct argument_rule *rule, struct environment *environment,
                          struct arena *arena, enum argument_fill *out, struct error *error);
/* What metrics: ceiling comes to. */
enum status problem_ceiling(const struct experiment *experiment, struct environment *environment,
                            enum ceiling *out, struct error *error);

#endif
