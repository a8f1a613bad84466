/* A small experiment to vary, and a device to hand in. */
#ifndef TUNE_TESTS_EXPERIMENT_FIXTURE_H
#define TUNE_TESTS_EXPERIMENT_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/golden.h"
#include "tests/unit/suite.h"
#include "tuner/base/files.h"
#include "tuner/base/text.h"
#include "tuner/experiment/experiment.h"
#include "tuner/experiment/read.h"

static const char *const base_text = "experiment: scale\n"                                  /* 1 */
                                     "about: Scales an array.\n"                            /* 2 */
                                     "device: cuda\n"                                       /* 3 */
                                     "source: k.cu\n"                                       /* 4 */
                                     "axes:\n"                                              /* 5 */
                                     "  type: [i32, f32]\n"                                 /* 6 */
                                     "sizes:\n"                                             /* 7 */
                                     "  n: [2**20, 2**10, 10**8]\n"                         /* 8 */
                                     "parameters:\n"                                        /* 9 */
                                     "  variant: [plain, staged]\n"                         /* 10 */
                                     "  block: [128, 256, max_threads_per_block]\n"         /* 11 */
                                     "  per_sm: [1, 2, occupancy]\n"                        /* 12 */
                                     "constraints:\n"                                       /* 13 */
                                     "  - variant == \"plain\" or block >= 256\n"           /* 14 */
                                     "derived:\n"                                           /* 15 */
                                     "  resident: active_blocks if per_sm == "              /* 16 */
                                     "\"occupancy\" else per_sm\n"                          /*    */
                                     "  grid: min(sm_count * resident, "                    /* 17 */
                                     "ceil_div(n, block))\n"                                /*    */
                                     "defines:\n"                                           /* 18 */
                                     "  BLOCK: block\n"                                     /* 19 */
                                     "  ELEMENT: c_type(type)\n"                            /* 20 */
                                     "  STAGED: variant == \"staged\"\n"                    /* 21 */
                                     "flags: [\"-DWIDTH=${block // 32}\"]\n"                /* 22 */
                                     "launches:\n"                                          /* 23 */
                                     "  - kernel: scale_${variant}\n"                       /* 24 */
                                     "    grid: [grid, 2]\n"                                /* 25 */
                                     "    block: block\n"                                   /* 26 */
                                     "    shared: block * sizeof(type)\n"                   /* 27 */
                                     "  - when: variant == \"staged\"\n"                    /* 28 */
                                     "    kernel: finish\n"                                 /* 29 */
                                     "    grid: 1\n"                                        /* 30 */
                                     "    block: [ceil_div(block, 32), 2]\n"                /* 31 */
                                     "    arguments: [out, n, factor]\n"                    /* 32 */
                                     "arguments:\n"                                         /* 33 */
                                     "  - {name: in, type: \"${type}\", count: n}\n"        /* 34 */
                                     "  - {name: out, type: \"${type}\", count: n, "        /* 35 */
                                     "output: true}\n"                                      /*    */
                                     "  - {name: n, type: i64, value: n}\n"                 /* 36 */
                                     "  - {name: factor, type: f64, value: 1 / 2}\n"        /* 37 */
                                     "  - {name: part, type: u8, count: grid * 4, "         /* 38 */
                                     "scratch: true}\n"                                     /*    */
                                     "check:\n"                                             /* 39 */
                                     "  reference: scale_reference\n"                       /* 40 */
                                     "  source: r.c\n"                                      /* 41 */
                                     "  output: out\n"                                      /* 42 */
                                     "  tolerance: 1e-6 if is_real(type) else 0\n"          /* 43 */
                                     "metrics:\n"                                           /* 44 */
                                     "  bytes: 2 * n * sizeof(type)\n"                      /* 45 */
                                     "baselines:\n"                                         /* 46 */
                                     "  - name: textbook\n"                                 /* 47 */
                                     "    about: as in the book\n"                          /* 48 */
                                     "    occupancy: block\n"                               /* 49 */
                                     "    set: {variant: plain, block: 1024, per_sm: 2}\n"; /* 50 */

static char folder[] = "/tmp/tune-experiment-XXXXXX";

static __attribute__((unused)) int make_folder(void **state)
{
    (void)state;
    char path[64];
    struct error error;
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/k.cu", folder);
    if (file_write_atomically(path, "kernel", 6, &error) != STATUS_OK)
        return -1;
    snprintf(path, sizeof path, "%s/r.c", folder);
    return file_write_atomically(path, "reference", 9, &error) == STATUS_OK ? 0 : -1;
}

static __attribute__((unused)) int remove_folder(void **state)
{
    (void)state;
    char path[64];
    snprintf(path, sizeof path, "%s/k.cu", folder);
    (void)unlink(path);
    snprintf(path, sizeof path, "%s/r.c", folder);
    (void)unlink(path);
    return rmdir(folder);
}

static enum status load_text(const char *text, struct experiment **out, struct error *error)
{
    return experiment_load_text("t.yaml", text, strlen(text), folder, out, error);
}

/* Copies the base text with the first `old` replaced by `new`. */
static void replace(struct text *out, const char *text, const char *old, const char *new)
{
    const char *at = strstr(text, old);
    if (!at)
        fail_msg("the base text has no '%s'", old);
    text_append_bytes(out, text, (size_t)(at - text));
    text_append(out, new);
    text_append(out, at + strlen(old));
    assert_false(out->failed);
}

static struct experiment *load_or_fail(const char *text)
{
    struct experiment *experiment = NULL;
    struct error error;
    if (load_text(text, &experiment, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    return experiment;
}

static __attribute__((unused)) struct experiment *load_changed(const char *old, const char *new)
{
    struct text text = {0};
    replace(&text, base_text, old, new);
    struct experiment *experiment = load_or_fail(text_string(&text));
    text_free(&text);
    return experiment;
}

static __attribute__((unused)) void add_gpu_facts(struct facts *facts)
{
    facts_add_text(facts, "architecture", "sm_90");
    facts_add_text(facts, "compute_capability", "9.0");
    facts_add_integer(facts, "sm_count", 132);
    facts_add_integer(facts, "max_threads_per_block", 1024);
    facts_add_integer(facts, "max_threads_per_sm", 2048);
    facts_add_integer(facts, "max_blocks_per_sm", 32);
    facts_add_integer(facts, "registers_per_sm", 65536);
    facts_add_integer(facts, "shared_bytes_per_block", 49152);
    facts_add_integer(facts, "shared_bytes_per_block_optin", 232448);
    facts_add_integer(facts, "shared_bytes_per_sm", 233472);
    facts_add_integer(facts, "warp_size", 32);
    facts_add_integer(facts, "l2_bytes", 62914560);
    facts_add_integer(facts, "memory_bytes", INT64_C(150754820096));
}

static __attribute__((unused)) void add_cpu_facts(struct facts *facts)
{
    facts_add_text(facts, "architecture", "native");
    facts_add_integer(facts, "cores", 2);
    facts_add_integer(facts, "hardware_threads", 4);
    facts_add_integer(facts, "packages", 1);
    facts_add_integer(facts, "numa_nodes", 1);
    facts_add_integer(facts, "l1d_bytes", 32768);
    facts_add_integer(facts, "l2_bytes", 1048576);
    facts_add_integer(facts, "l3_bytes", 33554432);
    facts_add_integer(facts, "memory_bytes", INT64_C(8589934592));
}

#endif
