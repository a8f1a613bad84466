#include "frontends/capture/captured.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/clock.h"
#include "tuner/base/files.h"
#include "tuner/base/launch.h"
#include "tuner/base/pack.h"

/* ---- which launches ---- */

/* Returns true if the kernel is the question's: of that name, which is blur for
 * _ZN3app4blurIfEEvPT_ and, in C, for blur, and of that instance. */
static bool is_wanted(const struct captured_question *question,
                      const struct captured_kernel *kernel)
{
    char plain[256];
    struct arena arena = {0};
    const char *name = question->kernel;
    captured_plain_name(kernel->name, plain, sizeof plain);
    const char *own = question->instance ? instance_of_symbol(&arena, kernel->name) : NULL;
    const bool is_wanted =
        (!name || strcmp(kernel->name, name) == 0 || strcmp(plain, unqualified_name(name)) == 0) &&
        (!own || strcmp(own, question->instance) == 0);
    arena_free(&arena);
    return is_wanted;
}

/* Returns true if the name can be written into an experiment file unquoted. */
static bool is_plain(const char *name)
{
    static const char more[] = "_$.@";
    for (const char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr(more, *c))
            return false;
    return *name != '\0' && strlen(name) < 1024;
}

/* Names the kernels that the program launched instead of the one to be kept. */
static enum status tell_launched(const struct captured_question *question, struct error *error)
{
    const struct capture *capture = question->capture;
    struct text names = {0};
    char plain[256];
    for (size_t i = 0; i < capture->kernel_count; i++) {
        captured_plain_name(capture->kernels[i].name, plain, sizeof plain);
        if (capture->kernels[i].is.launches > 0)
            text_printf(&names, "%s%.100s", names.length ? ", " : "", plain);
    }
    const enum status status =
        error_set(error, STATUS_NOT_FOUND, "no launch%s%.100s was kept%s%.300s",
                  question->kernel ? " of " : "", question->kernel ? question->kernel : "",
                  names.length ? "; the program launched: " : "", text_string(&names));
    text_free(&names);
    return status;
}

static uint64_t threads_of(const struct captured_launch *launch)
{
    uint64_t threads = 1;
    for (size_t axis = 0; axis < 3; axis++)
        threads *= (uint64_t)launch->is.grid[axis] * launch->is.block[axis];
    return threads;
}

enum status captured_find(const struct captured_question *question,
                          const struct captured_kernel **out, size_t *instances,
                          struct error *error)
{
    const struct capture *capture = question->capture;
    struct arena arena = {0};
    struct text names = {0};
    size_t count = 0, first = capture->launch_count;
    uint64_t most = 0;
    *out = NULL;
    *instances = 0;
    for (size_t i = 0; i < capture->kernel_count; i++) {
        const struct captured_kernel *kernel = &capture->kernels[i];
        size_t own_first = capture->launch_count;
        uint64_t threads = 0;
        for (size_t at = capture->launch_count; at-- > 0;)
            if (capture->launches[at].kernel == kernel && capture->launches[at].buffers) {
                const uint64_t own = threads_of(&capture->launches[at]);
                threads = question->only_largest && own > threads ? own : threads;
                own_first = at;
            }
        if (own_first == capture->launch_count)
            continue;
        const char *shown =
            question->instance ? instance_of_symbol(&arena, kernel->name) : kernel->name;
        text_printf(&names, "%s%.100s", count++ ? ", " : "", shown ? shown : kernel->name);
        if (!is_wanted(question, kernel))
            continue;
        *instances += 1;
        if (!*out || threads > most || (threads == most && own_first < first)) {
            *out = kernel;
            first = own_first;
            most = threads;
        }
    }
    const char *name = question->instance ? question->instance : question->kernel;
    enum status status = STATUS_OK;
    if (count == 0) /* as from a capture without --kernel */
        status = tell_launched(question, error);
    else if (*instances == 0)
        status =
            error_set(error, STATUS_NOT_FOUND, "no launch of '%.100s' was kept; there are %.300s",
                      name, text_string(&names));
    else if (*instances > 1 && !name)
        status = error_set(error, STATUS_NOT_FOUND,
                           "launches of %zu kernels were kept: name one by --kernel: %.300s",
                           *instances, text_string(&names));
    else if (!is_plain((*out)->name))
        status =
            error_set(error, STATUS_BAD_INPUT, "the kernel's name is none that a compiler makes");
    text_free(&names);
    arena_free(&arena);
    return status;
}

/* Returns whether a buffer holds numbers only, even if some look like addresses, as 0x7f11 beside
 * 0x7f12 among an index's integers: in the source, all parameters that lead there are pointers to
 * reals, or to elements too small for an address. */
static bool holds_numbers(const struct captured_set *set, const struct captured_launch *launch,
                          uint32_t buffer)
{
    const struct kernel_signature *signature = set->question.signature;
    const struct captured_kernel *kernel = launch->kernel;
    bool is_reached = false;
    for (uint32_t i = 0; signature && i < launch->is.pointer_count; i++) {
        const struct cap_pointer *pointer = &launch->pointers[i];
        size_t k = 0;
        if (pointer->holder != CAP_IN_PARAMETERS || pointer->buffer != buffer)
            continue;
        while (k < kernel->is.parameter_count && kernel->parameters[k].offset != pointer->at)
            k++;
        if (k >= kernel->is.parameter_count || k >= signature->parameter_count)
            return false;
        const struct kernel_parameter *source = &signature->parameters[k];
        if (source->kind != PARAMETER_POINTER || !source->known ||
            (element_bytes(source->type) == sizeof(uint64_t) && !element_is_real(source->type)))
            return false;
        is_reached = true;
    }
    return is_reached;
}

/* Returns the reason why a launch cannot be replayed, or NULL. */
static const char *why_not(const struct captured_set *set, const struct captured_launch *launch)
{
    struct text left_out = {0};
    const char *why = NULL;
    if (!launch->kernel->is.is_layout_known)
        return "its parameters' sizes are not known";
    if (launch->is.result != 0)
        why = arena_printf(set->arena, "it failed in the program itself, with CUDA's error %d",
                           (int)launch->is.result);
    if (launch->is.result != 0)
        return why ? why : "it failed";
    for (size_t axis = 0; axis < 3; axis++)
        if (launch->is.grid[axis] == 0 || launch->is.block[axis] == 0)
            return "it has no threads";
    for (uint32_t i = 0; i < launch->kernel->is.parameter_count; i++) {
        const struct cap_parameter *parameter = &launch->kernel->parameters[i];
        if (parameter->bytes == 0 || parameter->offset > launch->is.parameter_bytes ||
            parameter->bytes > launch->is.parameter_bytes - parameter->offset)
            return "not all of its parameters were kept";
    }
    if (launch->is.entry == CAP_GRAPH_NODE || launch->is.stream == CAP_STREAM_CAPTURING)
        return "it is a node of a graph";
    captured_left_out(launch->is.left_out & ~(uint32_t)CAP_LEFT_IMAGE, &left_out);
    const bool is_whole = left_out.length == 0 && !left_out.failed;
    why = text_to_arena(&left_out, set->arena);
    why = why && !is_whole ? arena_printf(set->arena, "the capture lacks %s", why) : NULL;
    if (!is_whole)
        return why ? why : "the capture lacks something";
    for (uint32_t i = 0; i < launch->is.pointer_count; i++) {
        const struct cap_pointer *pointer = &launch->pointers[i];
        const struct captured_buffer *buffer = &launch->buffers[pointer->buffer];
        if (pointer->holder != CAP_IN_PARAMETERS && holds_numbers(set, launch, pointer->holder))
            continue;
        if (pointer->holder != CAP_IN_PARAMETERS)
            return "its buffers hold addresses, which would be others in a replay";
        if (!buffer->before || !buffer->after || buffer->is.bytes == 0)
            return "not all of its memory was kept";
    }
    return NULL;
}

static const struct cap_pointer *pointer_at(const struct captured_launch *launch, uint64_t at)
{
    for (uint32_t i = 0; i < launch->is.pointer_count; i++)
        if (launch->pointers[i].holder == CAP_IN_PARAMETERS && launch->pointers[i].at == at)
            return &launch->pointers[i];
    return NULL;
}

/* Returns the number of addresses among a launch's parameters. */
static size_t passed_addresses(const struct captured_launch *launch)
{
    size_t count = 0;
    for (uint32_t i = 0; i < launch->is.pointer_count; i++)
        count += launch->pointers[i].holder == CAP_IN_PARAMETERS;
    return count;
}

/* Addresses are at the same places, and the same ones share buffers. */
static bool is_alike(const struct captured_launch *a, const struct captured_launch *b)
{
    if (passed_addresses(a) != passed_addresses(b))
        return false;
    for (size_t axis = 0; axis < 3; axis++)
        if (a->is.cluster[axis] != b->is.cluster[axis])
            return false;
    for (uint32_t i = 0; i < a->is.pointer_count; i++) {
        const struct cap_pointer *here = &a->pointers[i];
        const struct cap_pointer *there = pointer_at(b, here->at);
        if (here->holder != CAP_IN_PARAMETERS)
            continue;
        if (!there)
            return false;
        for (uint32_t j = 0; j < i; j++) {
            const struct cap_pointer *other = pointer_at(b, a->pointers[j].at);
            if (a->pointers[j].holder != CAP_IN_PARAMETERS)
                continue;
            if (!other ||
                (a->pointers[j].buffer == here->buffer) != (other->buffer == there->buffer))
                return false;
        }
    }
    return true;
}

/* Returns true for a repeated launch, as of programs that warm up or loop. */
static bool is_again(const struct captured_launch *a, const struct captured_launch *b)
{
    bool same = a->is.parameter_bytes == b->is.parameter_bytes &&
                a->is.buffer_count == b->is.buffer_count &&
                a->is.shared_bytes == b->is.shared_bytes &&
                memcmp(a->is.grid, b->is.grid, sizeof a->is.grid) == 0 &&
                memcmp(a->is.block, b->is.block, sizeof a->is.block) == 0 &&
                memcmp(a->parameters, b->parameters, a->is.parameter_bytes) == 0;
    for (uint32_t i = 0; same && i < a->is.buffer_count; i++)
        same = a->buffers[i].is.address == b->buffers[i].is.address &&
               a->buffers[i].after == b->buffers[i].after;
    return same;
}

static void leave_out(struct captured_set *set, const char *why)
{
    set->why = set->left_out++ == 0 ? why : set->why;
}

static enum status take_launches(struct captured_set *set, struct error *error)
{
    const struct capture *capture = set->question.capture;
    for (size_t i = 0; i < capture->launch_count; i++) {
        const struct captured_launch *launch = &capture->launches[i];
        if (launch->kernel != set->kernel)
            continue;
        const char *why = why_not(set, launch);
        bool is_repeat = false;
        for (size_t k = 0; !why && !is_repeat && k < set->launch_count; k++)
            is_repeat = is_again(set->launches[k], launch);
        if (is_repeat)
            continue; /* the first one has the results */
        const bool competes = !why && set->question.only_largest && set->launch_count > 0;
        if (why)
            leave_out(set, why);
        else if (competes && threads_of(launch) > threads_of(set->launches[0]))
            set->launches[0] = launch;
        else if (competes)
            continue;
        else if (set->launch_count > 0 && !is_alike(set->launches[0], launch))
            leave_out(set, "its addresses are not as those of the first");
        else if (set->launch_count == CAPTURED_LAUNCHES_MAX)
            leave_out(set, "there are too many");
        else
            set->launches[set->launch_count++] = launch;
    }
    const struct captured_launch *first = set->launches[0];
    if (first && passed_addresses(first) <= CAPTURED_POINTERS_MAX)
        return STATUS_OK;
    return error_set(error, STATUS_BAD_INPUT, "%.100s: no launch can be replayed: %s",
                     set->kernel->name, set->why ? set->why : "too many addresses");
}

/* ---- numbers passed ---- */

static uint32_t parameter_end(const struct captured_set *set, size_t i)
{
    return set->kernel->parameters[i].offset + set->kernel->parameters[i].bytes;
}

/* Calls `visit` for each integer that may be a size, until one call returns true: parameters of 4
 * and 8 bytes, and single words of structs. */
static bool each_integer(const struct captured_set *set,
                         bool (*visit)(const struct captured_set *set, uint32_t at, uint32_t bytes,
                                       void *context),
                         void *context)
{
    for (size_t i = 0; i < set->kernel->is.parameter_count; i++) {
        const uint32_t end = parameter_end(set, i);
        for (uint32_t at = set->kernel->parameters[i].offset; at + 4 <= end; at += 4) {
            if (pointer_at(set->launches[0], at)) {
                at += 4;
                continue;
            }
            if (visit(set, at, 4, context) || (set->kernel->parameters[i].bytes == 8 &&
                                               at + 8 <= end && visit(set, at, 8, context)))
                return true;
        }
    }
    return false;
}

/* Returns true if the number differs between all launches and is a size. */
static bool differs_at(const struct captured_set *set, uint32_t at, uint32_t bytes, void *context)
{
    int64_t *sizes = context;
    for (size_t i = 0; i < set->launch_count; i++) {
        sizes[i] = captured_integer(set->launches[i], at, bytes);
        /* A real that is read as an integer is far larger. */
        if (sizes[i] < 1 || sizes[i] >= (bytes == 4 ? INT64_C(1) << 29 : INT64_C(1) << 40))
            return false;
        for (size_t j = 0; j < i; j++)
            if (sizes[j] == sizes[i])
                return false;
    }
    return true;
}

/* Returns true if the number is large, as sizes are: a factor or step is seldom so large. */
static bool counts_elements(const struct captured_set *set, uint32_t at, uint32_t bytes,
                            void *context)
{
    enum { ELEMENTS_MIN = 32 };
    const int64_t *sizes = context;
    bool counts = differs_at(set, at, bytes, context);
    for (size_t i = 0; i < set->launch_count; i++)
        counts = counts && sizes[i] >= ELEMENTS_MIN;
    return counts;
}

static void choose_sizes(struct captured_set *set)
{
    uint64_t most = 0;
    if (!each_integer(set, counts_elements, set->sizes) &&
        !each_integer(set, differs_at, set->sizes))
        for (size_t i = 0; i < set->launch_count; i++)
            set->sizes[i] = (int64_t)i + 1;
    for (size_t i = 1; i < set->launch_count; i++)
        for (size_t j = i; j > 0 && set->sizes[j] < set->sizes[j - 1]; j--) {
            const int64_t size = set->sizes[j];
            const struct captured_launch *launch = set->launches[j];
            set->sizes[j] = set->sizes[j - 1];
            set->launches[j] = set->launches[j - 1];
            set->sizes[j - 1] = size;
            set->launches[j - 1] = launch;
        }
    for (size_t i = 0; i < set->launch_count; i++) {
        const uint64_t threads = threads_of(set->launches[i]);
        if (threads >= most) {
            most = threads;
            set->default_launch = i;
        }
    }
}

/* ---- vectors ---- */

/* Sets the vector's name and type from the source, if the vector is a parameter of its own. */
static void describe_vector(struct captured_set *set, struct captured_vector *vector,
                            size_t parameter, bool plain)
{
    const struct kernel_signature *signature = set->question.signature;
    const struct kernel_parameter *source = signature && parameter < signature->parameter_count
                                                ? &signature->parameters[parameter]
                                                : NULL;
    const char *name = source ? source->name : arena_printf(set->arena, "p%zu", parameter);
    const uint32_t at = set->addresses[set->address_count - 1].at;
    vector->name = plain || !name ? name
                                  : arena_printf(set->arena, "%s_%u", name,
                                                 at - set->kernel->parameters[parameter].offset);
    if (!source || !plain || source->kind != PARAMETER_POINTER)
        return;
    vector->is_known = source->known;
    vector->type = source->type;
    if (!source->constant && !source->is_hidden)
        vector->is_written = source->is_written; /* the replay tells if wholly */
}

/* Chooses the element type: the source's if all lengths fit; else words or bytes. */
static void choose_type(const struct captured_set *set, struct captured_vector *vector)
{
    const uint64_t bytes = vector->is_known ? element_bytes(vector->type) : 4;
    bool fits = true;
    for (size_t i = 0; i < set->launch_count; i++)
        fits = fits && vector->buffers[i]->is.bytes % bytes == 0;
    vector->is_known = vector->is_known && fits;
    if (!vector->is_known)
        vector->type = fits && bytes == 4 ? ELEMENT_U32 : ELEMENT_U8;
}

static void take_vector(struct captured_set *set, size_t parameter, uint32_t at)
{
    struct captured_address *address = &set->addresses[set->address_count++];
    const uint32_t buffer = pointer_at(set->launches[0], at)->buffer;
    *address = (struct captured_address){.at = at, .vector = (uint32_t)set->vector_count};
    for (size_t i = 0; i + 1 < set->address_count; i++)
        if (pointer_at(set->launches[0], set->addresses[i].at)->buffer == buffer)
            address->vector = set->addresses[i].vector;
    for (size_t i = 0; i < set->launch_count; i++)
        address->offset[i] = (int64_t)pointer_at(set->launches[i], at)->offset;
    if (address->vector < set->vector_count)
        return;
    struct captured_vector *vector = &set->vectors[set->vector_count++];
    *vector = (struct captured_vector){.type = ELEMENT_U8};
    for (size_t i = 0; i < set->launch_count; i++)
        vector->buffers[i] = &set->launches[i]->buffers[pointer_at(set->launches[i], at)->buffer];
    describe_vector(set, vector, parameter, captured_vector_of(set, parameter) == vector);
    for (size_t i = 0; i < set->launch_count; i++)
        vector->is_written |= vector->buffers[i]->changed;
    choose_type(set, vector);
}

static bool may_be_used(const struct captured_set *set, const char *variable)
{
    char plain[1024];
    captured_plain_name(variable, plain, sizeof plain);
    for (size_t i = 0; i < set->question.variable_count; i++)
        if (strcmp(set->question.variables[i], plain) == 0)
            return true;
    return !set->question.variables;
}

/* Adds variables that the kernel may read. A variable changed by the kernel would have to be
 * compared as well. */
static enum status take_variables(struct captured_set *set, struct error *error)
{
    const struct captured_launch *first = set->launches[0];
    const size_t passed = set->kernel->is.parameter_count;
    size_t room = passed < ARGUMENTS_MAX ? ARGUMENTS_MAX - passed : 0;
    for (uint32_t i = 0; i < first->is.buffer_count; i++) {
        const char *name = first->buffers[i].name;
        if (*name && is_plain(name) && may_be_used(set, name) &&
            (room <= set->vector_count || room-- == 0))
            return STATUS_OK; /* too many to be the kernel's own: the replay shows whether it
                                 needs one */
    }
    for (uint32_t i = 0; i < first->is.buffer_count; i++) {
        const char *name = first->buffers[i].name;
        if (!*name || !is_plain(name) || !may_be_used(set, name))
            continue;
        struct captured_vector *vector = &set->vectors[set->vector_count];
        *vector = (struct captured_vector){.symbol = name};
        bool kept = true;
        for (size_t k = 0; kept && k < set->launch_count; k++) {
            const struct captured_launch *launch = set->launches[k];
            vector->buffers[k] = NULL;
            for (uint32_t b = 0; b < launch->is.buffer_count && !vector->buffers[k]; b++)
                if (strcmp(launch->buffers[b].name, name) == 0)
                    vector->buffers[k] = &launch->buffers[b];
            kept = vector->buffers[k] && vector->buffers[k]->before;
            if (kept && vector->buffers[k]->changed)
                return error_set(error, STATUS_BAD_INPUT,
                                 "%.100s changes the variable %.100s, which a replay could not "
                                 "hold against anything",
                                 set->kernel->name, name);
        }
        if (!kept)
            continue;
        vector->name = arena_printf(set->arena, "variable%zu", set->vector_count++);
        choose_type(set, vector);
    }
    return STATUS_OK;
}

enum status captured_take(struct arena *arena, const struct captured_question *question,
                          struct captured_set *out, struct error *error)
{
    *out = (struct captured_set){.arena = arena, .question = *question};
    TRY(captured_find(&out->question, &out->kernel, &out->instances, error));
    if (question->signature &&
        question->signature->parameter_count != out->kernel->is.parameter_count)
        return error_set(error, STATUS_BAD_INPUT,
                         "%.100s was launched with %s, and the source's kernel takes "
                         "%zu: it is not the program's source",
                         out->kernel->name,
                         count_text(out->kernel->is.parameter_count, "parameter").text,
                         question->signature->parameter_count);
    TRY(take_launches(out, error));
    choose_sizes(out);
    for (size_t i = 0; i < out->kernel->is.parameter_count; i++)
        for (uint32_t at = out->kernel->parameters[i].offset; at + 8 <= parameter_end(out, i);
             at += 8)
            if (pointer_at(out->launches[0], at))
                take_vector(out, i, at);
    TRY(take_variables(out, error));
    bool writes = false;
    for (size_t i = 0; i < out->vector_count; i++)
        writes |= out->vectors[i].is_written;
    if (!writes)
        return error_set(error, STATUS_BAD_INPUT,
                         "%.100s changed nothing in the launches that were kept: there is "
                         "nothing to hold results against",
                         out->kernel->name);
    if (out->vector_count + out->kernel->is.parameter_count > ARGUMENTS_MAX)
        return error_set(error, STATUS_BAD_INPUT, "%.100s takes more than %d arguments",
                         out->kernel->name, ARGUMENTS_MAX);
    return arena->failed ? error_no_memory(error) : STATUS_OK;
}

/* ---- files ---- */

struct unpacking {
    const struct captured_content *content;
    int64_t deadline_ns;
};

static const void *part_in_time(const void *context, uint64_t at, uint64_t *bytes)
{
    const struct unpacking *unpacking = context;
    const bool is_late = unpacking->deadline_ns != 0 && clock_now_ns() >= unpacking->deadline_ns;
    return is_late ? NULL : captured_part(unpacking->content, at, bytes);
}

/* Writes contents into "SIZE.VECTOR.WHEN". */
static enum status unpack(const struct captured_content *content, const struct captured_set *set,
                          size_t launch, const struct captured_vector *vector, const char *when,
                          const char *folder, int64_t deadline_ns, int64_t *total,
                          struct error *error)
{
    char name[4096];
    const struct unpacking unpacking = {content, deadline_ns};
    const struct file_parts parts = {vector->buffers[launch]->is.bytes, part_in_time, &unpacking};
    (void)string_format(name, sizeof name, "%lld.%s.%s", (long long)set->sizes[launch],
                        vector->name, when);
    *total += (int64_t)parts.bytes;
    return folder_write_parts(folder, name, &parts, error);
}

enum status captured_unpack(const struct captured_set *set, const char *folder, int64_t deadline_ns,
                            int64_t *bytes, struct error *error)
{
    const struct captured_image *image = set->kernel->image;
    *bytes = 0;
    for (size_t v = 0; v < set->vector_count; v++)
        for (size_t i = 0; i < set->launch_count; i++) {
            const struct captured_vector *vector = &set->vectors[v];
            const struct captured_buffer *buffer = vector->buffers[i];
            TRY(unpack(buffer->before, set, i, vector, "before", folder, deadline_ns, bytes,
                       error));
            if (vector->is_written)
                TRY(unpack(buffer->after, set, i, vector, "after", folder, deadline_ns, bytes,
                           error));
        }
    if (set->question.signature || !image || !image->data)
        return STATUS_OK;
    *bytes += (int64_t)image->is.kept_bytes;
    return folder_write(folder, "image", image->data, image->is.kept_bytes, error);
}
