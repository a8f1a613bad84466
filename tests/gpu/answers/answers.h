/* Problems of this folder, their sizes and their data, for check.c. */
#ifndef TESTS_GPU_ANSWERS_ANSWERS_H
#define TESTS_GPU_ANSWERS_ANSWERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tune_expected {
    long long integer;
    double real, magnitude;
};

enum kind { ABSENT, INPUT, OUTPUT, SCRATCH, NUMBER };
enum type { U8, I32, U32, F16, F32 };
enum fill { RANDOM, UNIFORM, NORMAL, CSR_START, CSR_COLUMN };
struct argument {
    enum kind kind;
    enum type type;
    long long count; /* elements of a vector; value of a number */
    size_t alignment;
    enum fill fill;
    double low, high; /* ends of UNIFORM; mean and deviation of NORMAL; low: rows of CSR_COLUMN */
};

enum { ARGUMENTS = 7, SIZES = 3, DERIVED = 2, LISTED = 6, LAUNCHES = 3, PARAMETERS = 4, ASKS = 64 };
struct problem {
    const char *key;              /* up to its dot, if any: the name of the kernels' file */
    const char *sizes[SIZES + 1]; /* names */
    int n;                        /* index of the size that libtuned calls n */
    const char *derived[DERIVED]; /* names of further values, asked of an answer */
    const char *element;          /* -DELEMENT */
    long long listed[LISTED + 1][SIZES];
    const char *parameters[PARAMETERS + 1];
    const char *planted; /* NAME=VALUE with a fault */
    struct {
        const char *kernel, *passed; /* digits: indices of its arguments */
        const char *unless;          /* NAME=VALUE that leaves the launch out */
    } launches[LAUNCHES + 1];
    /* Describes the arguments; the values are SIZES sizes, then those derived. */
    void (*describe)(const long long *values, struct argument *arguments);
    void (*reference)(void *const *arguments, struct tune_expected *expected);
    double tolerance, absolute;
    long long most; /* product of the sizes */
};
const struct problem *find_problem(const char *key);
int count_sizes(const struct problem *problem);

struct ask {
    long long sizes[SIZES];
    bool is_listed, is_within; /* within: of each size, between the least and the greatest listed */
};
/* Lists the sizes to ask at, and returns their number. */
int list_asks(const struct problem *problem, struct ask all[ASKS]);

/* Returns a well-mixed number, and one of [0, 1). */
uint64_t mix(uint64_t seed);
double mix_unit(uint64_t seed);

/* Ends the program where there is no memory. */
void *need(void *memory);
size_t bytes_of(const struct argument *vector);
void *fill_vector(const struct argument *vector, uint64_t seed);
/* Returns the index of the first wrong element, or -1. */
long long find_wrong(const struct problem *problem, const struct argument *vector,
                     const void *result, const struct tune_expected *expected, double *seen,
                     double *wanted);

#endif
