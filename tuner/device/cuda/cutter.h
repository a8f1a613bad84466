/* Between host_part.c, which decides what of a source is left out, and host_text.c, which writes
 * what is left. */
#ifndef TUNE_DEVICE_CUDA_CUTTER_H
#define TUNE_DEVICE_CUDA_CUTTER_H

#include "tuner/base/text.h"
#include "tuner/device/cuda/host_part.h"
#include "tuner/device/cuda/reached.h"

/* Of a token. */
enum fate {
    KEPT,
    CUT,
    ENDED,             /* cut, but for a ; */
    MADE_DEVICE,       /* kept, with __host__ __device__ before it */
    MADE_TEXTURE,      /* `texture`, which has a name of ours */
    TEXTURE_REFERENCE, /* likewise, with __constant__ before it */
    TEXTURE_ALIAS,     /* another name of such a type, likewise */
};

struct cutter {
    struct arena *arena;
    struct tokens tokens;
    char *fates;               /* by token */
    struct text device_macros; /* a line each: those whose text makes something the device's */
    struct text call_macros;   /* likewise: those that take arguments */
    struct text host_macros;   /* of these: instances of the host's templates, what launches */
    struct text left_out;
    struct text left_types; /* those that were left out whole */
    struct text namespaces; /* those of the source */
    bool opens_std;         /* using namespace std */
    bool uses_std;
    struct piece *pieces; /* from malloc */
    size_t piece_count, piece_capacity;
    long type; /* the piece whose members are read */
    bool failed;
};

/* Whether one of the lines is that name. */
bool lines_have(const struct text *lines, const char *name, size_t length);
void lines_add(struct text *lines, const char *name, size_t length);
/* Leaves out the tokens from `first` up to `end` but for directives. */
void cutter_cut(struct cutter *cutter, size_t first, size_t end);
/* `at::TensorAccessor`, for which a header of ours stands. */
bool is_accessor(const struct cutter *cutter, size_t index);

/* host_text.c */

/* Whether what is left names the standard library's namespace. */
bool uses_std(const struct cutter *cutter);
/* Leaves out `using std::cout;` whose name only the host's part has. */
void cut_using(struct cutter *cutter);
/* Leaves out headers of the host; with `roots` those, too, that nothing has. */
void cut_headers(struct cutter *cutter, const struct device_roots *roots);
bool has_directive(const struct cutter *cutter, const char *directive, const char *name);
/* What is left, line by line where it was. False: memory is short. */
bool write_text(struct cutter *cutter, const char *source, enum leave leave,
                struct device_part *out);

#endif
