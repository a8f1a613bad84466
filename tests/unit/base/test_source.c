/* A source and its includes become one text, equal to a compiler's view of the folder. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/suite.h"
#include "tuner/base/files.h"
#include "tuner/base/source.h"

struct fixture {
    char folder[64];
    struct arena arena;
    struct source source;
    struct error error;
};

static int set_up(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    (void)snprintf(fixture->folder, sizeof fixture->folder, "/tmp/tune-test-source-XXXXXX");
    assert_non_null(mkdtemp(fixture->folder));
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    char command[128];
    (void)snprintf(command, sizeof command, "rm -rf %s", fixture->folder);
    assert_int_equal(system(command), 0);
    arena_free(&fixture->arena);
    free(fixture);
    return 0;
}

static const char *path_of(struct fixture *fixture, const char *name)
{
    return arena_printf(&fixture->arena, "%s/%s", fixture->folder, name);
}

static void put(struct fixture *fixture, const char *name, const char *text)
{
    const char *path = path_of(fixture, name);
    char *folder = arena_strdup(&fixture->arena, path);
    *strrchr(folder, '/') = '\0';
    assert_int_equal(folder_make(folder, 0700, &fixture->error), STATUS_OK);
    assert_int_equal(file_write_atomically(path, text, strlen(text), &fixture->error), STATUS_OK);
}

static enum status source_read(struct arena *arena, const char *path, struct source *out,
                               struct error *error)
{
    return source_read_in(arena, path, NULL, 0, out, error);
}

static void read_main(struct fixture *fixture, const char *text)
{
    put(fixture, "main.cu", text);
    if (source_read(&fixture->arena, path_of(fixture, "main.cu"), &fixture->source,
                    &fixture->error) != STATUS_OK)
        fail_msg("%s", fixture->error.text);
}

static enum status refused(struct fixture *fixture, const char *text)
{
    put(fixture, "main.cu", text);
    return source_read(&fixture->arena, path_of(fixture, "main.cu"), &fixture->source,
                       &fixture->error);
}

/* Returns the preprocessor's output for a file or a text: its words, without blanks. */
static char *preprocessed(struct fixture *fixture, const char *path, const char *options)
{
    char word[256];
    struct text all = {0};
    char *command = arena_printf(&fixture->arena, "${CC:-cc} -E -P -x c %s %s", options, path);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    while (fscanf(pipe, "%255s", word) == 1)
        text_printf(&all, "%s ", word);
    assert_int_equal(pclose(pipe), 0);
    char *out = arena_strdup(&fixture->arena, text_string(&all));
    text_free(&all);
    return out;
}

/* Checks that the one text, in both forms, means the same as the files. */
static void assert_same_as_files(struct fixture *fixture, const char *options)
{
    const char *with_folder =
        arena_printf(&fixture->arena, "-iquote %s %s", fixture->folder, options);
    const char *wanted = preprocessed(fixture, path_of(fixture, "main.cu"), with_folder);
    put(fixture, "apart/text.cu", fixture->source.text);
    assert_string_equal(preprocessed(fixture, path_of(fixture, "apart/text.cu"), options), wanted);
    put(fixture, "apart/text.cu", fixture->source.contents);
    assert_string_equal(preprocessed(fixture, path_of(fixture, "apart/text.cu"), options), wanted);
}

TEST_WITH(a_source_alone_is_its_file, set_up, tear_down)
{
    static const char text[] = "#pragma once\n#include <math.h>\n#include \"not_here.h\"\nint x;";
    struct fixture *fixture = *state;
    read_main(fixture, text);
    assert_string_equal(fixture->source.text, text);
    assert_string_equal(fixture->source.contents, text);
    assert_int_equal(fixture->source.length, strlen(text));
    assert_int_equal(fixture->source.file_count, 1);
}

TEST_WITH(files_stand_where_they_are_included, set_up, tear_down)
{
    struct fixture *fixture = *state;
    put(fixture, "b.cuh", "int b;\n");
    put(fixture, "in/a.cuh",
        "#include \"c.cuh\"\n#include \"../b.cuh\"\n#include \"b.cuh\"\nint a;");
    put(fixture, "in/c.cuh", "int c;\n");
    read_main(fixture, "int before;\n  #  include\t\"in/a.cuh\" // as far as this\nint after;\n");
    assert_same_as_files(fixture, "");
    assert_int_equal(fixture->source.file_count, 4);
    assert_string_equal(fixture->source.files[0].path, path_of(fixture, "main.cu"));
    assert_string_equal(fixture->source.contents,
                        "int before;\nint c;\n\nint b;\n\nint b;\n\nint a;\n"
                        " // as far as this\nint after;\n");
}

/* The file in the folder of the file that asks goes before that in the source's folder. */
TEST_WITH(the_nearer_file_is_taken, set_up, tear_down)
{
    struct fixture *fixture = *state;
    put(fixture, "in/a.cuh", "#include \"same.cuh\"\n#include \"far.cuh\"\n");
    put(fixture, "in/same.cuh", "near\n");
    put(fixture, "same.cuh", "far\n");
    put(fixture, "far.cuh", "only\n");
    read_main(fixture, "#include \"in/a.cuh\"\n");
    assert_string_equal(fixture->source.contents, "near\n\nonly\n\n\n");
}

TEST_WITH(errors_name_file_and_line, set_up, tear_down)
{
    struct fixture *fixture = *state;
    put(fixture, "odd \"name\\.cuh", "one\ntwo\n");
    put(fixture, "a.cuh", "a\n");
    read_main(fixture, "first\n#include \"a.cuh\"\nthird\n");
    assert_string_equal(fixture->source.text,
                        arena_printf(&fixture->arena,
                                     "first\n#line 1 \"%s/a.cuh\"\na\n#line 2 \"%s/main.cu\"\n\n"
                                     "third\n",
                                     fixture->folder, fixture->folder));
    struct text line = {0};
    source_put_line(&line, 7, "/a \"b\\c\nd");
    assert_string_equal(text_string(&line), "#line 7 \"/a \\\"b\\\\c\\012d\"\n");
    text_free(&line);
}

TEST_WITH(guarded_files_stand_once, set_up, tear_down)
{
    static const char *const guards[][2] = {
        {"#pragma once\n", ""},
        {"// About it.\n/* More\n */\n#ifndef A_H\n#define A_H\n", "#endif // A_H\n\n"},
    };
    struct fixture *fixture = *state;
    for (size_t i = 0; i < 2; i++) {
        put(fixture, "a.cuh",
            arena_printf(&fixture->arena, "%s#if 1\nint a;\n#endif\n%s", guards[i][0],
                         guards[i][1]));
        put(fixture, "b.cuh", "#ifndef B\n#define B\n#include \"a.cuh\"\nint b;\n#endif\n");
        read_main(fixture, "#include \"b.cuh\"\n#include \"a.cuh\"\n#include \"./a.cuh\"\n");
        assert_same_as_files(fixture, "");
        const char *first = strstr(fixture->source.contents, "int a;");
        assert_non_null(first);
        assert_null(strstr(first + 1, "int a;"));
        assert_null(strstr(fixture->source.contents, "#pragma"));
    }
}

/* Lists are included repeatedly, each time with another meaning; and a seeming guard may not be
 * one. */
TEST_WITH(other_files_stand_each_time, set_up, tear_down)
{
    static const char *const files[] = {
        "X(one)\nX(two)\n",
        "#ifndef NOT_ALL\n#define NOT_ALL\n#endif\nX(always)\n",
        "X(always)\n#ifndef NOT_ALL\n#define NOT_ALL\n#endif\n",
        "#ifndef FIRST\n#define FIRST\nX(first)\n#else\nX(later)\n#endif\n",
        "#ifndef FIRST\n#define SECOND\nX(always)\n#endif\n",
        "#ifdef FIRST\n#define FIRST\n#endif\n",
        "#ifndef FIRST\n#define FIRST\n#endif\n#ifndef SECOND\nX(second)\n#define SECOND\n#endif\n",
    };
    struct fixture *fixture = *state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        put(fixture, "list.h", files[i]);
        read_main(fixture, "#define X(name) f(name)\n#include \"list.h\"\n#undef X\n"
                           "#define X(name) g(name)\n#include \"list.h\"\n");
        assert_same_as_files(fixture, "");
    }
}

/* A file placed by an #if need not come again before its end, but may after it: otherwise two lines
 * in each of a chain of files make 2 to the power of their number. */
TEST_WITH(a_file_comes_once_in_each_branch, set_up, tear_down)
{
    enum { FILES = 30 };
    struct fixture *fixture = *state;
    for (int i = 0; i < FILES; i++)
        put(fixture, arena_printf(&fixture->arena, "f%d.cuh", i),
            arena_printf(&fixture->arena,
                         "%s#if defined(WANTED)\n#include \"f%d.cuh\"\n#include \"f%d.cuh\"\n"
                         "#endif\nint f%d;\n%s",
                         i % 2 ? arena_printf(&fixture->arena,
                                              "#ifndef F%d\nint early;\n#define F%d\n", i, i)
                               : "#pragma once\n",
                         i + 1, i + 1, i, i % 2 ? "#endif\n" : ""));
    put(fixture, arena_printf(&fixture->arena, "f%d.cuh", FILES), "#pragma once\nint last;\n");
    read_main(fixture, "#ifdef OTHER\n#include \"f28.cuh\"\n#else\n#include \"f29.cuh\"\n#endif\n"
                       "#include \"f0.cuh\"\n#include \"f1.cuh\"\n");
    assert_same_as_files(fixture, "");
    assert_same_as_files(fixture, "-DWANTED");
    assert_same_as_files(fixture, "-DOTHER");
    assert_same_as_files(fixture, "-DWANTED -DOTHER");
}

/* A file left out by an #if counts as absent. */
TEST_WITH(conditions_leave_files_out, set_up, tear_down)
{
    static const char *const guards[][2] = {{"#pragma once\n", ""},
                                            {"#ifndef A\n#define A\n", "#endif\n"}};
    struct fixture *fixture = *state;
    for (size_t i = 0; i < 2; i++) {
        put(fixture, "a.cuh",
            arena_printf(&fixture->arena, "%sint a;\n%s", guards[i][0], guards[i][1]));
        put(fixture, "b.cuh",
            arena_printf(&fixture->arena, "%s#include \"a.cuh\"\nint b;\n%s",
                         i ? "#ifndef B\n#define B\n" : "#pragma once\n", guards[i][1]));
        read_main(fixture, "#ifdef WANTED\n#include \"b.cuh\"\nint wanted;\n#else\nint not;\n"
                           "#include \"a.cuh\"\n#endif\n#include \"a.cuh\"\n#include \"b.cuh\"\n"
                           "#include \"b.cuh\"\n");
        assert_same_as_files(fixture, "");
        assert_same_as_files(fixture, "-DWANTED");
    }
}

TEST_WITH(comments_and_texts_include_nothing, set_up, tear_down)
{
    struct fixture *fixture = *state;
    put(fixture, "a.cuh", "*/ wrong\n");
    put(fixture, "b.cuh", "right\n");
    read_main(fixture, "// #include \"a.cuh\"\n/* \n#include \"a.cuh\"\n */ int x;\n"
                       "const char *s = \"/*\";\n#include \"b.cuh\"\nchar c = '\"'; int n = 1'000; "
                       "/*\n#include \"a.cuh\"\n*/\n"
                       "#include \"b.cuh\" /* goes on\n#include \"a.cuh\"\n*/\n"
                       "/* one */ /* two */ #include \"b.cuh\"\n"
                       "char d = '\\''; // isn't \"open\n#include \"b.cuh\"\n");
    assert_null(strstr(fixture->source.contents, "#include \"b.cuh\""));
    assert_null(strstr(fixture->source.contents, "wrong"));
    assert_non_null(strstr(fixture->source.contents, "right\n /* goes on\n#include \"a.cuh\"\n*/"));
}

TEST_WITH(marks_of_the_order_of_bytes_are_none_of_it, set_up, tear_down)
{
    struct fixture *fixture = *state;
    put(fixture, "a.cuh", "\xef\xbb\xbfint a;\n");
    read_main(fixture, "\xef\xbb\xbf#include \"a.cuh\"\nint b;\n");
    assert_null(strstr(fixture->source.text, "\xef"));
    read_main(fixture, "\xef\xbb\xbfint b;\n");
    assert_string_equal(fixture->source.text, "int b;\n");
}

TEST_WITH(circles_end_or_are_refused, set_up, tear_down)
{
    struct fixture *fixture = *state;
    put(fixture, "a.cuh", "#pragma once\n#include \"b.cuh\"\nint a;\n");
    put(fixture, "b.cuh",
        "#ifndef B\n#define B\n#include \"a.cuh\"\n#include \"main.cu\"\nint b;\n#endif\n");
    read_main(fixture, "#pragma once\n#include \"a.cuh\"\n#include \"b.cuh\"\n");
    assert_same_as_files(fixture, "");
    /* A file that includes another behind its guard, which includes the first again. */
    put(fixture, "a.cuh", "#ifndef A\n#define A\nint a;\n#endif\n#include \"b.cuh\"\n");
    put(fixture, "b.cuh", "#ifndef B\n#define B\n#include \"a.cuh\"\nint b;\n#endif\n");
    read_main(fixture, "#include \"a.cuh\"\nint c;\n");
    assert_same_as_files(fixture, "");
    put(fixture, "a.cuh", "int a;\n\n#include \"./a.cuh\"\n");
    assert_int_equal(refused(fixture, "#include \"a.cuh\"\n"), STATUS_BAD_INPUT);
    assert_non_null(strstr(fixture->error.text, "a.cuh:3: "));
    assert_non_null(strstr(fixture->error.text, "includes itself"));
}

/* 2^64 copies, and as many files as there are names. */
TEST_WITH(growth_is_bounded, set_up, tear_down)
{
    struct fixture *fixture = *state;
    for (int i = 0; i < 64; i++)
        put(fixture, arena_printf(&fixture->arena, "%d.cuh", i),
            arena_printf(&fixture->arena, "#include \"%d.cuh\"\n#include \"%d.cuh\"\nint x%d;\n",
                         i + 1, i + 1, i));
    assert_int_equal(refused(fixture, "#include \"10.cuh\"\n"), STATUS_BAD_INPUT);
    assert_non_null(strstr(fixture->error.text, "more than 16 MiB"));
    assert_int_equal(refused(fixture, "#include \"0.cuh\"\n"), STATUS_BAD_INPUT);
    assert_non_null(strstr(fixture->error.text, "files deep"));
}

TEST_WITH(what_is_missing_is_told, set_up, tear_down)
{
    struct fixture *fixture = *state;
    assert_int_equal(source_read(&fixture->arena, path_of(fixture, "none.cu"), &fixture->source,
                                 &fixture->error),
                     STATUS_NOT_FOUND);
    assert_non_null(strstr(fixture->error.text, "none.cu"));
    assert_int_equal(
        source_read(&fixture->arena, fixture->folder, &fixture->source, &fixture->error),
        STATUS_BAD_INPUT);
}

/* The hash depends on contents, not on places. */
TEST_WITH(contents_are_alike_in_any_folder, set_up, tear_down)
{
    struct fixture *fixture = *state;
    put(fixture, "b.cuh", "#pragma once\nint b;\n");
    read_main(fixture, "#include \"b.cuh\"\n");
    const char *contents = fixture->source.contents;
    put(fixture, "other/b.cuh", "#pragma once\nint b;\n");
    put(fixture, "other/main.cu", "#include \"b.cuh\"\n");
    assert_int_equal(source_read(&fixture->arena, path_of(fixture, "other/main.cu"),
                                 &fixture->source, &fixture->error),
                     STATUS_OK);
    assert_string_equal(fixture->source.contents, contents);
    put(fixture, "other/b.cuh", "#pragma once\nint c;\n");
    assert_int_equal(source_read(&fixture->arena, path_of(fixture, "other/main.cu"),
                                 &fixture->source, &fixture->error),
                     STATUS_OK);
    assert_string_not_equal(fixture->source.contents, contents);
}

TEST_WITH(a_changed_include_is_noticed, set_up, tear_down)
{
    struct fixture *fixture = *state;
    put(fixture, "b.cuh", "int b;\n");
    read_main(fixture, "#include \"b.cuh\"\n");
    assert_true(source_is_current(&fixture->source));
    put(fixture, "b.cuh", "int c;\n");
    assert_false(source_is_current(&fixture->source));
    read_main(fixture, "#include \"b.cuh\"\n");
    assert_int_equal(unlink(path_of(fixture, "b.cuh")), 0);
    assert_false(source_is_current(&fixture->source));
}

static const char *read_with_folders(struct fixture *fixture, const char *text, size_t count)
{
    const char *const folders[] = {path_of(fixture, "one"), path_of(fixture, "two")};
    put(fixture, "main.cu", text);
    if (source_read_in(&fixture->arena, path_of(fixture, "main.cu"), folders, count,
                       &fixture->source, &fixture->error) != STATUS_OK)
        fail_msg("%s", fixture->error.text);
    return fixture->source.contents;
}

/* As compilers look for files with -I one -I two. */
TEST_WITH(folders_of_includes_are_looked_at_in_turn, set_up, tear_down)
{
    struct fixture *fixture = *state;
    put(fixture, "a.cuh", "int beside;\n");
    put(fixture, "one/a.cuh", "int one_a;\n");
    put(fixture, "one/b.cuh", "int one_b;\n#include <c.cuh>\n");
    put(fixture, "two/b.cuh", "int two_b;\n");
    put(fixture, "two/c.cuh", "#pragma once\nint two_c;\n#include \"d.cuh\"\n");
    put(fixture, "two/d.cuh", "int two_d;\n");
    const char *text = "#include \"a.cuh\"\n#include <a.cuh>\n#include \"b.cuh\"\n"
                       "#include <vector>\n#include <b.cuh>\n";
    const char *contents = read_with_folders(fixture, text, 2);
    assert_non_null(strstr(contents, "int beside;\n\nint one_a;\n\nint one_b;\n"));
    assert_non_null(strstr(contents, "int two_c;\nint two_d;\n"));
    assert_non_null(strstr(contents, "#include <vector>\n"));
    assert_null(strstr(contents, "two_b"));
    assert_int_equal(fixture->source.file_count, 6);
    contents = read_with_folders(fixture, text, 1);
    assert_non_null(strstr(contents, "int one_b;\n#include <c.cuh>\n"));
    contents = read_with_folders(fixture, text, 0);
    assert_non_null(strstr(contents, "int beside;\n\n#include <a.cuh>\n#include \"b.cuh\"\n"));
    put(fixture, "two/d.cuh", "int changed;\n");
    (void)read_with_folders(fixture, text, 2);
    assert_true(source_is_current(&fixture->source));
    put(fixture, "two/d.cuh", "int changed_again;\n");
    assert_false(source_is_current(&fixture->source));
}

/* A project's own <sys/time.h> is meant for systems that have none; "sys/time.h" is asked for. */
TEST_WITH(headers_of_the_system_are_its_own, set_up, tear_down)
{
    struct fixture *fixture = *state;
    put(fixture, "one/sys/time.h", "int of_another_system;\n");
    put(fixture, "one/stdint.h", "int of_another_compiler;\n");
    put(fixture, "one/sys/mine.h", "int mine;\n");
    const char *contents = read_with_folders(
        fixture, "#include <sys/time.h>\n#include <stdint.h>\n#include <sys/mine.h>\n", 1);
    assert_string_equal(contents, "#include <sys/time.h>\n#include <stdint.h>\nint mine;\n\n");
    contents = read_with_folders(fixture, "#include \"sys/time.h\"\n", 1);
    assert_non_null(strstr(contents, "of_another_system"));
}

TEST_MAIN(NULL, NULL)
