#include "tuner/exchange/csv.h"

#include <string.h>

#include "tuner/base/text.h"

enum status csv_start(struct csv_reader *reader, const char *path, char *text, size_t length,
                      struct error *error)
{
    static const char mark[] = "\xef\xbb\xbf";
    *reader = (struct csv_reader){.path = path, .at = text, .end = text + length, .line = 1};
    if (length >= sizeof mark - 1 && memcmp(text, mark, sizeof mark - 1) == 0)
        reader->at += sizeof mark - 1;
    int64_t line = 1;
    size_t bytes = 0;
    for (const char *at = reader->at; at < reader->end; at += bytes) {
        bytes = *at == '\0' ? 0 : utf8_bytes(at);
        if (bytes == 0)
            return error_set(error, STATUS_BAD_INPUT,
                             "%s:%lld: this is no text in UTF-8: save the table as CSV in UTF-8",
                             path, (long long)line);
        line += *at == '\n';
    }
    return STATUS_OK;
}

static enum status wrong(const struct csv_reader *reader, int64_t line, const char *what,
                         struct error *error)
{
    return error_set(error, STATUS_BAD_INPUT, "%s:%lld: %s", reader->path, (long long)line, what);
}

/* Returns the bytes of a line's end: 0 when there is none. */
static size_t line_end(const struct csv_reader *reader)
{
    if (reader->at[0] == '\n')
        return 1;
    return reader->at[0] == '\r' && reader->at[1] == '\n' ? 2 : 0;
}

/* Reads a quoted field from behind the opening quote, moving its parts together in place. */
static enum status read_quoted(struct csv_reader *reader, struct error *error)
{
    char *to = reader->at;
    const int64_t first = reader->line;
    for (;; reader->at++) {
        if (reader->at == reader->end)
            return wrong(reader, first, "a quote begins here and never ends", error);
        if (*reader->at == '"' && *++reader->at != '"')
            break;
        reader->line += *reader->at == '\n';
        *to++ = *reader->at;
    }
    if (reader->at < reader->end && *reader->at != ',' && line_end(reader) == 0)
        return wrong(reader, reader->line, "text behind a closing quote", error);
    *to = '\0'; /* at the latest in place of the closing quote */
    return STATUS_OK;
}

static enum status read_plain(struct csv_reader *reader, struct error *error)
{
    for (; reader->at < reader->end && *reader->at != ','; reader->at++) {
        if (line_end(reader) > 0)
            break;
        if (*reader->at == '"')
            return wrong(reader, reader->line,
                         "a quote within a field: the whole field goes in quotes, with this one "
                         "doubled",
                         error);
        if (*reader->at == '\r')
            return wrong(reader, reader->line, "a carriage return without a line feed", error);
    }
    return STATUS_OK;
}

enum status csv_next(struct csv_reader *reader, struct csv_record *out, bool *more,
                     struct error *error)
{
    while (reader->at < reader->end && line_end(reader) > 0) {
        reader->at += line_end(reader);
        reader->line++;
    }
    out->count = 0;
    out->line = reader->line;
    *more = reader->at < reader->end;
    for (bool last = !*more; !last;) {
        if (out->count == CSV_FIELDS_MAX)
            return wrong(reader, reader->line, "more fields than a table has columns", error);
        const bool quoted = reader->at < reader->end && *reader->at == '"';
        reader->at += quoted;
        out->fields[out->count++] = reader->at;
        TRY(quoted ? read_quoted(reader, error) : read_plain(reader, error));
        const size_t end = reader->at < reader->end ? line_end(reader) : 0;
        last = reader->at == reader->end || end > 0;
        *reader->at = '\0'; /* the comma, the line's end, or the NUL behind the text */
        reader->at += last ? end : 1;
        reader->line += end > 0;
    }
    return STATUS_OK;
}
