/* An experiment with all features that an own kernel may need: several sources, folders, fills,
 * structs, symbols, no sizes, no reference; and a folder with its files. */
#ifndef TUNE_TESTS_OWN_FIXTURE_H
#define TUNE_TESTS_OWN_FIXTURE_H

#include "plan_fixture.h"

static const char *const own_text =
    "experiment: own\n"                                                              /* 1 */
    "sources: [k.cu, more.cu]\n"                                                     /* 2 */
    "include: [inc]\n"                                                               /* 3 */
    "std: c++20\n"                                                                   /* 4 */
    "axes: {type: [f32, f64]}\n"                                                     /* 5 */
    "parameters:\n"                                                                  /* 6 */
    "  block: [64, 128]\n"                                                           /* 7 */
    "  loads: \"[2**i for i in range(3)]\"\n"                                        /* 8 */
    "  warp_size: [1, 2]\n"                                                          /* 9 */
    "defaults: {block: 128, loads: 2, warp_size: 1}\n"                               /* 10 */
    "constraints: [loads * block <= 256]\n"                                          /* 11 */
    "derived: {grid: sm_count * active_blocks}\n"                                    /* 12 */
    "defines: {LOADS: loads}\n"                                                      /* 13 */
    "launches:\n"                                                                    /* 14 */
    "  - {kernel: prepare, grid: 1, block: 32, arguments: [x, y]}\n"                 /* 15 */
    "  - {kernel: own, grid: grid, block: block, repeat: 3 * loads}\n"               /* 16 */
    "arguments:\n"                                                                   /* 17 */
    "  - {name: x, type: \"${type}\", count: 1000, fill: {uniform: [-1, 2.5]}}\n"    /* 18 */
    "  - {name: k, type: i32, count: 8, fill: {series: \"2 * i - sm_count\"}}\n"     /* 19 */
    "  - {name: d, type: f32, count: 16, fill: {file: data.bin}}\n"                  /* 20 */
    "  - {name: c, type: f32, count: 17, symbol: c_filter, fill: {constant: 0.5}}\n" /* 21 */
    "  - {name: y, type: \"${type}\", count: 100, output: true}\n"                   /* 22 */
    "  - {name: z, type: i32, count: 10, update: true, fill: {normal: [5, 2]}}\n"    /* 23 */
    "  - {name: s, fields: [{type: f32, value: 1.5}, {type: i32, value: loads}]}\n"  /* 24 */
    "  - {name: a, type: f64, value: 2}\n";                                          /* 25 */

static const char *const own_files[][2] = {{"k.cu", "kernel"},
                                           {"more.cu", "more"},
                                           {"r.c", "reference"},
                                           {"inc/own.h", "x"},
                                           {"data.bin", NULL /* 64 bytes */},
                                           {"expected.bin", NULL}};
enum { OWN_FILES = sizeof own_files / sizeof *own_files, OWN_BINARY_BYTES = 64 };

static inline void own_path(const char *name, char path[128])
{
    (void)snprintf(path, 128, "%s/%s", folder, name);
}

static inline int make_own_folder(void **state)
{
    static const char zeros[OWN_BINARY_BYTES];
    char path[128];
    struct error error;
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    own_path("inc", path);
    if (folder_make(path, 0700, &error) != STATUS_OK)
        return -1;
    for (size_t i = 0; i < OWN_FILES; i++) {
        const char *text = own_files[i][1];
        own_path(own_files[i][0], path);
        if (file_write_atomically(path, text ? text : zeros, text ? strlen(text) : sizeof zeros,
                                  &error) != STATUS_OK)
            return -1;
    }
    return 0;
}

static inline int remove_own_folder(void **state)
{
    char path[128];
    (void)state;
    for (size_t i = 0; i < OWN_FILES; i++) {
        own_path(own_files[i][0], path);
        (void)unlink(path);
    }
    own_path("inc", path);
    (void)rmdir(path);
    return rmdir(folder);
}

/* Copies the text with this test's folder, whose name varies, replaced by FOLDER. */
static inline void without_folder(const char *text, char out[ERROR_TEXT_BYTES])
{
    const char *at = strstr(text, folder);
    const char *rest = at ? at + strlen(folder) : "";
    (void)snprintf(out, ERROR_TEXT_BYTES, "%.*s%s%s", at ? (int)(at - text) : ERROR_TEXT_BYTES,
                   text, at ? "FOLDER" : "", rest);
}

/* Loads the text with each `old` replaced by `new`, in turn; pairs end with NULL. */
static inline struct experiment *load_own(const char *const *changes)
{
    struct text text = {0};
    text_append(&text, own_text);
    for (size_t i = 0; changes && changes[i]; i += 2) {
        struct text changed = {0};
        replace(&changed, text_string(&text), changes[i], changes[i + 1]);
        text_free(&text);
        text = changed;
    }
    struct experiment *experiment = load_or_fail(text_string(&text));
    text_free(&text);
    return experiment;
}
#define LOAD_OWN(...) load_own((const char *const[]){__VA_ARGS__, NULL})

/* Starts the problem own.f32 (or own.f64) at block, loads and warp_size, with 4 resident blocks per
 * SM. */
static inline void start_own(struct fixture *fixture, struct experiment *experiment, size_t index,
                             int64_t block, int64_t loads)
{
    *fixture = (struct fixture){.experiment = experiment};
    add_gpu_facts(&fixture->facts);
    experiment_problem(experiment, index, &fixture->problem);
    fixture->configuration = (struct configuration){.count = 3,
                                                    .values = {{"block", value_integer(block)},
                                                               {"loads", value_integer(loads)},
                                                               {"warp_size", value_integer(2)}}};
    fixture->point = (struct point){.experiment = experiment,
                                    .problem = &fixture->problem,
                                    .facts = &fixture->facts,
                                    .configuration = &fixture->configuration,
                                    .active_blocks = 4};
}

static inline size_t checks_or_fail(struct fixture *fixture, struct output_check out[CHECKS_MAX])
{
    size_t count = 0;
    if (point_checks(&fixture->point, &fixture->arena, out, &count, &fixture->error) != STATUS_OK)
        fail_msg("%s", fixture->error.text);
    return count;
}

#endif
