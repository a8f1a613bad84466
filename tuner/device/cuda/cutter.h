/* Between host_part.c, which decides what is left out, and device_text.c, which writes the rest. */
#ifndef TUNE_DEVICE_CUDA_CUTTER_H
#define TUNE_DEVICE_CUDA_CUTTER_H

#include "tuner/base/text.h"
#include "tuner/device/cuda/host_part.h"
#include "tuner/device/cuda/tokens.h"

enum fate { KEPT, CUT, MADE_DEVICE /* kept, with __host__ __device__ before it */ };

struct cutter {
    struct arena *arena;
    struct tokens tokens;
    char *fates;               /* by token */
    struct text device_macros; /* a line each: those whose text makes something the device's */
    struct text call_macros;   /* likewise: those that take arguments */
    struct text left_out;
    bool opens_std; /* using namespace std */
    bool uses_std;
};

/* The word there, of letters, digits and _: its length. */
size_t cutter_word(const char *at, const char *end);
/* Whether the token is `#word`; *rest is what follows. */
bool cutter_is_directive(const struct token *token, const char *word, const char **rest);
void cutter_cut(struct cutter *cutter, size_t first, size_t end);
/* Lines of names. */
bool cutter_has_line(const struct text *lines, const char *name, size_t length);
void cutter_add_line(struct text *lines, const char *name, size_t length);

/* device_text.c. Headers of the host, and what `defines` replace, are marked; then the rest is
 * written. False: memory is short. */
bool cutter_write(struct cutter *cutter, const char *source, const struct named_value *defines,
                  size_t define_count, struct device_part *out);

#endif
