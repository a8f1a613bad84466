/* `tune run --dry-run`: the points that a run would try. Shared by dry_run.c and dry_landscape.c.
 */
#ifndef TUNE_CLI_DRY_RUN_H
#define TUNE_CLI_DRY_RUN_H

#include "tuner/cli/run.h"
#include "tuner/experiment/experiment.h"
#include "tuner/experiment/point.h"

/* Prints the experiments' problems and spaces to stdout, without running kernels or opening a
 * database. With --arch, compiles the kernels for a GPU that may be absent. */
enum status run_dry(const struct run *run, struct error *error);

/* Target and extent of compiling. */
struct landscape_options {
    const struct device_api *api;
    const struct facts *facts;
    size_t workers;      /* compilers at a time */
    size_t binary_most;  /* binaries of each problem; 0: all */
    uint64_t point_most; /* likewise */
};
struct landscape;
enum status landscape_start(const struct landscape_options *options, struct landscape **out,
                            struct error *error);
void landscape_free(struct landscape *landscape);
/* Compiles the points of a problem's space, and prints a survey of resources and occupancy. */
enum status landscape_print(struct landscape *landscape, const struct experiment *experiment,
                            const struct problem *problem, const struct space *space,
                            struct error *error);
/* Compiles the default configuration, and compares its arguments with the kernels' parameters:
 * STATUS_BAD_INPUT; STATUS_COMPILE_FAILED. */
enum status landscape_fits(struct landscape *landscape, const struct point *point,
                           const struct launch_plan *plan, struct error *error);
/* Compiles the references of the default configuration's checks, and the judge; prints failures. */
enum status landscape_checks(struct landscape *landscape, const struct point *point,
                             struct error *error);
/* Returns the verdict after the last problem: STATUS_NOT_FOUND when one had points of which none is
 * launchable, or a check that does not compile. */
enum status landscape_judge(const struct landscape *landscape, struct error *error);
/* Compiles one point, and finds the blocks of its first kernel that an SM holds. */
enum status landscape_active_blocks(struct landscape *landscape, const struct point *point,
                                    int64_t *active_blocks, struct error *error);

#endif
