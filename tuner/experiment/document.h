/* An experiment file as a tree of nodes: read from YAML with the place of each node, or made from a
 * file of another format; and printed as YAML. */
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
    DOCUMENT_ITEMS_MAX = 1024, /* items of one list or mapping */
};

enum node_kind { NODE_SCALAR, NODE_LIST, NODE_MAPPING };

struct node {
    enum node_kind kind;
    struct place place;
    /* Scalars: the text, NUL-terminated and without a NUL within. */
    const char *text;
    bool plain;               /* without quotes */
    struct source_text inner; /* the text as an expression's source */
    size_t offset;            /* in the file's text, if inner.exact */
    /* Lists: items. Mappings: keys, each a scalar with its `value`. */
    const struct node *first;
    struct node *last;
    size_t count;
    bool flow; /* on one line: [a, b], {a: b} */
    const struct node *next;
    struct node *value;
};

/* Zero-initialise; freed by arena_free(&document.arena). */
struct document {
    struct arena arena; /* owns all nodes */
    struct place_file *file;
    const char *comment; /* first line, "# Made of ..."; NULL: none */
    const char *text;    /* original text; NULL: made of nodes */
    const struct node *root;
    size_t node_count;
    bool is_recorded; /* read from a database: its sources may be missing, and are not read */
    bool is_draft;    /* data files, which may be as large as the memory, are not read */
};

/* Reads YAML and copies all texts. */
enum status document_read(struct document *out, const char *path, const char *text, size_t length,
                          struct error *error);

/* Begins a document made of nodes; false when memory is short. */
bool document_begin(struct document *out, const char *path);
/* Makes a node: a scalar if `text`, of the arena or static, is not NULL. Returns NULL when memory
 * is short. */
struct node *document_node(struct document *document, enum node_kind kind, struct place place,
                           const char *text, bool plain);
/* Appends an item to a list, or a key, whose value may be set later, to a mapping.
 * STATUS_BAD_INPUT: too many entries, a duplicate key, or a key that is no name. */
enum status document_add(struct document *document, struct node *parent, struct node *child,
                         struct error *error);
/* Returns whether the text can be written as a plain scalar. */
bool document_is_plain(const char *text);
/* Returns YAML that reads back as these nodes, in the document's arena; the original text if the
 * document was read. NULL when memory is short. */
const char *document_text(struct document *document);

/* Returns the value of a key; NULL without the key, or if the node is no mapping. */
const struct node *node_get(const struct node *mapping, const char *key);

#endif
