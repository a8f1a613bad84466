/* `texture<float, 2> image;`, which CUDA had before version 12. */
#ifndef TUNE_DEVICE_CUDA_TEXTURE_REFERENCES_H
#define TUNE_DEVICE_CUDA_TEXTURE_REFERENCES_H

#include "tuner/base/tokens.h"

/* Tells whether the source uses texture references; false where the source has a type of that name.
 */
bool texture_references_exist(const struct tokens *tokens);
/* Tells whether `texture<` at the index is CUDA's type. */
bool is_texture_type(const struct tokens *tokens, size_t index);
/* Tells whether a texture reference is declared with the type at the index. */
bool declares_texture_reference(const struct tokens *tokens, size_t index);
/* Returns the alias that a typedef or `using` gives to the type at the index; 0: none. */
size_t texture_alias(const struct tokens *tokens, size_t index);
/* Tells whether a texture reference is declared with that alias at the index. */
bool declares_by_alias(const struct tokens *tokens, size_t alias, size_t index);

#endif
