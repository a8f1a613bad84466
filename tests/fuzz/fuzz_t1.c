/* Any bytes as a file of T1, alone or, where they have a line `---`, with an overlay behind it: it
 * is refused with a reason, or comes out as an experiment file that is read or refused with a
 * place. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/exchange/t1.h"

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

/* A line of the text for each origin; none of the origins is about nothing. */
static void check_lines(const struct t1 *t1)
{
    size_t lines = 0;
    for (const char *c = t1->text.text; *c; c++)
        lines += *c == '\n' ? 1 : 0;
    require(lines == t1->text.line_count);
    for (size_t i = 0; i < lines; i++)
        require(!t1->text.origins[i] || t1->text.origins[i][0] != '\0');
    require(t1->dialect == T1_KERNEL_TUNER || t1->dialect == T1_KTT);
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
        check_lines(&t1);
        status = experiment_load_text(&t1.text, TEST_SOURCE_DIR, &experiment, &error);
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
