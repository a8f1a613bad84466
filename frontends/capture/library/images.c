/* The size of an image given to the driver, and a copy if the program may free its own. */
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frontends/capture/library/recorder.h"

/* Format written by nvcc's fatbinary, as in the toolkit's fatbinary_section.h. */
static const uint32_t wrapper_magic = 0x466243b1, fatbin_magic = 0xba55ed50;
struct fatbin_wrapper {
    uint32_t magic, version;
    const void *data;
    const void *more;
};
struct fatbin_head {
    uint32_t magic;
    uint16_t version, head_bytes;
    uint64_t bytes; /* behind the head */
};
enum { COPY_BYTES_MAX = 1 << 30 };

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Returns the size of an ELF file, up to the end of all its tables and sections. */
static uint64_t elf_bytes(const void *data)
{
    Elf64_Ehdr head;
    memcpy(&head, data, sizeof head);
    if (head.e_ident[EI_CLASS] != ELFCLASS64)
        return 0;
    uint64_t end = larger(head.e_shoff + (uint64_t)head.e_shnum * head.e_shentsize,
                          head.e_phoff + (uint64_t)head.e_phnum * head.e_phentsize);
    for (unsigned i = 0; head.e_shoff > 0 && i < head.e_shnum; i++) {
        Elf64_Shdr section;
        memcpy(&section, (const char *)data + head.e_shoff + (size_t)i * head.e_shentsize,
               sizeof section);
        if (section.sh_type != SHT_NOBITS)
            end = larger(end, section.sh_offset + section.sh_size);
    }
    return end < COPY_BYTES_MAX ? end : 0;
}

/* Returns the size of the image at `*at`, or 0 if unknown. *at moves to the image in a wrapper. */
static uint64_t measure(const void **at, enum cap_image_kind *kind)
{
    uint32_t magic = 0;
    memcpy(&magic, *at, sizeof magic);
    if (magic == wrapper_magic) {
        struct fatbin_wrapper wrapper;
        memcpy(&wrapper, *at, sizeof wrapper);
        *at = wrapper.data;
        memcpy(&magic, *at, sizeof magic);
    }
    if (magic == fatbin_magic) {
        struct fatbin_head head;
        memcpy(&head, *at, sizeof head);
        *kind = CAP_IMAGE_FATBIN;
        return head.head_bytes + head.bytes;
    }
    if (memcmp(&magic, ELFMAG, SELFMAG) == 0) {
        *kind = CAP_IMAGE_CUBIN;
        return elf_bytes(*at);
    }
    /* PTX ends with a NUL; other first bytes mean an unknown kind. */
    const unsigned char first = *(const unsigned char *)*at;
    if (first < '\t' || first > '~')
        return 0;
    *kind = strstr(*at, ".version") ? CAP_IMAGE_PTX : CAP_IMAGE_OTHER;
    return strlen(*at);
}

struct image *image_of_memory(const void *data)
{
    Dl_info mapped;
    struct image *image = calloc(1, sizeof *image);
    if (!image || !data)
        return image;
    image->bytes = measure(&data, &image->kind);
    if (image->bytes == 0 || image->bytes > COPY_BYTES_MAX)
        return image;
    /* Memory of a mapped file stays as long as its module. */
    if (dladdr(data, &mapped) == 0) {
        image->owned = malloc(image->bytes);
        if (image->owned)
            memcpy(image->owned, data, image->bytes);
        data = image->owned;
    }
    image->data = data;
    return image;
}

struct image *image_of_file(const char *path)
{
    struct stat info;
    struct image *image = calloc(1, sizeof *image);
    const int file = image && path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0)
        return image;
    image->file = strdup(path);
    /* One more byte for the NUL of PTX. */
    if (fstat(file, &info) == 0 && S_ISREG(info.st_mode) &&
        info.st_size > (off_t)sizeof(Elf64_Ehdr) && info.st_size < COPY_BYTES_MAX)
        image->owned = calloc(1, (size_t)info.st_size + 1);
    const ssize_t got = image->owned ? read(file, image->owned, (size_t)info.st_size) : -1;
    if (image->owned && got == (ssize_t)info.st_size) {
        const void *at = image->owned;
        (void)measure(&at, &image->kind);
        image->data = image->owned;
        image->bytes = (uint64_t)got;
    }
    (void)close(file);
    return image;
}

void image_free(struct image *image)
{
    if (!image)
        return;
    free(image->owned);
    free(image->file);
    free(image);
}
