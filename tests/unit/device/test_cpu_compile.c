#include "cpu_test.h"

#include <dirent.h>
#include <dlfcn.h>

#include "tuner/base/process.h"
#include "tuner/device/cpu/compiler.h"

struct outcome {
    enum status status;
    struct error error;
    struct text log;
};

static struct outcome compile(const struct binary_request *request, const char *binary)
{
    struct outcome outcome = {0};
    outcome.status = device_cpu.compile(request, binary, &outcome.log, &outcome.error);
    return outcome;
}

static int entries_in_folder(void)
{
    DIR *open = opendir(folder);
    int count = 0;
    assert_non_null(open);
    while (readdir(open))
        count++;
    (void)closedir(open);
    return count - 2;
}

static int call(const char *binary, const char *name)
{
    int (*function)(void);
    void *handle = dlopen(binary, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(handle);
    void *symbol = dlsym(handle, name);
    assert_non_null(symbol);
    memcpy(&function, &symbol, sizeof symbol);
    int result = function();
    assert_int_equal(dlclose(handle), 0);
    return result;
}

TEST(compiles_with_defines_flags_and_prelude)
{
    struct binary_request request = request_for(write_source(
        "defines.c", "TYPE answer(void) { struct tune_block b = {.thread = NUMBER};\n"
                     "struct tune_expected e = {.integer = FLAG, .real = REAL};\n"
                     "return b.thread + (int)e.integer + (int)(e.real * 4) + EXTRA; }\n"));
    request.defines[0] = (struct named_value){"TYPE", value_text("signed int")};
    request.defines[1] = (struct named_value){"NUMBER", value_integer(30)};
    request.defines[2] = (struct named_value){"FLAG", value_boolean(true)};
    request.defines[3] = (struct named_value){"REAL", value_real(0.5)};
    request.define_count = 4;
    request.flags[0] = "-DEXTRA=9";
    request.flag_count = 1;
    const char *binary = in_folder("defines.so");
    struct outcome outcome = compile(&request, binary);
    assert_string_equal(outcome.error.text, "");
    assert_int_equal(outcome.status, STATUS_OK);
    assert_int_equal(call(binary, "answer"), 42);
    text_free(&outcome.log);
}

TEST(a_source_may_bring_its_own_prelude)
{
    struct binary_request request = request_for(
        write_source("own.c", "#define TUNE_NO_PRELUDE\nstruct tune_block { int x; };\n"
                              "int answer(void) { return sizeof(struct tune_block); }"));
    const char *binary = in_folder("own.so");
    struct outcome outcome = compile(&request, binary);
    assert_int_equal(outcome.status, STATUS_OK);
    assert_int_equal(call(binary, "answer"), sizeof(int));
    text_free(&outcome.log);
}

TEST(an_include_is_found_beside_the_source)
{
    (void)write_source("beside.h", "enum { BESIDE = 5 };\n");
    struct binary_request request = request_for(write_source(
        "including.c", "#include \"beside.h\"\nint answer(void) { return BESIDE; }\n"));
    const char *binary = in_folder("including.so");
    struct outcome outcome = compile(&request, binary);
    assert_int_equal(outcome.status, STATUS_OK);
    assert_int_equal(call(binary, "answer"), 5);
    text_free(&outcome.log);
}

/* The error's text is a line that a person can go to: the source's own name and line. */
TEST(a_compile_error_names_its_line_and_leaves_nothing)
{
    struct binary_request request = request_for(
        write_source("wrong.c", "#warning first\nint good;\nint wrong = undeclared_name;\n"));
    int before = entries_in_folder();
    struct outcome outcome = compile(&request, in_folder("wrong.so"));
    assert_int_equal(outcome.status, STATUS_COMPILE_FAILED);
    assert_non_null(strstr(outcome.error.text, "wrong.c:3:"));
    assert_non_null(strstr(outcome.error.text, "undeclared_name"));
    assert_non_null(strstr(text_string(&outcome.log), "first"));
    assert_int_equal(entries_in_folder(), before);
    text_free(&outcome.log);
}

TEST(an_undefined_function_is_told_by_name)
{
    struct binary_request request = request_for(
        write_source("undefined.c",
                     "int nowhere_defined(void); int answer(void) { return nowhere_defined(); }"));
    struct outcome outcome = compile(&request, in_folder("undefined.so"));
    assert_int_equal(outcome.status, STATUS_COMPILE_FAILED);
    assert_non_null(strstr(outcome.error.text, "nowhere_defined"));
    text_free(&outcome.log);
}

TEST(a_missing_source_is_not_found)
{
    struct binary_request request = request_for("/nowhere/kernel.c");
    struct outcome outcome = compile(&request, in_folder("none.so"));
    assert_int_equal(outcome.status, STATUS_NOT_FOUND);
    assert_non_null(strstr(outcome.error.text, "/nowhere/kernel.c"));
    text_free(&outcome.log);
}

TEST(a_folder_that_is_not_there_is_told)
{
    struct binary_request request = request_for(write_source("fine.c", "int x;\n"));
    struct outcome outcome = compile(&request, "/nowhere/kernel.so");
    assert_int_equal(outcome.status, STATUS_NOT_FOUND);
    assert_non_null(strstr(outcome.error.text, "/nowhere/kernel.so"));
    text_free(&outcome.log);
}

TEST(a_missing_compiler_says_what_to_do)
{
    struct binary_request request = request_for(write_source("fine.c", "int x;\n"));
    char *path = strdup(getenv("PATH"));
    assert_int_equal(setenv("PATH", "/nowhere", 1), 0);
    struct outcome none = compile(&request, in_folder("fine.so"));
    assert_int_equal(setenv("PATH", path, 1), 0);
    assert_int_equal(none.status, STATUS_UNAVAILABLE);
    assert_non_null(strstr(none.error.text, "install"));
    /* No shell reads CC: this is one name. */
    assert_int_equal(setenv("CC", "cc -O0; touch /tmp/x", 1), 0);
    struct outcome named = compile(&request, in_folder("fine.so"));
    assert_int_equal(unsetenv("CC"), 0);
    assert_int_equal(named.status, STATUS_UNAVAILABLE);
    assert_non_null(strstr(named.error.text, "cc -O0; touch /tmp/x"));
    free(path);
    text_free(&none.log);
    text_free(&named.log);
}

/* A compiler that fails without a word, and one that is no compiler at all. */
TEST(a_silent_compiler_is_told_by_its_exit_code)
{
    struct binary_request request = request_for(write_source("fine.c", "int x;\n"));
    assert_int_equal(setenv("CC", "false", 1), 0);
    struct outcome outcome = compile(&request, in_folder("fine.so"));
    assert_int_equal(unsetenv("CC"), 0);
    assert_int_equal(outcome.status, STATUS_COMPILE_FAILED);
    assert_non_null(strstr(outcome.error.text, "exit code 1"));
    text_free(&outcome.log);
}

static struct process_request shell(const char *const *argv, int64_t timeout_ms, size_t output_max)
{
    return (struct process_request){.path = "/bin/sh",
                                    .argv = argv,
                                    .input = -1,
                                    .timeout_ms = timeout_ms,
                                    .output_max = output_max};
}

/* Tells whether the process is gone, or a zombie not yet awaited. */
static bool has_ended(long pid)
{
    char path[64], state = '?';
    (void)snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    FILE *file = fopen(path, "r");
    if (!file)
        return true;
    bool read = fscanf(file, "%*d %*s %c", &state) == 1;
    (void)fclose(file);
    return !read || state == 'Z' || state == 'X';
}

TEST(a_program_that_takes_too_long_is_killed_with_its_children)
{
    const char *const argv[] = {"sh", "-c", "sleep 1000 & echo $!; wait", NULL};
    struct error error = {0};
    struct text output = {0};
    int code = 0;
    long child = 0;
    /* The limit is the time that this machine needs to start it. */
    for (int64_t limit_ms = 300; child == 0 && limit_ms < 60000; limit_ms *= 4) {
        struct process_request request = shell(argv, limit_ms, 100);
        text_free(&output);
        assert_int_equal(process_run(&request, &output, &code, &error), STATUS_TIMED_OUT);
        child = strtol(text_string(&output), NULL, 10);
    }
    assert_true(child > 1);
    for (int i = 0; i < 60000 && !has_ended(child); i++)
        (void)usleep(1000);
    assert_true(has_ended(child));
    text_free(&output);
}

TEST(output_is_bounded_and_exit_codes_are_told)
{
    const char *const much[] = {"sh", "-c", "yes | head -c 1000000; exit 3", NULL};
    const char *const killed[] = {"sh", "-c", "kill -11 $$", NULL};
    struct process_request request = shell(much, 60000, 1000);
    struct error error = {0};
    struct text output = {0};
    int code = 0;
    assert_int_equal(process_run(&request, &output, &code, &error), STATUS_OK);
    assert_int_equal(code, 3);
    assert_int_equal(output.length, 1000);
    request = shell(killed, 60000, 1000);
    assert_int_equal(process_run(&request, &output, &code, &error), STATUS_OK);
    assert_int_equal(code, 128 + 11);
    text_free(&output);
}

static const char *version_told_by(struct arena *arena, const char *banner)
{
    char script[512];
    (void)snprintf(script, sizeof script, "#!/bin/sh\ncat <<'END'\n%s\nEND\n", banner);
    const char *path = write_source("banner", script);
    char command[300];
    (void)snprintf(command, sizeof command, "chmod +x '%s'", path);
    assert_int_equal(system(command), 0);
    return compiler_version(arena, path);
}

TEST(versions_are_read)
{
    struct arena arena = {0};
    const char *gnu = "cc (Ubuntu 11.4.0-1ubuntu1~22.04) 11.4.0\n"
                      "Copyright (C) 2021 Free Software Foundation, Inc.";
    assert_string_equal(version_told_by(&arena, gnu), "gcc 11.4.0");
    gnu = "gcc (GCC) 13.2.1 20230801 (Red Hat 13.2.1-1)\n"
          "Copyright (C) 2023 Free Software Foundation, Inc.";
    assert_string_equal(version_told_by(&arena, gnu), "gcc 13.2.1");
    assert_string_equal(version_told_by(&arena, "Debian clang version 14.0.6\nTarget: x"),
                        "clang 14.0.6");
    assert_string_equal(version_told_by(&arena, "Other C 5\nmore"), "Other C 5");
    assert_string_equal(compiler_version(&arena, "/bin/false"), "");
    arena_free(&arena);
}

int main(void)
{
    (void)unsetenv("CC");
    return run_suite(make_folder, remove_folder);
}
