#include "tuner/search/search.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/text.h"
#include "tuner/search/strategy.h"

static const struct strategy *const strategies[] = {&strategy_exhaustive};
enum { STRATEGY_COUNT = sizeof strategies / sizeof strategies[0] };

struct search {
    const struct strategy *strategy;
    void *state;
};

static enum status unknown(const char *name, struct error *error)
{
    const char *names[STRATEGY_COUNT];
    for (size_t i = 0; i < STRATEGY_COUNT; i++)
        names[i] = strategies[i]->name;
    const char *nearest = nearest_word(name, names, STRATEGY_COUNT);
    return error_set(error, STATUS_USAGE, "unknown search strategy '%s'; did you mean '%s'?", name,
                     nearest ? nearest : names[0]);
}

enum status search_create(const struct search_options *options, const struct search_space *space,
                          struct search **out, struct error *error)
{
    const char *strategy =
        strcmp(options->strategy, "auto") == 0 ? strategies[0]->name : options->strategy;
    for (size_t i = 0; i < STRATEGY_COUNT; i++) {
        if (strcmp(strategies[i]->name, strategy) != 0)
            continue;
        struct search *search = malloc(sizeof *search);
        void *state = search ? strategies[i]->create(space, options) : NULL;
        if (!state) {
            free(search);
            return error_no_memory(error);
        }
        *search = (struct search){.strategy = strategies[i], .state = state};
        *out = search;
        return STATUS_OK;
    }
    return unknown(strategy, error);
}

const char *search_strategy(const struct search *search)
{
    return search->strategy->name;
}

const char *search_strategy_name(size_t index)
{
    return index < STRATEGY_COUNT ? strategies[index]->name : NULL;
}

const char *search_strategy_about(size_t index)
{
    return index < STRATEGY_COUNT ? strategies[index]->about : NULL;
}

void search_free(struct search *search)
{
    if (!search)
        return;
    search->strategy->free(search->state);
    free(search);
}

bool search_ask(struct search *search, uint64_t *point)
{
    return search->strategy->ask(search->state, point);
}

void search_tell(struct search *search, uint64_t point, double value)
{
    search->strategy->tell(search->state, point, value);
}
