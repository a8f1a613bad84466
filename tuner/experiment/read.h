/* Declarations shared by the files that read an experiment. Functions return false after filling
 * the error. */
#ifndef TUNE_EXPERIMENT_READ_H
#define TUNE_EXPERIMENT_READ_H

#include "tuner/experiment/document.h"
#include "tuner/experiment/maker.h"

/* All expressions of the file, for check_types. */
struct read_formula {
    struct read_formula *next;
    struct formula formula;
};

struct file_reader {
    struct experiment *experiment;
    struct arena *arena; /* the experiment's */
    const char *data_folder;
    const struct scope *scope; /* variables allowed at this place */
    struct read_formula *formulas;
    struct error *error;
};

#define node_error(reader, node, ...) place_refuses((reader)->error, (node)->place, __VA_ARGS__)
#define out_of_memory(reader)         ((void)error_no_memory((reader)->error), false)

/* Checks a mapping's keys; those marked with '!' are required: "!name", "about". */
bool check_keys(struct file_reader *reader, const struct node *node, const char *subject,
                const char *const *keys, size_t count);
#define CHECK_KEYS(reader, node, subject, ...)                                                     \
    check_keys(reader, node, subject, (const char *const[]){__VA_ARGS__},                          \
               sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))
bool need_kind(struct file_reader *reader, const struct node *node, enum node_kind kind,
               const char *subject);
/* Checks that the node is a list with 1 to `most` items. */
bool need_items(struct file_reader *reader, const struct node *node, const char *subject,
                size_t most);
/* Checks that the text is a name: letters, digits, '_', no leading digit. */
bool need_name(struct file_reader *reader, const struct node *node, const char *subject);
/* Reads a scalar's text, which must not be empty. */
bool read_text(struct file_reader *reader, const struct node *node, const char *subject,
               const char **out);
/* Reads an optional key: true or false. */
bool read_boolean(struct file_reader *reader, const struct node *mapping, const char *key,
                  bool *out);
/* Reads the name of an existing source file, as an absolute path. */
bool read_source(struct file_reader *reader, const struct node *node, const char **out);
/* Reads `source` or `sources`, `include`, `std`, `compiler`. */
bool read_sources(struct file_reader *reader, const struct node *root);

/* Kinds of variables that an expression may depend on, directly or through derived values. */
enum use {
    USE_FACTS = 1,
    USE_AXES = 2,
    USE_SIZE = 4,
    USE_PARAMETERS = 8,
    USE_ACTIVE_BLOCKS = 16,
    USE_PROBLEM = USE_AXES | USE_SIZE,
    USE_DEVICE = USE_PROBLEM | USE_FACTS,
    USE_CONFIGURATION = USE_DEVICE | USE_PARAMETERS,
    USE_ALL = USE_CONFIGURATION | USE_ACTIVE_BLOCKS,
};
/* Returns whether all `uses` are allowed. */
bool within(const struct experiment *experiment, struct slot_set uses, unsigned allowed);
bool read_formula(struct file_reader *reader, const struct node *node, const char *subject,
                  unsigned allowed, struct formula *out);
/* Reads a scalar with a list expression; otherwise like read_formula. */
bool read_list_formula(struct file_reader *reader, const struct node *node, const char *subject,
                       unsigned allowed, struct formula *out);
/* Reads a scalar of a value list: lone words and quoted scalars are texts; otherwise like
 * read_formula. */
bool read_value(struct file_reader *reader, const struct node *node, unsigned allowed,
                struct formula *out);
/* Reads an optional key; otherwise like read_formula. */
bool read_optional(struct file_reader *reader, const struct node *mapping, const char *key,
                   unsigned allowed, struct formula *out);
bool read_template(struct file_reader *reader, const struct node *node, const char *subject,
                   unsigned allowed, struct template *out);
/* Reads one of some words, a variable's name, or a text with ${}. */
bool read_choice(struct file_reader *reader, const struct node *node, const char *subject,
                 const char *const *choices, size_t count, unsigned allowed, struct template *out);
bool literal_template(struct file_reader *reader, const char *text, struct place place,
                      struct template *out);

bool declare_names(struct file_reader *reader, const struct node *root);
bool read_derived(struct file_reader *reader, const struct node *root);
bool read_axes(struct file_reader *reader, const struct node *node);
bool read_sizes(struct file_reader *reader, const struct node *node);
bool read_parameters(struct file_reader *reader, const struct node *node);
bool read_constraints(struct file_reader *reader, const struct node *node);
bool read_baselines(struct file_reader *reader, const struct node *node);
bool read_defines(struct file_reader *reader, const struct node *node, unsigned allowed,
                  struct define_list *out);
bool read_flags(struct file_reader *reader, const struct node *node);
/* Reads a value for each parameter; if absent, not `given`. `subject` names the section. */
bool read_setting(struct file_reader *reader, const struct node *node, const char *subject,
                  struct setting *out);
/* Finds the parameter named by the node, a scalar. */
bool find_parameter(struct file_reader *reader, const struct node *node, size_t *out);
bool read_arguments(struct file_reader *reader, const struct node *node);
/* Reads a list of launches, in the form of the experiment's. */
bool read_launch_list(struct file_reader *reader, const struct node *node,
                      struct launch_rule out[LAUNCHES_MAX], size_t *count);
/* Finds the argument named by the node. */
bool find_argument(struct file_reader *reader, const struct node *node, size_t *out);
/* Reads an expression in i, the index of an element, over problem and device. */
bool read_series(struct file_reader *reader, const struct node *node, struct formula *out);
bool read_checks(struct file_reader *reader, const struct node *root);
bool read_metrics(struct file_reader *reader, const struct node *node);
/* objective.c */
bool read_objectives(struct file_reader *reader, const struct node *node);
/* Runs the checks that need the whole file. */
bool check_whole(struct file_reader *reader);
/* Checks types: texts where numbers are needed and the reverse; comparisons with a text that the
 * variable never has. */
bool check_types(const struct experiment *experiment, const struct read_formula *formulas,
                 struct error *error);
/* Checks the types of one formula, which must yield a number. */
bool check_number(const struct experiment *experiment, const struct formula *formula,
                  struct error *error);

/* Make and free the cache of experiment_default; NULL when memory is short (experiment.c). */
struct default_cache *default_cache_create(void);
void default_cache_free(struct default_cache *cache);

/* Fills experiment->head.definition_hash (definition.c); `has_data`: the contents of data files
 * are a part. */
enum status experiment_hash_definition(struct experiment *experiment, const struct node *root,
                                       bool has_data, struct error *error);

#endif
