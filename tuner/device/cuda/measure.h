/* Measuring on an open device: contents of vectors, guard bands, graphs of slots, blocks, the
 * anchor, energy, ceilings. */
#ifndef TUNE_DEVICE_CUDA_MEASURE_H
#define TUNE_DEVICE_CUDA_MEASURE_H

#include "tuner/base/clock.h"
#include "tuner/device/cuda/internal.h"

/* memory.c */

/* Returns the start of a bound argument's vector. */
static inline CUdeviceptr cuda_vector_start(const struct vector *vector)
{
    return vector->base + vector->offset;
}
/* Allocates memory on the device; *out is 0 on failure. */
CUresult cuda_allocate(struct device *device, size_t bytes, CUdeviceptr *out);
CUresult cuda_free_bytes(struct device *device, size_t *out);
/* Copies bytes to the host, and waits for them. */
CUresult cuda_fetch(struct device *device, void *to, CUdeviceptr from, size_t bytes);
/* Gives the plan's vectors memory and data, as `bind` does; after STATUS_NO_MEMORY allocated
 * vectors stay. */
enum status cuda_bind_vectors(struct device *device, const struct launch_plan *plan,
                              const void *const *inputs, uint32_t copies, struct error *error);
void cuda_free_vectors(struct device *device);
/* Sums the bytes of up to SUMS_MAX vectors, `stride` bytes apart. */
enum status cuda_sums(struct device *device, CUdeviceptr first, size_t stride, size_t bytes,
                      uint32_t count, uint64_t *out, struct error *error);
/* Writes values[i] over element at[i] of every second vector of `copies`; all addresses are the
 * device's. */
CUresult cuda_replace(struct device *device, CUdeviceptr first, uint64_t stride, uint32_t copies,
                      uint64_t width, uint64_t count, CUdeviceptr at, CUdeviceptr values);
enum status cuda_patch(struct device *device, const struct launch_plan *plan,
                       const struct patch *patches, struct error *error);
/* Frees the buffer of cuda_look. */
void cuda_free_looked(struct device *device);
enum status cuda_looked_room(struct device *device, size_t bytes, void **out, struct error *error);
/* Restores updates to the host's elements, for runs outside of blocks. */
enum status cuda_restore(struct device *device, const struct launch_plan *plan,
                         struct error *error);
/* Notes that `runs` runs are about to change updates, and to use copies of inputs from `first` on.
 */
void cuda_note_runs(struct device *device, const struct launch_plan *plan, uint32_t first,
                    uint32_t runs);
/* Makes the place of run `run` of the last block the current one for outputs and scratch. */
void cuda_settle(struct device *device, uint32_t run);
/* Fills the vectors of a role, all places of each with `everywhere`. */
enum status cuda_fill(struct device *device, const struct launch_plan *plan,
                      enum argument_role role, unsigned char byte, bool everywhere,
                      struct error *error);

/* textures.c */

/* Returns an argument's texture at an address. Textures stay until slots are dropped, as graphs may
 * hold textures. */
enum status cuda_texture(struct device *device, const struct argument *argument,
                         CUdeviceptr address, CUtexObject *out, struct error *error);
/* Copies vectors to the plan's surfaces, or back; before runs also texture objects to variables of
 * the current binary. */
enum status cuda_carry(struct device *device, const struct launch_plan *plan, bool back,
                       struct error *error);

/* arguments.c */
enum status cuda_prepare(struct device *device, const struct launch_plan *plan,
                         struct prepared_plan *out, struct error *error);
/* Lets inputs, small outputs and scratch be those of run `run`: copies and places take turns. */
enum status cuda_rotate(struct device *device, const struct launch_plan *plan, uint32_t run,
                        struct prepared_plan *prepared, struct error *error);

/* stream.c */

/* Launches the prepared plan once. */
enum status cuda_submit(struct device *device, struct error *error);
/* Makes the block's runs a graph that can be launched. STATUS_UNAVAILABLE: host functions that
 * cannot be captured. */
enum status cuda_build_graph(struct device *device, const struct block *block, CUgraphExec *out,
                             struct error *error);

/* anchor.c */
/* Warms up the device: after idling, the clock is a fraction of the clock at work. */
enum status cuda_warm_up(struct device *device, struct error *error);
/* Warms up for one window more, after a pause. */
enum status cuda_warm_again(struct device *device, struct error *error);

/* guards.c */
enum status cuda_write_guards(struct device *device, const struct launch_plan *plan,
                              struct error *error);
/* Writes new bands around inputs. */
enum status cuda_turn_bands(struct device *device, const struct launch_plan *plan,
                            struct error *error);

/* check.c */
/* Frees the memory of expected elements, which are copied again when needed. */
void cuda_drop_residents(struct device *device);

/* block.c */
/* Makes a block ready to be launched: graph (NULL where runs are issued one by one), scratch,
 * clock. */
enum status cuda_block_ready(struct device *device, const struct block *block, CUgraphExec *out,
                             struct error *error);

#endif
