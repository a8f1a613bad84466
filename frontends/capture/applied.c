/* Files exchanged by `tune apply` and the preloaded library. */
#include "frontends/capture/applied.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontends/capture/internal.h"
#include "tuner/base/files.h"

static void put_offsets(const uint32_t *offsets, size_t count, struct text *out)
{
    for (size_t i = 0; i < count; i++)
        text_printf(out, "%s%" PRIu32, i ? "+" : "", offsets[i]);
}

void applied_key(const struct captured_launch *launch, const struct applied_places *places,
                 struct text *out)
{
    const struct captured_kernel *kernel = launch->kernel;
    const uint32_t bytes = apply_parameter_bytes(kernel->parameters, kernel->is.parameter_count);
    const uint32_t *const dimensions[] = {launch->is.grid, launch->is.block, launch->is.cluster};
    char hash[HASH_TEXT_BYTES], others[HASH_TEXT_BYTES];
    uint8_t *numbers = calloc(1, (size_t)bytes + 1);
    if (!numbers || bytes > launch->is.parameter_bytes) {
        out->failed |= !numbers;
        free(numbers);
        return;
    }
    apply_numbers(kernel->parameters, kernel->is.parameter_count, launch->parameters, bytes,
                  places->pointers, (uint32_t)places->pointer_count, numbers);
    hash_bytes(numbers, bytes, hash);
    apply_blank(places->words, (uint32_t)places->word_count, bytes, numbers);
    hash_bytes(numbers, bytes, others);
    free(numbers);
    for (size_t i = 0; i < 3; i++) {
        const uint32_t *d = dimensions[i]; /* a cluster of 0 is none */
        text_printf(out, "%" PRIu32 "x%" PRIu32 "x%" PRIu32 "/", d[0] ? d[0] : 1, d[1] ? d[1] : 1,
                    d[2] ? d[2] : 1);
    }
    text_printf(out, "%" PRIu32 "/%s/%s", launch->is.shared_bytes, hash,
                places->pointer_count == 0 ? "none" : "");
    put_offsets(places->pointers, places->pointer_count, out);
    if (places->word_count == 0)
        return;
    text_printf(out, "/%s/", others);
    put_offsets(places->words, places->word_count, out);
}

static bool read_digits(const char **at, uint32_t most, uint32_t *out)
{
    uint64_t number = 0;
    const char *digits = *at;
    while (**at >= '0' && **at <= '9' && number <= most)
        number = number * 10 + (uint64_t)(*(*at)++ - '0');
    *out = (uint32_t)number;
    return *at != digits && number <= most;
}

/* Reads a number and the character `behind`. */
static bool read_number(const char **at, uint32_t most, char behind, uint32_t *out)
{
    return read_digits(at, most, out) && *(*at)++ == behind;
}

/* Reads offsets such as "0+8+16", at least one. */
static bool read_offsets(const char **at, size_t most, uint32_t count_most, uint32_t *out,
                         uint32_t *count)
{
    do {
        if (*count == count_most || !read_digits(at, (uint32_t)most, &out[*count]))
            return false;
        (*count)++;
    } while (*(*at) == '+' && (*at)++);
    return true;
}

static bool read_hash(const char **at, uint8_t out[CAP_HASH_BYTES])
{
    char hash[HASH_TEXT_BYTES] = "";
    if (strspn(*at, "0123456789abcdef") != sizeof hash - 1)
        return false;
    memcpy(hash, *at, sizeof hash - 1);
    *at += sizeof hash - 1;
    digest_of_text(hash, out);
    return true;
}

bool applied_image_read(const char *hash, struct apply_row *out)
{
    return read_hash(&hash, out->image) && *hash == '\0';
}

bool applied_key_read(const char *key, struct apply_row *out)
{
    uint32_t *const dimensions[] = {out->from.grid, out->from.block, out->from.cluster};
    const uint32_t most[] = {INT32_MAX, 1024, 1024};
    for (size_t i = 0; i < 3; i++)
        for (size_t axis = 0; axis < CAP_DIMENSIONS; axis++)
            if (!read_number(&key, most[i], axis < 2 ? 'x' : '/', &dimensions[i][axis]) ||
                dimensions[i][axis] == 0)
                return false;
    if (!read_number(&key, INT32_MAX, '/', &out->from.shared_bytes) ||
        !read_hash(&key, out->numbers) || *key++ != '/')
        return false;
    out->pointer_count = out->word_count = 0;
    if (strncmp(key, "none", 4) == 0)
        key += 4;
    else if (!read_offsets(&key, CAP_PARAMETER_BYTES_MAX - sizeof(uint64_t), APPLY_POINTERS_MAX,
                           out->pointers, &out->pointer_count))
        return false;
    if (*key == '\0')
        return true;
    return *key++ == '/' && read_hash(&key, out->others) && *key++ == '/' &&
           read_offsets(&key, CAP_PARAMETER_BYTES_MAX - sizeof(uint32_t), APPLY_WORDS_MAX,
                        out->words, &out->word_count) &&
           *key == '\0';
}

enum status applied_write(const char *folder, const struct apply_row *rows, size_t count,
                          const void *texts, size_t text_bytes, struct error *error)
{
    struct text table = {0}, counts = {0};
    char path[PATH_MAX];
    if (count > APPLY_ROWS_MAX || text_bytes > APPLY_TEXT_BYTES_MAX)
        return error_set(error, STATUS_BAD_INPUT, "more than %d entries to apply", APPLY_ROWS_MAX);
    const struct apply_table_head head = {.version = APPLY_VERSION,
                                          .row_bytes = sizeof *rows,
                                          .row_count = (uint32_t)count,
                                          .text_bytes = (uint32_t)text_bytes};
    const struct apply_counts_head no_launches = {0};
    const struct apply_counts none = {0};
    text_append_bytes(&table, APPLY_MAGIC, sizeof head.magic);
    text_append_bytes(&table, (const char *)&head + sizeof head.magic,
                      sizeof head - sizeof head.magic);
    text_append_bytes(&table, rows, count * sizeof *rows);
    text_append_bytes(&table, texts, text_bytes);
    text_append_bytes(&counts, &no_launches, sizeof no_launches);
    for (size_t i = 0; i < count; i++)
        text_append_bytes(&counts, &none, sizeof none);
    enum status status = table.failed || counts.failed ? error_no_memory(error) : STATUS_OK;
    const struct {
        const char *name;
        const struct text *text;
    } files[] = {{APPLY_TABLE_NAME, &table}, {APPLY_COUNTS_NAME, &counts}};
    for (size_t i = 0; i < 2 && status == STATUS_OK; i++)
        status =
            string_format(path, sizeof path, "%s/%s", folder, files[i].name)
                ? file_write_atomically(path, files[i].text->data, files[i].text->length, error)
                : error_set(error, STATUS_IO, "%s: its path is too long", folder);
    text_free(&table);
    text_free(&counts);
    return status;
}

enum status applied_counts(const char *folder, struct apply_counts_head *head,
                           struct apply_counts *counts, size_t count, struct error *error)
{
    struct arena arena = {0};
    char path[PATH_MAX], *data = NULL;
    size_t bytes = 0;
    const size_t wanted = sizeof *head + count * sizeof *counts;
    enum status status = string_format(path, sizeof path, "%s/%s", folder, APPLY_COUNTS_NAME)
                             ? file_read(&arena, path, wanted, &data, &bytes, error)
                             : error_set(error, STATUS_IO, "%s: its path is too long", folder);
    if (status == STATUS_OK && bytes != wanted)
        status = error_set(error, STATUS_IO, "%s: its counts are incomplete", path);
    if (status == STATUS_OK) {
        memcpy(head, data, sizeof *head);
        memcpy(counts, data + sizeof *head, count * sizeof *counts);
    }
    arena_free(&arena);
    return status;
}
