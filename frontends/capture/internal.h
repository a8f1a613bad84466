/* Between the files of this room. */
#ifndef TUNE_CAPTURE_INTERNAL_H
#define TUNE_CAPTURE_INTERNAL_H

#include "frontends/capture/capture.h"
#include "tuner/base/arena.h"

/* A record where it lies: `fixed` has fixed_bytes, `rest` the bytes that its structure counts. */
struct record {
    uint32_t type;
    uint32_t fixed_bytes;
    const uint8_t *fixed, *rest;
    uint64_t rest_bytes;
    uint64_t whole_bytes; /* with its head and what pads it */
};
/* The record at `at`. False: there is none, or only a part of one. */
bool record_at(const uint8_t *data, uint64_t bytes, uint64_t at, struct record *out);
/* The bytes of a file's head; 0: it is no file of ours, or of a later version. */
uint64_t head_bytes(const uint8_t *data, uint64_t bytes);
/* A hash as records have it, and as the tuner writes it. */
void digest_of_text(const char text[HASH_TEXT_BYTES], uint8_t out[CAP_HASH_BYTES]);
void hash_text_of(const uint8_t digest[CAP_HASH_BYTES], char out[HASH_TEXT_BYTES]);

#endif
