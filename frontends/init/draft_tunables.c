/* The parameters of a drafted experiment: numbers of templates, macros, constants, the block. */
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

/* Lists `values` with the preset, in ascending order. */
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

/* Returns true if the block has a single row, in a grid with several. */
static bool is_row_of_threads(const struct draft *draft)
{
    return draft->sides[1]->kind == FORMULA_NUMBER && draft->sides[1]->number == 1;
}

static bool is_wrong(const struct draft *draft, const char *parameter, const char *value,
                     size_t length)
{
    const struct draft_request *request = draft->request;
    for (size_t i = 0; i < request->wrong_count; i++)
        if (strcmp(request->wrong[i].parameter, parameter) == 0 &&
            strlen(request->wrong[i].value) == length &&
            strncmp(request->wrong[i].value, value, length) == 0)
            return true;
    return false;
}

/* Removes the values that were tried and gave other results. */
static void remove_wrong(const struct draft *draft, struct tunable *tunable)
{
    struct text kept = {0};
    for (const char *at = tunable->values; *at;) {
        const size_t length = strcspn(at, ",");
        if (is_wrong(draft, tunable->name, at, length))
            tunable->is_partly_wrong = true;
        else
            text_printf(&kept, "%s%.*s", kept.length ? ", " : "", (int)length, at);
        at += length + strspn(at + length, ", ");
    }
    (void)string_format(tunable->values, sizeof tunable->values, "%s", text_string(&kept));
    text_free(&kept);
}

static void choose_values(const struct draft *draft, struct tunable *tunable)
{
    static const long whole[] = {64, 128, 256, 512, 1024};
    static const long wide[] = {8, 16, 32, 64, 128, 256};
    static const long down[] = {1, 2, 4, 8, 16};
    static const long few[] = {1, 2, 4, 8};
    static const long sides[] = {8, 16, 32};
    static const long limits[] = {32, 64, 128};
    static const long turns[] = {1, 2, 4, 8, 16};
    const long preset = strtol(tunable->preset, NULL, 0);
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
    else if (tunable->axis == 'r')
        list_values(tunable, limits, COUNT(limits));
    else if (on)
        (void)string_format(tunable->values, sizeof tunable->values, "0, 1");
    else if (tunable->square)
        list_values(tunable, sides, COUNT(sides));
    else if (tunable->axis == 'x' && (draft->flat || is_row_of_threads(draft)))
        list_values(tunable, whole, COUNT(whole));
    else if (tunable->axis == 'x')
        list_values(tunable, wide, COUNT(wide));
    else if (tunable->axis == 'y')
        list_values(tunable, down, COUNT(down));
    else if (preset > 8)
        list_values(tunable, (const long[]){preset / 4, preset / 2, preset, 2 * preset}, 4);
    else
        list_values(tunable, few, COUNT(few));
}

static struct tunable *add_tunable(struct draft *draft, const char *name, const char *preset,
                                   bool is_define)
{
    struct tunable *tunable = &draft->tunables[draft->tunable_count++];
    *tunable = (struct tunable){.name = name, .preset = preset, .is_define = is_define};
    return tunable;
}

void draft_add_tunable(struct draft *draft, const char *name, const char *preset, char axis)
{
    struct tunable *tunable = add_tunable(draft, name, preset ? preset : "1", false);
    tunable->axis = axis;
    draft->out->failed |= !preset;
    if (axis == 'b' || axis == 'r') {
        choose_values(draft, tunable);
        remove_wrong(draft, tunable);
    }
}

void draft_add_registers(struct draft *draft)
{
    for (size_t i = 0; i < draft->tunable_count; i++)
        if (strchr(draft->tunables[i].values, ','))
            return;
    for (size_t i = 0; i < draft->request->flag_count; i++)
        if (strstr(draft->request->flags[i], "maxrregcount"))
            return;
    draft_add_tunable(draft, "registers", "0", 'r');
    draft->limits_registers = true;
}

void list_tunables(struct draft *draft)
{
    const struct source_signature *signature = draft->request->signature;
    for (size_t i = 0; i < draft->kernel->template_count && !signature->instance; i++) {
        const struct template_parameter *parameter = &draft->kernel->template[i];
        if (parameter->kind != TEMPLATE_TYPE)
            add_tunable(draft, parameter->name, parameter->preset, false)->square =
                parameter->square && draft->kernel->uses_y;
    }
    for (size_t i = 0; i < signature->macro_count; i++) {
        const struct macro_signature *macro = &signature->macros[i];
        bool is_listed = false; /* as a template's number, which hides the macro */
        for (size_t j = 0; j < draft->tunable_count; j++)
            is_listed |= strcmp(draft->tunables[j].name, macro->name) == 0;
        if (!is_number(macro->preset) || macro->elsewhere || macro->is_given || is_listed)
            continue;
        struct tunable *tunable = add_tunable(draft, macro->name, macro->preset, true);
        tunable->fixed = macro->fixed;
        tunable->square = macro->square && draft->kernel->uses_y;
    }
    draft_find_sides(draft);
    for (size_t i = 0; i < draft->tunable_count && !draft->out->failed; i++) {
        choose_values(draft, &draft->tunables[i]);
        remove_wrong(draft, &draft->tunables[i]);
    }
}
