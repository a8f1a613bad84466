/* The parameters of a drafted experiment, and its launch: the source's own with these in place. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "frontends/init/draft_parts.h"
#include "tuner/base/array.h"

/* ---- parameters ---- */

bool is_number(const char *text)
{
    char *end = NULL;
    if (!text || !*text)
        return false;
    (void)strtod(text, &end);
    return *end == '\0';
}

bool is_word(const char *text)
{
    return strcmp(text, "true") == 0 || strcmp(text, "false") == 0;
}

/* Adds a value, unless known to give other results. */
static void add_value(const struct draft *draft, struct tunable *tunable, const char *value)
{
    const struct draft_request *request = draft->request;
    const size_t length = strlen(tunable->values);
    for (size_t i = 0; i < request->values.wrong_count; i++)
        if (strcmp(request->values.wrong[i].parameter, tunable->name) == 0 &&
            strcmp(request->values.wrong[i].value, value) == 0) {
            tunable->is_partly_wrong = true;
            return;
        }
    (void)string_format(tunable->values + length, sizeof tunable->values - length, "%s%s",
                        length > 0 ? ", " : "", value);
}

static void choose_values(const struct draft *draft, struct tunable *tunable)
{
    static const long whole[] = {64, 128, 256, 512, 1024, 0}, wide[] = {8, 16, 32, 64, 128, 256, 0};
    static const long down[] = {1, 2, 4, 8, 16, 0}, few[] = {1, 2, 4, 8, 0},
                      sides[] = {8, 16, 32, 0}, cube[] = {4, 6, 8, 10, 0};
    static const long limits[] = {32, 64, 128, 0};
    const char *text = tunable->preset, axis = tunable->axis;
    const long preset = strtol(text, NULL, 0);
    const long scaled[] = {preset / 4, preset / 2, preset, 2 * preset, 0};
    const bool is_real = !is_word(text) && strpbrk(text, ".eEfF") && strncmp(text, "0x", 2) != 0;
    const bool is_switch = !strchr("zbr", axis ? axis : ' ') &&
                           (strcmp(text, "0") == 0 ||
                            (strncasecmp(tunable->name, "use", 3) == 0 && strcmp(text, "1") == 0));
    const struct formula *rows = draft->sides[1]; /* 1: a row of threads, in a grid with several */
    const bool is_row = draft->flat || (rows->kind == FORMULA_NUMBER && rows->number == 1);
    if (is_word(text) || is_switch || is_real) { /* a real number has one value */
        add_value(draft, tunable, is_real ? text : is_word(text) ? "false" : "0");
        if (!is_real)
            add_value(draft, tunable, is_word(text) ? "true" : "1");
        return;
    }
    const long *numbers = axis == 'r'                   ? limits
                          : tunable->square             ? (axis == 'z' ? cube : sides)
                          : axis == 'x'                 ? (is_row ? whole : wide)
                          : axis && strchr("yzb", axis) ? down
                          : preset > 8                  ? scaled
                                                        : few;
    for (bool is_in = false; *numbers || !is_in;) { /* and the preset, in ascending order */
        const bool is_preset = !is_in && (!*numbers || *numbers >= preset);
        char number[32];
        (void)string_format(number, sizeof number, "%ld", is_preset ? preset : *numbers);
        numbers += !is_preset || (*numbers && *numbers == preset);
        is_in |= is_preset;
        add_value(draft, tunable, number);
    }
}

static struct tunable *add_tunable(struct draft *draft, const char *name, const char *preset,
                                   bool is_define)
{
    struct tunable *tunable = &draft->tunables[draft->tunable_count++];
    *tunable = (struct tunable){.name = name, .preset = preset, .is_define = is_define};
    return tunable;
}

/* Adds a parameter of the launch alone. */
static void add_launch_tunable(struct draft *draft, const char *name, const char *preset, char axis)
{
    struct tunable *tunable = add_tunable(draft, name, preset ? preset : "1", false);
    tunable->axis = axis;
    draft->out->failed |= !preset;
    if (axis == 'b' || axis == 'r')
        choose_values(draft, tunable);
}

void draft_add_registers(struct draft *draft)
{
    for (size_t i = 0; i < draft->tunable_count; i++)
        if (strchr(draft->tunables[i].values, ','))
            return;
    const char *preset = "0";
    for (size_t i = 0; i < draft->request->binary.flag_count; i++)
        if (strncmp(draft->request->binary.flags[i], register_flag, strlen(register_flag)) == 0)
            preset = draft->request->binary.flags[i] + strlen(register_flag);
    add_launch_tunable(draft, "registers", preset, 'r');
    draft->limits_registers = true;
}

static const struct tunable *find_tunable(const struct draft *draft, const char *name)
{
    for (size_t i = 0; i < draft->tunable_count; i++)
        if (strcmp(draft->tunables[i].name, name) == 0)
            return &draft->tunables[i];
    return NULL;
}

/* ---- names of the source as those of the experiment ---- */

/* Finds the parameter for a template's number, by the host's name. */
static const struct tunable *of_template(const struct draft *draft, const struct formula *name)
{
    const struct source_launch *launch = &draft->launch;
    for (size_t i = 0; i < launch->template_count && i < draft->kernel->template_count; i++)
        if (launch->template[i] && formula_same(launch->template[i], name))
            return find_tunable(draft, draft->kernel->template[i].name);
    return NULL;
}

static const struct formula *as_size(struct draft *draft)
{
    return formula_name(draft->arena, draft->size);
}

static const struct formula *rename_one(const struct formula *name, void *context)
{
    struct draft *draft = context;
    if (name->kind == FORMULA_NUMBER)
        return NULL;
    const struct tunable *tunable = find_tunable(draft, name->text);
    if (tunable || strcmp(name->text, "sm_count") == 0)
        return NULL;
    if (strncmp(name->text, "blockDim.", 9) == 0) {
        const struct formula *side = draft->sides[name->text[9] - 'x'];
        return side ? side : formula_number(draft->arena, 1);
    }
    for (size_t axis = 0; axis < 3; axis++)
        if (draft->side_names[axis] && strcmp(draft->side_names[axis], name->text) == 0)
            return draft->sides[axis];
    tunable = of_template(draft, name);
    if (tunable)
        return formula_name(draft->arena, tunable->name);
    return name->has_number ? formula_number(draft->arena, name->number) : as_size(draft);
}

static const struct formula *renamed(struct draft *draft, const struct formula *formula)
{
    const struct formula *made =
        formula ? formula_replace(draft->arena, formula, rename_one, draft) : NULL;
    draft->out->failed |= formula && !made;
    return made;
}

static const struct formula *by_preset(const struct formula *name, void *context)
{
    struct draft *draft = context;
    const struct tunable *tunable =
        name->kind == FORMULA_NAME ? find_tunable(draft, name->text) : NULL;
    return tunable ? formula_number(draft->arena, strtoll(tunable->preset, NULL, 0)) : NULL;
}

int64_t draft_at_presets(struct draft *draft, const struct formula *formula)
{
    int64_t value = 0;
    const struct formula *numbers =
        formula ? formula_replace(draft->arena, formula, by_preset, draft) : NULL;
    return numbers && formula_value(numbers, false, &value) ? value : 0;
}

static bool is_tuned(struct draft *draft, const struct formula *formula)
{
    for (size_t i = 0; i < draft->tunable_count; i++)
        if (formula_names(formula, draft->tunables[i].name))
            return true;
    return false;
}

static const char *written(const struct draft *draft, const struct formula *formula)
{
    struct text text = {0};
    if (formula)
        formula_put(formula, &text);
    draft->out->failed |= !formula;
    return draft_text(draft, &text);
}

static bool is_unknown(const struct formula *part, const void *context)
{
    const struct draft *draft = context;
    return part->kind == FORMULA_UNKNOWN ||
           (part->kind == FORMULA_NAME && !part->has_number &&
            strncmp(part->text, "blockDim.", 9) != 0 && strcmp(part->text, "sm_count") != 0 &&
            !find_tunable(draft, part->text));
}

/* Renames a formula, if all names have a value in the source or are parameters; else NULL. */
static const struct formula *known(struct draft *draft, const struct formula *formula)
{
    return formula && !formula_any(formula, is_unknown, draft) ? renamed(draft, formula) : NULL;
}

/* ---- the block ---- */

/* Adds a parameter of the launch alone: the source takes any block. */
static const struct formula *new_side(struct draft *draft, size_t axis, int64_t preset)
{
    static const char *const sides[] = {"block_x", "block_y", "block_z"};
    const char *name = draft->flat && axis == 0 ? "block_size" : sides[axis];
    add_launch_tunable(draft, name, arena_printf(draft->arena, "%lld", (long long)preset),
                       (char)('x' + (int)axis));
    return formula_name(draft->arena, name);
}

/* Returns the only expression of the kernel's numbers that gives the launched number of threads, of
 * a block with one side; NULL: none, or several. */
static const struct formula *of_numbers(struct draft *draft, int64_t threads)
{
    const struct source_indices *indices = &draft->request->signature->indices;
    const struct formula *found = NULL;
    for (size_t i = 0; i < indices->number_count; i++) {
        const struct formula *formula = known(draft, indices->numbers[i]);
        if (!is_tuned(draft, formula) || draft_at_presets(draft, formula) != threads)
            continue;
        if (found && !formula_same(found, formula))
            return NULL;
        found = formula;
    }
    return found;
}

/* Returns the threads along the axis, as captured or as the source launches them; 0: not known. */
static int64_t launched_side(struct draft *draft, size_t axis)
{
    return draft->request->captured
               ? captured_block(draft->request->captured, axis)
               : draft_at_presets(draft, known(draft, draft->launch.block[axis]));
}

/* Chooses how many threads a block has along the axis, by the kernel's own indices or the source's
 * launch; where neither tells, any. */
static const struct formula *choose_side(struct draft *draft, size_t axis)
{
    const struct source_signature *signature = draft->request->signature;
    const struct formula *launched = draft->launch.block[axis];
    const struct formula *own = signature->indices.block[axis],
                         *bounds = signature->indices.threads;
    const struct formula *by_launch = known(draft, launched);
    const bool takes_any = own && strncmp(own->text ? own->text : "", "blockDim.", 9) == 0;
    const struct formula *by_index = takes_any ? NULL : renamed(draft, own);
    const struct formula *by_bounds =
        bounds && formula_is_plain(bounds) && axis == 0 && !draft->kernel->uses[1]
            ? renamed(draft, bounds)
            : NULL;
    const int64_t value = launched_side(draft, axis);
    const struct formula *const ways[] = {by_launch, by_bounds, by_index};
    for (size_t i = 0; i < COUNT(ways); i++)
        if (is_tuned(draft, ways[i]))
            return ways[i];
    for (size_t i = COUNT(ways); i-- > 1 && value <= 0;)
        if (ways[i] && ways[i]->kind == FORMULA_NUMBER)
            return ways[i];
    if (value <= 0) {
        const bool is_used = draft->kernel->uses[axis];
        const int64_t most = axis == 0 ? 32 : axis == 1 ? 8 : 2;
        draft->side_guessed[axis] = is_used && !takes_any;
        return is_used ? new_side(draft, axis, draft->flat ? 256 : most)
                       : formula_number(draft->arena, 1);
    }
    if (value > 1 && (takes_any || draft->kernel->uses_block_size)) {
        if (by_launch && launched->kind == FORMULA_NAME)
            draft->side_names[axis] = launched->text;
        return new_side(draft, axis, value);
    }
    const bool is_flat = axis == 0 && value > 1 && launched_side(draft, 1) <= 1;
    const struct formula *by_numbers = is_flat ? of_numbers(draft, value) : NULL;
    return by_numbers ? by_numbers : formula_number(draft->arena, value);
}

/* Finds the sides of the block, with parameters where the source leaves one open. */
static void find_sides(struct draft *draft)
{
    const struct formula *sides[3];
    draft->launch = draft->request->signature->launch;
    for (size_t axis = 0; axis < 3; axis++)
        sides[axis] = choose_side(draft, axis);
    memcpy(draft->sides, sides, sizeof sides);
    for (size_t axis = 0; axis < 3; axis++) {
        const struct formula *side = draft->sides[axis];
        struct captured_set *captured = draft->request->captured;
        draft->out->failed |= !side; /* memory is short */
        const struct tunable *found =
            side && side->kind == FORMULA_NAME ? find_tunable(draft, side->text) : NULL;
        if (!found)
            continue;
        struct tunable *tunable = &draft->tunables[found - draft->tunables];
        tunable->square = tunable->axis != 0 && tunable->axis < (char)('x' + (int)axis);
        tunable->axis = (char)('x' + (int)axis); /* values of a side */
        if (captured)
            tunable->preset = arena_printf(draft->arena, "%u", captured_block(captured, axis));
        draft->out->failed |= !tunable->preset;
    }
}

void draft_list_tunables(struct draft *draft)
{
    const struct source_signature *signature = draft->request->signature;
    for (size_t i = 0; i < draft->kernel->template_count; i++) {
        const struct template_parameter *parameter = &draft->kernel->template[i];
        if (is_number(parameter->preset) || is_word(parameter->preset))
            add_tunable(draft, parameter->name, parameter->preset, false);
    }
    for (size_t i = 0; i < signature->macro_count; i++) {
        const struct macro_signature *macro = &signature->macros[i];
        if (is_number(macro->preset) && !macro->is_given && !find_tunable(draft, macro->name))
            add_tunable(draft, macro->name, macro->preset, true)->fixed = macro->fixed;
    }
    draft->size = find_tunable(draft, "n") ? "problem_size" : "n";
    find_sides(draft);
    for (size_t i = 0; i < draft->tunable_count && !draft->out->failed; i++)
        choose_values(draft, &draft->tunables[i]);
}

/* Returns the x of ceil_div(x, y) or x / y. */
static const struct formula *covered(const struct formula *grid)
{
    const bool quotient =
        grid && grid->count == 2 && (*grid->text == '/' || strcmp(grid->text, "ceil_div") == 0);
    return quotient ? grid->parts[0] : NULL;
}

/* ---- the grid ---- */

/* Returns the elements of one block along the axis, in the experiment's names. */
static const struct formula *span_of(struct draft *draft, size_t axis)
{
    const struct formula *grid = draft->launch.grid[axis];
    const struct formula *span = known(draft, draft->request->signature->indices.span[axis]);
    const struct formula *divisor = covered(grid) ? known(draft, grid->parts[1]) : NULL;
    const bool is_other = !span || (is_tuned(draft, divisor) && !is_tuned(draft, span)) ||
                          draft_at_presets(draft, span) != draft_at_presets(draft, divisor);
    return divisor && is_other ? divisor : span;
}

/* Makes the elements of all blocks along the axis; NULL: not known. */
static const struct formula *extent_of(struct draft *draft, size_t axis, const struct formula *span)
{
    const struct formula *grid = draft->launch.grid[axis], *of = covered(grid);
    int64_t value = 0;
    if (of && !is_tuned(draft, of) && formula_value(of, false, &value) && value != 1) {
        const double elements = pow((double)value, (double)draft->axes);
        if (of->count == 0 && value > 1 && elements <= 1 << 28 && draft->size_value == 0)
            draft->size_value = value; /* the source's own, of an array of a GiB at most */
        return as_size(draft);
    }
    if (of)
        return renamed(draft, of);
    const struct formula *blocks = grid && grid->kind != FORMULA_NAME ? known(draft, grid) : NULL;
    const int64_t count =
        blocks ? draft_at_presets(draft, blocks) * draft_at_presets(draft, span) : 0;
    return count > 0 ? formula_number(draft->arena, count) : NULL;
}

/* Makes the grid of a kernel with a grid-stride loop: blocks per multiprocessor, 0 for the source's
 * own grid. */
static const struct formula *turns(struct draft *draft, const struct formula *launched,
                                   const struct formula *covering)
{
    const char *text = "sm_count * blocks_per_sm";
    add_launch_tunable(draft, "blocks_per_sm", launched ? "0" : "2", 'b');
    if (launched)
        text = arena_printf(draft->arena, "%s if blocks_per_sm == 0 else %s",
                            written(draft, launched), text);
    else if (covering)
        text = arena_printf(draft->arena, "min(%s, %s)", written(draft, covering), text);
    return text ? formula_name(draft->arena, text) : NULL;
}

static const struct formula *grid_of(struct draft *draft, size_t axis)
{
    struct captured_set *captured = draft->request->captured;
    const struct formula *launched = draft->launch.grid[axis], *made = NULL;
    if (launched && !covered(launched) && !known(draft, launched))
        launched = NULL; /* a number of blocks known only outside of the source */
    if (!captured && !launched && !draft->kernel->uses[axis])
        return formula_number(draft->arena, 1);
    const struct formula *span = span_of(draft, axis);
    const bool takes_turns = draft->request->signature->indices.strides[axis] && axis == 0;
    if (captured) {
        const struct formula *each = span ? span : draft->sides[axis];
        const int64_t value = is_tuned(draft, each) ? draft_at_presets(draft, each) : 0;
        const char *text =
            captured_grid(captured, axis, value > 0 ? written(draft, each) : NULL, value);
        made = text ? formula_name(draft->arena, text) : NULL;
        return takes_turns ? turns(draft, made, NULL) : made;
    }
    const struct formula *extent = span ? extent_of(draft, axis, span) : NULL;
    if (span && !extent && !launched)
        extent = draft->axes > 1 && !draft->kernel->uses[1]
                     ? formula_name(draft->arena, draft_elements(draft, 1))
                     : as_size(draft);
    if (extent)
        made = covered(launched) && launched->kind == FORMULA_BINARY
                   ? formula_binary(draft->arena, "/", extent, span)
                   : formula_ceil_div(draft->arena, extent, span);
    if (takes_turns)
        return turns(draft,
                     launched && !covered(launched) ? renamed(draft, launched)
                     : launched                     ? made
                                                    : NULL,
                     made);
    return made       ? made
           : launched ? renamed(draft, launched)
                      : formula_ceil_div(draft->arena, as_size(draft), draft->sides[axis]);
}

/* Writes the shared memory of the captured launches, by the source's expression if that gives as
 * many bytes; else all grows with a parameter in that expression: the rest may be known to the
 * program alone, as the size of an element may. */
static const char *captured_shared_of(struct draft *draft)
{
    const char *launched = captured_shared(draft->request->captured);
    const struct formula *shared = renamed(draft, draft->launch.shared);
    char *end = NULL;
    const int64_t bytes = strtoll(launched ? launched : "", &end, 10);
    if (!shared || bytes <= 0 || *end)
        return launched;
    if (known(draft, draft->launch.shared) && draft_at_presets(draft, shared) == bytes)
        return written(draft, shared);
    for (size_t i = 0; i < draft->tunable_count; i++) {
        const int64_t preset = strtoll(draft->tunables[i].preset, NULL, 0);
        if (formula_names(shared, draft->tunables[i].name) && preset > 0 && bytes % preset == 0)
            return arena_printf(draft->arena, "%lld * (%s)", (long long)(bytes / preset),
                                draft->tunables[i].name);
    }
    return launched;
}

void draft_find_grid(struct draft *draft)
{
    for (size_t axis = 0; axis < 3; axis++) {
        draft->block_texts[axis] = written(draft, draft->sides[axis]);
        draft->grid_texts[axis] = written(draft, grid_of(draft, axis));
    }
    const struct formula *shared = known(draft, draft->launch.shared);
    if (draft->request->captured)
        draft->shared_text = captured_shared_of(draft);
    else if (shared)
        draft->shared_text = written(draft, shared);
}
