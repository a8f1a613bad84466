/* `tune apply`: captured launches as tuned.conf names them, and the files of the preloaded library
 * (frontends/capture/library/apply.h). */
#ifndef TUNE_CAPTURE_APPLIED_H
#define TUNE_CAPTURE_APPLIED_H

#include "frontends/capture/capture.h"
#include "frontends/capture/library/apply.h"

/* What an entry's value `launched` says: the launch as the program made it, a hash of the numbers
 * that it passed, and where the addresses among them lie:
 * "4x1x1/256x1x1/1x1x1/64/HASH/0+8+16"; "none" in place of no addresses. `words` are offsets of
 * numbers of 4 bytes that may be others: behind it then come a hash of the rest, and the offsets,
 * "/HASH/28+32". */
struct applied_places {
    const uint32_t *pointers, *words;
    size_t pointer_count, word_count;
};
void applied_key(const struct captured_launch *launch, const struct applied_places *places,
                 struct text *out);
/* Into `from`, `numbers`, `pointers`, `others` and `words`; false: it is no such text. */
bool applied_key_read(const char *key, struct apply_row *out);
/* The same of an image's hash; false: it is none. */
bool applied_image_read(const char *hash, struct apply_row *out);

/* Writes both files into a folder; all counts are 0. `texts`: of text_bytes, the last one a NUL. */
enum status applied_write(const char *folder, const struct apply_row *rows, size_t count,
                          const void *texts, size_t text_bytes, struct error *error);
/* Reads the counts back: of `count` rows. */
enum status applied_counts(const char *folder, struct apply_counts_head *head,
                           struct apply_counts *counts, size_t count, struct error *error);

#endif
