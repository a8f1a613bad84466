/* Which experiment files a command line means. */
#ifndef TUNE_CLI_EXPERIMENTS_H
#define TUNE_CLI_EXPERIMENTS_H

#include "tuner/base/error.h"
#include "tuner/experiment/experiment.h"

enum { EXPERIMENTS_MAX = 256 };

struct experiment_list {
    struct experiment *items[EXPERIMENTS_MAX];
    size_t count;
};

/* `names`: paths of files (with a '/' or ending in .yaml) or names of shipped experiments; none:
 * all shipped ones but those that say on_request. A name stands for all files of that name, one for
 * each kind of device. Freed by experiments_free, also after a failure. */
enum status experiments_load(const char *const *names, size_t name_count,
                             struct experiment_list *out, struct error *error);
void experiments_free(struct experiment_list *list);

/* Those for devices of `kind`; gives their number. */
size_t experiments_of_kind(const struct experiment_list *list, const char *kind,
                           struct experiment *out[EXPERIMENTS_MAX]);

#endif
