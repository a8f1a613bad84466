/* Queries of an experiment: its problems, baselines and default configuration. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/text.h"
#include "tuner/experiment/read.h"
#include "tuner/experiment/space.h"

const struct experiment_head *experiment_head(const struct experiment *experiment)
{
    return &experiment->head;
}

int experiment_line(const struct experiment *experiment, const char *key, const char *value)
{
    int line = 1;
    const size_t key_length = strlen(key), length = strlen(value);
    for (const char *at = experiment->head.text; *at; at++) {
        const char *word = at + key_length;
        line += *at == '\n';
        if (strncmp(at, key, key_length) != 0 || *word != ':')
            continue;
        word += 1 + strspn(word + 1, " \"'");
        if (strncmp(word, value, length) == 0 && strchr("\"', }#\n", word[length]))
            return line;
    }
    return 0;
}

size_t experiment_problem_count(const struct experiment *experiment)
{
    size_t count = 1;
    for (size_t i = 0; i < experiment->axis_count; i++)
        count *= experiment->axes[i].count;
    return count * experiment->size.count;
}

/* Makes the problem's axes; the last axis varies fastest. Reading the file has checked that the key
 * fits. */
void problem_at_axes(const struct experiment *experiment, size_t index, struct problem *out)
{
    *out =
        (struct problem){.size_name = experiment->size.name, .axis_count = experiment->axis_count};
    for (size_t i = experiment->axis_count; i-- > 0;) {
        size_t count = experiment->axes[i].count;
        out->axes[i] = (struct named_value){.name = experiment->axes[i].name,
                                            .value = experiment->axis_values[i][index % count]};
        index /= count;
    }
    if (experiment->size_name_count > 1)
        out->shape = out->axes[out->axis_count - 1].value.text;
    size_t length = strlen(experiment->head.name);
    (void)string_format(out->key, sizeof out->key, "%s", experiment->head.name);
    for (size_t i = 0; i < experiment->axis_count && length < sizeof out->key; i++) {
        char value[VALUE_TEXT_BYTES];
        (void)value_format(out->axes[i].value, value, sizeof value);
        (void)string_format(out->key + length, sizeof out->key - length, ".%s", value);
        if (i + 1 == experiment->axis_count && out->shape)
            out->family_length = length;
        length += strlen(value) + 1;
    }
}

size_t experiment_size_names(const struct experiment *experiment, const char *names[SIZE_NAMES_MAX],
                             size_t *first)
{
    const size_t count = experiment->size_name_count > 1 ? experiment->size_name_count : 0;
    *first = 0;
    for (size_t i = count; i-- > 0;) {
        names[i] = experiment->scope.names[SLOT_SIZE + i];
        if (strcmp(names[i], "n") == 0 || (strcmp(names[i], "N") == 0 && *first == 0))
            *first = i;
    }
    return count;
}

struct problem_name problem_title(const struct problem *problem)
{
    struct problem_name title;
    if (problem->n == 1)
        (void)string_format(title.text, sizeof title.text, "%s", problem->key);
    else
        (void)string_format(title.text, sizeof title.text, "%s, %.24s = %lld", problem->key,
                            problem->size_name, (long long)problem->n);
    return title;
}

size_t problem_sizes(const struct problem *problem, int64_t sizes[SIZE_NAMES_MAX])
{
    size_t count = 0;
    for (const char *at = problem->shape; at && *at && count < SIZE_NAMES_MAX;) {
        char *end = NULL;
        sizes[count++] = strtoll(at, &end, 10);
        at = *end == 'x' ? end + 1 : NULL;
    }
    return count;
}

bool problem_at_sizes(const struct problem *problem, const int64_t *sizes, size_t count,
                      struct arena *arena, struct problem *out)
{
    struct text shape = {0};
    *out = *problem;
    for (size_t i = 0; i < count; i++)
        text_printf(&shape, "%s%lld", i > 0 ? "x" : "", (long long)sizes[i]);
    out->shape = text_to_arena(&shape, arena);
    if (!out->shape)
        return false;
    out->axes[out->axis_count - 1].value = value_text(out->shape);
    return string_format(out->key + out->family_length, sizeof out->key - out->family_length, ".%s",
                         out->shape);
}

void experiment_problem(const struct experiment *experiment, size_t index, struct problem *out)
{
    problem_at_axes(experiment, index / experiment->size.count, out);
    out->n = experiment->sizes[index % experiment->size.count];
}

bool experiment_find_problem(const struct experiment *experiment, const char *key,
                             struct arena *arena, struct problem *out)
{
    struct problem family = {.shape = NULL};
    for (size_t i = 0; i < experiment_problem_count(experiment); i++) {
        experiment_problem(experiment, i, out);
        if (strcmp(out->key, key) == 0)
            return true;
        if (out->shape && strncmp(out->key, key, out->family_length + 1) == 0)
            family = *out;
    }
    if (!family.shape)
        return false;
    int64_t sizes[SIZE_NAMES_MAX];
    const struct problem named = {.shape = key + family.family_length + 1};
    return problem_sizes(&named, sizes) == experiment->size_name_count &&
           problem_at_sizes(&family, sizes, experiment->size_name_count, arena, out) &&
           strcmp(out->key, key) == 0;
}

bool configuration_key(const struct configuration *configuration, char out[CONFIGURATION_KEY_BYTES])
{
    size_t length = 0;
    out[0] = '\0';
    for (size_t i = 0; i < configuration->count; i++) {
        char value[VALUE_TEXT_BYTES];
        TRY_OR_FALSE(value_format(configuration->values[i].value, value, sizeof value) &&
                     string_format(out + length, CONFIGURATION_KEY_BYTES - length, "%s%s=%s",
                                   i > 0 ? " " : "", configuration->values[i].name, value));
        length += strlen(out + length);
    }
    return true;
}

const char *experiment_unchecked(const struct experiment *experiment, size_t from, size_t *next)
{
    for (size_t i = from; i < experiment->argument_count; i++) {
        enum argument_role role = experiment->arguments[i].role;
        bool named = (role != ARGUMENT_OUTPUT && role != ARGUMENT_UPDATE) ||
                     experiment->arguments[i].unchecked;
        for (size_t j = 0; j < experiment->check_count; j++)
            named |= experiment->checks[j].output == i;
        *next = i + 1;
        if (!named)
            return experiment->arguments[i].name;
    }
    return NULL;
}

enum status experiment_baselines(const struct experiment *experiment, const struct problem *problem,
                                 const struct facts *facts, struct baseline *out, size_t *count,
                                 struct error *error)
{
    struct maker maker;
    maker_start(&maker, experiment, problem, facts, NULL, error);
    *count = 0;
    for (size_t i = 0; i < experiment->baseline_count; i++) {
        const struct baseline_rule *rule = &experiment->baselines[i];
        struct baseline *baseline = &out[*count];
        bool applies = true;
        if (!make_truth(&maker, &rule->when, &applies))
            return error->status;
        if (!applies)
            continue;
        *baseline = (struct baseline){
            .name = rule->name, .about = rule->about, .occupancy_parameter = rule->occupancy};
        if (!make_configuration(&maker, rule->values, &baseline->configuration))
            return error->status;
        ++*count;
    }
    return STATUS_OK;
}

/* ---- the default configuration: without `defaults` the first point of a space, which can take a
 * while to find, and so is cached ---- */

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

/* Stores a copy, including its texts. */
static enum status remember(struct default_cache *cache, const char *key,
                            const struct configuration *configuration, struct error *error)
{
    struct remembered *entry = arena_alloc(&cache->arena, 1, sizeof *entry);
    TRY_MEMORY(entry);
    *entry = (struct remembered){.next = cache->first, .configuration = *configuration};
    memcpy(entry->key, key, sizeof entry->key);
    for (size_t i = 0; i < configuration->count; i++) {
        struct value *value = &entry->configuration.values[i].value;
        if (value->kind == VALUE_TEXT && !(value->text = arena_strdup(&cache->arena, value->text)))
            return error_no_memory(error);
    }
    cache->first = entry;
    return STATUS_OK;
}

static enum status first_point(const struct experiment *experiment, const struct problem *problem,
                               const struct facts *facts, struct configuration *out,
                               struct error *error)
{
    struct default_cache *cache = experiment->default_cache;
    struct configuration configuration;
    struct space *space = NULL;
    char key[HASH_TEXT_BYTES];
    enum status status = STATUS_OK;
    struct hash_state *hash = hash_start(); /* of all inputs of the space */
    TRY_MEMORY(hash);
    hash_add_string(hash, problem->key);
    hash_add(hash, &problem->n, sizeof problem->n);
    for (size_t i = 0; i < fact_name_count; i++) {
        const struct fact *fact = facts ? facts_find(facts, fact_names[i].name) : NULL;
        char value[256] = "";
        if (fact)
            (void)value_format(fact->value, value, sizeof value);
        hash_add_string(hash, value);
    }
    hash_finish(hash, key);
    (void)pthread_mutex_lock(&cache->mutex);
    const struct remembered *found = cache->first;
    while (found && strcmp(found->key, key) != 0)
        found = found->next;
    if (!found)
        status = space_create_from(experiment, problem, facts, false, &space, error);
    if (space) {
        space_configuration(space, 0, &configuration);
        status = remember(cache, key, &configuration, error);
        found = status == STATUS_OK ? cache->first : NULL;
        space_free(space);
    }
    if (found)
        *out = found->configuration;
    (void)pthread_mutex_unlock(&cache->mutex);
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
    TRY(space_admits(experiment, problem, facts, out, &admits, error));
    if (admits)
        return STATUS_OK;
    if (experiment->lenient_defaults)
        return first_point(experiment, problem, facts, out, error);
    struct arena arena = {0};
    const char *reason = NULL;
    enum status status =
        experiment_defaults_reason(experiment, problem, facts, &arena, &reason, error);
    if (status == STATUS_OK)
        status = place_error(error, STATUS_BAD_INPUT, defaults->place,
                             "the defaults are not legal for %s at %s = %lld: %s", problem->key,
                             problem->size_name, (long long)problem->n,
                             reason ? reason : "a value is missing");
    arena_free(&arena);
    return status;
}
