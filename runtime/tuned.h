/* libtuned: reads tuned.conf, the launch configurations that `tune` found.
 *
 *     struct tuned_error error;
 *     struct tuned *tuned = tuned_load("tuned.conf", &error);   NULL: error.text says why
 *     struct tuned_device device = {"cuda", "NVIDIA H200", 9, 0, 132, 150754820096};
 *     struct tuned_answer answer;
 *     tuned_find(tuned, &device, "reduce.sum.i32", n, &answer);
 *     grid  = tuned_integer(answer.entry, "grid", 264);         264 when there is no entry
 *     block = tuned_integer(answer.entry, "block", 1024);
 *     tuned_free(tuned);
 *
 * C99, nothing but the C library. Nothing is printed, no state is shared, the locale has no say.
 * What was loaded never changes: any number of threads may read it at the same time. Only loading
 * allocates; a look-up costs a hash and a binary search. The format of the file:
 * docs/tuned-conf.md. */
#ifndef TUNED_H
#define TUNED_H

#include <stddef.h>

#define TUNED_VERSION        "0.1.0"
#define TUNED_FORMAT_VERSION 2 /* what is written; 1 is read too */

/* Larger files (16 MiB) are refused. */
#define TUNED_FILE_BYTES_MAX 16777216

#if defined(__GNUC__)
#define TUNED_API __attribute__((visibility("default")))
#else
#define TUNED_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct tuned;       /* a file that was loaded */
struct tuned_entry; /* one line of it: a problem at some sizes, its configuration, the evidence */

#define TUNED_ERROR_BYTES  256
#define TUNED_REASON_BYTES 512 /* enough for any reason but that of a very long name */

struct tuned_error {
    int line;                     /* the bad line, from 1; 0 when no line is to blame */
    char text[TUNED_ERROR_BYTES]; /* "tuned.conf:12: 'block' has no value": one line, with the name
                                   */
};

/* A device, as the caller fills it in. A number that is unknown is 0, and then never tells two
 * devices apart; without a name no device of the file is taken for this one. */
struct tuned_device {
    const char *kind;             /* "cuda" or "cpu" */
    const char *name;             /* cuDeviceGetName's; "model name" of /proc/cpuinfo */
    int compute_capability_major; /* a GPU's; 0 for a CPU */
    int compute_capability_minor;
    int unit_count;         /* multiprocessors (SMs) of a GPU, cores of a CPU */
    long long memory_bytes; /* only chooses between devices that are equally near */
};

/* How good an answer is: the greater, the better. */
enum tuned_grade {
    TUNED_NONE,         /* nothing fits: use your defaults */
    TUNED_OTHER_DEVICE, /* measured on another device of this kind, at the nearest size it has */
    TUNED_NEAREST_SIZE, /* tuned on this device, for other sizes */
    TUNED_IN_RANGE,     /* tuned on this device for sizes that this one lies between */
    TUNED_EXACT         /* measured on this device, at this size */
};

struct tuned_answer {
    enum tuned_grade grade;
    const struct tuned_entry *entry; /* NULL when the grade is TUNED_NONE; lives until tuned_free */
    /* What was asked, borrowed from the caller of tuned_find, for tuned_reason. */
    const struct tuned *tuned;
    const struct tuned_device *device;
    const char *problem;
    long long n;
};

/* Loads a file, all or nothing. NULL when it cannot be read, is refused, or memory is short; the
 * error (which may be NULL) then says where and why. Freed by tuned_free. */
TUNED_API struct tuned *tuned_load(const char *path, struct tuned_error *error);
/* The same from memory; `name` stands for the path in errors. The text is copied. */
TUNED_API struct tuned *tuned_load_memory(const void *text, size_t bytes, const char *name,
                                          struct tuned_error *error);
TUNED_API void tuned_free(struct tuned *tuned); /* NULL is fine */

/* The best entry for a problem ("reduce.sum.i32") of n elements on a device: the one whose sizes n
 * is among, else the nearest, by the ratio to the nearer end of its sizes. Of other devices those
 * of the same kind count: first of the same compute capability, then of the same major one, then
 * the nearest number of units, the same name, the nearest memory. `tuned` may be NULL (nothing was
 * loaded), and so may `device`: the grade is then TUNED_NONE. */
TUNED_API enum tuned_grade tuned_find(const struct tuned *tuned, const struct tuned_device *device,
                                      const char *problem, long long n,
                                      struct tuned_answer *answer);
/* Why this answer, in one sentence without a full stop; cut where `bytes` is short. The device and
 * the problem given to tuned_find must still be there. */
TUNED_API void tuned_reason(const struct tuned_answer *answer, char *out, size_t bytes);
/* "none", "other device", "nearest size", "in range", "exact". */
TUNED_API const char *tuned_grade_name(enum tuned_grade grade);

/* A parameter or derived value of the entry by its name; `otherwise` when the entry is NULL, has
 * none of that name, or has one of another type. Numbers and booleans have a text too: it is
 * what the file says, good for -DNAME=TEXT. Texts live until tuned_free. */
TUNED_API long long tuned_integer(const struct tuned_entry *entry, const char *name,
                                  long long otherwise);
TUNED_API double tuned_real(const struct tuned_entry *entry, const char *name, double otherwise);
TUNED_API const char *tuned_text(const struct tuned_entry *entry, const char *name,
                                 const char *otherwise);
/* All of them, in the order of the file; name and value are NULL past the end. */
TUNED_API size_t tuned_value_count(const struct tuned_entry *entry);
TUNED_API void tuned_value_at(const struct tuned_entry *entry, size_t index, const char **name,
                              const char **value);

/* The evidence: "time_ns", "mad_ns", "gain.textbook", "ceiling_percent", "samples", "source" ... */
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
TUNED_API const struct tuned_device *tuned_entry_device(const struct tuned_entry *entry);
TUNED_API int tuned_entry_line(const struct tuned_entry *entry);
/* A field of the device's section: "driver", "compiler" ... */
TUNED_API const char *tuned_device_text(const struct tuned_entry *entry, const char *name,
                                        const char *otherwise);

/* All entries, by device in the order of the file, then problem, then n. */
TUNED_API size_t tuned_entry_count(const struct tuned *tuned);
TUNED_API const struct tuned_entry *tuned_entry_at(const struct tuned *tuned, size_t index);

/* The version of the library that is linked; TUNED_VERSION is that of this header. */
TUNED_API const char *tuned_version(void);

#ifdef __cplusplus
}
#endif

#endif
