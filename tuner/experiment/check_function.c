/* {reference: NAME, source: FILE}: expected elements from a C function. */
#include <string.h>

#include "tuner/experiment/check.h"
#include "tuner/experiment/plan.h"

static bool read_function(struct file_reader *reader, const struct node *node,
                          const struct node *value, struct check_rule *check)
{
    const struct node *source = node_get(node, "source");
    const struct node *defines = node_get(node, "defines");
    if (!source)
        return node_error(reader, node, "check needs the key 'source': the reference's file");
    const unsigned allowed = USE_PROBLEM | USE_PARAMETERS;
    TRY_OR_FALSE(read_source(reader, source, &check->source) &&
                 read_template(reader, value, "reference", allowed, &check->reference) &&
                 check_require_per(reader, value, check->reference.uses, check));
    if (defines && !read_defines(reader, defines, allowed, &check->defines))
        return false;
    for (size_t i = 0; defines && i < check->defines.count; i++)
        TRY_OR_FALSE(
            check_require_per(reader, defines, check->defines.items[i].formula.uses, check));
    if (defines)
        return true;
    /* Without defines of its own the function gets those that are equal for every configuration. */
    const struct define_list *all = &reader->experiment->defines;
    check->defines.items = arena_alloc(reader->arena, all->count + 1, sizeof *all->items);
    if (!check->defines.items)
        return out_of_memory(reader);
    for (size_t i = 0; i < all->count; i++)
        if (check_per_covers(reader->experiment, all->items[i].formula.uses, &check->per))
            check->defines.items[check->defines.count++] = all->items[i];
    return true;
}

static bool make_function(struct maker *maker, const struct point *point,
                          const struct check_rule *rule, enum element_type type,
                          struct output_check *out)
{
    (void)point;
    (void)type;
    const struct experiment *experiment = maker->experiment;
    out->binary = (struct binary_request){.source_path = rule->source,
                                          .architecture = "native",
                                          .folder_count = experiment->folder_count};
    memcpy(out->binary.folders, experiment->folders, sizeof out->binary.folders);
    TRY_OR_FALSE(make_defines(maker, &rule->defines, &out->binary) &&
                 make_text(maker, &rule->reference, &out->reference));
    out->binary.kernels[0] = out->reference;
    out->binary.kernel_count = 1;
    return true;
}

const struct check_kind check_by_function = {
    .key = "reference",
    .companions = {"source", "defines"},
    .reference = REFERENCE_FUNCTION,
    .read = read_function,
    .make = make_function,
};
