/* `tune apply`: captured launches as named in tuned.conf, and the files of the preloaded library
 * (frontends/capture/library/apply.h). */
#ifndef TUNE_CAPTURE_APPLIED_H
#define TUNE_CAPTURE_APPLIED_H

#include "frontends/capture/capture.h"
#include "frontends/capture/library/apply.h"

/* An entry's value `launched`: the program's launch, a hash of the numbers passed, and the offsets
 * of addresses: "4x1x1/256x1x1/1x1x1/64/HASH/0+8+16", or "none" without addresses. `words` are
 * offsets of 4-byte numbers that may vary; if there are any, a hash of the rest and the offsets
 * follow: "/HASH/28+32". */
struct applied_places {
    const uint32_t *pointers, *words;
    size_t pointer_count, word_count;
};
void applied_key(const struct captured_launch *launch, const struct applied_places *places,
                 struct text *out);
/* Reads `from`, `numbers`, `pointers`, `others` and `words`. Returns false if the text is invalid.
 */
bool applied_key_read(const char *key, struct apply_row *out);
/* Reads an image's hash. Returns false if the text is invalid. */
bool applied_image_read(const char *hash, struct apply_row *out);

/* Writes both files into a folder; all counts are 0. `texts`: of text_bytes, the last one a NUL. */
enum status applied_write(const char *folder, const struct apply_row *rows, size_t count,
                          const void *texts, size_t text_bytes, struct error *error);
/* Reads the counts back: of `count` rows. */
enum status applied_counts(const char *folder, struct apply_counts_head *head,
                           struct apply_counts *counts, size_t count, struct error *error);

#endif
