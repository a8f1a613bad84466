/* An experiment file drafted from what a compiler tells of a CUDA source, to be edited. */
#ifndef TUNE_EXCHANGE_DRAFT_H
#define TUNE_EXCHANGE_DRAFT_H

#include "frontends/capture/captured.h"
#include "tuner/base/text.h"
#include "tuner/device/signature.h"

struct draft_request {
    const char *experiment; /* its name */
    const char *source;     /* as the file names it */
    size_t unit_count;      /* further sources, as the file names them */
    const char *units[UNITS_MAX];
    const char *compiler; /* "nvcc"; NULL: the device's own */
    size_t flag_count;    /* of the project's build */
    const char *flags[FLAGS_MAX];
    const char
        *build; /* the compile_commands.json that says so, as the file names it; NULL: none */
    bool only_reached;   /* of the source is compiled what the kernel reaches */
    bool compiler_found; /* nobody named it: the device's own does not take the source */
    size_t folder_count;
    const char *folders[UNITS_MAX];
    bool folders_found; /* some of them nobody named: they have what the source includes */
    const struct source_signature *signature;
    struct captured_set *captured; /* launches of it; NULL: none. Is told what its size is called */
    const char *captured_folder;   /* where they are unpacked, as the file names it */
};

/* Appends the experiment file. STATUS_BAD_INPUT when the kernel takes what none can give. */
enum status draft_experiment(struct arena *arena, const struct draft_request *request,
                             struct text *out, struct error *error);

/* ---- draft_symbols.c ---- */

/* Appends the sides of a texture or surface: "width: n, height: n, channels: 4". `all`: how many
 * elements a vector of the draft has. */
void draft_sides(int axes, uint32_t channels, const char *size, bool flat, const char *all,
                 struct text *out);
/* Whether it is a variable that the kernel writes, or may write where it cannot be seen. */
bool draft_is_result(const struct symbol_signature *symbol);
size_t draft_symbol_elements(const struct symbol_signature *symbol);
/* The argument that is a variable, or whose texture object is. STATUS_BAD_INPUT where none can be.
 */
enum status draft_symbol(struct arena *arena, const struct symbol_signature *symbol,
                         const char *size, bool flat, const char *all, const char **out,
                         const char **comment, struct error *error);

/* ---- draft_nearby.c: what lies around the source ---- */

/* The folder where `#include "header"` would find it: the source's own, one above it up to that of
 * the whole project, one in these, or the `include` of one; or, `deep`, any in one above it, where
 * only one has it. None beyond a folder that another user could have written to. NULL: in none, in
 * several, which *several names ("/a, /b and 3 more", NULL: that was not why), or no memory. */
const char *draft_folder_of(struct arena *arena, const char *source, const char *header, bool deep,
                            const char **several);
/* The files beside the source that include it, or, where there are none, in the nearest folder
 * above that has some: how many, `most` at most. */
size_t draft_includers(struct arena *arena, const char *source, const char *out[], size_t most);
/* The source of the same project, the nearest, that defines a variable or function of the device
 * which this one declares; NULL: none. */
const char *draft_definition(struct arena *arena, const char *source, const char *name);
/* Another file beside the source that has the kernel's body; NULL: none. */
const char *draft_kernel_file(struct arena *arena, const char *source, const char *kernel);
/* The source of the same project that has the body of a kernel which this one declares: the nearest
 * folder's. NULL: none, or several there. */
const char *draft_kernel_body(struct arena *arena, const char *source, const char *kernel);

/* A source of the same project, the nearest, that launches the kernel; NULL: none. */
const char *draft_launching(struct arena *arena, const char *source, const char *kernel);

/* draft_script.c. The .cu file beside the script that a text in it names, with that kernel (NULL:
 * any). NULL: none. */
const char *draft_script_source(struct arena *arena, const char *path, const char *kernel);
/* draft_script.c. Appends the source that stands as a text in a script of Python and has the
 * kernel; NULL: any. What the script fills into it, "%(NAME)s", stands by its name alone.
 * STATUS_NOT_FOUND: there is none, or there are several and no kernel is named. */
enum status draft_take_script(struct arena *arena, const char *path, const char *kernel,
                              struct text *out, struct error *error);

#endif
