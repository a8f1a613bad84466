/* What `tune apply` hands to the preloaded library, and what that counts: two files in a private
 * folder. `table` is a head, rows and texts, each of which ends with a NUL; the library reads it
 * once and trusts none of it. `counts` is mapped by all processes of the program: a head, then the
 * counts of each row. All of a machine's own byte order: little. */
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

/* A launch that was captured, and the one that takes its place. */
struct apply_row {
    uint8_t image[CAP_HASH_BYTES];
    uint8_t numbers[CAP_HASH_BYTES]; /* of what is passed, without addresses */
    uint8_t others[CAP_HASH_BYTES];  /* of what is passed, without addresses and `words` */
    struct apply_launch from, to;
    uint32_t kernel, device; /* offsets of their names in the texts */
    int32_t major, minor, sm_count;
    uint32_t pointer_count;
    uint32_t pointers[APPLY_POINTERS_MAX]; /* offsets of addresses in the parameters */
    /* Offsets of numbers of 4 bytes in the parameters that may be any; none: `others` says nothing.
     */
    uint32_t word_count, words[APPLY_WORDS_MAX];
};

struct apply_table_head {
    char magic[8];
    uint32_t version;
    uint32_t row_bytes; /* of struct apply_row */
    uint32_t row_count;
    uint32_t text_bytes;
};

/* Of launches of a row's kernel, by its name: how far they were like the row. Each is among those
 * above it. */
enum apply_count {
    APPLY_NAMED,
    APPLY_IMAGE,     /* of the same image */
    APPLY_SHAPED,    /* with the same grid, block, cluster and shared memory */
    APPLY_PASSED,    /* with the same numbers */
    APPLY_ON_DEVICE, /* on a device as it was tuned on; what became of these: */
    APPLY_CHANGED,
    APPLY_REFUSED,   /* by the driver, or not tried again after that: launched as ever */
    APPLY_CAPTURING, /* on their way into a graph, or cooperative: left alone */
    APPLY_SHADOWED,  /* a row before it was taken */
    APPLY_COUNTS
};
struct apply_counts {
    uint64_t count[APPLY_COUNTS];
    int64_t error; /* the driver's, of the first that was refused */
};
struct apply_counts_head {
    uint64_t processes; /* that launched anything */
    uint64_t launches;
    uint64_t graph_nodes; /* added by hand: left alone */
};

/* What is compared of a block of parameters: `out`, of so many bytes, is zero where no parameter
 * lies and where there are addresses. */
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

/* Makes zero of such words of what apply_numbers gave. */
static inline void apply_blank(const uint32_t *words, uint32_t count, uint32_t bytes, uint8_t *out)
{
    for (uint32_t i = 0; i < count; i++)
        if (bytes >= sizeof(uint32_t) && words[i] <= bytes - sizeof(uint32_t))
            memset(out + words[i], 0, sizeof(uint32_t));
}

/* Bytes up to the end of the last parameter. */
static inline uint32_t apply_parameter_bytes(const struct cap_parameter *parameters, uint32_t count)
{
    uint32_t bytes = 0;
    for (uint32_t i = 0; i < count; i++)
        if (parameters[i].offset + parameters[i].bytes > bytes)
            bytes = parameters[i].offset + parameters[i].bytes;
    return bytes;
}

#endif
