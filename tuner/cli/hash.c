/* `tune hash`: prints the hash with which entries of tuned.conf for an experiment are compared. */
#include <stdio.h>

#include "tuner/base/array.h"
#include "tuner/base/hash.h"
#include "tuner/cli/commands.h"
#include "tuner/cli/experiments.h"
#include "tuner/terminal/style.h"

static enum status run_hash(const struct command *command, int argc, char **argv,
                            struct error *error)
{
    static struct experiment_list list; /* large */
    const char *words[EXPERIMENTS_MAX];
    const struct option_spec options[] = {
        OPTION_LIST(0, "overlay", "FILE", &list.overlays,
                    "JSON merged over the T1 file (docs/t1.md); several are merged in their order"),
    };
    size_t count = 0;
    TRY(options_parse(command, options, COUNT(options), argc, argv, words, EXPERIMENTS_MAX, &count,
                      error));
    if (count == 0)
        return error_set(error, STATUS_USAGE, "name an EXPERIMENT, such as reduce");
    enum status status = experiments_load(words, count, &list, error);
    for (size_t i = 0; status == STATUS_OK && i < list.count; i++) {
        const struct experiment *experiment = list.items[i];
        char flags[HASH_TEXT_BYTES];
        experiment_flags_hash(experiment_head(experiment)->text, flags);
        print_clean(stdout, "%s source=%s%s%s %s\n", experiment_head(experiment)->name,
                    experiment_head(experiment)->content_hash, flags[0] ? " flags=" : "", flags,
                    experiment_head(experiment)->path);
    }
    experiments_free(&list);
    return status;
}

const struct command command_hash = {
    .name = "hash",
    .usage = "EXPERIMENT... [options]",
    .about = "Prints the source hashes that show whether entries of tuned.conf are stale.",
    .more = "One line per experiment. `source`: the file, its sources and their includes; `flags`: "
            "its compiler flags. An entry with other hashes was measured with another file or "
            "source (`tune check`, tuned_stale in docs/libtuned.md).",
    .run = run_hash,
};
