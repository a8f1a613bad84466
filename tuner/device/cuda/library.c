#include <dlfcn.h>
#include <string.h>

#include "tuner/base/text.h"
#include "tuner/device/cuda/driver.h"

#if CUDA_VERSION >= 12030
_Static_assert(sizeof(struct cuda_edge) == sizeof(CUgraphEdgeData) &&
                   (int)CUDA_EDGE_PROGRAMMATIC == (int)CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC &&
                   (int)CUDA_PORT_PROGRAMMATIC == (int)CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC,
               "an edge as cuda.h has it");
#endif

static void *open_in(const struct library_files *files, const char *folder, const char *below)
{
    char path[1024];
    void *library = NULL;
    for (size_t i = 0; !library && i < files->count; i++)
        if (string_format(path, sizeof path, "%s%s%s", folder, below, files->names[i]))
            library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    return library;
}

static void *open_at(const struct library_files *files, const char *place)
{
    static const char *const below[] = {"/", "/lib64/", "/lib/"};
    void *library = NULL;
    if (strcmp(place, LIBRARY_LOADER) == 0)
        return open_in(files, "", "");
    for (size_t i = 0; !library && i < sizeof below / sizeof *below; i++)
        library = open_in(files, place, below[i]);
    if (!library && strstr(place, files->stem))
        library = dlopen(place, RTLD_NOW | RTLD_LOCAL);
    return library;
}

void *library_open(const struct library_files *files, const char *const *places, size_t count)
{
    void *library = NULL;
    for (size_t i = 0; !library && i < count; i++)
        if (places[i] && *places[i])
            library = open_at(files, places[i]);
    return library;
}

/* Symbols that older drivers have under another name with the same parameters. The old kernel node
 * takes a struct that is the beginning of the new one. */
static const struct {
    const char *name;
    const char *older;
} older_names[] = {
    {"cuEventElapsedTime_v2", "cuEventElapsedTime"},
    {"cuGraphAddKernelNode_v2", "cuGraphAddKernelNode"},
};

static void *find(void *library, const char *name)
{
    void *address = dlsym(library, name);
    for (size_t i = 0; !address && i < sizeof older_names / sizeof *older_names; i++)
        if (strcmp(name, older_names[i].name) == 0)
            address = dlsym(library, older_names[i].older);
    return address;
}

const char *library_resolve(void *library, const struct library_symbol *symbols, size_t count,
                            void *table)
{
    const char *missing = NULL;
    for (size_t i = 0; i < count; i++) {
        void *address = find(library, symbols[i].name);
        if (!address && !missing)
            missing = symbols[i].name;
        memcpy((char *)table + symbols[i].offset, &address, sizeof address);
    }
    return missing;
}
