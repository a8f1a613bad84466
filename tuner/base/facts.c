#include "tuner/base/facts.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"

void facts_add(struct facts *facts, const char *key, struct value value)
{
    facts->failed = facts->failed || !array_grow(&facts->items, facts->count, &facts->capacity,
                                                 sizeof *facts->items);
    if (facts->failed)
        return;
    struct fact fact = {
        .key = arena_strdup(&facts->arena, key),
        .value = value,
    };
    if (value.kind == VALUE_TEXT)
        fact.value.text = arena_strdup(&facts->arena, value.text);
    if (!fact.key || (value.kind == VALUE_TEXT && !fact.value.text)) {
        facts->failed = 1;
        return;
    }
    facts->items[facts->count++] = fact;
}

void facts_add_text(struct facts *facts, const char *key, const char *text)
{
    facts_add(facts, key, value_text(text));
}

void facts_add_integer(struct facts *facts, const char *key, int64_t integer)
{
    facts_add(facts, key, value_integer(integer));
}

const struct fact *facts_find(const struct facts *facts, const char *key)
{
    for (size_t i = 0; i < facts->count; i++)
        if (strcmp(facts->items[i].key, key) == 0)
            return &facts->items[i];
    return NULL;
}

int64_t facts_integer(const struct facts *facts, const char *key, int64_t otherwise)
{
    const struct fact *fact = facts_find(facts, key);
    return fact && fact->value.kind == VALUE_INTEGER ? fact->value.integer : otherwise;
}

const char *facts_text(const struct facts *facts, const char *key, const char *otherwise)
{
    const struct fact *fact = facts_find(facts, key);
    return fact && fact->value.kind == VALUE_TEXT ? fact->value.text : otherwise;
}

void facts_free(struct facts *facts)
{
    arena_free(&facts->arena);
    free(facts->items);
    *facts = (struct facts){0};
}
