/* SPDX-FileCopyrightText: 2026 The tune authors
 * SPDX-License-Identifier: MIT */
/* libtuned reads tuned.conf, the launch configurations that `tune` found.
 *
 *     struct tuned_error error;
 *     struct tuned *tuned = tuned_load("tuned.conf", &error);   NULL on error, see error.text
 *     struct tuned_device device = {.kind = "cuda", .name = "NVIDIA H200",
 *                                   .compute_capability_major = 9, .unit_count = 132,
 *                                   .max_threads_per_block = 1024, .max_shared_bytes = 232448,
 *                                   .registers_per_unit = 65536};
 *     struct tuned_answer answer;
 *     struct tuned_launch launch;
 *     tuned_find(tuned, &device, "blur.f32", n, &answer);
 *     if (!tuned_answer_launch(&answer, 0, &launch))     no entry, or no launch for n: your own
 *         launch = (struct tuned_launch){.grid = {(n + 255) / 256, 1, 1}, .block = {256, 1, 1}};
 *     items = tuned_answer_integer(&answer, "items", 1); a parameter; 1 if there is no entry
 *     tuned_free(tuned);
 *
 * C99, the C library only. tuned_debug.c (tuned_reason, tuned_stale, TUNED_VERBOSE, TUNED_OVERRIDE)
 * and tuned_record.c (TUNED_RECORD) are optional with copied files. The library prints only if one
 * of these variables is set, ignores the locale and shares no state. A loaded object never changes:
 * any number of threads may read it. Only loading allocates memory; a look-up allocates none, takes
 * no lock and cannot fail. Texts and entries that functions return belong to the library and live
 * until tuned_free. Guide: docs/libtuned.md. File format: docs/tuned-conf.md. */
#ifndef TUNED_H
#define TUNED_H

#include <stddef.h>

#define TUNED_VERSION        "0.2.0"
#define TUNED_VERSION_NUMBER 200 /* major * 10000 + minor * 100 + patch, for #if */
#define TUNED_FORMAT_VERSION 5   /* newest file format; formats 1 to 4 are read as well */

/* Largest accepted file in bytes (256 MiB). */
#define TUNED_FILE_BYTES_MAX 268435456

#if defined(_WIN32) && defined(TUNED_BUILDS_SHARED)
#define TUNED_API __declspec(dllexport)
#elif defined(_WIN32) && defined(TUNED_SHARED)
#define TUNED_API __declspec(dllimport)
#elif defined(__GNUC__)
#define TUNED_API __attribute__((visibility("default")))
#else
#define TUNED_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct tuned;       /* one loaded file, or several in their order of precedence */
struct tuned_entry; /* one line: a problem, its sizes, its configuration, its evidence */

#define TUNED_ERROR_BYTES  252
#define TUNED_REASON_BYTES 1024 /* enough for every reason without a very long name */
#define TUNED_FILES_MAX    8    /* files of one tuned_open, the built-in text included */
#define TUNED_SIZES_MAX    8    /* size variables of an entry, n included */

/* Damaged: cut off, or a bad line. Unreadable: no permission, not a regular file, changed while it
 * was read. Format: newer than TUNED_FORMAT_VERSION. */
enum tuned_code { TUNED_DAMAGED = 1, TUNED_NO_FILE, TUNED_UNREADABLE, TUNED_FORMAT, TUNED_MEMORY };
struct tuned_error {
    int line;                     /* bad line, from 1; 0: no particular line */
    char text[TUNED_ERROR_BYTES]; /* one line: "tuned.conf:12: 'block' has no value" */
    int code;                     /* enum tuned_code, from libtuned 0.2.0 on; 0: no error */
};

/* Issue of a program's launches: as a graph, queued on a stream, or one by one by a host for which
 * the device waits. Programs that say so get entries for it (`for=eager`), if the file has some. */
enum tuned_issue { TUNED_GRAPH = 'g', TUNED_STREAM = 's', TUNED_EAGER = 'e' };

/* A device, described by the caller. Zero it first: 0 means unknown and is ignored in comparisons.
 * With a NULL name no device of the file counts as this device. */
struct tuned_device {
    const char *kind;             /* "cuda" or "cpu" */
    const char *name;             /* text of cuDeviceGetName, or "model name" of /proc/cpuinfo */
    int compute_capability_major; /* 9 of 9.0; 0 for a CPU */
    int compute_capability_minor;
    int unit_count;         /* multiprocessors (SMs) of a GPU, cores of a CPU */
    long long memory_bytes; /* memory size, which decides between equally near devices */
    double bandwidth_gbs;   /* memory bandwidth in GB/s; with unit_count, the device's distance */
    /* Limits: no entry is returned that needs more. 0: unknown, excludes no entry. */
    int max_threads_per_block;
    long long max_shared_bytes; /* shared memory per block (opt-in limit if the program opts in) */
    int registers_per_unit;     /* 32-bit registers per multiprocessor */
    int max_cluster_blocks;     /* result of cudaOccupancyMaxPotentialClusterSize; 1: no clusters */
    long long reserved[7];      /* 0 */
    int issue, spare;           /* enum tuned_issue, 0: unknown; 0 */
};

/* Quality of an answer, from worst to best. A look-up returns the best available. */
enum tuned_grade {
    TUNED_NONE,         /* no entry fits: use your defaults */
    TUNED_FAR_DEVICE,   /* other major compute capabilities; only by tuned_options.least_grade */
    TUNED_DEFAULT,      /* written by hand for every device */
    TUNED_OTHER_DEVICE, /* measured on another device of this kind and major compute capability */
    TUNED_PORTABLE,     /* smallest worst loss on known devices of this major compute capability */
    TUNED_SAME_MODEL,   /* measured on this model with another memory size */
    TUNED_NEAREST_SIZE, /* measured on this device, for other sizes */
    TUNED_IN_RANGE,     /* measured on this device; n is within the entry's sizes */
    TUNED_EXACT         /* measured on this device, at this size */
};

/* Result of a look-up. Plain data; the pointers are borrowed. */
struct tuned_answer {
    enum tuned_grade grade;
    const struct tuned_entry *entry; /* NULL if and only if the grade is TUNED_NONE */
    /* Distance from the measured case: the product of the ratios (each at least 1) of size, units
     * and bandwidth, minus 1. 0: no difference. A size in the entry's range counts as measured. */
    double distance;
    /* The request, for tuned_reason and tuned_answer_integer. */
    const struct tuned *tuned;
    const struct tuned_device *device;
    const char *problem;
    long long n;
    const struct tuned_size *sizes;
    size_t size_count;
    const struct tuned_entry *passed_over; /* nearer entry whose domain lacks the sizes, or NULL */
    long long reserved[3];
};

/* ---- loading ---- */

/* Loads one regular file, all or nothing. Returns NULL if the file cannot be read or is refused, or
 * memory is short; *error (may be NULL) then has the reason. Free the result with tuned_free. */
TUNED_API struct tuned *tuned_load(const char *path, struct tuned_error *error);
/* Loads a text of `bytes` bytes, which is copied. `name` replaces the path in errors. */
TUNED_API struct tuned *tuned_load_memory(const void *text, size_t bytes, const char *name,
                                          struct tuned_error *error);
TUNED_API void tuned_free(struct tuned *tuned); /* accepts NULL */
/* Returns a number that differs for every loaded object, even at the same address; 0 for NULL. */
TUNED_API unsigned long tuned_serial(const struct tuned *tuned);

/* Memory functions of the program. Only tuned_open and tuned_free call them, on their thread. */
struct tuned_allocator {
    void *(*allocate)(void *context, size_t bytes); /* aligned as by malloc; NULL: no memory */
    void (*release)(void *context, void *memory);   /* frees a block, never NULL */
    void *context;
};

enum {                             /* tuned_options.skip: places that tuned_open omits */
       TUNED_SKIP_ENVIRONMENT = 1, /* $TUNED_OFF, $TUNED_CONF, $XDG_CONFIG_HOME, $HOME */
       TUNED_SKIP_USER = 2,        /* the user's tuned.conf */
       TUNED_SKIP_SYSTEM = 4       /* /etc/tune/tuned.conf */
};

/* Receives the result of each look-up (the grade may be TUNED_NONE), on the thread of the look-up,
 * so possibly on several threads at once. *answer belongs to the caller of the look-up. */
typedef void tuned_on_find(void *context, const struct tuned_answer *answer);

/* Options of tuned_open. Zero it first. The two contexts must live until tuned_free, everything
 * else only during tuned_open. */
struct tuned_options {
    const char *const *paths; /* files that must exist, in their order of precedence */
    size_t path_count;        /* 0: $TUNED_CONF, if set */
    unsigned skip;            /* TUNED_SKIP_..., combined with | */
    /* 1: a refused file is omitted instead of refusing all; *error then describes the first one,
     * though the result is not NULL. */
    int leave_out_refused;
    const void *built_in; /* text of a tuned.conf within the program, the last place, or NULL */
    size_t built_in_bytes;
    const struct tuned_allocator *allocator; /* NULL: malloc and free */
    /* Lowest grade to return; 0: TUNED_DEFAULT. TUNED_FAR_DEVICE admits entries of other major
     * compute capabilities that the device can run. */
    enum tuned_grade least_grade;
    /* Largest ratio between requested and measured sizes (the product over all sizes, each at least
     * 1); 0: 8. */
    double size_factor;
    tuned_on_find *on_find; /* NULL: none */
    void *on_find_context;
    long long reserved[6]; /* 0 */
};

/* Loads all files of these places, all or nothing, in this order of precedence:
 *   1. options->paths, else the file named by $TUNED_CONF: these must exist
 *   2. the user's: $XDG_CONFIG_HOME/tune/tuned.conf, else $HOME/.config/tune/tuned.conf (on
 *      Windows %APPDATA%/tune/tuned.conf before the latter)
 *   3. the system's: /etc/tune/tuned.conf (on Windows %PROGRAMDATA%/tune/tuned.conf)
 *   4. the built-in text
 * An entry of place 1 for this very device wins over all other files. Otherwise the best grade
 * wins, and among equal grades the first place. `options` may be NULL. Returns NULL if a file is
 * refused, a file of place 1 is missing, no place has a file, or memory is short. To reload while
 * other threads read: open another object, swap the pointers, and free the old object after its
 * last reader (docs/libtuned.md). */
TUNED_API struct tuned *tuned_open(const struct tuned_options *options, struct tuned_error *error);
/* Returns the path of a loaded file ("built-in" for the built-in text), in order of precedence;
 * NULL past the end. */
TUNED_API const char *tuned_file_at(const struct tuned *tuned, size_t index);

/* ---- finding ---- */

/* Finds the best entry for a problem ("reduce.sum.i32") of n elements (from 0) on a device, and
 * fills in *answer. Returns answer->grade. Order of preference:
 *   1. this device: an entry whose sizes include n, else the nearest by the ratio to its nearer end
 *   2. the same model with another memory size
 *   3. the portable entry of this major compute capability
 *   4. another device of it: the same minor one, then the nearest units and bandwidth, then memory
 *   5. an entry for every device
 * Never returned: an entry that needs more than the device's limits or another compute capability,
 * whose `domain` lacks the sizes, or that is further away than tuned_options.size_factor. The grade
 * is TUNED_NONE if no entry is left, `tuned` or `device` is NULL, or n is negative. */
TUNED_API enum tuned_grade tuned_find(const struct tuned *tuned, const struct tuned_device *device,
                                      const char *problem, long long n,
                                      struct tuned_answer *answer);

/* A size besides n, under its name in the file ("m"). */
struct tuned_size {
    const char *name;
    long long size;
};
/* Finds as tuned_find, with further sizes. Names that the file lacks are ignored. A size that the
 * file has and the caller omits limits the grade to TUNED_NEAREST_SIZE. */
TUNED_API enum tuned_grade tuned_find_sizes(const struct tuned *tuned,
                                            const struct tuned_device *device, const char *problem,
                                            long long n, const struct tuned_size *sizes,
                                            size_t size_count, struct tuned_answer *answer);

/* A resolved pair of device and problem. The members are private; copies are allowed; valid until
 * tuned_free. Threads may share a handle. */
struct tuned_handle {
    const struct tuned *tuned;
    struct tuned_device device; /* copy of the caller's device, with borrowed texts */
    const char *problem;        /* borrowed as well */
    const void *own;
    unsigned number;
    long long reserved[8];
};
/* Resolves device and problem for many look-ups. Returns the best grade that any n can have; the
 * handle is usable even with TUNED_NONE. */
TUNED_API enum tuned_grade tuned_resolve(const struct tuned *tuned,
                                         const struct tuned_device *device, const char *problem,
                                         struct tuned_handle *handle);
/* Finds as tuned_find, in tens of nanoseconds. The handle must outlive the answer. */
TUNED_API enum tuned_grade tuned_find_resolved(const struct tuned_handle *handle, long long n,
                                               struct tuned_answer *answer);
TUNED_API enum tuned_grade tuned_find_resolved_sizes(const struct tuned_handle *handle, long long n,
                                                     const struct tuned_size *sizes,
                                                     size_t size_count,
                                                     struct tuned_answer *answer);

/* Writes the reason for an answer, or for a missing launch: one sentence without a full stop, cut
 * after bytes - 1 characters. The request's device and problem must still exist. (tuned_debug.c) */
TUNED_API void tuned_reason(const struct tuned_answer *answer, char *out, size_t bytes);
/* Returns "none", "far device", "default", "other device", "portable", "same model",
 * "nearest size", "in range" or "exact". */
TUNED_API const char *tuned_grade_name(enum tuned_grade grade);

/* ---- values of an entry ---- */

/* Returns a whole number of the entry for the requested size and device: the result of the file's
 * formula (`formula.NAME`) if there is one; a `per_unit` value scaled by the ratio of units and
 * rounded, at least 1; else the number in the file. Returns `otherwise` if the value is missing,
 * cannot be computed here, or was recorded for the measured size alone (`measured`) and the grade
 * is below TUNED_EXACT. */
TUNED_API long long tuned_answer_integer(const struct tuned_answer *answer, const char *name,
                                         long long otherwise);

/* Launch of a GPU kernel at the requested size on the requested device. */
struct tuned_launch {
    long long grid[3], block[3], cluster[3]; /* x, y, z; at least 1 each */
    long long shared_bytes;                  /* dynamic shared memory per block */
    long long is_cooperative;                /* 1: all blocks must be resident at once */
    long long reserved[5];
};
/* Evaluates launch `index` (from 0) of the entry. Returns 1 and fills *out; or returns 0 and leaves
 * it if the file has none for this size and device, or one beyond their limits (tuned_reason). */
TUNED_API int tuned_answer_launch(const struct tuned_answer *answer, int index,
                                  struct tuned_launch *out);

/* Returns a parameter or derived value as the file has it; `otherwise` if the entry is NULL, lacks
 * the name or has another type. Numbers and booleans are texts too, as for -DNAME=TEXT. */
TUNED_API long long tuned_integer(const struct tuned_entry *entry, const char *name,
                                  long long otherwise);
TUNED_API double tuned_real(const struct tuned_entry *entry, const char *name, double otherwise);
TUNED_API const char *tuned_text(const struct tuned_entry *entry, const char *name,
                                 const char *otherwise);

/* Returns the index of a name for all entries of `tuned`; -1 if no entry has the name. Functions of
 * the index return `otherwise` for -1. */
TUNED_API int tuned_value_index(const struct tuned *tuned, const char *name);
TUNED_API long long tuned_answer_integer_at(const struct tuned_answer *answer, int index,
                                            long long otherwise);
TUNED_API long long tuned_integer_at(const struct tuned_entry *entry, int index,
                                     long long otherwise);
TUNED_API double tuned_real_at(const struct tuned_entry *entry, int index, double otherwise);
TUNED_API const char *tuned_text_at(const struct tuned_entry *entry, int index,
                                    const char *otherwise);

/* Enumerates the values by position in the line, from 0; *name and *value are NULL past the end. */
TUNED_API size_t tuned_value_count(const struct tuned_entry *entry);
TUNED_API void tuned_value_at(const struct tuned_entry *entry, size_t position, const char **name,
                              const char **value);

/* Enumerates the evidence of the entry's own lines; NULL past the end. Evidence in the heading of
 * the device's section is not included; the two functions below find it. */
TUNED_API void tuned_evidence_at(const struct tuned_entry *entry, size_t position,
                                 const char **name, const char **value);

/* Returns evidence by name: "time_ns", "mad_ns", "gain.textbook", "ceiling_percent", "samples",
 * "source", "worst_loss_percent" ...; `otherwise` if it is missing. */
TUNED_API double tuned_evidence(const struct tuned_entry *entry, const char *name,
                                double otherwise);
TUNED_API const char *tuned_evidence_text(const struct tuned_entry *entry, const char *name,
                                          const char *otherwise);
/* Returns the measured time of one run of tuned_entry_n elements in ns; -1 if unknown. */
TUNED_API double tuned_expected_ns(const struct tuned_entry *entry);

/* Returns the problem of an entry. This and the following functions do not accept NULL. */
TUNED_API const char *tuned_entry_problem(const struct tuned_entry *entry);
/* Returns the measured size, or the smallest size of the entry if the file lacks it. */
TUNED_API long long tuned_entry_n(const struct tuned_entry *entry);
/* Returns the least or the greatest n of the entry; both are included. */
TUNED_API long long tuned_entry_n_low(const struct tuned_entry *entry);
TUNED_API long long tuned_entry_n_high(const struct tuned_entry *entry);
/* Returns the name of further size `position` (from 0) and fills in its ends; NULL past the end. */
TUNED_API const char *tuned_entry_size_at(const struct tuned_entry *entry, size_t position,
                                          long long *low, long long *high);
/* Returns the device of the entry's section; the name of a portable section is "*". */
TUNED_API const struct tuned_device *tuned_entry_device(const struct tuned_entry *entry);
TUNED_API int tuned_entry_line(const struct tuned_entry *entry);
TUNED_API const char *tuned_entry_file(const struct tuned_entry *entry); /* as tuned_file_at */
/* Returns a field of the device's section ("driver", "compiler" ...), or `otherwise`. */
TUNED_API const char *tuned_device_text(const struct tuned_entry *entry, const char *name,
                                        const char *otherwise);

/* Build and environment of a program, as texts of the file; NULL: not compared. */
struct tuned_build {
    const char *source;   /* hash of the kernel's source */
    const char *flags;    /* hash of the compiler flags */
    const char *driver;   /* "580.159.04 (CUDA 13.0)", or "CUDA 13.0" */
    const char *compiler; /* compiler of the toolkit: "NVRTC 13.0" */
    const void *reserved[4];
};
/* Compares the entry's build with the program's. Returns 1 and writes the first difference to `out`
 * (may be NULL), or 0 if all known texts are equal. (tuned_debug.c) */
TUNED_API int tuned_stale(const struct tuned_entry *entry, const struct tuned_build *have,
                          char *out, size_t bytes);

/* Enumerates all entries by file (in order of precedence), device, problem and n. */
TUNED_API size_t tuned_entry_count(const struct tuned *tuned);
TUNED_API const struct tuned_entry *tuned_entry_at(const struct tuned *tuned, size_t index);

/* Returns the version of the linked library; TUNED_VERSION is the version of this header. */
TUNED_API const char *tuned_version(void);

#ifdef __cplusplus
}
#endif

#endif
