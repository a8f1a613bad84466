/* A YAML file as a tree in which each node knows its place. What experiment files have no use for
 * is refused, each with its place: anchors, aliases, tags, several documents, keys that are no
 * plain names or that repeat, deep nesting, a huge number of nodes. In one point it is kinder than
 * YAML: within a list, a comma between parentheses does not end an item. */
#ifndef TUNE_EXPERIMENT_DOCUMENT_H
#define TUNE_EXPERIMENT_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/arena.h"
#include "tuner/base/error.h"
#include "tuner/experiment/expression.h"

enum {
    DOCUMENT_BYTES_MAX = 1 << 20,
    DOCUMENT_DEPTH_MAX = 12,
    DOCUMENT_NODES_MAX = 20000,
    DOCUMENT_ITEMS_MAX = 1024, /* of one list or mapping */
};

enum node_kind { NODE_SCALAR, NODE_LIST, NODE_MAPPING };

struct node {
    enum node_kind kind;
    struct place place;
    /* Scalars: the text, NUL-terminated and without a NUL within. */
    const char *text;
    bool plain;               /* written without quotes */
    struct source_text inner; /* the text as an expression's source */
    size_t offset;            /* where it stands in the file's text, when inner.exact */
    /* Lists: items. Mappings: keys, each a scalar with its `value`. */
    const struct node *first;
    size_t count;
    const struct node *next;
    const struct node *value;
};

/* `text` is NUL-terminated and must outlive the tree; `file` is what errors call it. */
enum status document_read(struct arena *arena, const char *file, const char *text, size_t length,
                          const struct node **out, struct error *error);

/* The value of a key, or NULL, also of what is no mapping. */
const struct node *node_get(const struct node *mapping, const char *key);

#endif
