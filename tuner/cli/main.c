#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tuner/base/text.h"
#include "tuner/base/version.h"
#include "tuner/cli/build.h"
#include "tuner/cli/commands.h"
#include "tuner/cli/source.h"
#include "tuner/terminal/style.h"
#include "tuner/worker/worker.h"
#include "views/show/show.h"
#include "views/watch/watch.h"

static const struct command *const commands[] = {
    &command_run,    &command_init,   &command_devices, &command_show,  &command_plot,
    &command_report, &command_watch,  &command_export,  &command_check, &command_hash,
    &command_merge,  &command_import, &command_capture, &command_apply, &command_ab,
};
enum { COMMAND_COUNT = COUNT(commands) };

static const struct command *find_command(const char *name)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

/* Fails on a full disk, which must not pass for success. */
static enum status check_stdout(struct error *error)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return STATUS_OK;
    return error_set(error, STATUS_IO, "standard output: writing failed (is the disk full?)");
}

static int end_with_stdout(void)
{
    struct error error = {0};
    enum status status = check_stdout(&error);
    if (status != STATUS_OK)
        print_clean(stderr, "tune: %s\n", error.text);
    return status_exit_code(status);
}

static int run_command(const struct command *command, int argc, char **argv)
{
    struct error error = {0};
    struct arena arena = {0};
    struct defaults defaults = {argc, argv};
    const bool helps = argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0);
    enum status status =
        helps ? STATUS_OK : defaults_add(&arena, command, argc, argv, &defaults, &error);
    if (status == STATUS_OK)
        status = command->run(command, defaults.argc, defaults.argv, &error);
    if (status == STATUS_OK || status == STATUS_DONE)
        status = check_stdout(&error);
    if (status != STATUS_OK)
        print_clean(stderr, "tune %s: %s\n", command->name,
                    error.text[0] ? error.text : status_text(status));
    arena_free(&arena);
    return status_exit_code(status);
}

/* Returns the command meant by a first word that is none: `run` for an experiment's name, unless
 * the word resembles a command. */
static const char *command_meant(const char *word)
{
    const char *names[COMMAND_COUNT];
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        names[i] = commands[i]->name;
    return nearest_word(word, names, COMMAND_COUNT);
}

/* Opens closed standard streams (>&-): otherwise the database would get a stream's number, and
 * output would be written into the database. Each gets a file on which its own use fails. */
static bool hold_standard_streams(void)
{
    for (int file = 0; file <= 2; file++)
        if (fcntl(file, F_GETFD) < 0 && open("/dev/null", file == 0 ? O_WRONLY : O_RDONLY) != file)
            return false;
    return true;
}

/* Ensures the stack of threads, which is that of the process's start: with a small limit that can
 * be raised, starts again with enough; reports a limit too small to run at all. */
static bool has_stack(char **argv)
{
    enum { STACK_WANTED = 1 << 20, STACK_MIN = 256 << 10 };
    static const char text[] = "tune: the stack is limited to less than 256 KiB: ulimit -s 8192\n";
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= STACK_WANTED)
        return true;
    rlim_t before = limit.rlim_cur;
    limit.rlim_cur = limit.rlim_max < STACK_WANTED ? limit.rlim_max : STACK_WANTED;
    if (limit.rlim_cur > before && setrlimit(RLIMIT_STACK, &limit) == 0)
        (void)execv("/proc/self/exe", argv);
    if (before >= STACK_MIN)
        return true;
    (void)!write(STDERR_FILENO, text, sizeof text - 1);
    return false;
}

int main(int argc, char **argv)
{
    if (!has_stack(argv) || !hold_standard_streams())
        return EXIT_CODE_FAILED; /* the latter cannot be told anywhere */
    (void)signal(SIGXFSZ,
                 SIG_IGN); /* a file at the size limit then fails like one on a full disk */
    if (argc > 1 && worker_is_entry(argv[1]))
        return worker_main(argc, argv);
    if (argc == 4 && strcmp(argv[1], "__watch") == 0)
        return watch_child(argv[2], argv[3]);
    if (argc > 2 && strcmp(argv[1], "__complete") == 0) {
        complete(commands, COMMAND_COUNT, argc - 2, argv + 2);
        return end_with_stdout();
    }
    if (argc == 2 && strcmp(argv[1], "__options") == 0) {
        options_print_manual(commands, COMMAND_COUNT);
        return end_with_stdout();
    }
    if (argc == 3 && strcmp(argv[1], "help") == 0 && find_command(argv[2])) {
        char *words[] = {argv[2], "--help", NULL};
        return run_command(find_command(argv[2]), 2, words);
    }
    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
                     strcmp(argv[1], "help") == 0)) {
        printf("usage: tune [run] [EXPERIMENT...] [--device 0|cuda:0|cpu] [options]\n"
               "       tune COMMAND [options]\n\n"
               "Finds the fastest correct launch configuration of each kernel on each device,\n"
               "keeps every timing in tune.db and writes tuned.conf, which programs load.\n\n"
               "commands:\n");
        for (size_t i = 0; i < COMMAND_COUNT; i++)
            printf("  %-9s %s\n", commands[i]->name, commands[i]->about);
        printf(
            "\n'tune COMMAND --help' lists its options; 'tune' alone is 'tune run'.\nOptions that "
            "you always use can go into " DEFAULTS_FILE ", here or in a folder above\n"
            "('device: 0', 'effort: thorough', 'budget: 8h', 'db: results.db'); the command line "
            "wins.\n");
        return end_with_stdout();
    }
    if (argc > 1 && (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-v") == 0)) {
        printf("tune %s\n"
               "source     %s\n"
               "compiler   %s\n"
               "libraries  %s\n"
               "options    %s\n",
               TUNE_VERSION, TUNE_SOURCE, TUNE_COMPILER, TUNE_LIBRARIES, TUNE_OPTIONS);
        return end_with_stdout();
    }
    const struct command *command = argc > 1 ? find_command(argv[1]) : NULL;
    if (command)
        return run_command(command, argc - 1, argv + 1);
    const char *meant = argc > 1 && argv[1][0] != '-' ? command_meant(argv[1]) : NULL;
    if (meant) {
        print_clean(stderr, "tune: '%s' is no command; did you mean '%s'?\n", argv[1], meant);
        return EXIT_CODE_USAGE;
    }
    return run_command(&command_run, argc, argv);
}
