/* What the compiler is told besides defines, as one hash. */
#include <string.h>

#include "tuner/experiment/document.h"
#include "tuner/experiment/experiment.h"

void experiment_flags_hash(const char *text, char out[HASH_TEXT_BYTES])
{
    struct document document = {.text = NULL};
    struct error ignored = {0};
    const struct node *root = NULL;
    out[0] = '\0';
    if (document_read(&document, "", text, strlen(text), &ignored) == STATUS_OK)
        root = document.root;
    const struct node *standard = root ? node_get(root, "std") : NULL;
    const struct node *flags = root ? node_get(root, "flags") : NULL;
    bool has_standard = standard && standard->kind == NODE_SCALAR;
    bool has_flags = flags && flags->kind == NODE_LIST && flags->count > 0;
    struct hash_state *hash = has_standard || has_flags ? hash_start() : NULL;
    if (hash) {
        hash_add_string(hash, has_standard ? standard->text : "");
        for (const struct node *item = has_flags ? flags->first : NULL; item; item = item->next)
            hash_add_string(hash, item->kind == NODE_SCALAR ? item->text : "");
        hash_finish(hash, out);
    }
    arena_free(&document.arena);
}
