/* `tune run --dry-run`: what a run would try. Between dry_run.c and dry_landscape.c. */
#ifndef TUNE_CLI_DRY_RUN_H
#define TUNE_CLI_DRY_RUN_H

#include "tuner/cli/run.h"
#include "tuner/experiment/experiment.h"
#include "tuner/experiment/point.h"

/* Prints the experiments' problems and spaces to stdout; nothing is run, and no database is opened.
 * With --arch for a GPU that need not be there, whose kernels are compiled. */
enum status run_dry(const struct run *run, struct error *error);

/* What is compiled for, and how much of it. */
struct landscape_options {
    const struct device_api *api;
    const struct facts *facts;
    size_t workers;      /* compilers at a time */
    size_t binary_most;  /* of each problem; 0: all */
    uint64_t point_most; /* likewise */
};
struct landscape;
enum status landscape_start(const struct landscape_options *options, struct landscape **out,
                            struct error *error);
void landscape_free(struct landscape *landscape);
/* Compiles the points of a problem's space, and prints how they would lie on the device. */
enum status landscape_print(struct landscape *landscape, const struct experiment *experiment,
                            const struct problem *problem, const struct space *space,
                            struct error *error);
/* Compiles the default configuration, and tells whether what it passes is what its kernels take:
 * STATUS_BAD_INPUT; STATUS_COMPILE_FAILED. */
enum status landscape_fits(struct landscape *landscape, const struct point *point,
                           const struct launch_plan *plan, struct error *error);
/* Compiles what the default configuration's results are held against: what fails is printed, and
 * the judge's. */
enum status landscape_checks(struct landscape *landscape, const struct point *point,
                             struct error *error);
/* After the last problem: STATUS_NOT_FOUND when one had points of which none can be launched, or a
 * check that does not compile. */
enum status landscape_judge(const struct landscape *landscape, struct error *error);
/* Compiles one point, and tells how many blocks of its first kernel an SM holds. */
enum status landscape_active_blocks(struct landscape *landscape, const struct point *point,
                                    int64_t *active_blocks, struct error *error);

#endif
