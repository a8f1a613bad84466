/* Files handed to the preloaded library by `tune apply`, and its counts: two files in a private
 * folder. `table` is a head, rows and texts, each with a final NUL; the library reads and validates
 * the file once. `counts` is mapped by all processes of the program: a head, then the counts of
 * each row. Byte order: little. */
#ifndef TUNE_CAPTURE_APPLY_H
#define TUNE_CAPTURE_APPLY_H

#include <stdint.h>
#include <string.h>

#include "frontends/capture/library/format.h"

#define APPLY_MAGIC       "TUNEAPL\n"
#define APPLY_TABLE_NAME  "table"
#define APPLY_COUNTS_NAME "counts"
enum {
    APPLY_VERSION = 2,
    APPLY_POINTERS_MAX = 64,
    APPLY_WORDS_MAX = 32,
    APPLY_ROWS_MAX = 65536,
    APPLY_TEXT_BYTES_MAX = 16 * 1024 * 1024
};

struct apply_launch {
    uint32_t grid[CAP_DIMENSIONS], block[CAP_DIMENSIONS], cluster[CAP_DIMENSIONS]; /* 1 or more */
    uint32_t shared_bytes; /* dynamic shared memory of a block */
};

/* A captured launch and its replacement. */
struct apply_row {
    uint8_t image[CAP_HASH_BYTES];
    uint8_t numbers[CAP_HASH_BYTES]; /* hash of the parameters without addresses */
    uint8_t others[CAP_HASH_BYTES];  /* hash of the parameters without addresses and `words` */
    struct apply_launch from, to;
    uint32_t kernel, device; /* offsets of the names in the texts */
    int32_t major, minor, sm_count;
    uint32_t pointer_count;
    uint32_t pointers[APPLY_POINTERS_MAX]; /* offsets of addresses in the parameters */
    /* Offsets of 4-byte numbers in the parameters that may have any value; if none, `others` is
     * unused. */
    uint32_t word_count, words[APPLY_WORDS_MAX];
};

struct apply_table_head {
    char magic[8];
    uint32_t version;
    uint32_t row_bytes; /* size of struct apply_row */
    uint32_t row_count;
    uint32_t text_bytes;
};

/* Counts of launches with the name of a row's kernel, by their agreement with the row. Each down to
 * APPLY_ON_DEVICE is a subset of the one above. */
enum apply_count {
    APPLY_NAMED,
    APPLY_IMAGE,     /* in the same image */
    APPLY_SHAPED,    /* equal grid, block, cluster and shared memory */
    APPLY_PASSED,    /* equal numbers */
    APPLY_ON_DEVICE, /* on a device like the tuned one; outcomes of these: */
    APPLY_CHANGED,
    APPLY_REFUSED,   /* refused by the driver, or not retried afterwards: launched unchanged */
    APPLY_CAPTURING, /* captured into a graph, or cooperative: launched unchanged */
    APPLY_SHADOWED,  /* an earlier row was used */
    APPLY_COUNTS
};
struct apply_counts {
    uint64_t count[APPLY_COUNTS];
    int64_t error; /* the driver's, of the first that was refused */
};
struct apply_counts_head {
    uint64_t processes; /* processes with at least one launch */
    uint64_t launches;
    uint64_t graph_nodes; /* added by hand: left alone */
};

/* Makes the comparable form of a parameter block: `out` has `bytes` bytes, zero at addresses and
 * between parameters. */
static inline void apply_numbers(const struct cap_parameter *parameters, uint32_t count,
                                 const uint8_t *block, uint32_t bytes, const uint32_t *pointers,
                                 uint32_t pointer_count, uint8_t *out)
{
    memset(out, 0, bytes);
    for (uint32_t i = 0; i < count; i++)
        if (parameters[i].offset <= bytes && parameters[i].bytes <= bytes - parameters[i].offset)
            memcpy(out + parameters[i].offset, block + parameters[i].offset, parameters[i].bytes);
    for (uint32_t i = 0; i < pointer_count; i++)
        if (bytes >= sizeof(uint64_t) && pointers[i] <= bytes - sizeof(uint64_t))
            memset(out + pointers[i], 0, sizeof(uint64_t));
}

/* Sets `words` to zero in the result of apply_numbers. */
static inline void apply_blank(const uint32_t *words, uint32_t count, uint32_t bytes, uint8_t *out)
{
    for (uint32_t i = 0; i < count; i++)
        if (bytes >= sizeof(uint32_t) && words[i] <= bytes - sizeof(uint32_t))
            memset(out + words[i], 0, sizeof(uint32_t));
}

/* Returns the bytes up to the end of the last parameter. */
static inline uint32_t apply_parameter_bytes(const struct cap_parameter *parameters, uint32_t count)
{
    uint32_t bytes = 0;
    for (uint32_t i = 0; i < count; i++)
        if (parameters[i].offset + parameters[i].bytes > bytes)
            bytes = parameters[i].offset + parameters[i].bytes;
    return bytes;
}

#endif
