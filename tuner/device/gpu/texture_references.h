/* `texture<float, 2> image;`, which CUDA had before version 12. */
#ifndef TUNE_DEVICE_GPU_TEXTURE_REFERENCES_H
#define TUNE_DEVICE_GPU_TEXTURE_REFERENCES_H

#include "tuner/base/tokens.h"

/* Whether the source names them; false where it has a type of that name itself. */
bool texture_references_exist(const struct tokens *tokens);
/* Whether `texture<` at the index is CUDA's type. */
bool is_texture_type(const struct tokens *tokens, size_t index);
/* Whether a texture reference is declared with the type at the index. */
bool declares_texture_reference(const struct tokens *tokens, size_t index);
/* The name that the type at the index is given by a typedef or `using`; 0: none. */
size_t texture_alias(const struct tokens *tokens, size_t index);
/* Whether one is declared with that name at the index. */
bool declares_by_alias(const struct tokens *tokens, size_t alias, size_t index);

#endif
