/* The configuration that nobody chose. Without `defaults` it is the first point of a space, which
 * can take a while to find, so that what was found is remembered. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/text.h"
#include "tuner/experiment/plan.h"
#include "tuner/experiment/read.h"
#include "tuner/experiment/space.h"

struct remembered {
    struct remembered *next;
    char key[HASH_TEXT_BYTES];
    struct configuration configuration; /* texts belong to the arena */
};

struct default_cache {
    pthread_mutex_t mutex;
    struct arena arena;
    struct remembered *first;
};

struct default_cache *default_cache_create(void)
{
    struct default_cache *cache = calloc(1, sizeof *cache);
    if (cache && pthread_mutex_init(&cache->mutex, NULL) != 0) {
        free(cache);
        return NULL;
    }
    return cache;
}

void default_cache_free(struct default_cache *cache)
{
    if (!cache)
        return;
    (void)pthread_mutex_destroy(&cache->mutex);
    arena_free(&cache->arena);
    free(cache);
}

/* Of all that a space depends on. */
static bool make_key(const struct problem *problem, const struct facts *facts,
                     char out[HASH_TEXT_BYTES])
{
    struct hash_state *hash = hash_start();
    if (!hash)
        return false;
    hash_add_string(hash, problem->key);
    hash_add(hash, &problem->n, sizeof problem->n);
    for (size_t i = 0; i < fact_name_count; i++) {
        const struct fact *fact = facts ? facts_find(facts, fact_names[i].name) : NULL;
        char value[256] = "";
        if (fact)
            (void)value_format(fact->value, value, sizeof value);
        hash_add_string(hash, value);
    }
    hash_finish(hash, out);
    return true;
}

static enum status remember(struct default_cache *cache, const char *key,
                            const struct configuration *configuration,
                            const struct remembered **out, struct error *error)
{
    struct remembered *entry = arena_alloc(&cache->arena, 1, sizeof *entry);
    if (!entry)
        return error_no_memory(error);
    *entry = (struct remembered){.next = cache->first, .configuration = *configuration};
    memcpy(entry->key, key, sizeof entry->key);
    for (size_t i = 0; i < configuration->count; i++) {
        struct value *value = &entry->configuration.values[i].value;
        if (value->kind != VALUE_TEXT)
            continue;
        value->text = arena_strdup(&cache->arena, value->text);
        if (!value->text)
            return error_no_memory(error);
    }
    cache->first = entry;
    *out = entry;
    return STATUS_OK;
}

static enum status find_first(const struct experiment *experiment, const struct problem *problem,
                              const struct facts *facts, const char *key,
                              const struct remembered **out, struct error *error)
{
    struct default_cache *cache = experiment->default_cache;
    struct configuration configuration;
    struct space *space = NULL;
    for (*out = cache->first; *out; *out = (*out)->next)
        if (strcmp((*out)->key, key) == 0)
            return STATUS_OK;
    enum status status = space_create_from(experiment, problem, facts, false, &space, error);
    if (status != STATUS_OK)
        return status;
    space_configuration(space, 0, &configuration);
    status = remember(cache, key, &configuration, out, error);
    space_free(space);
    return status;
}

static enum status first_point(const struct experiment *experiment, const struct problem *problem,
                               const struct facts *facts, struct configuration *out,
                               struct error *error)
{
    struct default_cache *cache = experiment->default_cache;
    const struct remembered *found = NULL;
    char key[HASH_TEXT_BYTES];
    if (!make_key(problem, facts, key))
        return error_no_memory(error);
    (void)pthread_mutex_lock(&cache->mutex);
    enum status status = find_first(experiment, problem, facts, key, &found, error);
    (void)pthread_mutex_unlock(&cache->mutex);
    if (status == STATUS_OK)
        *out = found->configuration;
    return status;
}

enum status experiment_default(const struct experiment *experiment, const struct problem *problem,
                               const struct facts *facts, struct configuration *out,
                               struct error *error)
{
    const struct setting *defaults = &experiment->defaults;
    bool admits = false;
    if (!defaults->given)
        return first_point(experiment, problem, facts, out, error);
    struct maker maker;
    maker_start(&maker, experiment, problem, facts, NULL, error);
    if (!make_configuration(&maker, defaults->values, out))
        return error->status;
    enum status status = space_admits(experiment, problem, facts, out, &admits, error);
    if (status == STATUS_OK && !admits && experiment->lenient_defaults)
        return first_point(experiment, problem, facts, out, error);
    if (status == STATUS_OK && !admits)
        status = place_error(error, STATUS_BAD_INPUT, defaults->place,
                             "the defaults are no configuration of %s with %s = %lld: a value is "
                             "not among the parameter's, or a constraint rules them out",
                             problem->key, problem->size_name, (long long)problem->n);
    return status;
}
