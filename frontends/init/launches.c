/* Finds a kernel's intended launch: the source's own launch, the kernel's uses of blockIdx and
 * threadIdx. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "frontends/init/formula.h"
#include "tuner/base/array.h"
#include "tuner/base/files.h"

/* The built-in variables, along each axis. */
static const char *const block_index[] = {"blockIdx.x", "blockIdx.y", "blockIdx.z"};
static const char *const thread_index[] = {"threadIdx.x", "threadIdx.y", "threadIdx.z"};
static const char *const block_size[] = {"blockDim.x", "blockDim.y", "blockDim.z"};
static const char *const grid_size[] = {"gridDim.x", "gridDim.y", "gridDim.z"};

struct launches {
    struct arena *arena;
    const struct tokens *whole;  /* tokens of the file with the launch */
    const struct tokens *tokens; /* tokens of the source */
    struct source_signature *out;
    const struct kernel_signature *kernel;
    struct formula_scope scope; /* of `whole` */
};

/* ---- launches ---- */

/* Reads expressions between `first` and `end`, parted by commas; each resolved before `before`. */
static size_t read_list(const struct launches *launches, size_t first, size_t end, size_t before,
                        const struct formula *out[], size_t most)
{
    size_t count = 0;
    for (size_t i = first, behind; i < end && count < most; i = behind + 1) {
        behind = item_end(launches->whole, i, end);
        size_t at = i;
        const struct formula *formula = formula_read(launches->arena, launches->whole, &at, behind);
        out[count++] =
            formula && at == behind ? formula_resolve(&launches->scope, formula, before) : NULL;
    }
    return count;
}

static void take_sides(const struct launches *launches, const struct formula *formula,
                       const struct formula *out[3])
{
    const struct formula *one = formula_number(launches->arena, 1);
    const bool several =
        formula && formula->kind == FORMULA_CALL && strcmp(formula->text, "dim3") == 0;
    for (size_t axis = 0; axis < 3; axis++) {
        const struct formula *side = !several                ? axis == 0 ? formula : one
                                     : axis < formula->count ? formula->parts[axis]
                                                             : one;
        out[axis] = formula && side && formula_is_plain(side) ? side : NULL;
    }
}

/* Reads the arguments behind the name of a template. Returns the next token. */
static size_t read_template(const struct launches *launches, size_t first, size_t before,
                            struct source_launch *launch)
{
    if (!token_is(launches->whole, first, "<"))
        return first;
    const size_t behind = tokens_behind_angle(launches->whole, first);
    launch->template_count =
        read_list(launches, first + 1, behind - 1, before, launch->template, TEMPLATE_MAX);
    return behind;
}

/* Reads grid and block between `first` and `end`, and the shared memory behind `skipped` more. */
static void read_shape(const struct launches *launches, size_t first, size_t end, size_t skipped,
                       size_t before, struct source_launch *launch)
{
    const struct formula *list[4] = {NULL};
    read_list(launches, first, end, before, list, COUNT(list));
    take_sides(launches, list[0], launch->grid);
    take_sides(launches, list[1], launch->block);
    const struct formula *shared = list[2 + skipped];
    launch->shared = shared && formula_is_plain(shared) ? shared : NULL;
}

/* Reads kernel<<<grid, block, shared, stream>>>(arguments), the name being at `at`. */
static void read_chevrons(const struct launches *launches, size_t at, struct source_launch *launch)
{
    const struct tokens *whole = launches->whole;
    size_t first = read_template(launches, at + 1, at, launch);
    if (!token_is(whole, first, "<<") || !token_is(whole, first + 1, "<"))
        return;
    first += 2;
    size_t end = first;
    while (end < whole->count &&
           !(token_is(whole, end, ">") && token_is(whole, end + 1, ">") &&
             token_is(whole, end + 2, ">")) &&
           !token_is_in(whole, end, "; }"))
        end = token_is_in(whole, end, "( [ {") ? tokens_behind(whole, end) : end + 1;
    if (!token_is(whole, end, ">") || !token_is(whole, end + 3, "("))
        return;
    read_shape(launches, first, end, 0, at, launch);
}

/* Reads cudaLaunchKernel((void *)kernel<4>, grid, block, args, shared, stream). */
static void read_call(const struct launches *launches, size_t at, const char *kernel,
                      struct source_launch *launch)
{
    const struct tokens *whole = launches->whole;
    const size_t behind = token_is(whole, at + 1, "(") ? tokens_behind(whole, at + 1) : 0;
    size_t first = at + 2;
    bool found = false;
    for (; first < behind && !token_is(whole, first, ","); first++)
        if (token_is(whole, first, kernel)) {
            found = true;
            first = read_template(launches, first + 1, at, launch) - 1;
        }
    if (!found || first >= behind)
        return;
    read_shape(launches, first + 1, behind - 1, 1, at, launch);
}

/* ---- indices ---- */

/* Returns true if the expression depends on a parameter of the kernel; no launch's shape does. */
static bool names_parameter(const struct launches *launches, const struct formula *formula)
{
    for (size_t i = 0; i < launches->kernel->parameter_count; i++)
        if (formula_names(formula, launches->kernel->parameters[i].name))
            return true;
    return !formula_is_plain(formula);
}

/* Returns the product without its factors that depend on the kernel's parameters, such as the
 * length of a row: NULL if none is left. */
static const struct formula *without_parameters(const struct launches *launches,
                                                const struct formula *product)
{
    if (!names_parameter(launches, product))
        return product;
    if (product->kind != FORMULA_BINARY || *product->text != '*')
        return NULL;
    const struct formula *a = without_parameters(launches, product->parts[0]);
    const struct formula *b = without_parameters(launches, product->parts[1]);
    return a && b ? formula_binary(launches->arena, "*", a, b) : a ? a : b;
}

/* Takes an index with blockIdx; `with_threads` marks axes that already have one with threadIdx. */
static void take_index(const struct launches *launches, const struct formula *formula, size_t axis,
                       bool with_threads[3])
{
    struct source_indices *indices = &launches->out->indices;
    const struct formula *of_block = NULL, *of_thread = NULL;
    if (!formula_names(formula, block_index[axis]) || with_threads[axis] ||
        !formula_factor(launches->arena, formula, block_index[axis], &of_block) || !of_block ||
        !formula_factor(launches->arena, formula, thread_index[axis], &of_thread) ||
        !(of_block = without_parameters(launches, of_block)) ||
        (of_thread && !(of_thread = without_parameters(launches, of_thread))))
        return;
    indices->span[axis] = of_block;
    with_threads[axis] = of_thread != NULL;
    const struct formula *width =
        of_thread ? formula_without(launches->arena, of_block, of_thread) : NULL;
    if (formula_names(of_block, block_size[axis]))
        indices->block[axis] = formula_name(launches->arena, block_size[axis]);
    else if (width &&
             (width->kind == FORMULA_NAME || (width->kind == FORMULA_NUMBER && width->number > 1)))
        indices->block[axis] = width;
}

/* Takes `k += BLOCK`, where k begins with threadIdx.x; by gridDim the blocks take turns. */
static void take_stride(const struct launches *launches, const struct formula_scope *scope,
                        size_t at)
{
    struct source_indices *indices = &launches->out->indices;
    size_t first = at + 1;
    const struct formula *stride =
        formula_read(launches->arena, scope->tokens, &first, scope->tokens->count);
    const char *name = tokens_text(launches->arena, scope->tokens, at - 1, at);
    const struct formula *start = name ? formula_name(launches->arena, name) : NULL;
    start = start ? formula_resolve(scope, start, at - 1) : NULL;
    stride = start && stride ? formula_resolve(scope, stride, at) : NULL;
    for (size_t axis = 0; stride && start && axis < 3; axis++) {
        const struct formula *factor = NULL;
        indices->strides[axis] |= formula_names(stride, grid_size[axis]);
        if (!indices->block[axis] && stride->kind == FORMULA_NAME &&
            !formula_names(start, block_index[axis]) && !names_parameter(launches, stride) &&
            formula_factor(launches->arena, start, thread_index[axis], &factor) && factor &&
            factor->kind == FORMULA_NUMBER && factor->number == 1)
            indices->block[axis] = stride;
    }
}

static void read_indices(const struct launches *launches)
{
    const struct kernel_signature *kernel = launches->kernel;
    const struct formula_scope scope =
        formula_scope_of(launches->arena, launches->tokens, kernel->first_token, launches->out);
    bool with_threads[3] = {false};
    size_t looks = 0, bounds = kernel->bounds_token;
    if (bounds > 0)
        launches->out->indices.threads =
            formula_read(launches->arena, launches->tokens, &bounds, kernel->end_token);
    for (size_t i = kernel->first_token + 1;
         looks < INDICES_MAX && i < kernel->end_token && i < launches->tokens->count; i++) {
        if (!token_is_in(launches->tokens, i, "+= = ["))
            continue;
        looks++;
        if (token_is(launches->tokens, i, "+="))
            take_stride(launches, &scope, i);
        if (!token_is_in(launches->tokens, i, "= ["))
            continue;
        size_t at = i + 1;
        const struct formula *index =
            formula_read(launches->arena, launches->tokens, &at, kernel->end_token);
        index = index ? formula_resolve(&scope, index, i) : NULL;
        for (size_t axis = 0; index && axis < 3; axis++)
            take_index(launches, index, axis, with_threads);
        /* An expression of numbers with a name may be the number of threads. */
        struct source_indices *indices = &launches->out->indices;
        if (index && formula_is_plain(index) && formula_names(index, NULL))
            indices->numbers[indices->number_count++] = index;
    }
}

/* ---- the whole ---- */

static void find_launch(struct launches *launches, const char *path)
{
    const struct tokens *whole = launches->whole;
    const char *name = unqualified_name(launches->kernel->name);
    launches->scope = formula_scope_of(launches->arena, whole, 0, launches->out);
    for (size_t i = 0; i < whole->count && launches->out->launch.line == 0; i++) {
        struct source_launch launch = {.line = whole->items[i].line, .path = path};
        if (token_is(whole, i, name))
            read_chevrons(launches, i, &launch);
        if (token_is_in(whole, i, "cudaLaunchKernel cudaLaunchCooperativeKernel hipLaunchKernel"))
            read_call(launches, i, name, &launch);
        if (launch.block[0] || launch.grid[0]) /* the first whose shape is known in part */
            launches->out->launch = launch;
    }
}

/* Finds the launch in another file of the project, unless that file has a kernel of the name. */
static bool visit_file(void *context, const char *path)
{
    static const char *const endings[] = {".cu", ".cuh", ".cpp", ".h", ".hpp"};
    struct launches *launches = context;
    struct error ignored = {0};
    struct tokens tokens;
    char *text = NULL;
    bool is_source = false;
    for (size_t i = 0; i < COUNT(endings); i++)
        is_source |= text_ends_with(path, endings[i]);
    if (!is_source ||
        file_read(launches->arena, path, SOURCE_BYTES_MAX, &text, NULL, &ignored) != STATUS_OK ||
        !strstr(text, unqualified_name(launches->kernel->name)))
        return false;
    launches->whole = &tokens;
    if (tokens_read(launches->arena, text, &tokens))
        find_launch(launches, path_file(path));
    launches->whole = NULL;
    struct source_launch *launch = &launches->out->launch;
    if (launch->line > 0 && kernel_has_body(launches->arena, path, launches->kernel->name))
        *launch = (struct source_launch){0};
    return launch->line > 0;
}

bool launches_read(struct arena *arena, const char *path, const struct tokens *tokens,
                   struct source_signature *out)
{
    struct launches launches = {
        .arena = arena, .whole = tokens, .tokens = tokens, .out = out, .kernel = out->chosen};
    read_indices(&launches);
    find_launch(&launches, NULL);
    if (out->launch.line == 0)
        nearby_visit(arena, path, visit_file, &launches);
    return !arena->failed;
}
