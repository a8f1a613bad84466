/* Lists for the values of parameters. */
#include "tuner/experiment/expression.h"
enum status expression_parse_list(struct arena *arena, const struct source_text *source,
                                  const struct scope *scope, struct formula *out,
                                  struct error *error)
{
    (void)arena;
    (void)scope;
    (void)out;
    return place_error(error, STATUS_BAD_INPUT, source->place, "lists are not read yet");
}
enum status expression_evaluate_list(const struct expression *tree, struct environment *environment,
                                     struct arena *arena, struct value **values, size_t *count,
                                     struct error *error)
{
    (void)tree;
    (void)environment;
    (void)arena;
    (void)values;
    (void)count;
    return error_no_memory(error);
}
