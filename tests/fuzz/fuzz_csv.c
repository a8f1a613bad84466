/* Any bytes as a table of comma-separated values: refused with its line, or written again with
 * every field in quotes and read back equal. */
#include <stdlib.h>
#include <string.h>

#include "tuner/base/text.h"
#include "tuner/exchange/csv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

/* Writes a record in quotes, for the next reader. */
static void write_record(const struct csv_record *record, struct text *out)
{
    for (size_t i = 0; i < record->count; i++) {
        text_append(out, i > 0 ? ",\"" : "\"");
        for (const char *at = record->fields[i]; *at; at++)
            text_append_bytes(out, *at == '"' ? "\"\"" : at, *at == '"' ? 2 : 1);
        text_append(out, "\"");
    }
    text_append(out, "\r\n");
}

static bool read_table(const char *bytes, size_t length, struct text *out)
{
    struct error error = {0};
    struct csv_reader reader;
    struct csv_record record;
    int64_t line = 0;
    bool more = true;
    char *text = malloc(length + 1);
    require(text != NULL);
    memcpy(text, bytes, length);
    text[length] = '\0';
    enum status status = csv_start(&reader, "t.csv", text, length, &error);
    while (status == STATUS_OK && more) {
        status = csv_next(&reader, &record, &more, &error);
        if (status != STATUS_OK || !more)
            break;
        require(record.count >= 1 && record.line > line);
        line = record.line;
        write_record(&record, out);
    }
    free(text);
    require(status == STATUS_OK || strncmp(error.text, "t.csv:", 6) == 0);
    return status == STATUS_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct text once = {0};
    struct text again = {0};
    if (read_table((const char *)data, size, &once) && once.length > 0) {
        require(read_table(once.data, once.length, &again));
        require(once.length == again.length && memcmp(once.data, again.data, once.length) == 0);
    }
    text_free(&once);
    text_free(&again);
    return 0;
}
