/* Arrays that grow. */
#ifndef TUNE_BASE_ARRAY_H
#define TUNE_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

/* Elements of an array whose size is known here. */
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Makes room behind `count` items for one more, by doubling: `items` is the address of the pointer
 * to them (NULL at first; from malloc), `bytes` the size of one. False when memory is short; the
 * array is as it was then. */
bool array_grow(void *items, size_t count, size_t *capacity, size_t bytes);
/* The same for `more` items. */
bool array_grow_by(void *items, size_t count, size_t more, size_t *capacity, size_t bytes);

#endif
