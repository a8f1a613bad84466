/* Facts about a device, each a name and a value. One list serves the printed
 * tables, JSON, the database, the worker's messages and the variables of expressions. */
#ifndef TUNE_BASE_FACTS_H
#define TUNE_BASE_FACTS_H

#include <stddef.h>
#include <stdint.h>

#include "tuner/base/arena.h"
#include "tuner/base/value.h"

struct fact {
    const char *key; /* snake_case with its unit: "l2_bytes", "sm_count" */
    struct value value;
};

/* Zero-initialise; freed by facts_free. Texts are copied into the list's arena. */
struct facts {
    struct arena arena;
    struct fact *items;
    size_t count;
    size_t capacity;
    _Bool failed; /* memory was short; sticky */
};

/* Adds a fact. Keys that every device provides, and that other rooms rely on:
 *   kind             as in tuner/device/kinds.inc: "cuda"
 *   index            0, 1, ... among its kind
 *   name             "NVIDIA H200"
 *   uuid             unique for a device; for a CPU a hash of model and host
 *   memory_bytes
 *   driver           driver version as text; for a CPU the operating system's release
 *   compiler         "NVRTC 13.0" or "gcc 12.2.0"; "" without one
 *   architecture     the compiler's target: "sm_90", "native"
 * and of a GPU: compute_capability ("9.0"), sm_count, max_threads_per_block, max_threads_per_sm,
 *   max_blocks_per_sm, registers_per_sm, shared_bytes_per_block, shared_bytes_per_block_optin,
 *   shared_bytes_per_sm, l2_bytes, warp_size, pci_address, numa_node
 * and of a CPU: cores, hardware_threads, packages, numa_nodes, l1d_bytes, l2_bytes, l3_bytes.
 * A fact that cannot be read is left out, never guessed. */
void facts_add(struct facts *facts, const char *key, struct value value);
void facts_add_text(struct facts *facts, const char *key, const char *text);
void facts_add_integer(struct facts *facts, const char *key, int64_t integer);

/* Finds the fact with that key; NULL: none. */
const struct fact *facts_find(const struct facts *facts, const char *key);
int64_t facts_integer(const struct facts *facts, const char *key, int64_t otherwise);
const char *facts_text(const struct facts *facts, const char *key, const char *otherwise);
void facts_free(struct facts *facts);

#endif
