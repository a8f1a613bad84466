/* Compiles what a program of the tests needs, each binary once, several at a time. */
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
    struct error error; /* why it did not compile */
};

struct binaries {
    struct arena *arena; /* of the requests' texts as well */
    const char *folder;  /* where they go */
    struct binary *list; /* freed by binaries_free */
    size_t count, capacity;
};

/* The binary of a request, an index; a new one when there is none like it. */
enum status binaries_find(struct binaries *binaries, const struct device_api *api,
                          const struct binary_request *request, size_t *index, struct error *error);
/* Those from `first` on. What comes of each stands in it. */
void binaries_compile(struct binaries *binaries, size_t first);
void binaries_free(struct binaries *binaries);

#endif
