/* The kernels that the stand-in can run: those that tune measures with, the shipped sums, one
 * that copies, for the tests' own experiment, and those of tests/gpu/device. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/faults/driver/standin.h"

/* Sizes of the arguments: a pointer or 64 bits, 32 bits. */
#define P 8
#define W 4

static uint64_t pointer_bits(const struct call *call, int index)
{
    uint64_t value = 0;
    memcpy(&value, call->arguments[index], sizeof value);
    return value;
}

static void *pointer(const struct call *call, int index)
{
    return (void *)(uintptr_t)pointer_bits(call, index);
}

static int64_t wide(const struct call *call, int index)
{
    return (int64_t)pointer_bits(call, index);
}

static const char *element(const struct call *call)
{
    static const char *const types[][2] = {{"f32", "float"},     {"f64", "double"},
                                           {"i64", "long long"}, {"u64", "unsigned long long"},
                                           {"i32", "int"},       {"u32", "unsigned"}};
    const char *name = image_define(call->image, "ELEMENT");
    const char *type = image_define(call->image, "TYPE");
    for (size_t i = 0; type && i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i][0], type) == 0)
            return types[i][1];
    return name ? name : "int";
}

static size_t element_bytes(const struct call *call)
{
    const char *name = element(call);
    return strstr(name, "double") || strstr(name, "long") ? 8 : 4;
}

static double read_real(const void *in, int64_t i, const char *type)
{
    return strcmp(type, "float") == 0 ? (double)((const float *)in)[i] : ((const double *)in)[i];
}

static void write_real(void *out, int64_t i, const char *type, double value)
{
    if (strcmp(type, "float") == 0)
        ((float *)out)[i] = (float)value;
    else
        ((double *)out)[i] = value;
}

/* Computes out[at] = in[first] + ... + in[end - 1]. The inputs give this sum in every order. */
static void sum(const struct call *call, const void *in, int64_t first, int64_t end, void *out,
                int64_t at)
{
    const char *type = element(call);
    if (strcmp(type, "float") == 0 || strcmp(type, "double") == 0) {
        double total = 0;
        for (int64_t i = first; i < end; i++)
            total += read_real(in, i, type);
        write_real(out, at, type, total);
        return;
    }
    uint64_t total = 0;
    bool is_wide = element_bytes(call) == 8;
    for (int64_t i = first; i < end; i++)
        total += is_wide ? ((const uint64_t *)in)[i] : ((const uint32_t *)in)[i];
    if (is_wide)
        ((uint64_t *)out)[at] = total;
    else
        ((uint32_t *)out)[at] = (uint32_t)total;
}

enum { IN, OUT, PARTIALS, STATE, N };

static void run_whole(const struct call *call)
{
    sum(call, pointer(call, IN), 0, wide(call, N), pointer(call, OUT), 0);
}

static void run_partials(const struct call *call)
{
    int64_t n = wide(call, N);
    int64_t blocks = (int64_t)call_blocks(call);
    for (int64_t i = 0; i < blocks; i++)
        sum(call, pointer(call, IN), n * i / blocks, n * (i + 1) / blocks, pointer(call, PARTIALS),
            i);
}

/* Runs a grid, which finishes in a second launch or in this one. */
static void run_grid(const struct call *call)
{
    const char *finish = image_define(call->image, "FINISH");
    if (finish && strstr(finish, "_launches"))
        run_partials(call);
    else
        run_whole(call);
}

/* Runs the second launch: n is the number of partials. */
static void run_second(const struct call *call)
{
    sum(call, pointer(call, PARTIALS), 0, wide(call, N), pointer(call, OUT), 0);
}

static double bytes_read(const struct call *call)
{
    return (double)wide(call, N) * (double)element_bytes(call);
}

/* copy_elements(in, out, n) */
static void run_copy(const struct call *call)
{
    memcpy(pointer(call, 1), pointer(call, 0), (size_t)wide(call, 2) * element_bytes(call));
}

static double bytes_copied(const struct call *call)
{
    return 2.0 * (double)wide(call, 2) * (double)element_bytes(call);
}

/* Runs tune_gate(open, seen, ticket): everything is submitted behind a gate that never closes. */
static void run_gate(const struct call *call)
{
    memcpy(pointer(call, 1), call->arguments[2], W);
}

/* Returns the bytes of tune_clean_read, and of the methods to read and write of ceilings.cu (data,
 * count of 16 bytes, ...). */
static double bytes_streamed(const struct call *call)
{
    return 16.0 * (double)wide(call, 1);
}

/* Runs tune_sum(data, stride, bytes, sums) as tuner/device/cuda/harness.cu does. */
static void run_sum_bytes(const struct call *call)
{
    uint64_t bytes = pointer_bits(call, 2);
    for (unsigned y = 0; y < call->grid[1]; y++) {
        const unsigned char *vector = (unsigned char *)pointer(call, 0) + y * pointer_bits(call, 1);
        uint64_t sum = 0, word = 0, i = 0;
        for (; bytes - i >= sizeof word; i += sizeof word) {
            memcpy(&word, vector + i, sizeof word);
            sum += (word ^ i) * UINT64_C(0xbf58476d1ce4e5b9) ^ word >> 32;
        }
        if (i < bytes) {
            word = 0;
            memcpy(&word, vector + i, bytes - i);
            sum += (word ^ i) * UINT64_C(0xbf58476d1ce4e5b9) ^ word >> 32;
        }
        ((uint64_t *)pointer(call, 3))[y] += sum;
    }
}

/* tune_patch(data, stride, width, count, at, values) */
static void run_patch(const struct call *call)
{
    uint64_t width = pointer_bits(call, 2);
    const uint64_t *at = pointer(call, 4);
    const unsigned char *values = pointer(call, 5);
    for (uint64_t x = 0; x < call->grid[0]; x++) {
        unsigned char *vector =
            (unsigned char *)pointer(call, 0) + (2 * x + 1) * pointer_bits(call, 1);
        for (uint64_t i = 0; i < pointer_bits(call, 3); i++)
            memcpy(vector + at[i] * width, values + i * width, width);
    }
}

static double bytes_added_up(const struct call *call)
{
    return (double)pointer_bits(call, 2) * call->grid[1];
}

/* Returns the bytes of the methods to copy (from, count of 16 bytes, to). */
static double bytes_both_ways(const struct call *call)
{
    return 32.0 * (double)wide(call, 1);
}

/* Kernels of tests/gpu/device/kernels.cu. */

/* scaled_add(a, b, out, scale, n) */
static void run_scaled_add(const struct call *call)
{
    const int *a = pointer(call, 0);
    const int *b = pointer(call, 1);
    int *out = pointer(call, 2);
    int scale = 0;
    memcpy(&scale, call->arguments[3], sizeof scale);
    for (int64_t i = 0; i < wide(call, 4); i++)
        out[i] = a[i] + scale * b[i];
}

static double bytes_added(const struct call *call)
{
    return 12.0 * (double)wide(call, 4);
}

/* Runs sum(in, out, n): a part of the sum for each block. */
static void run_sum(const struct call *call)
{
    int64_t n = wide(call, 2);
    int64_t blocks = (int64_t)call_blocks(call);
    for (int64_t i = 0; i < blocks; i++)
        sum(call, pointer(call, 0), n * i / blocks, n * (i + 1) / blocks, pointer(call, 1), i);
}

static double bytes_summed(const struct call *call)
{
    return 4.0 * (double)wide(call, 2);
}

/* note_input(in, addresses, firsts, ticket) */
static void run_note_input(const struct call *call)
{
    unsigned *ticket = pointer(call, 3);
    unsigned place = (*ticket)++;
    ((uint64_t *)pointer(call, 1))[place] = pointer_bits(call, 0);
    ((int *)pointer(call, 2))[place] = *(const int *)pointer(call, 0);
}

static double time_waited(const struct call *call)
{
    return (double)wide(call, 0);
}

/* Returns the time of tune_fused_f32 and the like (repeats, zero, sink): by the steps of an SM per
 * cycle. */
static double time_stepped(const struct call *call, double steps_per_cycle)
{
    const struct model *model = current_model();
    unsigned repeats = 0;
    memcpy(&repeats, call->arguments[0], sizeof repeats);
    double steps = (double)repeats * (double)image_number(call->image, "CHAINS", 1) *
                   (double)image_number(call->image, "UNROLL", 1) *
                   (double)(call_blocks(call) * call_threads(call));
    return 1000 + steps / steps_per_cycle / model->sm_count / (model->sm_clock_khz * 1e-6);
}

static double peak_gbs(const struct model *model)
{
    return 2.0 * model->memory_clock_khz * 1e-6 * model->bus_bits / 8;
}

/* Returns the time of a bulk copy: one thread of a block keeps as many bytes in flight as all
 * others would. */
static double time_bulk(const struct call *call)
{
    return 1000 + bytes_streamed(call) / (0.93 * peak_gbs(current_model()));
}

static double time_bulk_copy(const struct call *call)
{
    return 1000 + bytes_both_ways(call) / (0.93 * peak_gbs(current_model()));
}

static double time_full(const struct call *call)
{
    return time_stepped(call, 128);
}

static double time_half(const struct call *call)
{
    return time_stepped(call, 64);
}

static double time_eighth(const struct call *call)
{
    return time_stepped(call, 16);
}

/* Runs reverse_block(in, out): as many elements as the shared memory holds. */
static void run_reverse_block(const struct call *call)
{
    const int *in = pointer(call, 0);
    int *out = pointer(call, 1);
    size_t count = call->shared / sizeof *in;
    for (size_t i = 0; i < count; i++)
        out[i] = in[count - 1 - i];
}

/* write_at(out, place, value) */
static void run_write_at(const struct call *call)
{
    memcpy((int *)pointer(call, 0) + wide(call, 1), call->arguments[2], W);
}

/* copy_at(from, to, place) */
static void run_copy_at(const struct call *call)
{
    ((int *)pointer(call, 1))[wide(call, 2)] = ((const int *)pointer(call, 0))[wide(call, 2)];
}

/* begin_early(middle) */
static void run_begin_early(const struct call *call)
{
    ++*(int *)pointer(call, 0);
}

/* notice(middle, seen) */
static void run_notice(const struct call *call)
{
    int middle = *(const int *)pointer(call, 0);
    int *seen = pointer(call, 1);
    seen[1] += call->dependent;
    seen[2] += middle != ++seen[0];
}

/* Runs sum_ranks(out): each cluster's sum of its blocks' ranks, from 1. */
static void run_sum_ranks(const struct call *call)
{
    int size =
        call->cluster > 0 ? (int)call->cluster : (int)image_number(call->image, "CLUSTER", 1);
    for (int i = 0; i < (int)call_blocks(call) / size; i++)
        ((int *)pointer(call, 0))[i] = size * (size + 1) / 2;
}

/* meet(ticket, out) */
static void run_meet(const struct call *call)
{
    *(unsigned *)pointer(call, 0) += (unsigned)call_blocks(call);
    for (uint64_t i = 0; i < call_blocks(call); i++)
        ((int *)pointer(call, 1))[i] = (int)call_blocks(call);
}

/* advance(from, to) */
static void run_advance(const struct call *call)
{
    for (uint64_t i = 0; i < call_blocks(call) * call_threads(call); i++)
        ((int *)pointer(call, 1))[i] = 3 * ((const int *)pointer(call, 0))[i] + 1;
}

/* Copies a texture's rows as columns. */
static void turn(const CUDA_RESOURCE_DESC *image, float *out)
{
    const size_t width = image->res.pitch2D.width, height = image->res.pitch2D.height;
    const float *in = (const float *)(uintptr_t)image->res.pitch2D.devPtr;
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++)
            out[x * height + y] = in[y * image->res.pitch2D.pitchInBytes / sizeof *in + x];
}

/* turned(image, out) */
static void run_turned(const struct call *call)
{
    turn(pointer(call, 0), pointer(call, 1));
}

/* Runs turned_picture(out), with the third variable. */
static void run_turned_picture(const struct call *call)
{
    const struct CUmod_st *module = (const struct CUmod_st *)(const void *)call->image;
    const CUDA_RESOURCE_DESC *picture = NULL;
    memcpy(&picture, module->variables[2], sizeof picture);
    turn(picture, pointer(call, 0));
}

/* Runs paint(image, out, shift) of tests/gpu/device/kernels.cu. */
static void run_paint(const struct call *call)
{
    const struct CUarray_st *image = pointer(call, 0);
    struct CUarray_st *out = pointer(call, 1);
    const size_t width = image->row_bytes / sizeof(float);
    const size_t shift = (size_t)wide(call, 2);
    for (size_t i = 0; i < image->rows * width; i++) {
        const size_t to = i / width * width + (i % width + shift) % width;
        float added = 0, sum = 0;
        memcpy(&added, image->bytes + i * sizeof added, sizeof added);
        memcpy(&sum, out->bytes + to * sizeof sum, sizeof sum);
        sum += added;
        memcpy(out->bytes + to * sizeof sum, &sum, sizeof sum);
    }
}

static const struct {
    const char *name;
    size_t bytes;
} variables[VARIABLES_MAX] = {{"steps", 16},  {"own::bias", 8},  {"picture", 16},
                              {"marks", 256}, {"own::total", 8}, {"view", 24}};

int host_variable_find(const char *name, size_t *bytes)
{
    for (int i = 0; i < VARIABLES_MAX; i++) {
        *bytes = variables[i].bytes;
        if (strcmp(variables[i].name, name) == 0)
            return i;
    }
    return -1;
}

/* Runs take_steps(v, x, out, step) of tests/gpu/device/kernels.cu. */
static void run_take_steps(const struct call *call)
{
    const struct CUmod_st *module = (const struct CUmod_st *)(const void *)call->image;
    struct {
        signed char sign;
        float factor;
        long long n;
    } step;
    int steps[4];
    long long bias = 0;
    int *v = pointer(call, 0), *out = pointer(call, 2);
    const int *x = pointer(call, 1);
    memcpy(&step, call->arguments[3], sizeof step);
    memcpy(steps, module->variables[0], sizeof steps);
    memcpy(&bias, module->variables[1], sizeof bias);
    for (long long i = 0; i < step.n; i++) {
        v[i] += step.sign * (int)(step.factor * (float)x[i]) + steps[i % 4] + (int)bias;
        out[i] = 2 * v[i];
    }
}

/* Runs leave_marks(x) of tests/gpu/device/kernels.cu. */
static void run_leave_marks(const struct call *call)
{
    struct CUmod_st *module = (struct CUmod_st *)(uintptr_t)(const void *)call->image;
    const int *x = pointer(call, 0);
    long long total = 0;
    memcpy(&total, module->variables[4], sizeof total);
    total += x[1];
    memcpy(module->variables[4], &total, sizeof total);
    for (size_t i = 0; i < call_blocks(call) * call_threads(call); i++) {
        const int mark = 3 * x[i];
        memcpy(module->variables[3] + i * sizeof mark, &mark, sizeof mark);
    }
}

/* Returns the part of n that a kernel reaches whose block and grid are set by the launch. */
static size_t reached(const struct call *call, int64_t n)
{
    const uint64_t threads = call_blocks(call) * call_threads(call);
    return (uint64_t)n < threads ? (size_t)n : (size_t)threads;
}

/* Copies by struct {int n; const int *from; int *to;}: the grid must cover n. */
static void copy_view(const struct call *call, const void *at)
{
    struct {
        int n;
        const int *from;
        int *to;
    } view;
    memcpy(&view, at, sizeof view);
    memcpy(view.to, view.from, reached(call, view.n) * sizeof(int));
}

/* view_copy(view) */
static void run_view_copy(const struct call *call)
{
    copy_view(call, call->arguments[0]);
}

/* Runs held_view_copy(), with the last variable. */
static void run_held_view_copy(const struct call *call)
{
    const struct CUmod_st *module = (const struct CUmod_st *)(const void *)call->image;
    copy_view(call, module->variables[VARIABLES_MAX - 1]);
}

static double bytes_viewed(const struct call *call)
{
    int n = 0;
    memcpy(&n, call->arguments[0], sizeof n);
    return 8.0 * n;
}

/* Runs copy_by_128(in, out, n): a block of 128 threads is compiled in. */
static void run_copy_by_128(const struct call *call)
{
    if (call_threads(call) == 128)
        run_copy(call);
}

static const unsigned char view_arguments[] = {24};
static const unsigned char step_arguments[] = {P, P, P, 16};
static const unsigned char add_arguments[] = {P, P, P, W, P};
static const unsigned char note_arguments[] = {P, P, P, P};
static const unsigned char patch_arguments[] = {P, P, P, P, P, P};
static const unsigned char write_arguments[] = {P, P, W};
static const unsigned char spoil_arguments[] = {W, W};

static const unsigned char reduce_arguments[] = {P, P, P, P, P, P};
static const unsigned char copy_arguments[] = {P, P, P};
static const unsigned char gate_arguments[] = {P, P, W};
static const unsigned char stream_arguments[] = {P, P, P};
static const unsigned char step_count_arguments[] = {W, W, P};

static const struct host_kernel kernels[] = {
    {"tune_gate", 3, gate_arguments, run_gate, NULL, -1, NULL},
    {"tune_empty", 0, gate_arguments, NULL, NULL, -1, NULL},
    {"tune_clean_read", 3, stream_arguments, NULL, bytes_streamed, -1, NULL},
    {"tune_anchor", 3, stream_arguments, NULL, bytes_streamed, -1, NULL},
    {"tune_sum", 4, note_arguments, run_sum_bytes, bytes_added_up, -1, NULL},
    {"tune_patch", 6, patch_arguments, run_patch, NULL, -1, NULL},
    {"tune_spoil", 2, spoil_arguments, NULL, NULL, -1, NULL},
    {"tune_compare", 2, compare_arguments, compare_run, NULL, -1, NULL},
    {"tune_fill", 3, fill_arguments, fill_run, NULL, -1, NULL},
    {"tune_read_2", 3, stream_arguments, NULL, bytes_streamed, -1, NULL},
    {"tune_read_4", 3, stream_arguments, NULL, bytes_streamed, -1, NULL},
    {"tune_read_8", 3, stream_arguments, NULL, bytes_streamed, -1, NULL},
    {"tune_read_first_to_go", 3, stream_arguments, NULL, bytes_streamed, -1, NULL},
    {"tune_read_bulk", 3, stream_arguments, NULL, bytes_streamed, -1, time_bulk},
    {"tune_write_1", 2, stream_arguments, NULL, bytes_streamed, -1, NULL},
    {"tune_write_4", 2, stream_arguments, NULL, bytes_streamed, -1, NULL},
    {"tune_write_bulk", 2, stream_arguments, NULL, bytes_streamed, -1, time_bulk},
    {"tune_copy_4", 3, stream_arguments, NULL, bytes_both_ways, -1, NULL},
    {"tune_copy_8", 3, stream_arguments, NULL, bytes_both_ways, -1, NULL},
    {"tune_copy_bulk", 3, stream_arguments, NULL, bytes_both_ways, -1, time_bulk_copy},
    {"tune_fused_f16", 3, step_count_arguments, NULL, NULL, -1, time_full},
    {"tune_fused_f32", 3, step_count_arguments, NULL, NULL, -1, time_full},
    {"tune_fused_f64", 3, step_count_arguments, NULL, NULL, -1, time_half},
    {"tune_fused_i32", 3, step_count_arguments, NULL, NULL, -1, time_half},
    {"tune_fused_i64", 3, step_count_arguments, NULL, NULL, -1, time_eighth},
    {"tune_added_i32", 3, step_count_arguments, NULL, NULL, -1, time_full},
    {"tune_added_i64", 3, step_count_arguments, NULL, NULL, -1, time_half},
    {"reduce_one_block", 5, reduce_arguments, run_whole, bytes_read, OUT, NULL},
    {"reduce_grid", 6, reduce_arguments, run_grid, bytes_read, OUT, NULL},
    {"reduce_cluster", 6, reduce_arguments, run_whole, bytes_read, OUT, NULL},
    {"reduce_bulk", 6, reduce_arguments, run_whole, bytes_read, OUT, NULL},
    {"reduce_partials", 5, reduce_arguments, run_second, bytes_read, OUT, NULL},
    {"copy_elements", 3, copy_arguments, run_copy, bytes_copied, 1, NULL},
    {"view_copy", 1, view_arguments, run_view_copy, bytes_viewed, -1, NULL},
    {"held_view_copy", 0, note_arguments, run_held_view_copy, NULL, -1, NULL},
    {"copy_by_128", 3, copy_arguments, run_copy_by_128, bytes_copied, 1, NULL},
    {"scaled_add", 5, add_arguments, run_scaled_add, bytes_added, 2, NULL},
    /* added<int> and added<unsigned>: template <class T> added(const T *, const T *, T *, int, long
       long) */
    {"_Z5addedIiEvPKT_S2_PS0_ix", 5, add_arguments, run_scaled_add, bytes_added, 2, NULL},
    {"_Z5addedIjEvPKT_S2_PS0_ix", 5, add_arguments, run_scaled_add, bytes_added, 2, NULL},
    {"sum", 3, copy_arguments, run_sum, bytes_summed, 1, NULL},
    {"note_input", 4, note_arguments, run_note_input, NULL, -1, NULL},
    {"wait_ns", 1, note_arguments, NULL, NULL, -1, time_waited},
    {"reverse_block", 2, note_arguments, run_reverse_block, NULL, 1, NULL},
    {"write_at", 3, write_arguments, run_write_at, NULL, -1, NULL},
    {"copy_at", 3, copy_arguments, run_copy_at, NULL, -1, NULL},
    {"begin_early", 1, note_arguments, run_begin_early, NULL, -1, NULL},
    {"notice", 2, note_arguments, run_notice, NULL, -1, NULL},
    {"sum_ranks", 1, note_arguments, run_sum_ranks, NULL, 0, NULL},
    {"sum_cluster", 1, note_arguments, run_sum_ranks, NULL, 0, NULL},
    {"advance", 2, note_arguments, run_advance, NULL, 1, NULL},
    {"paint", 3, copy_arguments, run_paint, NULL, -1, NULL},
    {"turned", 2, note_arguments, run_turned, NULL, 1, NULL},
    {"turned_picture", 1, note_arguments, run_turned_picture, NULL, 0, NULL},
    {"meet", 2, note_arguments, run_meet, NULL, 1, NULL},
    {"take_steps", 4, step_arguments, run_take_steps, NULL, 0, NULL},
    {"leave_marks", 1, note_arguments, run_leave_marks, NULL, -1, NULL},
    {"write_nowhere", 1, note_arguments, NULL, NULL, -1, NULL},
};

const struct host_kernel *host_kernel_find(const char *name)
{
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        if (strcmp(kernels[i].name, name) == 0)
            return &kernels[i];
    return NULL;
}

size_t host_output_bytes(const struct host_kernel *kernel, const struct call *call)
{
    if (kernel->run == run_copy)
        return (size_t)wide(call, 2) * element_bytes(call);
    return kernel->output == OUT && kernel->bytes == bytes_read ? element_bytes(call) : 0;
}

static uint64_t product(const unsigned size[DIMENSIONS])
{
    return (uint64_t)size[0] * size[1] * size[2];
}

uint64_t call_blocks(const struct call *call)
{
    return product(call->grid);
}

uint64_t call_threads(const struct call *call)
{
    return product(call->block);
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(1099511628211);
    return hash;
}

/* Returns 0 to 0.1 %, from the launch, so that no two configurations tie. Called for each launch,
 * so it prints nothing. */
static double fingerprint(const struct host_kernel *kernel, const struct call *call)
{
    const struct image *image = call->image;
    char extents[32];
    (void)snprintf(extents, sizeof extents, " %u %u ", call->grid[0], call->block[0]);
    const char *const head[] = {kernel->name,  extents,           IMAGE_FIRST_LINE,    "\nsource ",
                                image->source, "\narchitecture ", image->architecture, "\n"};
    uint64_t hash = UINT64_C(1469598103934665603);
    for (size_t i = 0; i < sizeof head / sizeof head[0]; i++)
        hash = hash_text(hash, head[i]);
    for (size_t i = 0; i < image->define_count; i++) {
        hash = hash_text(hash_text(hash, "define "), image->defines[i].name);
        hash = hash_text(hash_text(hash_text(hash, " "), image->defines[i].value), "\n");
    }
    return (double)(hash >> 40) / (double)(1 << 24) * 1e-3;
}

/* Returns the time of a launch: memory speed by bytes in flight (Little's law, 600 ns), up to the
 * peak; each block has its cost, and so has each thread of a block at the block's end. */
double call_time_ns(const struct host_kernel *kernel, const struct call *call)
{
    const struct model *model = current_model();
    if (kernel->time)
        return kernel->time(call);
    double blocks = (double)call_blocks(call);
    double threads = (double)call_threads(call);
    double peak = peak_gbs(model);
    double resident = fmin(blocks * threads, 2048.0 * model->sm_count);
    double loads = (double)image_number(call->image, "LOADS", 4);
    double vector = (double)image_number(call->image, "VECTOR", 4);
    double in_flight = resident * loads * vector * (double)element_bytes(call);
    double bandwidth = fmin(in_flight / 600, 0.92 * peak);
    double bytes = kernel->bytes ? kernel->bytes(call) : 0;
    double step = image_number(call->image, "SHUFFLE", 1) ? 0.4 : 0.8;
    double time = 1000 + bytes / bandwidth + step * threads + 300 * blocks / model->sm_count / 8;
    return kernel->bytes ? time * (1 + fingerprint(kernel, call)) : 700;
}
