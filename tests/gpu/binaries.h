/* Compiles the binaries of a test program, each once, several at a time. */
#ifndef TUNE_TESTS_GPU_BINARIES_H
#define TUNE_TESTS_GPU_BINARIES_H

#include "tuner/base/arena.h"
#include "tuner/device/device.h"

struct binary {
    const struct device_api *api;
    struct binary_request request;
    const char *key;
    const char *path;
    enum status status;
    struct error error; /* reason of a failed compilation */
};

struct binaries {
    struct arena *arena; /* arena, also of the requests' texts */
    const char *folder;  /* folder of the binaries */
    struct binary *list; /* freed by binaries_free */
    size_t count, capacity;
};

/* Returns the index of a request's binary; a new one if there is no equal one. */
enum status binaries_find(struct binaries *binaries, const struct device_api *api,
                          const struct binary_request *request, size_t *index, struct error *error);
/* Compiles the binaries from `first` on. Each holds its own result. */
void binaries_compile(struct binaries *binaries, size_t first);
void binaries_free(struct binaries *binaries);

#endif
