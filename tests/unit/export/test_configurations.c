/* The kernels that tuned.conf files name, as lines to compile in. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/suite.h"
#include "tuner/base/files.h"
#include "views/export/configurations.h"

static struct error error;

/* A data folder with one experiment: `scale` is compiled as `factor`, `way` chooses the launch,
 * `spread` only changes the grid. */
static const char experiment[] = "experiment: add\n"
                                 "device: cuda\n"
                                 "source: kernels/add.cu\n"
                                 "axes:\n"
                                 "  type: [i32]\n"
                                 "sizes:\n"
                                 "  n: [100]\n"
                                 "parameters:\n"
                                 "  spread: [1, 2]\n"
                                 "  block: [64, 128]\n"
                                 "  scale: [1, 2]\n"
                                 "  way: [plain, other]\n"
                                 "  pad: [0, 1]\n"
                                 "derived:\n"
                                 "  grid: ceil_div(n, block) * spread\n"
                                 "  factor: scale * 10\n"
                                 "  _padding: 16 * pad\n"
                                 "  element: type\n"
                                 "defines:\n"
                                 "  BLOCK: block\n"
                                 "  FACTOR: factor\n"
                                 "  PADDING: _padding\n"
                                 "  ELEMENT: element\n"
                                 "launches:\n"
                                 "  - {when: way == 'plain', kernel: plain, grid: grid, block: "
                                 "block, arguments: [out]}\n"
                                 "  - {when: way == 'other', kernel: other, grid: grid, block: "
                                 "block, arguments: [out]}\n"
                                 "arguments:\n"
                                 "  - {name: out, type: i32, count: 1, output: true}\n"
                                 "check:\n"
                                 "  reference: add_reference\n"
                                 "  source: kernels/add.cu\n"
                                 "  output: out\n";

#define GPU "[cuda \"G\"] compute_capability=9.0 sm_count=132\n"

struct folder {
    char path[64];
};

static void write_file(const struct folder *folder, const char *name, const char *text)
{
    char path[128];
    (void)snprintf(path, sizeof path, "%s/%s", folder->path, name);
    if (file_write_atomically(path, text, strlen(text), &error) != STATUS_OK)
        fail_msg("%s", error.text);
}

static int setup(void **state)
{
    struct folder *folder = calloc(1, sizeof *folder);
    assert_non_null(folder);
    (void)snprintf(folder->path, sizeof folder->path, "/tmp/tune_lines_XXXXXX");
    assert_non_null(mkdtemp(folder->path));
    char path[128];
    (void)snprintf(path, sizeof path, "%s/configs", folder->path);
    assert_int_equal(mkdir(path, 0700), 0);
    (void)snprintf(path, sizeof path, "%s/kernels", folder->path);
    assert_int_equal(mkdir(path, 0700), 0);
    write_file(folder, "configs/add.yaml", experiment);
    write_file(folder, "kernels/add.cu", "\n");
    *state = folder;
    return 0;
}

static int teardown(void **state)
{
    struct folder *folder = *state;
    const char *const names[] = {"configs/add.yaml", "kernels/add.cu", "configs", "kernels", ""};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[128];
        (void)snprintf(path, sizeof path, "%s/%s", folder->path, names[i]);
        assert_int_equal(remove(path), 0);
    }
    free(folder);
    return 0;
}

/* Returns the lines without the remarks above them. */
static const char *lines_of(const struct text *text)
{
    const char *first = strstr(text_string(text), "TUNE_CONFIGURATION(");
    return first ? first : "";
}

static struct configuration_counts export_two(const struct folder *folder, const char *first,
                                              const char *second, struct text *out)
{
    const struct conf_text files[] = {{"first", first, strlen(first)},
                                      {"second", second, strlen(second)}};
    struct configuration_counts counts;
    if (export_configurations(files, 2, folder->path, out, &counts, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    return counts;
}

TEST_WITH(kernels_are_named_once_and_in_order, setup, teardown)
{
    struct text text = {0};
    const struct configuration_counts counts = export_two(
        *state,
        "tuned-conf 2\n" GPU
        "add.i32 n=1-9 spread=2 block=64 scale=2 way=plain pad=1 grid=1 factor=20 element=i32\n"
        "add.i32 n=10-99 spread=1 block=64 scale=2 way=plain pad=1 grid=7 factor=20 element=i32\n"
        "end\n",
        "tuned-conf 2\n[cuda \"H\"]\n"
        "add.i32 n=5 spread=1 block=128 scale=1 way=other pad=0 grid=1 factor=10 element=i32\n"
        "add.i32 n=6 spread=1 block=64 scale=2 way=plain pad=1 grid=1 factor=20 element=i32\nend\n",
        &text);
    assert_string_equal(lines_of(&text),
                        "TUNE_CONFIGURATION(\"add.i32 block=128 way=other pad=0 factor=10\")\n"
                        "TUNE_CONFIGURATION(\"add.i32 block=64 way=plain pad=1 factor=20\")\n");
    assert_int_equal(counts.lines, 2);
    assert_int_equal(counts.strange, 0);
    text_free(&text);
}

TEST_WITH(what_is_not_known_here_is_left_out_and_counted, setup, teardown)
{
    struct text text = {0};
    const struct configuration_counts counts = export_two(
        *state, "tuned-conf 2\n" GPU "gone.i32 n=1 block=64\nadd.i32 n=1 block=64 way=plain\nend\n",
        "tuned-conf 2\n[cpu \"C\"] cores=2\n"
        "add.i32 n=5 spread=1 block=128 scale=1 way=other pad=0 grid=1 factor=10\nend\n",
        &text);
    assert_string_equal(lines_of(&text), "");
    assert_int_equal(counts.lines, 0);
    assert_int_equal(counts.strange, 2); /* a CPU's entry is no kernel of a GPU */
    text_free(&text);
}

TEST_WITH(values_become_the_inside_of_a_c_string, setup, teardown)
{
    struct text text = {0};
    (void)export_two(*state,
                     "tuned-conf 2\n" GPU
                     "add.i32 n=1 block=64 way=\"a\\\"b\\\\c\" pad=0 factor=1\nend\n",
                     "tuned-conf 2\nend\n", &text);
    assert_string_equal(lines_of(&text), "TUNE_CONFIGURATION(\"add.i32 block=64 way=a\\\"b\\\\c "
                                         "pad=0 factor=1\")\n");
    text_free(&text);
}

TEST_WITH(refused_files_are_named, setup, teardown)
{
    const struct folder *folder = *state;
    struct text text = {0};
    const struct conf_text cut = {"cut.conf", "tuned-conf 2\n", 13};
    assert_int_equal(export_configurations(&cut, 1, folder->path, &text, NULL, &error),
                     STATUS_BAD_INPUT);
    assert_non_null(strstr(error.text, "cut.conf"));
    write_file(folder, "configs/add.yaml", "experiment: [\n");
    static const char conf[] = "tuned-conf 2\n" GPU "add.i32 n=1 block=64\nend\n";
    const struct conf_text good = {"good.conf", conf, sizeof conf - 1};
    assert_int_equal(export_configurations(&good, 1, folder->path, &text, NULL, &error),
                     STATUS_BAD_INPUT);
    assert_non_null(strstr(error.text, "add.yaml"));
    text_free(&text);
}

TEST_MAIN(NULL, NULL)
