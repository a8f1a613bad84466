/* Values as the bytes of kernel parameters: scalars, and structs in the layout of C. */
#ifndef TUNE_BASE_PACK_H
#define TUNE_BASE_PACK_H

#include "tuner/base/error.h"
#include "tuner/base/launch.h"

/* Bytes of a struct or any other value passed, at most. */
enum { VALUE_BYTES_MAX = FIELDS_MAX * 8 };

/* Converts a value to an element, rounded once; false for a text, a number out of the type's range,
 * and a real that is no integer where one is needed. */
bool scalar_bytes(struct value value, enum element_type type, unsigned char out[8]);

/* Packs a scalar or a struct (with C's gaps between and behind fields, filled with 0), and returns
 * the number of bytes. STATUS_BAD_INPUT names the argument whose value does not fit its type. */
enum status argument_pack(const struct argument *argument, unsigned char out[VALUE_BYTES_MAX],
                          size_t *bytes, struct error *error);

/* Writes the address of the vector of argument `target` into those fields of a packed struct that
 * point to the vector. Before, these fields hold offsets from the vector's start. */
void argument_point(const struct argument *argument, size_t target, uint64_t address,
                    unsigned char packed[VALUE_BYTES_MAX]);

/* Returns the size of the kernel's parameter; a pointer's for a vector. */
size_t argument_passed_bytes(const struct argument *argument);
/* Returns the size of a vector's elements, or of a value. */
size_t argument_bytes(const struct argument *argument);
/* Returns the size of the data copied into the argument's variable; the object's for a texture. */
size_t argument_symbol_bytes(const struct argument *argument);
/* Returns STATUS_BAD_INPUT if the argument does not fit its variable of `room` bytes. A smaller
 * argument fills the beginning of an array made for the largest one. */
enum status argument_fits_symbol(const struct argument *argument, size_t room, struct error *error);
/* Returns a hash of the fill's contents, whatever the number of elements (which counts for a
 * variant). Never 0. */
uint64_t argument_contents(const struct argument *argument);

#endif
