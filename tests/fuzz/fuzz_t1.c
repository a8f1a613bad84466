/* Any bytes as a file of T1, alone or, behind a line `---`, with an overlay: refused with a reason,
 * or made into an experiment file that is read or refused with a place. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "frontends/t1/t1.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static const char *find_line(const char *text, size_t size)
{
    static const char line[] = "\n---\n";
    for (size_t i = 0; i + sizeof line - 1 <= size; i++)
        if (memcmp(text + i, line, sizeof line - 1) == 0)
            return text + i;
    return NULL;
}

static void check_alike(const struct node *a, const struct node *b)
{
    require((a != NULL) == (b != NULL));
    if (!a)
        return;
    require(a->kind == b->kind && a->count == b->count);
    require(a->kind != NODE_SCALAR || strcmp(a->text, b->text) == 0);
    check_alike(a->value, b->value);
    check_alike(a->first, b->first);
    check_alike(a->next, b->next);
}

/* Checks that the printed document reads back as the same nodes, and that each origin belongs to a
 * node. */
static void check_document(struct document *document)
{
    struct document again = {.text = NULL};
    struct error error = {0};
    const char *text = document_text(document);
    for (size_t i = 0; i < document->file->origin_count; i++)
        require(document->file->origins[i][0] != '\0');
    require(document_read(&again, "again", text, strlen(text), &error) == STATUS_OK);
    check_alike(document->root, again.root);
    arena_free(&again.arena);
}

static void try_dialect(const struct t1_file *file, const struct t1_file *overlay,
                        enum t1_dialect dialect)
{
    struct t1 t1 = {.ignored = NULL};
    struct error error = {0};
    enum status status = t1_translate(file, overlay, overlay ? 1 : 0, dialect, &t1, &error);
    require(status == error.status);
    require(status == STATUS_OK || strstr(error.text, ".json"));
    if (status == STATUS_OK) {
        struct experiment *experiment = NULL;
        require(t1.dialect == T1_KERNEL_TUNER || t1.dialect == T1_KTT);
        check_document(&t1.document);
        status = experiment_load_document(&t1.document, TEST_SOURCE_DIR, true, &experiment, &error);
        require(status == STATUS_OK || error.text[0] != '\0');
        experiment_free(experiment);
    }
    t1_free(&t1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    const char *line = find_line(text, size);
    const struct t1_file file = {TEST_SOURCE_DIR "/examples/t1/f.json", text,
                                 line ? (size_t)(line - text) : size};
    const struct t1_file overlay = {TEST_SOURCE_DIR "/examples/t1/o.json", line ? line + 5 : text,
                                    line ? size - (size_t)(line + 5 - text) : 0};
    for (int dialect = T1_DETECT; dialect <= T1_KTT; dialect++)
        try_dialect(&file, line ? &overlay : NULL, (enum t1_dialect)dialect);
    return 0;
}
