/* What a drafted experiment tunes: numbers of templates, macros, the block; by their names. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "frontends/init/draft_parts.h"
#include "tuner/base/array.h"

bool is_number(const char *text)
{
    char *end = NULL;
    if (!text || !*text)
        return false;
    (void)strtod(text, &end);
    return *end == '\0';
}

static char block_axis(const char *name)
{
    bool block = strcasestr(name, "block") || strcasestr(name, "thread") || strcasestr(name, "tpb");
    if (!block || strcasestr(name, "per") || strncasecmp(name, "min", 3) == 0)
        return 0;
    char last = (char)tolower((unsigned char)name[strlen(name) - 1]);
    if (strcasestr(name, "row") || strcasestr(name, "height"))
        return 'y';
    return last == 'y' || last == 'z' ? last : 'x';
}

/* `values` and the preset among them, ascending. */
static void list_values(struct tunable *tunable, const long *values, size_t count)
{
    struct text text = {0};
    long preset = strtol(tunable->preset, NULL, 0);
    bool placed = false;
    for (size_t i = 0; i < count; i++) {
        if (!placed && preset < values[i])
            text_printf(&text, "%s%ld", i ? ", " : "", preset);
        bool before = !placed && preset < values[i];
        placed |= preset <= values[i];
        text_printf(&text, "%s%ld", i || before ? ", " : "", values[i]);
    }
    if (!placed)
        text_printf(&text, "%s%ld", count ? ", " : "", preset);
    (void)string_format(tunable->values, sizeof tunable->values, "%s", text_string(&text));
    text_free(&text);
}

/* How many of the blocks of 64, 128 ... threads have no more than a variable has elements, which
 * may have one for each. */
static size_t largest_block(const struct draft *draft, size_t count)
{
    while (draft->held > 0 && count > 0 && draft->held < (size_t)32 << count)
        count--;
    return count;
}

/* A block with one row, of a grid with several. */
static bool is_row_of_threads(const struct draft *draft)
{
    return draft->is_tied && draft->sides[1]->kind == FORMULA_NUMBER &&
           draft->sides[1]->number == 1;
}

static void choose_values(const struct draft *draft, struct tunable *tunable)
{
    static const long whole[] = {64, 128, 256, 512, 1024};
    static const long across[] = {8, 16, 32, 64};
    static const long wide[] = {8, 16, 32, 64, 128, 256};
    static const long down[] = {1, 2, 4, 8, 16};
    static const long few[] = {1, 2, 4, 8};
    static const long sides[] = {8, 16, 32};
    static const long turns[] = {1, 2, 4, 8, 16};
    bool word = strcmp(tunable->preset, "true") == 0 || strcmp(tunable->preset, "false") == 0;
    bool real = strpbrk(tunable->preset, ".eEfF") && strncmp(tunable->preset, "0x", 2) != 0;
    bool on = strcmp(tunable->preset, "0") == 0 ||
              (strncasecmp(tunable->name, "use", 3) == 0 && strcmp(tunable->preset, "1") == 0);
    if (word)
        (void)string_format(tunable->values, sizeof tunable->values, "false, true");
    else if (real || tunable->axis == 'z' || tunable->single_valued)
        (void)string_format(tunable->values, sizeof tunable->values, "%s", tunable->preset);
    else if (tunable->axis == 'b')
        list_values(tunable, turns, COUNT(turns));
    else if (on)
        (void)string_format(tunable->values, sizeof tunable->values, "0, 1");
    else if (tunable->square)
        list_values(tunable, sides, COUNT(sides));
    else if (tunable->axis == 'x' && (draft->flat || is_row_of_threads(draft)))
        list_values(tunable, whole, largest_block(draft, COUNT(whole)));
    else if (tunable->axis == 'x' && draft->is_tied)
        list_values(tunable, wide, COUNT(wide));
    else if (tunable->axis == 'x')
        list_values(tunable, across, COUNT(across));
    else if (tunable->axis == 'y')
        list_values(tunable, down, COUNT(down));
    else
        list_values(tunable, few, COUNT(few));
}

/* The side of the block that the program launched. */
static const char *as_launched(const struct draft *draft, char axis)
{
    const char *side = arena_printf(draft->arena, "%u",
                                    captured_block(draft->request->captured, (size_t)(axis - 'x')));
    draft->out->failed |= !side;
    return side ? side : "1";
}

static void add_tunable(struct draft *draft, const char *name, const char *preset, bool define)
{
    struct tunable *tunable = &draft->tunables[draft->tunable_count++];
    const char *bounds = draft->kernel->bounds;
    *tunable = (struct tunable){.name = name, .preset = preset, .is_define = define};
    tunable->axis = bounds && strcmp(bounds, name) == 0 ? 'x' : block_axis(name);
    const bool is_none = strcmp(preset, "0") == 0;        /* "as it was launched", and no side */
    const bool too_many = strtol(preset, NULL, 0) > 1024; /* what a block works on */
    if (is_none || too_many || (tunable->axis != 'x' && !draft->kernel->uses_y))
        tunable->axis = 0;
    for (size_t i = 0; i + 1 < draft->tunable_count; i++)
        if (draft->tunables[i].axis == tunable->axis)
            tunable->axis = 0;
    if (draft->request->captured && tunable->axis)
        tunable->preset = as_launched(draft, tunable->axis);
}

void draft_add_tunable(struct draft *draft, const char *name, const char *preset, char axis)
{
    struct tunable *tunable = &draft->tunables[draft->tunable_count++];
    *tunable = (struct tunable){.name = name, .preset = preset ? preset : "1", .axis = axis};
    draft->out->failed |= !preset;
    if (axis == 'b')
        choose_values(draft, tunable);
}

struct tunable *block_side(struct draft *draft, char axis)
{
    struct tunable *square = NULL;
    for (size_t i = 0; i < draft->tunable_count; i++) {
        if (draft->tunables[i].axis == axis)
            return &draft->tunables[i];
        if (draft->tunables[i].axis == 'x' && draft->tunables[i].square && axis == 'y')
            square = &draft->tunables[i];
    }
    return square;
}

/* The side of a square tile is that of the block, whatever it is called. */
static void make_square(struct draft *draft)
{
    struct tunable *tunable = &draft->tunables[draft->tunable_count - 1];
    tunable->square = draft->kernel->uses_y;
    if (tunable->square && tunable->axis == 0 && !block_side(draft, 'x'))
        tunable->axis = 'x';
}

static void add_macro(struct draft *draft, const struct macro_signature *macro)
{
    add_tunable(draft, macro->name, macro->preset, true);
    draft->tunables[draft->tunable_count - 1].fixed = macro->fixed;
    draft->tunables[draft->tunable_count - 1].single_valued = macro->single_valued;
    if (macro->square)
        make_square(draft);
}

/* __launch_bounds__((BM * BN) / (TM * TN)): the block, where all that it names are parameters. */
static const char *block_of_bounds(const struct draft *draft)
{
    const char *bounds = draft->kernel->bounds;
    struct text out = {0};
    bool known = bounds && strpbrk(bounds, "*/+-");
    for (const char *at = bounds; known && at && *at;) {
        size_t length = 0;
        while (isalnum((unsigned char)at[length]) || at[length] == '_')
            length++;
        bool found = length == 0 || isdigit((unsigned char)*at);
        for (size_t i = 0; i < draft->tunable_count && !found; i++)
            found = strlen(draft->tunables[i].name) == length &&
                    strncmp(draft->tunables[i].name, at, length) == 0;
        known = found && *at != ':' && *at != '<';
        text_append_bytes(&out, at, length ? length : 1);
        if (*at == '/')
            text_append(&out, "/");
        at += length ? length : 1;
    }
    const char *copy = known && !out.failed ? arena_strdup(draft->arena, text_string(&out)) : NULL;
    text_free(&out);
    return copy;
}

/* A kernel whose block no macro gives takes any: the launch alone says. */
static void add_block(struct draft *draft)
{
    const char *bounds = draft->kernel->bounds;
    bool fixed = is_number(bounds);
    draft->block = block_of_bounds(draft);
    if (draft->block)
        return;
    if (!block_side(draft, 'x')) {
        const bool small = draft->held > 0 && draft->held < 256;
        const char *preset = small         ? arena_printf(draft->arena, "%zu", draft->held)
                             : draft->flat ? "256"
                                           : "32";
        draft->out->failed |= !preset;
        preset = preset ? preset : "32";
        add_tunable(draft, draft->flat ? "block_size" : "block_x", fixed ? bounds : preset, false);
        struct tunable *block = &draft->tunables[draft->tunable_count - 1];
        block->axis = 'x';
        if (draft->request->captured)
            block->preset = as_launched(draft, 'x');
        choose_values(draft, block);
        if (fixed && !draft->request->captured)
            (void)string_format(block->values, sizeof block->values, "%s", bounds);
    }
    if (!draft->flat && draft->kernel->uses_y && !block_side(draft, 'y')) {
        long across = strtol(block_side(draft, 'x')->preset, NULL, 0);
        add_tunable(draft, "block_y", fixed || across > 128 ? "1" : "8", false);
        struct tunable *block = &draft->tunables[draft->tunable_count - 1];
        block->axis = 'y';
        if (draft->request->captured)
            block->preset = as_launched(draft, 'y');
        choose_values(draft, block);
    }
}

/* What the two sides are taken for by themselves may be no block together. */
static void fit_block(struct draft *draft)
{
    struct tunable *x = block_side(draft, 'x'), *y = block_side(draft, 'y');
    if (!x || !y || x == y || draft->block || draft->request->captured)
        return;
    const long across = strtol(x->preset, NULL, 0);
    long down = strtol(y->preset, NULL, 0);
    while (across * down > 1024 && down > 1)
        down /= 2;
    while (across * down < 32 && across > 0)
        down = down < 1 ? 1 : 2 * down;
    if (down == strtol(y->preset, NULL, 0))
        return;
    const char *preset = arena_printf(draft->arena, "%ld", down);
    draft->out->failed |= !preset;
    y->preset = preset ? preset : y->preset;
    choose_values(draft, y);
}

void list_tunables(struct draft *draft)
{
    const struct source_signature *signature = draft->request->signature;
    for (size_t i = 0; i < draft->kernel->template_count && !signature->instance; i++) {
        const struct template_parameter *parameter = &draft->kernel->template[i];
        bool word =
            strcmp(parameter->preset, "true") == 0 || strcmp(parameter->preset, "false") == 0;
        if (parameter->kind != TEMPLATE_TYPE && (word || is_number(parameter->preset)))
            add_tunable(draft, parameter->name, parameter->preset, false);
        if (parameter->kind == TEMPLATE_NUMBER && parameter->square)
            make_square(draft);
    }
    for (size_t i = 0; i < signature->macro_count; i++)
        if (is_number(signature->macros[i].preset) && !signature->macros[i].elsewhere &&
            !signature->macros[i].is_given)
            add_macro(draft, &signature->macros[i]);
    draft_find_sides(draft);
    for (size_t i = 0; i < draft->tunable_count; i++)
        choose_values(draft, &draft->tunables[i]);
    for (size_t i = 0; i < draft->tunable_count; i++)
        for (size_t j = 0; j < draft->kernel->template_count; j++) {
            const struct template_parameter *parameter = &draft->kernel->template[j];
            if (strcmp(draft->tunables[i].name, parameter->name) == 0 && parameter->named_count > 1)
                list_values(&draft->tunables[i], parameter->named, parameter->named_count);
        }
    if (draft->is_tied)
        return;
    add_block(draft);
    fit_block(draft);
}
