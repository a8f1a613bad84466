/* `tune init`: an experiment file for a kernel, to be edited. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "frontends/init/build_line.h"
#include "frontends/init/draft.h"
#include "tuner/base/clock.h"
#include "tuner/base/files.h"
#include "tuner/base/process.h"
#include "tuner/base/shell.h"
#include "tuner/base/text.h"
#include "tuner/cli/commands.h"
#include "tuner/cli/replays.h"
#include "tuner/cli/unpack.h"
#include "tuner/experiment/experiment.h"
#include "tuner/terminal/style.h"

struct init {
    int64_t draft_s, deadline_ns; /* of clock_now_ns; the program's time is added */
    const char *kernel;
    const char *output;
    const char *architecture;
    const char *compiler;
    const char *capture;
    const char *program;
    const char *const *line; /* the compiler's, behind `--` */
    size_t line_count;
    struct build_line build;
    struct option_list defines;
    struct option_list folders;
    bool force;
    const char *source;
    const char *words[UNITS_MAX + 2]; /* the source, and the sources linked with that one */
    size_t unit_count;
};

static enum status parse(const struct command *command, int argc, char **argv, struct init *init,
                         struct error *error)
{
    const char **words = init->words;
    size_t word_count = 0;
    const struct option_spec options[] = {
        OPTION_SHORT(
            'k', "kernel", "NAME", &init->kernel,
            "the kernel, if there are several; or an instance of a template: `scale<float, 4>`"),
        OPTION_SHORT(
            'o', "output", "FILE", &init->output,
            "output file (default: the source's name with .yaml, beside it; -: standard output)"),
        OPTION_LIST('D', "define", "NAME=VALUE", &init->defines,
                    "macro for the compiler; a number becomes a parameter"),
        OPTION_LIST('I', "include", "FOLDER", &init->folders, "folder of included files"),
        OPTION_TEXT(
            "compiler", "NAME", &init->compiler,
            "nvrtc or nvcc (default: NVRTC, and nvcc where that fails; the experiment says which)"),
        OPTION_TEXT("arch", "ARCH", &init->architecture,
                    "architecture to compile for (default: sm_90); needs no GPU"),
        OPTION_TEXT("capture", "FILE.cap", &init->capture,
                    "take sizes, inputs and expected outputs from launches that `tune capture` "
                    "kept (docs/capture.md)\n"
                    "They are unpacked beside the output file. The program's own launch becomes "
                    "the default configuration."),
        OPTION_TEXT("program", "COMMAND", &init->program,
                    "run a program that launches the kernel, and use its largest launch as "
                    "--capture does; it "
                    "is ended when no larger one comes for 10 s"),
        OPTION_FLAG("force", &init->force, "overwrite an existing file"),
    };
    init->architecture = "sm_90";
    int own = 0; /* words in front of `--` */
    while (own < argc && strcmp(argv[own], "--") != 0)
        own++;
    init->line = own + 1 < argc ? (const char *const *)argv + own + 1 : NULL;
    init->line_count = own + 1 < argc ? (size_t)(argc - own - 1) : 0;
    TRY(options_parse(command, options, COUNT(options), own, argv, words, COUNT(init->words),
                      &word_count, error));
    if (word_count == 0 && init->line_count == 0)
        return error_set(error, STATUS_USAGE,
                         "name a source: tune init kernel.cu, or how it is compiled: tune init "
                         "--kernel NAME -- nvcc -O3 kernel.cu");
    init->source = words[0];
    init->unit_count = word_count > 0 ? word_count - 1 : 0;
    if (init->program && init->capture)
        return error_set(error, STATUS_USAGE, "--program and --capture: one of them");
    if (init->compiler && strcmp(init->compiler, "nvcc") != 0 &&
        strcmp(init->compiler, "nvrtc") != 0)
        return error_set(error, STATUS_USAGE, "--compiler %s: nvrtc or nvcc", init->compiler);
    return STATUS_OK;
}

static const char *default_output(struct arena *arena, const char *source)
{
    size_t folder = (size_t)(path_file(source) - source);
    size_t stem = strcspn(source + folder, ".");
    return arena_printf(arena, "%.*s.yaml", (int)(folder + stem), source);
}

/* Returns the path as written in the file: relative to the file's folder, so that both can move to
 * another machine; absolute where the two have no folder in common. NULL: no memory. */
static const char *path_for(struct arena *arena, const char *path, const char *output)
{
    const size_t above = output_is_special(output) ? 0 : (size_t)(path_file(output) - output);
    const char *folder = above ? arena_strndup(arena, output, above) : ".";
    char *from = folder ? realpath(folder, NULL) : NULL;
    char *to = realpath(path, NULL);
    struct text text = {0};
    size_t same = 0, i = 0; /* `same`: behind the folders that both are in */
    for (; from && to && from[i] && from[i] == to[i]; i++)
        same = from[i] == '/' ? i : same;
    if (from && to && (!from[i] || from[i] == '/') && (!to[i] || to[i] == '/'))
        same = i;
    for (const char *at = same > 0 ? strchr(from + same, '/') : NULL; at; at = strchr(at + 1, '/'))
        text_append(&text, text.length ? "/.." : "..");
    if (same > 0 && to[same])
        text_printf(&text, "%s%s", text.length ? "/" : "", to + same + 1);
    const char *name = text.length ? text_string(&text) : same > 0 ? "." : to ? to : path;
    const char *copy = text.failed ? NULL : arena_strdup(arena, name);
    arena->failed |= !copy;
    text_free(&text);
    free(from);
    free(to);
    return copy;
}

/* ---- the project's build ---- */

/* Finds the source that has the kernel among those of a compiler's line, else the first. */
static const char *source_of_line(struct arena *arena, const struct init *init)
{
    const struct build_line *build = &init->build;
    for (size_t i = 0; init->kernel && i < build->source_count; i++)
        if (kernel_has_body(arena, build->sources[i], init->kernel))
            return build->sources[i];
    return build->source_count > 0 ? build->sources[0] : NULL;
}

/* Reads the signature with the build's folders, flags and macros, behind those named on the command
 * line. */
static enum status ask_as_built(struct arena *arena, const struct init *init,
                                struct source_question *question, struct error *error)
{
    const struct build_line *build = &init->build;
    for (size_t i = 0; i < build->folder_count && question->binary.folder_count < UNITS_MAX; i++)
        question->binary.folders[question->binary.folder_count++] = build->folders[i];
    for (size_t i = 0; i < build->flag_count; i++)
        question->binary.flags[question->binary.flag_count++] = build->flags[i];
    for (size_t i = 0; i < build->define_count; i++) {
        const char *text = build->defines[i], *sign = strchr(text, '=');
        const size_t length = sign ? (size_t)(sign - text) : strlen(text);
        bool is_named = strpbrk(text, "\"'\\(") != NULL; /* texts, for the host alone */
        for (size_t j = 0; j < question->define_count && !is_named; j++)
            is_named = strlen(question->defines[j].name) == length &&
                       strncmp(question->defines[j].name, text, length) == 0;
        if (is_named || question->define_count == MACROS_MAX)
            continue;
        struct macro_signature *define = &question->defines[question->define_count++];
        define->name = arena_strndup(arena, text, length);
        define->preset = sign ? sign + 1 : "1";
        define->is_named = define->is_given = true;
        TRY_MEMORY(define->name);
    }
    return STATUS_OK;
}

static enum status take_defines(struct arena *arena, const struct init *init,
                                struct source_question *question, struct error *error)
{
    for (size_t i = 0; i < init->defines.count; i++) {
        const char *text = init->defines.items[i];
        const char *sign = strchr(text, '=');
        if (i == MACROS_MAX || (sign ? sign == text : !*text))
            return error_set(error, STATUS_USAGE, "--define %s: write NAME=VALUE", text);
        struct macro_signature *define = &question->defines[question->define_count++];
        define->name = arena_strndup(arena, text, sign ? (size_t)(sign - text) : strlen(text));
        define->preset = sign ? sign + 1 : "1";
        define->is_named = true;
        TRY_MEMORY(define->name);
    }
    return STATUS_OK;
}

static enum status take_folders(const struct init *init, struct source_question *question,
                                struct error *error)
{
    if (init->folders.count > UNITS_MAX)
        return error_set(error, STATUS_USAGE, "--include: more than %d folders", UNITS_MAX);
    if (init->unit_count > UNITS_MAX)
        return error_set(error, STATUS_USAGE, "more than %d sources", UNITS_MAX + 1);
    for (size_t i = 0; i < init->folders.count; i++)
        question->binary.folders[i] = init->folders.items[i];
    question->binary.folder_count = init->folders.count;
    question->binary.unit_count = init->unit_count;
    for (size_t i = 0; i < init->unit_count; i++)
        question->binary.units[i] = init->words[i + 1];
    return STATUS_OK;
}

/* Checks the output: --force may overwrite an earlier experiment file, never the source. */
static enum status check_output(const struct init *init, const char *output, struct error *error)
{
    TRY(output_differs(output, init->source, error));
    if (!init->force && file_exists(output) && !output_is_special(output))
        return error_set(error, STATUS_USAGE, "%s is there already: --force writes over it",
                         output);
    return STATUS_OK;
}

static enum status write_file(const struct init *init, const char *output, const struct text *text,
                              struct error *error)
{
    TRY(check_output(init, output, error));
    TRY(output_write(output, text_string(text), text->length, error));
    if (output_is_special(output))
        return STATUS_OK;
    /* A file that is written must be one that can be run. */
    struct arena arena = {0};
    struct experiment *experiment = NULL;
    const char *folder = NULL;
    enum status status = data_folder(&arena, &folder, error);
    if (status == STATUS_OK)
        status = experiment_load_draft(output, text_string(text), text->length, folder, &experiment,
                                       error);
    experiment_free(experiment);
    arena_free(&arena);
    return status == STATUS_OK ? status : error_prefix(error, "wrote %s, to be edited", output);
}

static void print_next(const struct init *init, const char *output)
{
    const char *place = strchr(output, '/') || text_ends_with(output, ".yaml") ? "" : "./";
    char room[SHELL_WORD_BYTES];
    struct text path = {0};
    text_printf(&path, "%s%s", place, output);
    const char *word = shell_word(text_string(&path), room);
    print_clean(stderr,
                "tune: wrote %s: check the lines marked with '?', then\n  tune run --dry-run "
                "--arch %s %s   # compiles it; needs no GPU\n  tune run %s   # tunes it\n",
                output, init->architecture, word, word);
    text_free(&path);
    if (!init->capture)
        fprintf(stderr, "With --program './app ...' sizes, data and launch are those of your "
                        "program, and nothing of them is a guess.\n");
}

/* Returns true if a file imports the module of Kernel Tuner. */
static bool imports_kernel_tuner(struct arena *arena, const char *path)
{
    enum { SCRIPT_BYTES_MAX = 1 << 20 };
    static const char *const words[] = {"import kernel_tuner", "from kernel_tuner"};
    char *text = NULL;
    struct error ignored = {0};
    if (!text_ends_with(path, ".py") ||
        file_read(arena, path, SCRIPT_BYTES_MAX, &text, NULL, &ignored) != STATUS_OK)
        return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(text, words[i]))
            return true;
    return false;
}

/* Runs a script for Kernel Tuner by the Python package launchtune, which writes each of the
 * script's calls as an experiment with its arrays. */
static enum status write_calls(struct arena *arena, const struct init *init, struct error *error)
{
    const char *python = program_find(arena, "python3");
    const char *data = NULL;
    const char *program = NULL;
    const char *before = getenv("PYTHONPATH");
    pid_t child = 0;
    int ended = -1;
    TRY(data_folder(arena, &data, error));
    TRY(executable_path(arena, &program, error));
    /* of an installation; of the source tree */
    const char *packages = arena_printf(arena, "%s/python:%s/bindings/python%s%s", data, data,
                                        before ? ":" : "", before ? before : "");
    TRY_MEMORY(packages);
    const char *const argv[] = {"python3", "-m",         "launchtune.kernel_tuner",
                                "--write", init->source, NULL};
    const struct process_variable variables[] = {{"PYTHONPATH", packages}, {"TUNE", program}};
    const struct process_start start = {.path = python,
                                        .argv = argv,
                                        .files = (const int[]){0, 1, 2},
                                        .file_count = 3,
                                        .variables = variables,
                                        .variable_count = 2};
    if (python)
        TRY(process_start(&start, &child, error));
    while (python && waitpid(child, &ended, 0) < 0 && errno == EINTR)
        continue;
    if (python && WIFEXITED(ended) && WEXITSTATUS(ended) == 0)
        return STATUS_OK;
    return error_set(error, STATUS_BAD_INPUT,
                     "%s is a script for Kernel Tuner, and %s: tune it by 'python3 -m "
                     "launchtune.kernel_tuner %s' where it finds numpy and its own packages "
                     "(docs/kernel-tuner.md)",
                     init->source,
                     python ? "Python did not run it to its end" : "there is no Python",
                     init->source);
}

/* Returns the question for launches of the kernel. One instance counts where it was named. */
static struct captured_question question_of(struct arena *arena, const struct init *init,
                                            const struct capture *capture,
                                            const struct source_signature *signature)
{
    const bool is_named = init->kernel && strchr(init->kernel, '<') && signature->symbol;
    return (struct captured_question){
        .capture = capture,
        .kernel = signature->chosen->name,
        .instance = is_named ? instance_of_symbol(arena, signature->symbol) : NULL,
        .signature = signature->chosen,
        .only_largest = init->program != NULL,
        .size = "n"};
}

/* Launches of the kernel, unpacked beside the file that is written. */
static enum status take_capture(struct arena *arena, const struct init *init, const char *output,
                                struct draft_request *file, const struct capture *capture,
                                struct error *error)
{
    const char *beside = output_is_special(output) ? init->source : output;
    const size_t stem = (size_t)(path_file(beside) - beside) + strcspn(path_file(beside), ".");
    const char *folder = arena_printf(arena, "%.*s.captured", (int)stem, beside);
    const char *own = NULL;
    int64_t bytes = 0;
    file->captured = arena_alloc(arena, 1, sizeof *file->captured);
    TRY_MEMORY(folder && file->captured);
    file->captured_folder = path_file(folder);
    const struct source_signature *signature = file->signature;
    const char **variables = arena_alloc(arena, signature->symbol_count + 1, sizeof *variables);
    TRY_MEMORY(variables);
    for (size_t i = 0; i < signature->symbol_count; i++)
        variables[i] = unqualified_name(signature->symbols[i].name);
    struct captured_question question = question_of(arena, init, capture, signature);
    question.variables = variables;
    question.variable_count = signature->symbol_count;
    enum status status = captured_take(arena, &question, file->captured, error);
    if (status == STATUS_OK)
        status = private_folder_make(arena, folder, &own, error);
    if (status == STATUS_OK)
        status = captured_unpack(file->captured, own, init->deadline_ns, &bytes, error);
    if (status == STATUS_TIMED_OUT)
        return error_set(error, status,
                         "%s: its data, %.1f GiB at least, are not written in the %lld s of a "
                         "draft: let the program take a smaller size, or wait longer: "
                         "TUNE_DRAFT_S=300 tune init ... --capture %s",
                         folder, (double)bytes / (1 << 30), (long long)init->draft_s,
                         init->capture);
    if (status == STATUS_OK)
        unpacked_note(file->captured, folder, bytes);
    return status == STATUS_OK ? status : error_prefix(error, "%s", init->capture);
}

/* Runs the program, and keeps launches of the kernel beside the file that is written. */
static enum status run_program(struct arena *arena, struct init *init, const char *output,
                               const struct source_signature *signature, struct error *error)
{
    const char *beside = output_is_special(output) ? init->source : output;
    const size_t stem = (size_t)(path_file(beside) - beside) + strcspn(path_file(beside), ".");
    init->capture = arena_printf(arena, "%.*s.cap", (int)stem, beside);
    TRY_MEMORY(init->capture);
    print_clean(stderr, "tune: runs %s; launches of %s go to %s\n", init->program,
                signature->chosen->name, init->capture);
    int64_t ran_ns = 0;
    const enum status status = capture_kernel(
        init->program, unqualified_name(signature->chosen->name), init->capture, &ran_ns, error);
    init->deadline_ns += ran_ns;
    return status;
}

/* Fills in the draft's names: the experiment, its source, compiler and folders. */
static enum status name_files(struct arena *arena, const struct init *init,
                              const struct source_question *question, const char *output,
                              struct draft_request *file, struct error *error)
{
    file->experiment = experiment_name_of(arena, init->source);
    file->binary = question->binary;
    file->binary.source_path = path_for(arena, question->binary.source_path, output);
    file->compiler_found = question->binary.compiler && !init->compiler;
    file->folders_found =
        question->binary.folder_count > init->folders.count + init->build.folder_count;
    file->build = init->build.from ? path_for(arena, init->build.from, output) : NULL;
    for (size_t i = 0; i < question->binary.unit_count; i++)
        file->binary.units[i] = path_for(arena, question->binary.units[i], output);
    for (size_t i = 0; i < question->binary.folder_count; i++)
        file->binary.folders[i] = path_for(arena, question->binary.folders[i], output);
    return arena->failed ? error_no_memory(error) : STATUS_OK;
}

/* Tells which values of parameters were left out or not tried, and whether several others may not
 * be combined. */
static void print_values(const struct value_trials *values)
{
    struct text list = {0};
    for (size_t i = 0; i < values->wrong_count; i++) {
        const struct wrong_value *wrong = &values->wrong[i];
        const bool is_new = i == 0 || strcmp(wrong[-1].parameter, wrong->parameter) != 0;
        text_printf(&list, "%s%s%s%s",
                    i == 0   ? ""
                    : is_new ? "; "
                             : ", ",
                    is_new ? wrong->parameter : "", is_new ? " " : "", wrong->value);
    }
    if (list.length > 0)
        print_clean(stderr,
                    "tune: left out, since the launch fails or leaves other results with them: "
                    "%s\n",
                    text_string(&list));
    if (values->untried)
        print_clean(
            stderr,
            "tune: not tried, for want of time (TUNE_DRAFT_S=300 gives more; a run checks all "
            "results): %s\n",
            values->untried);
    if (together_mostly_fail(&values->together))
        print_clean(stderr,
                    "tune: of %zu configurations with several other values %zu fail or leave other "
                    "results: a constraint lets one value differ at a time\n",
                    values->together.tried, values->together.tried - values->together.right);
    text_free(&list);
}

/* Replays the launches of the written draft, tries the values of its parameters and writes the
 * draft again with the findings. */
static enum status replay_draft(struct arena *arena, const struct init *init,
                                struct draft_request *file, const char *output, struct text *text,
                                struct error *error)
{
    struct unpacked draft = {.text = *text};
    enum replayed replayed = REPLAYED_NOWHERE;
    text_append(&draft.path, output);
    enum status status = draft.path.failed ? error_no_memory(error)
                                           : replay_captured(&draft, NULL, file->captured,
                                                             init->deadline_ns, &replayed, error);
    if (status == STATUS_OK && replayed != REPLAYED_NOWHERE)
        status = values_try(&draft, file->captured, init->deadline_ns, &file->values, error);
    text_free(&draft.path);
    TRY(status);
    if (replayed != REPLAYED_NOWHERE) {
        text_clear(text);
        TRY(draft_experiment(arena, file, text, error));
        TRY(output_write(output, text_string(text), text->length, error));
    }
    replayed_note(file->captured, replayed);
    print_values(&file->values);
    return STATUS_OK;
}

static void print_still(int number)
{
    static const char line[] = "tune: asks the compiler; some seconds more\n";
    (void)number;
    const ssize_t written = write(STDERR_FILENO, line, sizeof line - 1);
    (void)written;
}

/* Reads the signature: shows progress within two seconds, and answers within a minute. */
static enum status ask_in_time(struct arena *arena, bool one_compiler,
                               struct source_question *question, struct source_signature *signature,
                               struct error *error)
{
    enum { SILENT_S = 2 };
    const struct sigaction still = {.sa_handler = print_still, .sa_flags = SA_RESTART};
    struct sigaction before;
    const bool is_watched = isatty(STDERR_FILENO) && sigaction(SIGALRM, &still, &before) == 0;
    if (is_watched)
        (void)alarm(SILENT_S);
    const enum status status = source_ask(arena, question, one_compiler, signature, error);
    if (is_watched) {
        (void)alarm(0);
        (void)sigaction(SIGALRM, &before, NULL);
    }
    return status;
}

/* Asks about the named source. If that does not compile by itself, as a header that stands on
 * others does not, about the sources of the given line, which may include it. */
static enum status ask_as_unit(struct arena *arena, const struct init *init,
                               struct source_question *question, struct source_signature *signature,
                               struct error *error)
{
    const bool named = init->compiler != NULL;
    const struct build_line *build = &init->build;
    struct source_question alone = *question;
    enum status status = ask_in_time(arena, named, question, signature, error);
    const bool is_part = status == STATUS_COMPILE_FAILED && init->line_count > 0 && init->kernel;
    for (size_t i = 0; is_part && i < build->source_count; i++) {
        struct error ignored = {0};
        if (strcmp(build->sources[i], init->source) == 0)
            return status;
        *question = alone;
        question->binary.source_path = build->sources[i];
        *signature = (struct source_signature){0};
        if (ask_in_time(arena, named, question, signature, &ignored) == STATUS_OK) {
            print_clean(stderr, "tune: %s does not compile by itself: read as a part of %s\n",
                        init->source, question->binary.source_path);
            error_clear(error);
            return STATUS_OK;
        }
    }
    return status;
}

/* Asks about the kernel as built. A Python script leads to the source that is named in there. */
static enum status ask_source(struct arena *arena, const struct init *init,
                              struct source_question *question, struct source_signature *signature,
                              struct error *error)
{
    if (text_ends_with(init->source, ".py")) {
        question->binary.source_path = nearby_script_source(arena, init->source, init->kernel);
        if (!question->binary.source_path)
            return error_set(
                error, STATUS_NOT_FOUND,
                "%s names no .cu file%s%s that is there: put the kernel into a file of its "
                "own, and name that",
                init->source, init->kernel ? " with " : "", init->kernel ? init->kernel : "");
        print_clean(stderr, "tune: %s names %s: that is taken\n", init->source,
                    question->binary.source_path);
    }
    TRY(take_defines(arena, init, question, error));
    TRY(take_folders(init, question, error));
    TRY(ask_as_built(arena, init, question, error));
    const enum status status = ask_as_unit(arena, init, question, signature, error);
    if (!(init->program || init->capture) || !signature->lacks_instance)
        return status;
    error_clear(error); /* a launch tells */
    return STATUS_OK;
}

/* Opens the capture. Asks again where another instance was launched than the source's own launch
 * is of, or where that does not tell one. */
static enum status ask_about_launched(struct arena *arena, const struct init *init,
                                      struct source_question *question,
                                      struct source_signature *signature, struct capture **capture,
                                      struct error *error)
{
    const struct captured_kernel *kernel = NULL;
    size_t instances = 0;
    const enum status status =
        init->program ? capture_open_own(init->capture, capture, error)
                      : capture_open_by(init->capture, init->deadline_ns, capture, error);
    if (status == STATUS_TIMED_OUT)
        return error_set(error, status,
                         "%s: it is not unpacked in the %lld s of a draft: let the program take a "
                         "smaller size, or wait longer: TUNE_DRAFT_S=300 tune init ... --capture "
                         "%s",
                         init->capture, (long long)init->draft_s, init->capture);
    TRY(status);
    const struct captured_question launches = question_of(arena, init, *capture, signature);
    if (captured_find(&launches, &kernel, &instances, error) != STATUS_OK)
        return error_prefix(error, "%s", init->capture);
    const char *launched = instance_of_symbol(arena, kernel->name);
    const char *own = signature->symbol ? instance_of_symbol(arena, signature->symbol) : NULL;
    if (signature->lacks_instance && (!launched || strpbrk(launched, "{'")))
        return error_set(error, STATUS_BAD_INPUT,
                         "kernel %s: the launched instance has no name that a source can say, %s: "
                         "tune it without its source: tune run --binary %s",
                         signature->chosen->name, launched ? launched : kernel->name,
                         init->capture);
    if (!launched || (own && strcmp(own, launched) == 0))
        return STATUS_OK;
    question->kernel = launched;
    *signature = (struct source_signature){0};
    return ask_as_unit(arena, init, question, signature, error);
}

static enum status ask_and_write(struct arena *arena, struct init *init, struct error *error)
{
    const bool named = init->compiler && strcmp(init->compiler, "nvcc") == 0;
    struct source_question question = {.binary = {.source_path = init->source,
                                                  .architecture = init->architecture,
                                                  .compiler = named ? init->compiler : NULL},
                                       .kernel = init->kernel};
    struct source_signature *signature = arena_alloc(arena, 1, sizeof *signature);
    struct draft_request file = {.signature = signature};
    struct text text = {0};
    struct capture *capture = NULL;
    enum status status = STATUS_OK;
    const char *output = init->output ? init->output : default_output(arena, init->source);
    TRY_MEMORY(signature && output);
    TRY(check_output(init, output, error));
    const int64_t rest_ns = init->draft_s * INT64_C(1000000000) / 4; /* for all but the answers */
    question.deadline_ns = init->deadline_ns - rest_ns;
    TRY(ask_source(arena, init, &question, signature, error));
    if (init->program)
        TRY(run_program(arena, init, output, signature, error));
    question.deadline_ns = init->deadline_ns - rest_ns;
    if (init->capture)
        TRY_OR_CLEANUP(ask_about_launched(arena, init, &question, signature, &capture, error));
    for (size_t i = init->folders.count + init->build.folder_count;
         i < question.binary.folder_count; i++)
        print_clean(stderr, "tune: found near the source: %s\n", question.binary.folders[i]);
    if (signature->launch.path)
        print_clean(stderr, "tune: launched in line %u of %s\n", signature->launch.line,
                    signature->launch.path);
    TRY_OR_CLEANUP(name_files(arena, init, &question, output, &file, error));
    if (capture)
        TRY_OR_CLEANUP(take_capture(arena, init, output, &file, capture, error));
    TRY_OR_CLEANUP(draft_experiment(arena, &file, &text, error));
    TRY_OR_CLEANUP(write_file(init, output, &text, error));
    if (capture && !output_is_special(output))
        TRY_OR_CLEANUP(replay_draft(arena, init, &file, output, &text, error));
    else if (!output_is_special(output)) {
        /* Runs the default configuration once, where a device is present, before the user does. */
        char found[ERROR_TEXT_BYTES];
        struct unpacked draft = {.text = text};
        text_append(&draft.path, output);
        const bool tried = !draft.path.failed && try_draft(&draft, init->deadline_ns, found);
        text_free(&draft.path);
        if (tried && *found)
            print_clean(stderr,
                        "tune: tried once: %s: look at count, value and grid in %s, or draft with "
                        "--program\n",
                        found, output);
        else if (tried)
            fprintf(stderr, "tune: tried once: the default configuration runs, and writes\n");
    }
    if (!output_is_special(output))
        print_next(init, output);
cleanup:
    text_free(&text);
    if (capture)
        capture_close(capture);
    return status;
}

static enum status run_init(const struct command *command, int argc, char **argv,
                            struct error *error)
{
    struct init init = {0};
    struct arena arena = {0};
    enum status status = STATUS_OK;
    TRY(draft_time(&init.draft_s, &init.deadline_ns, error));
    TRY_OR_CLEANUP(parse(command, argc, argv, &init, error));
    struct build_line *build = &init.build;
    TRY_OR_CLEANUP(init.line_count > 0
                       ? build_line_read(&arena, init.line, init.line_count, NULL, build, error)
                       : build_line_find(&arena, init.source, build, error));
    size_t there = 0; /* compilers pass over folders that do not exist, and experiments do not */
    for (size_t i = 0; i < build->folder_count; i++)
        if (file_exists(build->folders[i]))
            build->folders[there++] = build->folders[i];
    build->folder_count = there;
    if (!init.source)
        init.source = source_of_line(&arena, &init);
    if (!init.source)
        TRY_OR_CLEANUP(error_set(error, STATUS_USAGE, "the line behind -- names no source"));
    if (build->from)
        print_clean(stderr, "tune: compiled as %s has it\n", build->from);
    /* Refuses sources for a CPU: the experiment of such a kernel (kernels/README.md) is written by
     * hand, since the source lacks its arguments. */
    if (text_ends_with(init.source, ".c"))
        TRY_OR_CLEANUP(
            error_set(error, STATUS_USAGE,
                      "%s: only CUDA sources (.cu): a CPU's kernel takes its arguments as "
                      "kernels/README.md says; configs/elementwise_cpu.yaml is a file to copy",
                      init.source));
    TRY_OR_CLEANUP(imports_kernel_tuner(&arena, init.source) ? write_calls(&arena, &init, error)
                                                             : ask_and_write(&arena, &init, error));
cleanup:
    arena_free(&arena);
    return status;
}

const struct command command_init = {
    .name = "init",
    .usage = "SOURCE.cu [MORE.cu ...] [options] [-- COMPILER'S LINE]",
    .about = "Writes an experiment file for your own kernel, to be edited.",
    .more =
        "Reads the source and compiles it; needs no GPU. Guesses are marked with `?` in the file. "
        "More sources are linked in if they define a function that the first one declares. "
        "A Python script leads to the .cu file that it names; one for Kernel Tuner is run, and its "
        "calls are written as experiments (docs/kernel-tuner.md).",
    .manual = "The default configuration is the launch in the source. Flags, include folders and "
              "macros come from the compiler's line, as in "
              "`tune init --kernel blur -- nvcc -O3 -Isrc blur.cu`, or from the "
              "nearest compile_commands.json of the project.\n"
              "Parameters are macros behind `#ifndef`, macros and constants in the "
              "launch, in shared arrays and in unrolled loops, "
              "and integer arguments of templates. See docs/own-kernel.md.",
    .run = run_init,
};
