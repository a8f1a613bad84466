/* The container between compiling and loading: written files are read back, and damage is detected.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef TUNE_WITH_CUDA
#include <stdio.h>
#include <unistd.h>

#include "tests/unit/suite.h"
#include "tuner/base/files.h"
#include "tuner/base/seal.h"
#include "tuner/device/cuda/container.h"

static const struct container sample = {
    .kernel_count = 2,
    .kernels = {{"reduce<int, 4>", "_Z6reduceIiLi4EEvPKT_PS0_", 48}, {"add", "add", -1}},
    .cubin = "\177ELF and so on",
    .cubin_bytes = 14,
};

static unsigned char *write_sample(struct arena *arena, size_t *bytes)
{
    void *file = NULL;
    struct error error;
    assert_int_equal(container_write(arena, &sample, &file, bytes, &error), STATUS_OK);
    return file;
}

TEST(test_reads_what_it_wrote)
{
    struct arena arena = {0};
    struct container read;
    struct error error;
    size_t bytes = 0;
    const unsigned char *file = write_sample(&arena, &bytes);
    assert_int_equal(container_read(file, bytes, &read, &error), STATUS_OK);
    assert_int_equal(read.kernel_count, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_string_equal(read.kernels[i].name, sample.kernels[i].name);
        assert_string_equal(read.kernels[i].lowered, sample.kernels[i].lowered);
        assert_int_equal(read.kernels[i].spill_bytes, sample.kernels[i].spill_bytes);
    }
    assert_int_equal(read.cubin_bytes, sample.cubin_bytes);
    assert_memory_equal(read.cubin, sample.cubin, sample.cubin_bytes);
    assert_int_equal((uintptr_t)read.cubin % 16, (uintptr_t)file % 16);
    arena_free(&arena);
}

/* Reads a copy in a block of exactly that size, so that a checker sees a read past its end. */
static enum status read_copy(const unsigned char *file, size_t bytes)
{
    struct container read;
    struct error error = {0};
    size_t contents = 0;
    unsigned char *copy = malloc(bytes ? bytes : 1);
    assert_non_null(copy);
    memcpy(copy, file, bytes);
    bool fits = seal_contents(copy, bytes, &contents);
    enum status status = container_read(copy, contents, &read, &error);
    if (status != STATUS_OK)
        assert_true(error.text[0] != '\0');
    free(copy);
    return fits ? status : STATUS_BAD_INPUT;
}

/* Writes the file as in the cache: sealed. */
static unsigned char *write_sealed(struct arena *arena, char path[64], size_t *bytes)
{
    struct error error = {0};
    char *file = NULL;
    const unsigned char *plain = write_sample(arena, bytes);
    (void)snprintf(path, 64, "container-%d.bin", (int)getpid());
    assert_int_equal(file_write_atomically(path, plain, *bytes, &error), STATUS_OK);
    assert_int_equal(seal_file(path, &error), STATUS_OK);
    assert_int_equal(file_read(arena, path, 1 << 20, &file, bytes, &error), STATUS_OK);
    return (unsigned char *)file;
}

TEST(test_notices_each_cut)
{
    struct arena arena = {0};
    char path[64];
    size_t bytes = 0, plain = 0;
    (void)write_sample(&arena, &plain);
    const unsigned char *file = write_sealed(&arena, path, &bytes);
    for (size_t cut = 0; cut < bytes; cut++)
        assert_int_equal(read_copy(file, cut), cut == plain ? STATUS_OK : STATUS_BAD_INPUT);
    assert_int_equal(unlink(path), 0);
    arena_free(&arena);
}

TEST(test_notices_each_flipped_bit)
{
    struct arena arena = {0};
    struct container read;
    struct error error = {0};
    char path[64];
    size_t bytes = 0;
    unsigned char *file = write_sealed(&arena, path, &bytes);
    for (size_t bit = 0; bit < 8 * bytes; bit++) {
        file[bit / 8] ^= (unsigned char)(1u << bit % 8);
        assert_int_equal(read_copy(file, bytes), STATUS_BAD_INPUT);
        file[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    assert_int_equal(read_copy(file, bytes), STATUS_OK);
    assert_int_equal(container_open(&arena, path, &read, &error), STATUS_OK);
    assert_memory_equal(read.cubin, sample.cubin, sample.cubin_bytes);
    file[40] ^= 1;
    assert_int_equal(file_write_atomically(path, file, bytes, &error), STATUS_OK);
    assert_int_equal(container_open(&arena, path, &read, &error), STATUS_BAD_INPUT);
    assert_non_null(strstr(error.text, path));
    assert_int_equal(unlink(path), 0);
    arena_free(&arena);
}

TEST(test_reads_spills_of_the_right_kernel)
{
    static const char log[] =
        "ptxas info    : 0 bytes gmem\n"
        "ptxas info    : Compiling entry function 'add2' for 'sm_90'\n"
        "ptxas info    : Function properties for add2\n"
        "    0 bytes stack frame, 12 bytes spill stores, 20 bytes spill loads\n"
        "ptxas info    : Used 255 registers, used 1 barriers\n"
        "ptxas info    : Compiling entry function 'add' for 'sm_90'\n"
        "ptxas info    : Function properties for add\n"
        "ptxas         .     8 bytes stack frame, 4 bytes spill stores, 0 bytes spill loads\n";
    assert_int_equal(ptxas_spill_bytes(log, "add2"), 32);
    assert_int_equal(ptxas_spill_bytes(log, "add"), 4);
    assert_int_equal(ptxas_spill_bytes(log, "ad"), -1);
    assert_int_equal(ptxas_spill_bytes("", "add"), -1);
    assert_int_equal(ptxas_spill_bytes("Function properties for add", "add"), -1);
}

TEST_MAIN(NULL, NULL)
#else
int main(void)
{
    (void)puts("skipped: built without CUDA");
    return 0;
}
#endif
