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

/* Adds a value, unless known to give other results. */
static void add_value(const struct draft *draft, struct tunable *tunable, const char *value)
{
    const struct draft_request *request = draft->request;
    const size_t length = strlen(tunable->values);
    for (size_t i = 0; i < request->wrong_count; i++)
        if (strcmp(request->wrong[i].parameter, tunable->name) == 0 &&
            strcmp(request->wrong[i].value, value) == 0) {
            tunable->is_partly_wrong = true;
            return;
        }
    (void)string_format(tunable->values + length, sizeof tunable->values - length, "%s%s",
                        length > 0 ? ", " : "", value);
}

/* Adds the numbers and the preset, in ascending order. */
static void add_numbers(const struct draft *draft, struct tunable *tunable, const long *numbers,
                        size_t count)
{
    const long preset = strtol(tunable->preset, NULL, 0);
    char text[32];
    for (size_t i = 0; i <= count; i++) {
        const bool is_place =
            (i == count || numbers[i] > preset) && (i == 0 || numbers[i - 1] < preset);
        (void)string_format(text, sizeof text, "%ld", preset);
        if (is_place)
            add_value(draft, tunable, text);
        (void)string_format(text, sizeof text, "%ld", i < count ? numbers[i] : 0);
        if (i < count)
            add_value(draft, tunable, text);
    }
}

static void choose_values(const struct draft *draft, struct tunable *tunable)
{
    static const long whole[] = {64, 128, 256, 512, 1024};
    static const long wide[] = {8, 16, 32, 64, 128, 256};
    static const long down[] = {1, 2, 4, 8, 16};
    static const long few[] = {1, 2, 4, 8};
    static const long sides[] = {8, 16, 32};
    static const long cube[] = {4, 6, 8, 10}; /* of threads: at most 1024 */
    static const long limits[] = {32, 64, 128};
    const char *text = tunable->preset;
    const long preset = strtol(text, NULL, 0);
    const bool is_word = strcmp(text, "true") == 0 || strcmp(text, "false") == 0;
    const bool is_real = strpbrk(text, ".eEfF") && strncmp(text, "0x", 2) != 0;
    const bool is_side = tunable->axis == 0 || tunable->axis == 'x' || tunable->axis == 'y';
    const bool is_switch = is_side && !tunable->single_valued &&
                           (strcmp(text, "0") == 0 ||
                            (strncasecmp(tunable->name, "use", 3) == 0 && strcmp(text, "1") == 0));
    const struct formula *rows = draft->sides[1]; /* 1: a row of threads, in a grid with several */
    const bool is_row = draft->flat || (rows->kind == FORMULA_NUMBER && rows->number == 1);
    const struct formula *x = draft->sides[0];
    if (is_word || is_switch) {
        add_value(draft, tunable, is_word ? "false" : "0");
        add_value(draft, tunable, is_word ? "true" : "1");
    } else if (tunable->axis == 'z' && x->kind == FORMULA_NAME &&
               strcmp(x->text, tunable->name) == 0)
        add_numbers(draft, tunable, cube, COUNT(cube));
    else if (is_real || tunable->axis == 'z' || tunable->single_valued)
        add_value(draft, tunable, text);
    else if (tunable->axis == 'r')
        add_numbers(draft, tunable, limits, COUNT(limits));
    else if (tunable->square)
        add_numbers(draft, tunable, sides, COUNT(sides));
    else if (tunable->axis == 'x')
        add_numbers(draft, tunable, is_row ? whole : wide, is_row ? COUNT(whole) : COUNT(wide));
    else if (tunable->axis == 'y' || tunable->axis == 'b')
        add_numbers(draft, tunable, down, COUNT(down));
    else if (preset > 8)
        add_numbers(draft, tunable, (const long[]){preset / 4, preset / 2, preset, 2 * preset}, 4);
    else
        add_numbers(draft, tunable, few, COUNT(few));
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
    if (axis == 'b' || axis == 'r')
        choose_values(draft, tunable);
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
            add_tunable(draft, parameter->name, parameter->preset, false);
    }
    for (size_t i = 0; i < signature->macro_count; i++) {
        const struct macro_signature *macro = &signature->macros[i];
        bool is_listed = false; /* as a template's number, which hides the macro */
        for (size_t j = 0; j < draft->tunable_count; j++)
            is_listed |= strcmp(draft->tunables[j].name, macro->name) == 0;
        if (!is_number(macro->preset) || macro->is_given || is_listed)
            continue;
        add_tunable(draft, macro->name, macro->preset, true)->fixed = macro->fixed;
    }
    draft_find_sides(draft);
    for (size_t i = 0; i < draft->tunable_count && !draft->out->failed; i++)
        choose_values(draft, &draft->tunables[i]);
}
