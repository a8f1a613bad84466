/* The experiment of a kernel without source: variations of the program's launch, as far as the
 * image allows. */
#include <stdio.h>
#include <string.h>

#include "frontends/capture/applied.h"
#include "frontends/capture/captured.h"
#include "tuner/base/array.h"
#include "tuner/base/files.h"

struct binary_draft {
    const struct captured_set *set;
    const struct image_kernel *image; /* NULL: no image */
    struct text *out;
    struct text defaults; /* "block_x: 256, ..." */
    struct text constraints;
    const char *block[2]; /* threads along x and y as an expression; NULL: as launched */
    bool has_grid, has_shared, has_registers, has_cluster;
    uint32_t threads_most;
};

/* Appends a parameter with `own` among the ascending values; values above `most` are left out. */
static void put_parameter(struct binary_draft *draft, const char *name, const uint32_t *values,
                          size_t count, uint32_t own, uint32_t most)
{
    bool placed = false, first = true;
    text_printf(draft->out, "  %s: [", name);
    for (size_t i = 0; i <= count; i++) {
        if (!placed && (i == count || own <= values[i])) {
            text_printf(draft->out, "%s%u", first ? "" : ", ", own);
            placed = true;
            first = false;
        }
        if (i < count && values[i] != own && values[i] <= most) {
            text_printf(draft->out, "%s%u", first ? "" : ", ", values[i]);
            first = false;
        }
    }
    text_append(draft->out, "]\n");
    text_printf(&draft->defaults, "%s%s: %u", draft->defaults.length ? ", " : "", name, own);
}

/* Appends a block parameter. If the launches' blocks differ, 0 stands for each launch's own. */
static void put_block(struct binary_draft *draft, size_t axis, const uint32_t *values, size_t count)
{
    static const char *const names[] = {"block_x", "block_y"};
    const struct captured_set *set = draft->set;
    const uint32_t own = captured_block(set, axis);
    int64_t blocks[CAPTURED_LAUNCHES_MAX];
    bool differs = false;
    for (size_t i = 0; i < set->launch_count; i++) {
        blocks[i] = set->launches[i]->is.block[axis];
        differs |= blocks[i] != own;
    }
    put_parameter(draft, names[axis], values, count, differs ? 0 : own, draft->threads_most);
    draft->block[axis] = differs ? arena_printf(set->arena, "(%s if %s > 0 else %s)", names[axis],
                                                names[axis], captured_number(set, blocks))
                                 : names[axis];
}

static void put_blocks(struct binary_draft *draft)
{
    static const uint32_t line[] = {32, 64, 128, 192, 256, 384, 512, 768, 1024};
    static const uint32_t across[] = {8, 16, 32, 64, 128, 256};
    static const uint32_t down[] = {1, 2, 4, 8, 16, 32};
    bool is_line = true, has_warps = true;
    for (size_t i = 0; i < draft->set->launch_count; i++) {
        const uint32_t *block = draft->set->launches[i]->is.block;
        is_line = is_line && block[1] == 1;
        has_warps = has_warps && block[0] * block[1] >= 32;
    }
    const struct image_kernel *image = draft->image;
    if (image &&
        ((image->has_ptx && !(image->reads & IMAGE_READS_BLOCK)) || image->required_block[0]))
        return;
    if (is_line) {
        put_block(draft, 0, line, COUNT(line));
        return;
    }
    put_block(draft, 0, across, COUNT(across));
    put_block(draft, 1, down, COUNT(down));
    const char *x = draft->block[0] ? draft->block[0] : "1";
    const char *y = draft->block[1] ? draft->block[1] : "1";
    text_printf(&draft->constraints, "  - %s * %s <= %u\n", x, y,
                draft->threads_most / captured_block(draft->set, 2));
    if (has_warps)
        text_printf(&draft->constraints, "  - 32 <= %s * %s\n", x, y);
}

/* Appends the parameters that the PTX leaves free: grid, shared memory, registers, cluster. */
static void put_resources(struct binary_draft *draft, const char **grid)
{
    static const uint32_t per_sm[] = {1, 2, 4, 8, 16, 32};
    static const uint32_t spare[] = {8192, 16384, 32768, 65536};
    static const uint32_t limits[] = {24, 32, 40, 48, 56, 64, 80, 96, 128, 168};
    static const uint32_t clusters[] = {2, 4};
    const struct captured_set *set = draft->set;
    const struct image_kernel *image = draft->image;
    const struct cap_launch *launch = &set->launches[set->default_launch]->is;
    const bool is_line = launch->grid[1] * launch->grid[2] <= 1;
    size_t count = COUNT(limits);
    if (!image || !image->has_ptx)
        return;
    /* A kernel with a grid-stride loop has 0 for the program's own blocks, else blocks per SM. */
    draft->has_grid = is_line && (image->reads & IMAGE_READS_GRID);
    if (draft->has_grid) {
        put_parameter(draft, "blocks_per_sm", per_sm, COUNT(per_sm), 0, UINT32_MAX);
        *grid = arena_printf(set->arena, "%s if blocks_per_sm == 0 else sm_count * blocks_per_sm",
                             *grid);
    }
    /* A block that reserves more than it uses leaves fewer blocks on an SM, and more L1 for these.
     */
    draft->has_shared = !(image->reads & IMAGE_READS_SHARED);
    if (draft->has_shared) {
        put_parameter(draft, "spare_shared", spare, COUNT(spare), 0, UINT32_MAX);
        text_printf(
            &draft->constraints,
            "  - spare_shared == 0 or %d + %s + spare_shared <= shared_bytes_per_block_optin\n",
            image->static_shared_bytes > 0 ? image->static_shared_bytes : 0, captured_shared(set));
    }
    /* Limits of registers below the use of the program's code; 0: that code. For PTX alone, the
     * registers are those that the driver reported to the program. */
    const int32_t own = image->registers > 0 ? image->registers : set->kernel->is.registers;
    while (count > 0 && own > 0 && limits[count - 1] >= (uint32_t)own)
        count--;
    draft->has_registers = count > 0;
    if (draft->has_registers)
        put_parameter(draft, "registers", limits, count, 0, UINT32_MAX);
    draft->has_cluster = !(image->reads & IMAGE_READS_CLUSTER) && image->required_cluster[0] <= 1 &&
                         launch->cluster[0] <= 1 && is_line;
    if (draft->has_cluster) {
        put_parameter(draft, "cluster", clusters, COUNT(clusters), 1, UINT32_MAX);
        text_printf(&draft->constraints,
                    "  - cluster == 1 or (compute_capability >= 9 and (%s) %% cluster == 0)\n",
                    *grid ? *grid : "1");
    }
}

static void put_head(struct binary_draft *draft, const char *name, const char *folder)
{
    const struct captured_set *set = draft->set;
    const struct captured_program *program = set->kernel->program;
    text_printf(draft->out,
                "# Tunes launches of a kernel without its source, as a program made them: %zu of "
                "them were captured, and each\n# is checked by the results that it left. Made by "
                "'tune run --binary'; docs/capture.md.\nexperiment: %s\nabout: A kernel of ",
                set->launch_count, name);
    for (const char *c = path_file(program->path); *c; c++) {
        const bool plain = is_name_character(*c) || *c == '-' || *c == '.';
        text_append_bytes(draft->out, plain ? c : "_", 1);
    }
    text_printf(draft->out, "\nbinary: %s/image\n", folder);
    captured_put_sizes(set, draft->out);
}

static void put_launch(struct binary_draft *draft, const char *grid_x)
{
    const struct captured_set *set = draft->set;
    const char *grid[3] = {grid_x, NULL, NULL};
    const char *block[3] = {NULL};
    const char *shared = captured_shared(set);
    for (size_t axis = 0; axis < 3; axis++) {
        const char *tuned = axis < 2 ? draft->block[axis] : NULL;
        int64_t blocks[CAPTURED_LAUNCHES_MAX];
        for (size_t i = 0; i < set->launch_count; i++)
            blocks[i] = set->launches[i]->is.block[axis];
        block[axis] = tuned ? tuned : captured_number(set, blocks);
        if (axis > 0)
            grid[axis] = captured_grid(set, axis, tuned, 0);
    }
    if (draft->has_shared)
        shared = arena_printf(set->arena, "%s + spare_shared", shared);
    text_printf(draft->out, "launches:\n  - kernel: \"%s\"\n", set->kernel->name);
    captured_put_launch(set, grid, block, shared ? shared : "0", draft->out);
    if (draft->has_cluster)
        text_append(draft->out, "    cluster: cluster\n");
}

/* Finds the offsets of numbers that differ among at least three launches of that shape, as a loop's
 * counter does, so that other values may follow. Returns 0 for too few launches or too many words.
 */
static size_t find_varying(const struct captured_set *set, size_t launch,
                           uint32_t words[APPLY_WORDS_MAX])
{
    const struct captured_launch *is = set->launches[launch], *alike[CAPTURED_LAUNCHES_MAX];
    size_t alike_count = 0, count = 0;
    for (size_t i = 0; i < set->launch_count; i++) {
        const struct cap_launch *other = &set->launches[i]->is;
        if (memcmp(other->grid, is->is.grid, sizeof other->grid) == 0 &&
            memcmp(other->block, is->is.block, sizeof other->block) == 0 &&
            other->shared_bytes == is->is.shared_bytes)
            alike[alike_count++] = set->launches[i];
    }
    for (uint32_t at = 0; alike_count >= 3 && at + 4 <= is->is.parameter_bytes; at += 4) {
        bool differs = false, is_address = false;
        for (size_t i = 0; i < set->address_count; i++)
            is_address |= at == set->addresses[i].at || at == set->addresses[i].at + 4;
        for (size_t i = 0; i < alike_count; i++)
            differs |= memcmp(alike[i]->parameters + at, is->parameters + at, 4) != 0;
        if (is_address || !differs)
            continue;
        if (count == APPLY_WORDS_MAX)
            return 0;
        words[count++] = at;
    }
    return count;
}

/* Appends the evidence by which `tune apply` finds a launch: each launch, the image, the kernel. */
static void put_evidence(const struct captured_set *set, struct text *out)
{
    uint32_t pointers[CAPTURED_POINTERS_MAX];
    for (size_t i = 0; i < set->address_count; i++)
        pointers[i] = set->addresses[i].at;
    text_printf(out, "  checked_on: %zu\n  image: \"'%s'\"\n  kernel: \"'%s'\"\n  launched: \"[",
                set->launch_count, set->kernel->image->hash, set->kernel->name);
    for (size_t i = 0; i < set->launch_count; i++) {
        uint32_t words[APPLY_WORDS_MAX];
        const struct applied_places places = {.pointers = pointers,
                                              .pointer_count = set->address_count,
                                              .words = words,
                                              .word_count = find_varying(set, i, words)};
        text_append(out, i ? ", '" : "'");
        applied_key(set->launches[i], &places, out);
        text_append(out, "'");
    }
    text_printf(out, "][%s]\"\n", set->launch_count > 1 ? "_launch" : "0");
}

enum status captured_experiment(const struct captured_set *set, const char *name,
                                const char *folder, const struct image_kernel *image,
                                struct text *out, struct error *error)
{
    struct binary_draft draft = {.set = set, .image = image, .out = out, .threads_most = 1024};
    if (!set->kernel->image || !set->kernel->image->data)
        return error_set(error, STATUS_BAD_INPUT, "%.100s: its image was not captured",
                         set->kernel->name);
    if (image && image->max_threads > 0)
        draft.threads_most = image->max_threads;
    else if (set->kernel->is.threads_most > 0)
        draft.threads_most = (uint32_t)set->kernel->is.threads_most;
    put_head(&draft, name, folder);
    text_append(out, "parameters:\n");
    put_blocks(&draft);
    const char *grid = captured_grid(set, 0, draft.block[0], 0);
    put_resources(&draft, &grid);
    enum status status = STATUS_OK;
    if (draft.defaults.length == 0)
        status = error_set(error, STATUS_BAD_INPUT,
                           "%.100s: nothing of its launch may change: its block is compiled in, "
                           "and there is no PTX",
                           set->kernel->name);
    text_printf(out, "defaults: {%s}\n", text_string(&draft.defaults));
    if (draft.constraints.length > 0)
        text_printf(out, "constraints:\n%s", text_string(&draft.constraints));
    captured_put_derived(set, out);
    if (set->launch_count < 2)
        text_append(out, "derived:\n");
    put_evidence(set, out);
    if (draft.has_registers)
        text_append(out, "flags: [\"-maxrregcount=${registers}\"]\n");
    put_launch(&draft, grid ? grid : "1");
    captured_put_arguments(set, folder, out);
    captured_put_checks(set, folder, true, out);
    text_printf(out,
                "baselines:\n  - {name: program, about: As the program launches it, set: {%s}}\n",
                text_string(&draft.defaults));
    if (status == STATUS_OK &&
        (out->failed || draft.defaults.failed || draft.constraints.failed || set->arena->failed))
        status = error_no_memory(error);
    text_free(&draft.defaults);
    text_free(&draft.constraints);
    return status;
}
