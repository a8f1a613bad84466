/* Captures: written records are read again, cut ones are left out, and damaged ones are refused. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frontends/capture/capture.h"
#include "tests/unit/capture/capture_fixture.h"
#include "tests/unit/suite.h"
#include "tuner/base/files.h"
#include "tuner/base/temporary.h"

enum { BUFFER_BYTES = 3 * CAP_BLOCK_BYTES + 1000 };

struct place {
    struct temporary folder;
    char path[PATH_MAX + 16];
};

static int setup(void **state)
{
    struct error error = {0};
    struct place *place = calloc(1, sizeof *place);
    assert_non_null(place);
    if (temporary_folder_make("/tmp/tune-test-capture-", &place->folder, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    (void)snprintf(place->path, sizeof place->path, "%s/a.cap", place->folder.path);
    *state = place;
    return 0;
}

static int teardown(void **state)
{
    struct place *place = *state;
    temporary_folder_remove(&place->folder);
    free(place);
    return 0;
}

/* Writes a launch scale(out, in, 3) whose `out` changes in its last block only. */
static void write_scale(const struct place *place, long pid, uint8_t fill)
{
    static const struct cap_parameter parameters[] = {{0, 8}, {8, 8}, {16, 4}};
    static uint8_t before[BUFFER_BYTES], after[BUFFER_BYTES], in[BUFFER_BYTES];
    struct capture_fixture fixture;
    memset(before, fill, sizeof before);
    memcpy(after, before, sizeof before);
    after[BUFFER_BYTES - 1] ^= 1;
    memset(in, 0, sizeof in);
    assert_true(fixture_begin(&fixture, place->folder.path, pid));
    const uint32_t image = fixture_image(&fixture, CAP_IMAGE_PTX, ".version 9.0", 12);
    struct cap_kernel *kernel = fixture_kernel(&fixture, "_Z5scalePfPKfi", image, parameters, 3);
    assert_non_null(kernel);
    kernel->launches = 7;
    assert_true(fixture_shape(&fixture, 1, 12, 256, 7));
    const struct cap_buffer buffers[] = {
        {.address = 0x7f0000000000,
         .bytes = BUFFER_BYTES,
         .before = fixture_contents(&fixture, before, sizeof before),
         .after = fixture_contents(&fixture, after, sizeof after)},
        {.address = 0x7f0000400000,
         .bytes = BUFFER_BYTES,
         .before = fixture_contents(&fixture, in, sizeof in),
         .after = fixture_contents(&fixture, in, sizeof in)},
        {.address = 0x7f0000800000,
         .bytes = 4,
         .memory = CAP_MEMORY_CONSTANT,
         .name_offset = 1,
         .left_out = CAP_LEFT_UNREADABLE},
    };
    const struct cap_pointer pointers[] = {{CAP_IN_PARAMETERS, 0, 0, 0},
                                           {CAP_IN_PARAMETERS, 1, 8, 64}};
    const uint64_t block[] = {0x7f0000000000, 0x7f0000400040, 3};
    assert_true(fixture_launch(
        &fixture, (struct cap_launch){.kernel = 1, .grid = {12, 1, 1}, .block = {256, 1, 1}}, block,
        20, buffers, 3, pointers, 2, "\0factor", 8));
    fixture_end(&fixture);
}

static struct capture *open_capture(const char *path)
{
    struct capture *capture = NULL;
    struct error error = {0};
    if (capture_open(path, &capture, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    return capture;
}

static void join(const struct place *place, bool pack)
{
    struct error error = {0};
    if (capture_join(place->folder.path, place->path, pack, &error) != STATUS_OK)
        fail_msg("%s", error.text);
}

static void assert_scale(const struct captured_launch *launch, uint8_t fill)
{
    uint8_t got[BUFFER_BYTES];
    assert_string_equal(launch->kernel->name, "_Z5scalePfPKfi");
    assert_int_equal(launch->kernel->is.launches, 7);
    assert_int_equal(launch->kernel->parameters[2].bytes, 4);
    assert_memory_equal(launch->kernel->image->data, ".version 9.0", 12);
    assert_string_equal(launch->device->name, "Test GPU");
    assert_int_equal(launch->is.parameter_bytes, 20);
    assert_true(launch->buffers[0].changed);
    assert_false(launch->buffers[1].changed);
    assert_string_equal(launch->buffers[1].name, "");
    assert_string_equal(launch->buffers[2].name, "factor");
    assert_null(launch->buffers[2].before);
    assert_int_equal(launch->pointers[1].offset, 64);
    assert_true(captured_read(launch->buffers[0].after, 0, BUFFER_BYTES, got));
    assert_int_equal(got[0], fill);
    assert_int_equal(got[BUFFER_BYTES - 1], fill ^ 1);
    assert_true(captured_read(launch->buffers[0].before, CAP_BLOCK_BYTES - 1,
                              (uint64_t)2 * CAP_BLOCK_BYTES, got));
    assert_int_equal(got[2 * CAP_BLOCK_BYTES - 1], fill);
    assert_true(captured_read(launch->buffers[1].before, BUFFER_BYTES - 5, 5, got));
    assert_int_equal(got[0], 0);
    assert_false(captured_read(launch->buffers[1].before, BUFFER_BYTES - 5, 6, got));
    assert_false(captured_read(launch->buffers[1].before, UINT64_MAX, 2, got));
}

TEST_WITH(test_what_is_written_is_read, setup, teardown)
{
    const struct place *place = *state;
    write_scale(place, 41, 5);
    for (int packed = 0; packed < 2; packed++) {
        struct stat info;
        join(place, packed == 1);
        struct capture *capture = open_capture(place->path);
        assert_int_equal(capture->program_count, 1);
        assert_int_equal(capture->launch_count, 1);
        assert_string_equal(capture->programs[0].path, "/opt/app");
        assert_int_equal(capture->programs[0].command_count, 3);
        assert_string_equal(capture->programs[0].command[2], "3");
        assert_scale(&capture->launches[0], 5);
        assert_int_equal(stat(place->path, &info), 0);
        assert_int_equal(info.st_mode & 0777, 0600);
        /* Each block once: that of `out` and its two ends; zeros never. */
        assert_true(capture->file_bytes < (uint64_t)2 * CAP_BLOCK_BYTES);
        capture_close(capture);
    }
}

TEST_WITH(test_each_process_has_its_own_numbers, setup, teardown)
{
    const struct place *place = *state;
    write_scale(place, 41, 5);
    write_scale(place, 42, 9);
    join(place, false);
    struct capture *capture = open_capture(place->path);
    assert_int_equal(capture->program_count, 2);
    assert_int_equal(capture->launch_count, 2);
    assert_scale(&capture->launches[0], 5);
    assert_scale(&capture->launches[1], 9);
    assert_ptr_equal(capture->launches[1].kernel, &capture->kernels[1]);
    assert_ptr_equal(capture->kernels[1].program, &capture->programs[1]);
    capture_close(capture);
}

/* A killed process leaves a part of a record: the complete records are kept. */
TEST_WITH(test_a_cut_record_is_left_out, setup, teardown)
{
    const struct place *place = *state;
    char path[PATH_MAX + 32];
    struct stat info;
    write_scale(place, 41, 5);
    (void)snprintf(path, sizeof path, "%s/41-0.data", place->folder.path);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(truncate(path, info.st_size - 8), 0);
    join(place, false);
    struct capture *capture = open_capture(place->path);
    assert_int_equal(capture->launch_count, 0);
    assert_int_equal(capture->kernels[0].is.launches, 7);
    assert_int_equal(capture->shapes[0].is.grid[0], 12);
    capture_close(capture);
}

static void assert_refused(const char *path, const char *words)
{
    struct capture *capture = NULL;
    struct error error = {0};
    assert_int_equal(capture_open(path, &capture, &error), STATUS_BAD_INPUT);
    assert_null(capture);
    if (!strstr(error.text, words))
        fail_msg("\"%s\" is not in \"%s\"", words, error.text);
}

TEST_WITH(test_damage_is_found, setup, teardown)
{
    const struct place *place = *state;
    struct arena arena = {0};
    struct error error = {0};
    char *data = NULL;
    size_t bytes = 0;
    write_scale(place, 41, 5);
    join(place, false);
    assert_int_equal(file_read(&arena, place->path, 1 << 30, &data, &bytes, &error), STATUS_OK);
    const size_t places[] = {20, bytes / 2, bytes - 60};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        data[places[i]] ^= 4;
        assert_int_equal(file_write_atomically(place->path, data, bytes, &error), STATUS_OK);
        assert_refused(place->path, "damaged");
        data[places[i]] ^= 4;
    }
    assert_int_equal(file_write_atomically(place->path, data, bytes - 8, &error), STATUS_OK);
    assert_refused(place->path, "cut");
    assert_int_equal(file_write_atomically(place->path, "SQLite format 3", 15, &error), STATUS_OK);
    assert_refused(place->path, "no capture");
    assert_int_equal(file_write_atomically(place->path, "", 0, &error), STATUS_OK);
    assert_refused(place->path, "empty");
    arena_free(&arena);
}

/* Records that name missing ones, in a file whose hash is right. */
TEST_WITH(test_numbers_that_lead_nowhere, setup, teardown)
{
    const struct place *place = *state;
    const struct cap_parameter parameters[] = {{0, 8}};
    static const struct wrong {
        struct cap_launch launch;
        struct cap_buffer buffer;
        struct cap_pointer pointer;
        const char *words;
    } wrong[] = {
        {{.kernel = 2}, {.bytes = 16}, {CAP_IN_PARAMETERS, 0, 0, 0}, "kernel is not there"},
        {{.kernel = 1}, {.bytes = 16, .before = 2}, {CAP_IN_PARAMETERS, 0, 0, 0}, "content"},
        {{.kernel = 1}, {.bytes = 17, .before = 1}, {CAP_IN_PARAMETERS, 0, 0, 0}, "content"},
        {{.kernel = 1}, {.bytes = 16, .name_offset = 1}, {CAP_IN_PARAMETERS, 0, 0, 0}, "name"},
        {{.kernel = 1}, {.bytes = 16}, {CAP_IN_PARAMETERS, 1, 0, 0}, "nowhere"},
        {{.kernel = 1}, {.bytes = 16}, {CAP_IN_PARAMETERS, 0, 1, 0}, "nowhere"},
        {{.kernel = 1}, {.bytes = 16}, {CAP_IN_PARAMETERS, 0, 0, 17}, "nowhere"},
        {{.kernel = 1}, {.bytes = 16}, {0, 0, 9, 0}, "nowhere"},
        {{.kernel = 1}, {.bytes = 16}, {1, 0, 0, 0}, "nowhere"},
        {{.kernel = 1, .buffer_count = 9}, {.bytes = 16}, {CAP_IN_PARAMETERS, 0, 0, 0}, NULL},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct capture_fixture fixture;
        temporary_folder_empty((struct temporary *)(uintptr_t)&place->folder);
        assert_true(fixture_begin(&fixture, place->folder.path, 1));
        assert_non_null(fixture_kernel(&fixture, "k", 0, parameters, 1));
        assert_int_equal(fixture_contents(&fixture, "0123456789abcdef", 16), 1);
        assert_true(fixture_launch(&fixture, wrong[i].launch, "01234567", 8, &wrong[i].buffer, 1,
                                   &wrong[i].pointer, 1, "", 1));
        fixture_end(&fixture);
        join(place, false);
        if (wrong[i].words)
            assert_refused(place->path, wrong[i].words);
        else
            capture_close(open_capture(place->path)); /* counts are the writer's */
    }
}

/* A limit of the file's size acts as a full disk: only complete records, no signal, and the table
 * continues. */
TEST_WITH(test_a_full_disk, setup, teardown)
{
    const struct place *place = *state;
    static uint8_t noise[64 * CAP_BLOCK_BYTES];
    struct capture_fixture fixture;
    struct rlimit before;
    for (size_t i = 0; i < sizeof noise; i++)
        noise[i] = (uint8_t)(i * 2654435761U >> 13);
    assert_true(fixture_begin(&fixture, place->folder.path, 1));
    assert_non_null(fixture_kernel(&fixture, "k", 0, NULL, 0));
    assert_int_not_equal(fixture_contents(&fixture, noise, CAP_BLOCK_BYTES), 0);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    const struct rlimit small = {10 * CAP_BLOCK_BYTES + 100, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    assert_int_equal(fixture_contents(&fixture, noise, sizeof noise), 0);
    assert_true(fixture.writer.failed);
    assert_true(fixture_shape(&fixture, 1, 1, 32, 1));
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    fixture_end(&fixture);
    join(place, false);
    struct capture *capture = open_capture(place->path);
    assert_int_equal(capture->launch_count, 0);
    assert_int_equal(capture->shape_count, 1);
    capture_close(capture);
}

/* More kernels than a piece of the table holds. */
TEST_WITH(test_a_table_grows, setup, teardown)
{
    const struct place *place = *state;
    enum { KERNELS = 3000 };
    struct capture_fixture fixture;
    char name[1000];
    struct cap_kernel *first = NULL;
    memset(name, 'k', sizeof name);
    assert_true(fixture_begin(&fixture, place->folder.path, 1));
    for (int i = 0; i < KERNELS; i++) {
        (void)snprintf(name + 900, 100, "%d", i);
        struct cap_kernel *kernel = fixture_kernel(&fixture, name, 0, NULL, 0);
        assert_non_null(kernel);
        first = i == 0 ? kernel : first;
    }
    first->launches = 9;
    fixture_end(&fixture);
    join(place, true);
    struct capture *capture = open_capture(place->path);
    assert_int_equal(capture->kernel_count, KERNELS);
    assert_int_equal(capture->kernels[0].is.launches, 9);
    assert_string_equal(capture->kernels[KERNELS - 1].name + 900, "2999");
    capture_close(capture);
}

/* The file of the process that recorded most becomes the whole one, with the others' records
 * behind. */
TEST_WITH(test_a_file_with_room_is_not_copied, setup, teardown)
{
    const struct place *place = *state;
    char data_path[PATH_MAX + 32];
    struct stat before, after;
    write_scale(place, 41, 5);
    fixture_has_room = true;
    write_scale(place, 42, 7);
    fixture_has_room = false;
    assert_true(string_format(data_path, sizeof data_path, "%s/42-0.data", place->folder.path));
    assert_int_equal(stat(data_path, &before), 0);
    join(place, false);
    assert_int_equal(stat(place->path, &after), 0);
    assert_true(before.st_ino == after.st_ino);
    assert_int_equal(after.st_mode & 0777, 0600);
    struct capture *capture = open_capture(place->path);
    assert_int_equal(capture->program_count, 2);
    assert_int_equal(capture->programs[0].is.pid, 42);
    assert_scale(&capture->launches[0], 7);
    assert_scale(&capture->launches[1], 5);
    capture_close(capture);
}

TEST_WITH(test_nobody_recorded, setup, teardown)
{
    const struct place *place = *state;
    struct error error = {0};
    assert_int_equal(capture_join(place->folder.path, place->path, true, &error), STATUS_NOT_FOUND);
    assert_false(file_exists(place->path));
}

TEST(test_names_as_people_say_them)
{
    static const char *const names[][2] = {
        {"blur", "blur"},
        {"_Z4blurPfPKfi", "blur"},
        {"_ZN3own3addIiEEvPKT_S3_PS1_iS1_", "add"},
        {"_ZL6hiddenv", "hidden"},
        {"_Z6lookup6Inputs4DataP4Data", "lookup"},
        {"_ZN12_GLOBAL__N_15inner4deepEv", "deep"},
        {"_Z", "_Z"},
        {"_Z99short", "_Z99short"},
        {"_Z18446744073709551616a", "_Z18446744073709551616a"},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char plain[64];
        captured_plain_name(names[i][0], plain, sizeof plain);
        assert_string_equal(plain, names[i][1]);
    }
}

TEST_MAIN(NULL, NULL)
