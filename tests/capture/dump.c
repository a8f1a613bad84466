/* Prints a capture, for tests: `capture_dump FILE`, a line for each image, kernel, launch, buffer
 * and pointer. Contents are given as the sum of their 32-bit words. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "frontends/capture/capture.h"

static void print_sum(const char *name, const struct captured_content *content, uint64_t bytes)
{
    int32_t *words = content ? malloc(bytes + sizeof *words) : NULL;
    int64_t sum = 0;
    if (!words || !captured_read(content, 0, bytes, words)) {
        printf(" %s=none", name);
        free(words);
        return;
    }
    for (uint64_t i = 0; i < bytes / sizeof *words; i++)
        sum += words[i];
    printf(" %s=%" PRId64, name, sum);
    free(words);
}

static void print_launch(const struct captured_launch *launch, size_t index)
{
    static const char *const entries[] = {"kernel", "kernel_ex", "cooperative", "node"};
    static const char *const streams[] = {"legacy", "per_thread", "other", "capturing"};
    static const char *const kinds[] = {"device", "managed", "host", "variable", "constant"};
    printf("launch %zu %s entry=%s stream=%s grid=%u block=%u cluster=%u shared=%u attributes=%u "
           "parameters=%u "
           "left_out=%u result=%d device=%s\n",
           index, launch->kernel->name, entries[launch->is.entry], streams[launch->is.stream],
           launch->is.grid[0], launch->is.block[0], launch->is.cluster[0], launch->is.shared_bytes,
           launch->is.attribute_count, launch->is.parameter_bytes, launch->is.left_out,
           launch->is.result, launch->device ? launch->device->name : "?");
    for (uint32_t i = 0; i < launch->is.buffer_count; i++) {
        const struct captured_buffer *buffer = &launch->buffers[i];
        printf("buffer %zu.%u %s bytes=%" PRIu64 " name=%s changed=%d left_out=%u", index, i,
               kinds[buffer->is.memory], buffer->is.bytes, buffer->name, buffer->changed,
               buffer->is.left_out);
        print_sum("before", buffer->before, buffer->is.bytes);
        print_sum("after", buffer->after, buffer->is.bytes);
        printf("\n");
    }
    for (uint32_t i = 0; i < launch->is.pointer_count; i++) {
        const struct cap_pointer *pointer = &launch->pointers[i];
        if (pointer->holder == CAP_IN_PARAMETERS)
            printf("pointer %zu parameters", index);
        else
            printf("pointer %zu buffer %u", index, pointer->holder);
        printf(" at=%" PRIu64 " buffer=%u offset=%" PRIu64 "\n", pointer->at, pointer->buffer,
               pointer->offset);
    }
}

int main(int argc, char **argv)
{
    struct capture *capture = NULL;
    struct error error = {0};
    if (argc != 2 || capture_open(argv[1], &capture, &error) != STATUS_OK) {
        fprintf(stderr, "capture_dump: %s\n", error.text);
        return 1;
    }
    printf("programs %zu images %zu kernels %zu launches %zu\n", capture->program_count,
           capture->image_count, capture->kernel_count, capture->launch_count);
    for (size_t i = 0; i < capture->image_count; i++)
        printf("image %zu kind=%u bytes=%" PRIu64 " kept=%" PRIu64 " hash=%s\n", i,
               capture->images[i].is.kind, capture->images[i].is.bytes,
               capture->images[i].is.kept_bytes, capture->images[i].hash);
    for (size_t i = 0; i < capture->kernel_count; i++) {
        const struct captured_kernel *kernel = &capture->kernels[i];
        printf("kernel %zu %s launches=%" PRIu64 " nodes=%" PRIu64 " kept=%" PRIu64
               " timed=%" PRIu64 " layout=%u parameters=",
               i, kernel->name, kernel->is.launches, kernel->is.graph_nodes, kernel->is.kept,
               kernel->is.timed, kernel->is.is_layout_known);
        for (uint32_t j = 0; j < kernel->is.parameter_count; j++)
            printf("%s%u+%u", j > 0 ? "," : "", kernel->parameters[j].offset,
                   kernel->parameters[j].bytes);
        printf("\n");
    }
    for (size_t i = 0; i < capture->launch_count; i++)
        print_launch(&capture->launches[i], i);
    for (size_t i = 0; i < capture->note_count; i++)
        printf("note %u count=%" PRIu64 "\n", capture->notes[i].is.kind,
               capture->notes[i].is.count);
    capture_close(capture);
    return 0;
}
