/* An experiment file as a tree: read from YAML with the place of each node, or made node by node
 * out of a file in another format; and printed. */
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
    struct node *last;
    size_t count;
    bool flow; /* written on one line: [a, b], {a: b} */
    const struct node *next;
    const struct node *value;
};

/* Zero-initialise; freed by arena_free(&document.arena). */
struct document {
    struct arena arena; /* all of it */
    struct place_file *file;
    const char *comment; /* the first line, "# Made of ..."; NULL: none */
    const char *text;    /* as it was read; NULL: made of nodes */
    const struct node *root;
    size_t node_count;
    bool is_recorded; /* out of a database: its sources need not be there, and are not looked at */
};

/* Reads YAML; all is copied. */
enum status document_read(struct document *out, const char *path, const char *text, size_t length,
                          struct error *error);

/* Begins one whose nodes are added. False: no memory. */
bool document_begin(struct document *out, const char *path);
/* A scalar when `text`, of the arena or static, is not NULL. NULL when memory is short. */
struct node *document_node(struct document *document, enum node_kind kind, struct place place,
                           const char *text, bool plain);
/* Puts an item behind those of a list, or a key, whose value may follow, behind those of a mapping.
 * STATUS_BAD_INPUT: too many of them, or a key that is there or none. */
enum status document_add(struct document *document, struct node *parent, struct node *child,
                         struct error *error);
/* Whether the text can be written as a plain scalar. */
bool document_is_plain(const char *text);
/* The YAML that reads back as these nodes, in the document's arena: the text as it was read, where
 * it was. NULL when memory is short. */
const char *document_text(struct document *document);

/* The value of a key, or NULL, also of what is no mapping. */
const struct node *node_get(const struct node *mapping, const char *key);

#endif
