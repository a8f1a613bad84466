/* Between the files of this room. */
#ifndef TUNE_CAPTURE_INTERNAL_H
#define TUNE_CAPTURE_INTERNAL_H

#include "frontends/capture/capture.h"
#include "tuner/base/arena.h"

/* A record in place: `fixed` has fixed_bytes, `rest` the bytes counted by the structure. */
struct record {
    uint32_t type;
    uint32_t fixed_bytes;
    const uint8_t *fixed, *rest;
    uint64_t rest_bytes;
    uint64_t whole_bytes; /* including head and padding */
};
/* Reads the record at `at`. Returns false if there is none or only a part. */
bool record_at(const uint8_t *data, uint64_t bytes, uint64_t at, struct record *out);
/* Returns the length of a file's head; 0 if the file is no capture or of a later version. */
uint64_t head_bytes(const uint8_t *data, uint64_t bytes);
/* Converts a hash between the record's bytes and the tuner's text. */
void digest_of_text(const char text[HASH_TEXT_BYTES], uint8_t out[CAP_HASH_BYTES]);
void hash_text_of(const uint8_t digest[CAP_HASH_BYTES], char out[HASH_TEXT_BYTES]);

#endif
