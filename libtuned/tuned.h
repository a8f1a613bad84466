/* SPDX-FileCopyrightText: 2026 The tune authors
 * SPDX-License-Identifier: MIT */
/* libtuned: reads tuned.conf, the launch configurations that `tune` found.
 *
 *     struct tuned_error error;
 *     struct tuned *tuned = tuned_load("tuned.conf", &error);   NULL: error.text says why
 *     struct tuned_device device = {.kind = "cuda", .name = "NVIDIA H200",
 *                                   .compute_capability_major = 9, .unit_count = 132,
 *                                   .max_threads_per_block = 1024, .max_shared_bytes = 232448,
 *                                   .registers_per_unit = 65536};
 *     struct tuned_answer answer;
 *     struct tuned_launch launch;
 *     tuned_find(tuned, &device, "blur.f32", n, &answer);
 *     if (!tuned_answer_launch(&answer, 0, &launch))     your own, where the file tells none for n
 *         launch = (struct tuned_launch){.grid = {(n + 255) / 256, 1, 1}, .block = {256, 1, 1}};
 *     items = tuned_answer_integer(&answer, "items", 1); a parameter; 1 when there is no entry
 *     tuned_free(tuned);
 *
 * C99, nothing but the C library; of its two files tuned_debug.c is for people who debug, and may
 * be left out. Nothing is printed (but where a person set TUNED_VERBOSE or TUNED_OVERRIDE), no
 * state is shared, the locale has no say. What was loaded never changes: any number of threads may
 * read it at the same time. Only loading allocates; a look-up allocates nothing and takes no lock.
 * docs/libtuned.md is the guide, docs/tuned-conf.md the format of the file. */
#ifndef TUNED_H
#define TUNED_H

#include <stddef.h>

#define TUNED_VERSION        "0.2.0"
#define TUNED_VERSION_NUMBER 200 /* major * 10000 + minor * 100 + patch, for #if */
#define TUNED_FORMAT_VERSION 5   /* the newest that is read; 1 to 4 are read too */

/* Larger files (256 MiB) are refused. */
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

struct tuned;       /* one file that was loaded, or several with a precedence */
struct tuned_entry; /* one line: a problem at some sizes, its configuration, the evidence */

#define TUNED_ERROR_BYTES  252
#define TUNED_REASON_BYTES 1024 /* enough for any reason but that of a very long name */
#define TUNED_FILES_MAX    8    /* files that one tuned_open reads, the built-in text included */
#define TUNED_SIZES_MAX    8    /* size variables of an entry, n included */

/* Damaged: cut off, or with a bad line. Unreadable: no permission, no regular file, changed. */
enum tuned_code { TUNED_DAMAGED = 1, TUNED_NO_FILE, TUNED_UNREADABLE, TUNED_FORMAT, TUNED_MEMORY };
struct tuned_error {
    int line;                     /* the bad line, from 1; 0 when no line is to blame */
    char text[TUNED_ERROR_BYTES]; /* one line: "tuned.conf:12: 'block' has no value" */
    int code;                     /* enum tuned_code, from libtuned 0.2.0 on; 0: loaded */
};

/* A device, as the caller fills it in; zero it first. 0 is unknown and ignored in comparisons; with
 * a NULL name no device of the file is taken for this one. */
struct tuned_device {
    const char *kind;             /* "cuda" or "cpu" */
    const char *name;             /* cuDeviceGetName's; "model name" of /proc/cpuinfo */
    int compute_capability_major; /* a GPU's; 0 for a CPU */
    int compute_capability_minor;
    int unit_count;         /* multiprocessors (SMs) of a GPU, cores of a CPU */
    long long memory_bytes; /* only chooses between devices that are equally near */
    double bandwidth_gbs;   /* GB/s of the memory; with unit_count, how near two devices are */
    /* Limits of the asking device: an entry that needs more is not given. 0: no limit is known. */
    int max_threads_per_block;
    long long max_shared_bytes; /* of a block, the opt-in limit where the program opts in */
    int registers_per_unit;     /* of one multiprocessor, 32 bits each */
    int max_cluster_blocks;     /* cudaOccupancyMaxPotentialClusterSize's; 1: no clusters */
    long long reserved[8];      /* 0 */
};

/* How good an answer is: the greater, the better. The greatest there is is given. */
enum tuned_grade {
    TUNED_NONE,         /* nothing fits: use your defaults */
    TUNED_FAR_DEVICE,   /* measured on devices of other major compute capabilities; only given where
                           tuned_options.least_grade asks for it */
    TUNED_DEFAULT,      /* for every device, by whoever wrote it: measured on none of this kind */
    TUNED_OTHER_DEVICE, /* measured on another device of this kind and major compute capability */
    TUNED_PORTABLE,     /* chosen to lose least on all devices of this major compute capability that
                           were measured */
    TUNED_SAME_MODEL,   /* measured on this model with another size of memory */
    TUNED_NEAREST_SIZE, /* tuned on this device, for other sizes */
    TUNED_IN_RANGE,     /* tuned on this device for sizes that this one lies between */
    TUNED_EXACT         /* measured on this device, at this size */
};

struct tuned_answer {
    enum tuned_grade grade;
    const struct tuned_entry *entry; /* NULL when the grade is TUNED_NONE; lives until tuned_free */
    /* 0 where nothing differs from what was measured. Else by how much: the product of the ratios
     * (each at least 1) of size, units and bandwidth to those measured, less 1. Within a range the
     * size counts as measured; an entry for every device has no units that could differ. */
    double distance;
    /* What was asked, borrowed from the caller, for tuned_reason and tuned_answer_integer. */
    const struct tuned *tuned;
    const struct tuned_device *device;
    const char *problem;
    long long n;
    const struct tuned_size *sizes;
    size_t size_count;
    const struct tuned_entry *passed_over; /* nearer, but not for these sizes; NULL: none */
    long long reserved[3];
};

/* ---- loading ---- */

/* Loads a file, all or nothing. NULL when it cannot be read, is refused, or memory is short; the
 * error (which may be NULL) then says where and why. Only regular files are read. Freed by
 * tuned_free. */
TUNED_API struct tuned *tuned_load(const char *path, struct tuned_error *error);
/* The same from memory; `name` stands for the path in errors. The text is copied. */
TUNED_API struct tuned *tuned_load_memory(const void *text, size_t bytes, const char *name,
                                          struct tuned_error *error);
TUNED_API void tuned_free(struct tuned *tuned); /* NULL is fine */
/* Another number each time something is loaded, at the same address, too; 0 of NULL. */
TUNED_API unsigned long tuned_serial(const struct tuned *tuned);

/* Where memory comes from: `allocate` returns memory that is aligned as malloc's, or NULL.
 * Both are called by tuned_open and tuned_free alone, on the thread that calls these. */
struct tuned_allocator {
    void *(*allocate)(void *context, size_t bytes);
    void (*release)(void *context, void *memory); /* memory is never NULL */
    void *context;
};

enum {                             /* tuned_options.skip: places that tuned_open does not look at */
       TUNED_SKIP_ENVIRONMENT = 1, /* $TUNED_CONF, $XDG_CONFIG_HOME and $HOME: the user's places */
       TUNED_SKIP_USER = 2,        /* the user's tuned.conf */
       TUNED_SKIP_SYSTEM = 4       /* /etc/tune/tuned.conf */
};

struct tuned_answer;
/* Called at the end of each look-up, on its thread, with what it gave (the grade may be
 * TUNED_NONE); from several threads at once where several look up. The answer is the caller's of
 * the look-up. */
typedef void tuned_on_find(void *context, const struct tuned_answer *answer);

/* Zero it first. Pointers are used during tuned_open, the contexts until tuned_free. */
struct tuned_options {
    const char *const *paths; /* files that must be there, the first before the second ... */
    size_t path_count;        /* 0: $TUNED_CONF, where it is set */
    unsigned skip;            /* TUNED_SKIP_... */
    /* Files that are refused are left out instead of refusing everything; the error then tells of
     * the first such, though something was loaded. */
    int leave_out_refused;
    const void *built_in; /* a tuned.conf within the program, last of all; NULL: none */
    size_t built_in_bytes;
    const struct tuned_allocator *allocator; /* NULL: malloc and free */
    /* No answer is below this; 0 is TUNED_DEFAULT. TUNED_FAR_DEVICE: also what was measured on
     * devices of other major compute capabilities, where these can run it. */
    enum tuned_grade least_grade;
    /* No answer was measured at sizes further away than so many times (the product of all sizes'
     * ratios, each at least 1); 0 is 8. */
    double size_factor;
    tuned_on_find *on_find; /* NULL: none */
    void *on_find_context;
    long long reserved[6]; /* 0 */
};

/* Loads what there is, all or nothing, from these places:
 *   1. options.paths, else the file that $TUNED_CONF names: these must be there
 *   2. the user's, $XDG_CONFIG_HOME/tune/tuned.conf, else $HOME/.config/tune/tuned.conf (on Windows
 *      %APPDATA%/tune/tuned.conf before the latter)
 *   3. the system's, /etc/tune/tuned.conf (on Windows %PROGRAMDATA%/tune/tuned.conf)
 *   4. the built-in text
 * What a file that must be there has of the asking device itself goes before all others; then a
 * look-up gives the best grade of all of them, and of the same grade that of the first place.
 * NULL when a file is refused, when a file that must be there is not, when there is none at all,
 * or memory is short. `options` may be NULL. Nothing that was loaded before changes: to load anew
 * while others read, open another, swap the pointers, and free the old one when its last reader
 * is done (docs/libtuned.md). */
TUNED_API struct tuned *tuned_open(const struct tuned_options *options, struct tuned_error *error);
/* The files that were read, in the order of precedence; NULL past the end. "built-in" is the name
 * of the built-in text. */
TUNED_API const char *tuned_file_at(const struct tuned *tuned, size_t index);

/* ---- finding ---- */

/* The best entry for a problem ("reduce.sum.i32") of n elements on a device: the one whose sizes n
 * is among, else the nearest, by the ratio to the nearer end of its sizes, within
 * tuned_options.size_factor. Where this device was not tuned: the same model with another size of
 * memory; then what loses least on all devices of this major compute capability that were measured;
 * then others of it, first of the same minor one, then nearest by the ratio of units and of
 * bandwidth, then the nearest memory; then what is written for every device. Entries that the
 * device cannot run are passed over in every grade: of other compute capabilities, with larger
 * clusters, more threads, shared memory or registers than its limits; and those whose `domain`
 * lacks the sizes. TUNED_NONE, too, when `tuned` or `device` is NULL, or n below 0. */
TUNED_API enum tuned_grade tuned_find(const struct tuned *tuned, const struct tuned_device *device,
                                      const char *problem, long long n,
                                      struct tuned_answer *answer);

/* A size besides n, by the name that the file has for it ("m"). */
struct tuned_size {
    const char *name;
    long long size;
};
/* The same with further sizes; those that the file does not know are ignored. A size that the file
 * has and is not given keeps the grade at TUNED_NEAREST_SIZE or below. */
TUNED_API enum tuned_grade tuned_find_sizes(const struct tuned *tuned,
                                            const struct tuned_device *device, const char *problem,
                                            long long n, const struct tuned_size *sizes,
                                            size_t size_count, struct tuned_answer *answer);

/* A device and a problem that were looked for once. Filled in by tuned_resolve; the members are the
 * library's. Copy it as you like; valid until tuned_free. */
struct tuned_handle {
    const struct tuned *tuned;
    struct tuned_device device; /* its texts are borrowed from the caller of tuned_resolve */
    const char *problem;        /* borrowed, too */
    const void *own;
    unsigned number;
    long long reserved[8];
};
/* The greatest grade that tuned_find_resolved can give: TUNED_NONE when nothing fits (the handle is
 * usable all the same). */
TUNED_API enum tuned_grade tuned_resolve(const struct tuned *tuned,
                                         const struct tuned_device *device, const char *problem,
                                         struct tuned_handle *handle);
/* What tuned_find gives, in tens of nanoseconds. The handle must outlive the answer. */
TUNED_API enum tuned_grade tuned_find_resolved(const struct tuned_handle *handle, long long n,
                                               struct tuned_answer *answer);
TUNED_API enum tuned_grade tuned_find_resolved_sizes(const struct tuned_handle *handle, long long n,
                                                     const struct tuned_size *sizes,
                                                     size_t size_count,
                                                     struct tuned_answer *answer);

/* Why this answer, or no launch, in one sentence without a full stop; cut where `bytes` is short.
 * The device and the problem given to tuned_find must still be there. In tuned_debug.c. */
TUNED_API void tuned_reason(const struct tuned_answer *answer, char *out, size_t bytes);
/* "none", "far device", "default", "portable", "other device", "same model", "nearest size",
 * "in range", "exact". */
TUNED_API const char *tuned_grade_name(enum tuned_grade grade);

/* ---- what an entry holds ---- */

/* A whole number of the answer's entry, fit for the size and the device that were asked about:
 * where the file has a formula for the value (`formula.NAME`), what that comes to; a value that is
 * proportional to the number of units (`per_unit`) is scaled by units asked over units measured,
 * rounded, at least 1. `otherwise` as below, and for a derived value that is known for what was
 * measured alone (`measured`) when the grade is below TUNED_EXACT. */
TUNED_API long long tuned_answer_integer(const struct tuned_answer *answer, const char *name,
                                         long long otherwise);

/* A launch of the answer: how a GPU's kernel is to be launched at the size and on the device that
 * were asked about. */
struct tuned_launch {
    long long grid[3], block[3], cluster[3]; /* at least 1 each */
    long long shared_bytes;                  /* dynamic shared memory of a block */
    long long is_cooperative; /* 1: all blocks must be resident at once, as they wait for others */
    long long reserved[5];
};
/* Launch `index`, from 0, of the configuration's. 0 when the file does not tell what it is at this
 * size on this device (tuned_reason: why), or has none of that number: *out is as it was. */
TUNED_API int tuned_answer_launch(const struct tuned_answer *answer, int index,
                                  struct tuned_launch *out);

/* A parameter or derived value of the entry by its name, as the file has it; `otherwise` when the
 * entry is NULL, has none of that name, or has one of another type. Numbers and booleans have a
 * text too: it is what the file says, good for -DNAME=TEXT. Texts live until tuned_free. */
TUNED_API long long tuned_integer(const struct tuned_entry *entry, const char *name,
                                  long long otherwise);
TUNED_API double tuned_real(const struct tuned_entry *entry, const char *name, double otherwise);
TUNED_API const char *tuned_text(const struct tuned_entry *entry, const char *name,
                                 const char *otherwise);

/* The index of a name, resolved once: it holds for all entries of `tuned`, until tuned_free. -1
 * when no entry has the name; the functions below then give `otherwise`. */
TUNED_API int tuned_value_index(const struct tuned *tuned, const char *name);
TUNED_API long long tuned_answer_integer_at(const struct tuned_answer *answer, int index,
                                            long long otherwise);
TUNED_API long long tuned_integer_at(const struct tuned_entry *entry, int index,
                                     long long otherwise);
TUNED_API double tuned_real_at(const struct tuned_entry *entry, int index, double otherwise);
TUNED_API const char *tuned_text_at(const struct tuned_entry *entry, int index,
                                    const char *otherwise);

/* All values, by their position in the line, no index; name and value are NULL past the end. */
TUNED_API size_t tuned_value_count(const struct tuned_entry *entry);
TUNED_API void tuned_value_at(const struct tuned_entry *entry, size_t position, const char **name,
                              const char **value);

/* All evidence of the entry's own lines, in their order; NULL past the end. What holds for all
 * entries of a device is in its heading alone, and among what the functions below give. */
TUNED_API void tuned_evidence_at(const struct tuned_entry *entry, size_t position,
                                 const char **name, const char **value);

/* The evidence: "time_ns", "mad_ns", "gain.textbook", "ceiling_percent", "samples", "source",
 * "worst_loss_percent" ... */
TUNED_API double tuned_evidence(const struct tuned_entry *entry, const char *name,
                                double otherwise);
TUNED_API const char *tuned_evidence_text(const struct tuned_entry *entry, const char *name,
                                          const char *otherwise);
/* The time that was measured, of one run of tuned_entry_n elements; -1 when the file has none. */
TUNED_API double tuned_expected_ns(const struct tuned_entry *entry);

/* Where the entry comes from. None takes NULL. */
TUNED_API const char *tuned_entry_problem(const struct tuned_entry *entry);
/* The size at which the evidence was measured; the smallest where the file does not tell. */
TUNED_API long long tuned_entry_n(const struct tuned_entry *entry);
/* The sizes that the entry holds for, both ends included; equal where it is a single one. */
TUNED_API long long tuned_entry_n_low(const struct tuned_entry *entry);
TUNED_API long long tuned_entry_n_high(const struct tuned_entry *entry);
/* The size variables besides n, from 0: the name, NULL past the last, and the sizes. */
TUNED_API const char *tuned_entry_size_at(const struct tuned_entry *entry, size_t position,
                                          long long *low, long long *high);
/* As the section has it; the name of a portable section is "*". */
TUNED_API const struct tuned_device *tuned_entry_device(const struct tuned_entry *entry);
TUNED_API int tuned_entry_line(const struct tuned_entry *entry);
TUNED_API const char *tuned_entry_file(const struct tuned_entry *entry); /* as tuned_file_at */
/* A field of the device's section: "driver", "compiler" ... */
TUNED_API const char *tuned_device_text(const struct tuned_entry *entry, const char *name,
                                        const char *otherwise);

/* What a program was built from and runs on, in the words of the file; NULL: not to be compared. */
struct tuned_build {
    const char *source;   /* hash of the kernel's source */
    const char *flags;    /* hash of what it is compiled with */
    const char *driver;   /* "580.159.04 (CUDA 13.0)", or "CUDA 13.0" */
    const char *compiler; /* of the toolkit: "NVRTC 13.0" */
    const void *reserved[4];
};
/* Whether the entry was measured with something else: 1 and why, in one sentence without a full
 * stop (`out` may be NULL); 0 when all is the same or unknown to the file. In tuned_debug.c. */
TUNED_API int tuned_stale(const struct tuned_entry *entry, const struct tuned_build *have,
                          char *out, size_t bytes);

/* All entries: by file (in their precedence), device (in the file's order), problem and n. */
TUNED_API size_t tuned_entry_count(const struct tuned *tuned);
TUNED_API const struct tuned_entry *tuned_entry_at(const struct tuned *tuned, size_t index);

/* The version of the library that is linked; TUNED_VERSION is that of this header. */
TUNED_API const char *tuned_version(void);

#ifdef __cplusplus
}
#endif

#endif
