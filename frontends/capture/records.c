/* Records of files, and hashes of records. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontends/capture/internal.h"

bool record_at(const uint8_t *data, uint64_t bytes, uint64_t at, struct record *out)
{
    struct cap_record_head head;
    if (at > bytes || bytes - at < sizeof head)
        return false;
    memcpy(&head, data + at, sizeof head);
    const uint64_t room = bytes - at - sizeof head;
    if (head.type == CAP_NONE || head.fixed_bytes % CAP_ALIGN != 0 ||
        head.fixed_bytes > head.bytes || head.bytes > room)
        return false;
    const uint64_t padded = (head.bytes + CAP_ALIGN - 1) / CAP_ALIGN * CAP_ALIGN;
    if (padded > room)
        return false;
    *out = (struct record){
        .type = head.type,
        .fixed_bytes = head.fixed_bytes,
        .fixed = data + at + sizeof head,
        .rest = data + at + sizeof head + head.fixed_bytes,
        .rest_bytes = padded - head.fixed_bytes,
        .whole_bytes = sizeof head + padded,
    };
    return true;
}

uint64_t head_bytes(const uint8_t *data, uint64_t bytes)
{
    static const char magic[] = {CAP_MAGIC};
    struct cap_file_head head;
    if (bytes < sizeof head)
        return 0;
    memcpy(&head, data, sizeof head);
    if (memcmp(head.magic, magic, sizeof magic) != 0 || head.version != CAP_VERSION ||
        head.head_bytes < sizeof head || head.head_bytes % CAP_ALIGN != 0 ||
        head.head_bytes > bytes)
        return 0;
    return head.head_bytes;
}

void digest_of_text(const char text[HASH_TEXT_BYTES], uint8_t out[CAP_HASH_BYTES])
{
    for (size_t i = 0; i < CAP_HASH_BYTES; i++)
        out[i] = (uint8_t)strtoul((char[]){text[2 * i], text[2 * i + 1], '\0'}, NULL, 16);
}

void hash_text_of(const uint8_t digest[CAP_HASH_BYTES], char out[HASH_TEXT_BYTES])
{
    for (size_t i = 0; i < CAP_HASH_BYTES; i++)
        (void)snprintf(out + 2 * i, 3, "%02x", (unsigned)digest[i]);
}
