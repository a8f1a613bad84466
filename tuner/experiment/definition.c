/* What a trial's meaning depends on besides its configuration and its binary. Sizes, parameters,
 * constraints and baselines are not among it: a value more makes no measurement stale. */
#include <string.h>

#include "tuner/base/source.h"
#include "tuner/experiment/model.h"
#include "tuner/experiment/read.h"

static const char *const sections[] = {"experiment", "device",    "derived",
                                       "launches",   "arguments", "check"};

/* The kinds and counts keep ("a", ["b"]) and ("a", "b") apart. */
static void hash_node(struct hash_state *hash, const struct node *node)
{
    const int kind = (int)node->kind;
    hash_add(hash, &kind, sizeof kind);
    hash_add(hash, &node->count, sizeof node->count);
    if (node->kind == NODE_SCALAR)
        hash_add_string(hash, node->text);
    for (const struct node *item = node->first; item; item = item->next) {
        hash_node(hash, item);
        if (item->value)
            hash_node(hash, item->value);
    }
}

enum status experiment_hash_definition(struct experiment *experiment, const struct node *root,
                                       struct error *error)
{
    struct arena arena = {0};
    struct source reference;
    enum status status = source_read(&arena, experiment->check.source, &reference, error);
    struct hash_state *hash = status == STATUS_OK ? hash_start() : NULL;
    if (status == STATUS_OK && !hash)
        status = error_no_memory(error);
    for (size_t i = 0; hash && i < sizeof sections / sizeof sections[0]; i++) {
        const struct node *node = node_get(root, sections[i]);
        hash_add_string(hash, sections[i]);
        if (node)
            hash_node(hash, node);
    }
    if (hash) {
        hash_add(hash, reference.contents, reference.content_length);
        hash_finish(hash, experiment->definition_hash);
    }
    arena_free(&arena);
    return status;
}
