#include "tuner/cli/init_ask.h"

#include <stdio.h>
#include <string.h>

#include "frontends/init/draft.h"
#include "tuner/base/files.h"
#include "tuner/base/text.h"
#include "tuner/cli/commands.h"
#include "tuner/terminal/style.h"

/* How headers are looked for that are not where the source names them. */
struct search {
    const struct device_api *api;
    bool is_deep;    /* anywhere in the project, where there is only one of the name */
    bool found_deep; /* one was found so */
    /* The first that lies in several folders of the project, and these; NULL: none does. */
    const char *ambiguous, *several;
    const char *headers[UNITS_MAX]; /* of each folder that was found the header that it has */
};

/* ---- headers ---- */

/* Whether the question names the folder. */
static bool is_asked(const struct signature_question *question, const char *folder)
{
    for (size_t i = 0; i < question->folder_count; i++)
        if (strcmp(question->folders[i], folder) == 0)
            return true;
    return false;
}

static const char *folder_of(struct arena *arena, struct search *search,
                             const struct signature_question *question, const char *header)
{
    const char *several = NULL;
    const char *folder = draft_folder_of(arena, question->path, header, false, &several);
    if (folder || !search->is_deep)
        return folder;
    folder = draft_folder_of(arena, question->path, header, true, &several);
    search->found_deep |= folder != NULL;
    if (!folder && several && *several && !search->several) {
        search->ambiguous = header;
        search->several = several;
    }
    return folder;
}

/* The folder near the source that has the header. False: there is none that was not named. */
static bool add_folder(struct arena *arena, struct search *search,
                       struct signature_question *question, const char *header)
{
    const char *folder = folder_of(arena, search, question, header);
    if (!folder || is_asked(question, folder) || question->folder_count == UNITS_MAX)
        return false;
    search->headers[question->folder_count] = header;
    question->folders[question->folder_count++] = folder;
    return true;
}

/* Those of all that it includes and that was not read. */
static bool add_folders(struct arena *arena, struct search *search,
                        struct signature_question *question,
                        const struct source_signature *signature)
{
    bool added = false;
    for (size_t i = 0; i < signature->unread_count; i++)
        added |= add_folder(arena, search, question, signature->unread[i]);
    return added;
}

/* The source near it that defines what this one declares. False: there is none. */
static bool add_unit(struct arena *arena, struct signature_question *question, const char *name)
{
    const char *unit =
        question->unit_count < UNITS_MAX ? draft_definition(arena, question->path, name) : NULL;
    for (size_t i = 0; unit && i < question->unit_count; i++)
        if (strcmp(question->units[i], unit) == 0)
            return false;
    if (unit)
        question->units[question->unit_count++] = unit;
    return unit;
}

/* Asks again with the folders and sources that the source needs, where they lie near it; the draft
 * names them. */
static enum status ask_one(struct arena *arena, struct search *search,
                           struct signature_question *question, struct source_signature *signature,
                           struct error *error)
{
    const size_t named_units = question->unit_count;
    enum status status = search->api->signatures(arena, question, signature, error);
    while ((status == STATUS_NOT_FOUND || status == STATUS_BAD_INPUT || question->only_reached) &&
           add_folders(arena, search, question, signature)) {
        error_clear(error);
        status = search->api->signatures(arena, question, signature, error);
    }
    while (status == STATUS_COMPILE_FAILED &&
           (signature->missing
                ? add_folder(arena, search, question, signature->missing)
                : signature->unresolved && add_unit(arena, question, signature->unresolved))) {
        error_clear(error);
        status = search->api->signatures(arena, question, signature, error);
    }
    if (status == STATUS_COMPILE_FAILED && signature->unresolved && !question->is_thorough) {
        question->is_thorough = true;
        error_clear(error);
        status = search->api->signatures(arena, question, signature, error);
    }
    return status == STATUS_COMPILE_FAILED && question->unit_count > named_units
               ? error_prefix(error, "with %s, which defines what it declares",
                              question->units[question->unit_count - 1])
               : status;
}

/* Whether an error is of this file, not of one that it includes. */
static bool is_of_file(const struct error *error, const char *path)
{
    const size_t length = strlen(path);
    return strncmp(error->text, path, length) == 0 &&
           (error->text[length] == '(' || error->text[length] == ':');
}

/* With NVRTC; what that does not take without what the kernel does not reach, and then with nvcc,
 * where there is one; else what NVRTC said: of the source itself, rather than of a header that the
 * kernel does not reach. */
static enum status ask_any(struct arena *arena, struct search *search,
                           struct signature_question *question, struct source_signature *signature,
                           struct error *error)
{
    const enum status status = ask_one(arena, search, question, signature, error);
    struct signature_question others[2] = {*question, *question};
    struct error errors[2] = {0};
    if (status != STATUS_COMPILE_FAILED || question->compiler)
        return status;
    others[0].only_reached = true;
    others[1].compiler = "nvcc";
    for (size_t i = 0; i < 2; i++) {
        struct source_signature *answer = arena_alloc(arena, 1, sizeof *answer);
        if (!answer || ask_one(arena, search, &others[i], answer, &errors[i]) != STATUS_OK)
            continue;
        *question = others[i];
        *signature = *answer;
        error_clear(error);
        return STATUS_OK;
    }
    if (!is_of_file(error, question->path) && is_of_file(&errors[0], question->path))
        *error = errors[0];
    return status;
}

/* ---- other sources ---- */

/* Files to ask in place of the source, in the order in which they are. */
enum { OTHERS_MAX = 6 };
struct others {
    size_t count;
    const char *paths[OTHERS_MAX];
};

/* Where a source does not compile by itself the files beside it that include it; where it lacks the
 * kernel one that has the body. */
static void add_others(struct arena *arena, const struct signature_question *question,
                       const struct source_signature *signature, enum status status,
                       struct others *others)
{
    const char *found[OTHERS_MAX];
    const struct kernel_signature *declared = signature->asked;
    const char *kernel = question->kernel || !declared ? question->kernel : declared->name;
    size_t count = 0;
    if (status == STATUS_COMPILE_FAILED)
        count = draft_includers(arena, question->path, found, OTHERS_MAX);
    else if (status == STATUS_NOT_FOUND && kernel)
        count = (found[0] = draft_kernel_file(arena, question->path, kernel)) != NULL;
    if (count == 0 && status == STATUS_NOT_FOUND && declared)
        count = (found[0] = draft_kernel_body(arena, question->path, kernel)) != NULL;
    for (size_t i = 0; i < count && others->count < OTHERS_MAX; i++) {
        bool is_new = strcmp(found[i], question->path) != 0;
        for (size_t j = 0; j < others->count; j++)
            is_new &= strcmp(found[i], others->paths[j]) != 0;
        if (is_new)
            others->paths[others->count++] = found[i];
    }
}

/* What the source's own error is, and that of the other that has it or its kernel. */
static enum status tell_both(enum status status, const char *other, const struct error *why,
                             struct error *error)
{
    char text[ERROR_TEXT_BYTES];
    if (strcmp(why->text, error->text) == 0)
        return status;
    (void)string_format(text, sizeof text, "%.*s", ERROR_TEXT_BYTES / 2, error->text);
    return error_set(error, status, "%s; %s %s, and does not compile%s: %s", text, other,
                     status == STATUS_COMPILE_FAILED ? "includes this file" : "has it",
                     status == STATUS_COMPILE_FAILED ? " either" : "", why->text);
}

/* What cannot be asked of the source may be of one beside it. */
static enum status ask_around(struct arena *arena, struct search *search,
                              struct signature_question *question,
                              struct source_signature *signature, struct error *error)
{
    const size_t named_units = question->unit_count;
    const enum status first = ask_any(arena, search, question, signature, error);
    struct others others = {0};
    struct error why[OTHERS_MAX] = {0};
    enum status statuses[OTHERS_MAX];
    if (first == STATUS_OK)
        return first;
    add_others(arena, question, signature, first, &others);
    for (size_t i = 0; i < others.count; i++) {
        struct signature_question near = *question;
        struct source_signature *answer = arena_alloc(arena, 1, sizeof *answer);
        if (!answer)
            return error_no_memory(error);
        near.path = others.paths[i];
        near.unit_count = named_units;
        if (!near.kernel && signature->asked)
            near.kernel = signature->asked->name;
        statuses[i] = ask_any(arena, search, &near, answer, &why[i]);
        if (statuses[i] == STATUS_OK) {
            print_clean(
                stderr,
                first == STATUS_NOT_FOUND && signature->asked
                    ? "tune: %s only declares the kernel: %s, which has its body, is taken\n"
                    : "tune: %s is not a source by itself: %s is taken\n",
                question->path, near.path);
            *question = near;
            *signature = *answer;
            error_clear(error);
            return STATUS_OK;
        }
        add_others(arena, &near, answer, statuses[i], &others);
    }
    for (size_t i = 0; i < others.count; i++)
        if (statuses[i] == STATUS_COMPILE_FAILED)
            return tell_both(first, others.paths[i], &why[i], error);
    return first;
}

/* One line: the folders behind the first `named`, with what they were taken for. */
static void note_folders(const struct search *search, const struct signature_question *question,
                         size_t named)
{
    for (size_t i = named; i < question->folder_count; i++)
        print_clean(stderr, "%s%s (%s)",
                    i > named ? ", " : "tune: found near the source: ", question->folders[i],
                    search->headers[i]);
    if (question->folder_count > named)
        fprintf(stderr, "\n");
}

/* Of what the kernel reaches alone: which headers it was compiled without. */
static void note_unread(const struct search *search, const struct signature_question *question,
                        const struct source_signature *signature)
{
    enum { NAMED_MOST = 4 };
    const size_t count = question->only_reached ? signature->unread_count : 0;
    for (size_t i = 0; i < count && i < NAMED_MOST; i++) {
        const char *name = signature->unread[i];
        const bool several = search->several && strcmp(search->ambiguous, name) == 0;
        print_clean(stderr, "%s%s%s%s%s", i ? ", " : "tune: compiled without ", name,
                    several ? " (in " : "", several ? search->several : "", several ? ")" : "");
    }
    if (count > NAMED_MOST)
        fprintf(stderr, " and %zu more", count - NAMED_MOST);
    if (count > 0)
        fprintf(stderr, ": name their folder by --include if the kernel needs them\n");
}

/* Which of several headers of one name is meant only a person knows. */
static enum status tell_several(const struct search *search, enum status status,
                                struct error *error)
{
    char text[ERROR_TEXT_BYTES];
    if (!search->several || !strstr(error->text, search->ambiguous))
        return status;
    (void)string_format(text, sizeof text, "%.*s", ERROR_TEXT_BYTES / 2, error->text);
    return error_set(error, status, "%s; several folders have %s: %s", text, search->ambiguous,
                     search->several);
}

enum status init_ask(struct arena *arena, const struct device_api *api, bool one_compiler,
                     struct signature_question *question, struct source_signature *signature,
                     struct error *error)
{
    struct search search = {.api = api, .is_deep = true};
    const struct signature_question asked = *question;
    enum status status = one_compiler ? ask_one(arena, &search, question, signature, error)
                                      : ask_around(arena, &search, question, signature, error);
    if (status != STATUS_OK && search.found_deep && !one_compiler) {
        /* What was found far away may be another header of that name. */
        struct signature_question nearer = asked;
        struct source_signature *answer = arena_alloc(arena, 1, sizeof *answer);
        struct error ignored = {0};
        search.is_deep = false;
        if (answer && ask_around(arena, &search, &nearer, answer, &ignored) == STATUS_OK) {
            *question = nearer;
            *signature = *answer;
            error_clear(error);
            status = STATUS_OK;
        }
    }
    if (status != STATUS_OK)
        return tell_several(&search, status, error);
    note_folders(&search, question, asked.folder_count);
    note_unread(&search, question, signature);
    return STATUS_OK;
}
