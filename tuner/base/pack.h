/* Values as the bytes that a kernel takes: scalars, and structs in the layout of C. */
#ifndef TUNE_BASE_PACK_H
#define TUNE_BASE_PACK_H

#include "tuner/base/error.h"
#include "tuner/base/launch.h"

/* Of a struct, or anything else that is passed by value. */
enum { VALUE_BYTES_MAX = FIELDS_MAX * 8 };

/* Converts a value to an element; false when it is text or out of the type's range. */
bool scalar_bytes(struct value value, enum element_type type, unsigned char out[8]);

/* What is passed by value for a scalar or a struct (with the gaps that C puts between fields and
 * behind them, which are 0), and how many bytes. STATUS_BAD_INPUT names the argument whose value
 * does not fit its type. */
enum status argument_pack(const struct argument *argument, unsigned char out[VALUE_BYTES_MAX],
                          size_t *bytes, struct error *error);

/* Writes the address of the vector of argument `target` into those fields of a packed struct that
 * point to it. Until then they hold how far behind its start they point. */
void argument_point(const struct argument *argument, size_t target, uint64_t address,
                    unsigned char packed[VALUE_BYTES_MAX]);

/* Bytes that a kernel's parameter for it has: of a vector a pointer. */
size_t argument_passed_bytes(const struct argument *argument);
/* Bytes of a vector's elements, or of a value. */
size_t argument_bytes(const struct argument *argument);
/* Of what is copied into its variable: of a texture the object. */
size_t argument_symbol_bytes(const struct argument *argument);
/* Whether it can be copied into its variable, of `room` bytes: STATUS_BAD_INPUT. What is smaller is
 * the beginning of an array for the most there may be. */
enum status argument_fits_symbol(const struct argument *argument, size_t room, struct error *error);
/* Stands for what the fill puts into a vector, however many elements it has; of a variant, of so
 * many. Never 0. */
uint64_t argument_contents(const struct argument *argument);

#endif
