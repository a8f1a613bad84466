/* Spaces of the community's formats: tables of times, T4 files, caches of Kernel Tuner. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/strategies/recorded.h"
#include "tuner/base/files.h"
#include "tuner/base/text.h"
#include "tuner/exchange/csv.h"
#include "tuner/exchange/tried.h"

enum { BYTES_MAX = 1 << 30 };
/* Tells whether the whole text is a number; otherwise it is a text. */
static bool is_number(const char *text)
{
    char *end = NULL;
    (void)strtod(text, &end);
    return end != text && *end == '\0';
}

static enum status read_csv(struct recorded_rows *rows, const char *path, char *text, size_t length,
                            struct error *error)
{
    struct csv_reader reader;
    struct csv_record head, record;
    bool more = false;
    size_t time_column = SIZE_MAX;
    enum status status = csv_start(&reader, path, text, length, error);
    if (status == STATUS_OK)
        status = csv_next(&reader, &head, &more, error);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; more && i < head.count; i++)
        if (strcmp(head.fields[i], "time_ns") == 0)
            time_column = i;
    if (time_column == SIZE_MAX)
        return error_set(error, STATUS_BAD_INPUT, "no column is named time_ns");
    while ((status = csv_next(&reader, &record, &more, error)) == STATUS_OK && more) {
        const char *time = record.count == head.count ? record.fields[time_column] : "";
        size_t dimension = 0;
        if (record.count != head.count)
            return error_set(error, STATUS_BAD_INPUT,
                             "line %lld has %zu fields, the first line %zu", (long long)record.line,
                             record.count, head.count);
        status = recorded_add_row(rows, is_number(time) ? strtod(time, NULL) : (double)NAN, error);
        for (size_t i = 0; status == STATUS_OK && i < head.count; i++)
            if (i != time_column && strcmp(head.fields[i], "cost_ms") != 0)
                status = recorded_add_value(rows, dimension++, record.fields[i],
                                            is_number(record.fields[i]), error);
        if (status != STATUS_OK)
            return status;
    }
    return status;
}

static enum status take_tried(void *context, const struct tried *tried, struct error *error)
{
    struct recorded_rows *rows = context;
    enum status status = recorded_add_row(rows, tried->time_ns, error);
    for (size_t i = 0; status == STATUS_OK && i < tried->count; i++)
        status =
            recorded_add_value(rows, i, tried->values[i].text, tried->values[i].is_number, error);
    return status;
}

enum status recorded_read_file(const char *path, struct arena *arena, struct recorded *recorded,
                               struct error *error)
{
    struct recorded_rows rows = {.arena = arena};
    const char *name = strrchr(path, '/');
    char *text = NULL;
    size_t length = 0;
    enum status status = file_read(arena, path, BYTES_MAX, &text, &length, error);
    if (status != STATUS_OK)
        return status;
    (void)string_format(recorded->name, sizeof recorded->name, "%s", name ? name + 1 : path);
    size_t begin = strspn(text, " \r\n\t");
    if (text[begin] == '{')
        status = tried_read(text, length, arena, take_tried, &rows, error);
    else
        status = read_csv(&rows, path, text, length, error);
    if (status == STATUS_OK)
        status = recorded_finish(&rows, recorded, error);
    if (status != STATUS_OK)
        (void)error_prefix(error, "%s", path);
    recorded_rows_free(&rows);
    return status;
}
