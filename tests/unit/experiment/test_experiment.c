/* Reading experiment files: their contents, and the message for each mistake. */
#include <glob.h>

#include "experiment_fixture.h"

TEST(base_is_read)
{
    struct experiment *experiment = load_or_fail(base_text);
    char source[64];
    snprintf(source, sizeof source, "%s/k.cu", folder);
    assert_string_equal(experiment_head(experiment)->name, "scale");
    assert_string_equal(experiment_head(experiment)->path, "t.yaml");
    assert_string_equal(experiment_head(experiment)->device->section, "cuda");
    assert_string_equal(experiment->source, source);
    assert_string_equal(experiment_head(experiment)->text, base_text);
    assert_int_equal(experiment_head(experiment)->parameter_count, 3);
    assert_string_equal(experiment_head(experiment)->parameter_names[2], "per_sm");
    assert_int_equal(experiment_problem_count(experiment), 6);
    static const int64_t sizes[] = {1 << 10, 1 << 20, 100000000};
    for (size_t i = 0; i < 6; i++) {
        struct problem problem;
        experiment_problem(experiment, i, &problem);
        assert_string_equal(problem.key, i < 3 ? "scale.i32" : "scale.f32");
        assert_string_equal(problem.size_name, "n");
        assert_int_equal(problem.n, sizes[i % 3]);
        assert_int_equal(problem.axis_count, 1);
        assert_string_equal(problem.axes[0].name, "type");
    }
    experiment_free(experiment);
}

TEST(on_request_is_no_part_of_the_definition)
{
    struct experiment *absent = load_or_fail(base_text);
    struct experiment *yes = load_changed("device: cuda\n", "device: cuda\non_request: true\n");
    struct experiment *no = load_changed("device: cuda\n", "on_request: false\n");
    assert_false(experiment_head(absent)->is_on_request);
    assert_true(experiment_head(yes)->is_on_request);
    assert_false(experiment_head(no)->is_on_request);
    assert_string_equal(experiment_head(yes)->definition_hash,
                        experiment_head(absent)->definition_hash);
    experiment_free(absent);
    experiment_free(yes);
    experiment_free(no);
}

/* A run of everything is the reduction: minutes, as the README says. */
TEST(shipped_families_are_on_request)
{
    glob_t found;
    assert_int_equal(glob(TEST_SOURCE_DIR "/configs/*.yaml", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct experiment *experiment = NULL;
        struct error error;
        if (experiment_load(found.gl_pathv[i], TEST_SOURCE_DIR, &experiment, &error) != STATUS_OK)
            fail_msg("%s", error.text);
        bool reduction = strcmp(experiment_head(experiment)->name, "reduce") == 0;
        if (experiment_head(experiment)->is_on_request == reduction)
            fail_msg("%s: on_request is %s", found.gl_pathv[i], reduction ? "true" : "false");
        experiment_free(experiment);
    }
    globfree(&found);
}

TEST(axes_turn_the_last_fastest)
{
    struct experiment *experiment =
        load_changed("  type: [i32, f32]\n", "  type: [i32, f32]\n  rank: [1, 2]\n");
    static const char *const keys[] = {"scale.i32.1", "scale.i32.2", "scale.f32.1", "scale.f32.2"};
    assert_int_equal(experiment_problem_count(experiment), 12);
    for (size_t i = 0; i < 12; i++) {
        struct problem problem;
        experiment_problem(experiment, i, &problem);
        assert_string_equal(problem.key, keys[i / 3]);
    }
    experiment_free(experiment);
}

TEST(a_problem_at_another_size)
{
    struct experiment *experiment = load_or_fail(base_text);
    struct problem problem;
    struct problem between;
    experiment_problem(experiment, 4, &problem);
    between = problem_at(&problem, 12345);
    assert_int_equal(between.n, 12345);
    assert_string_equal(between.key, "scale.f32");
    assert_string_equal(between.size_name, "n");
    assert_int_equal(between.axis_count, 1);
    assert_string_equal(between.axes[0].value.text, "f32");
    assert_int_equal(problem.n, 1 << 20);
    experiment_free(experiment);
}

TEST(content_hash_follows_file_and_sources)
{
    struct experiment *a = load_or_fail(base_text);
    struct experiment *b = load_or_fail(base_text);
    struct experiment *c = load_changed("as in the book", "as in a book");
    assert_string_equal(experiment_head(a)->content_hash, experiment_head(b)->content_hash);
    assert_string_not_equal(experiment_head(a)->content_hash, experiment_head(c)->content_hash);
    char path[64];
    struct error error;
    snprintf(path, sizeof path, "%s/r.c", folder);
    assert_int_equal(file_write_atomically(path, "REFERENCE", 9, &error), STATUS_OK);
    struct experiment *d = load_or_fail(base_text);
    assert_string_not_equal(experiment_head(a)->content_hash, experiment_head(d)->content_hash);
    assert_int_equal(file_write_atomically(path, "reference", 9, &error), STATUS_OK);
    experiment_free(a);
    experiment_free(b);
    experiment_free(c);
    experiment_free(d);
}

struct mistake {
    const char *old, *new, *error;
};

static void expect_errors(const struct mistake *mistakes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct text text = {0};
        struct experiment *experiment = NULL;
        struct error error = {0};
        replace(&text, base_text, mistakes[i].old, mistakes[i].new);
        enum status status = load_text(text_string(&text), &experiment, &error);
        if (status == STATUS_OK)
            fail_msg("'%s' was taken; expected %s", mistakes[i].new, mistakes[i].error);
        expect_message(error.text, mistakes[i].error);
        assert_int_equal(status, STATUS_BAD_INPUT);
        assert_int_equal(error.status, STATUS_BAD_INPUT);
        text_free(&text);
    }
}
#define EXPECT_ERRORS(mistakes) expect_errors(mistakes, sizeof(mistakes) / sizeof *(mistakes))

TEST(keys_and_kinds)
{
    static const struct mistake mistakes[] = {
        {"about:", "abuot:", "t.yaml:2:1: 'abuot' ... did you mean 'about'"},
        {"about:", "purpose:", "t.yaml:2:1: experiment ... 'purpose'"},
        {"source: k.cu\n", "", "t.yaml:1:1: experiment ... 'source'"},
        {"    shared:", "    shard:", "t.yaml:27:5: 'shard' ... did you mean 'shared'"},
        {"    shared:", "    threads:", "t.yaml:27:5: launch ... 'threads'"},
        {"    shared:", "    dependent: true\n    shared:", "t.yaml:27:16: depend on"},
        {"    shared: block * sizeof(type)\n  - when", "  - dependent: grid > 1\n    when",
         "t.yaml:27:16: dependent ... 'active_blocks'"},
        {"    grid: 1\n", "", "t.yaml:28:5: launch ... 'grid'"},
        {"count: n}", "cuont: n}", "t.yaml:34:33: 'cuont' ... did you mean 'count'"},
        {"metrics:\n", "metrics:\n  ceiling: wirte\n",
         "t.yaml:45:12: 'wirte' ... did you mean 'write'"},
        {"metrics:\n", "metrics:\n  ceiling: ${'read' if type == 'i32' else 'cpoy'}\n",
         "t.yaml:45:12: 'cpoy' ... did you mean 'copy'"},
        {"metrics:\n", "metrics:\n  ceiling: ${variant}\n", "t.yaml:45:14: ceiling ... 'variant'"},
        {"device: cuda", "device: cdua", "t.yaml:3:9: 'cdua' ... did you mean 'cuda'"},
        {"device: cuda", "on_request: yes", "t.yaml:3:13: 'yes'"},
        {"experiment: scale", "experiment: 2scale", "t.yaml:1:13: '2scale' ... letters"},
        {"source: k.cu", "source: [k.cu]", "t.yaml:4:9: source must"},
        {"  type: [i32, f32]", "  type: i32", "t.yaml:6:9: type must"},
        {"  type: [i32, f32]", "  type: []", "t.yaml:6:9: item"},
        {"  type: [i32, f32]", "  type: [[i32], f32]", "t.yaml:6:10: item must"},
        {"about: Scales", "about: scales\nabout: Scales", "t.yaml:3:1: 'about' ... line"},
        {"  block: [128", "  variant: [128", "t.yaml:11:3: 'variant' ... line"},
        {"output: true", "output: yes", "t.yaml:35:52: false ... 'yes'"},
        {"  BLOCK: block", "  BLOCK:", "t.yaml:19:9: a define is empty"},
    };
    EXPECT_ERRORS(mistakes);
}

TEST(names)
{
    static const struct mistake mistakes[] = {
        {"block >= 256", "blck >= 256", "t.yaml:14:27: 'blck' ... did you mean 'block'"},
        {"ceil_div(n, block))", "ceil_dvi(n, block))",
         "t.yaml:17:34: 'ceil_dvi' ... did you mean 'ceil_div'"},
        {"sm_count *", "cores *", "t.yaml:17:13: 'cores' ... defined"},
        {"  type: [i32", "  max: [i32", "t.yaml:6:3: 'max' ... function"},
        {"  type: [i32", "  in: [i32", "t.yaml:6:3: 'in' ... word"},
        {"  block: [", "  n: [", "t.yaml:11:3: 'n' ... another"},
        {"  resident:", "  warp_size:", "t.yaml:16:3: 'warp_size' ... facts"},
        {"  n: [2**20", "  m: [2, 3]\n  n: [2**20", "t.yaml:8:3: sizes has 2"},
        {"[out, n, factor]", "[out, n, facter]",
         "t.yaml:32:25: 'facter' ... did you mean 'factor'"},
        {"  output: out", "  output: in", "t.yaml:42:11: 'in' ... true"},
        {"{name: n, type", "{name: in, type", "t.yaml:36:12: argument ... 'in'"},
        {"type: i64", "type: i46", "t.yaml:36:21: 'i46' ... did you mean 'i16'"},
        {"count: n}", "count: n, fill: rondom}",
         "t.yaml:34:49: 'rondom' ... did you mean 'random'"},
        {"count: n}", "count: n, fill: random_od}",
         "t.yaml:34:49: 'random_od' ... did you mean 'random_odd'"},
        {"    occupancy: block", "    occupancy: blok",
         "t.yaml:49:16: 'blok' ... did you mean 'block'"},
        {"plain, block: 1024, per_sm: 2", "plain, block: 1024",
         "t.yaml:50:10: baseline 'textbook'"},
        {"plain, block: 1024, per_sm: 2", "plain, block: 1024, per_sn: 2",
         "t.yaml:50:40: 'per_sn' ... did you mean 'per_sm'"},
    };
    EXPECT_ERRORS(mistakes);
}

TEST(a_missing_source_is_named)
{
    struct text text = {0};
    struct experiment *experiment = NULL;
    struct error error;
    replace(&text, base_text, "source: k.cu", "source: gone.cu");
    assert_int_equal(load_text(text_string(&text), &experiment, &error), STATUS_BAD_INPUT);
    assert_non_null(strstr(error.text, "t.yaml:4:9: there is no file 'gone.cu' in /tmp/"));
    text_free(&text);
    assert_int_equal(experiment_load("/nowhere/x.yaml", folder, &experiment, &error),
                     STATUS_NOT_FOUND);
    assert_int_equal(experiment_load("/dev/zero", folder, &experiment, &error), STATUS_BAD_INPUT);
}

TEST(what_an_expression_may_use)
{
    static const struct mistake mistakes[] = {
        {"  - variant ==", "  - grid < 99 and variant ==",
         "t.yaml:14:5: constraint ... 'active_blocks'"},
        {"BLOCK: block", "BLOCK: 2 * active_blocks", "t.yaml:19:14: define ... 'active_blocks'"},
        {"block: [128, 256", "block: [128, 2 * per_sm", "t.yaml:11:20: cannot ... 'per_sm'"},
        {"[2**20,", "[sm_count,", "t.yaml:8:7: 'sm_count' ... differs"},
        {"[i32, f32]", "[i32, block]", "t.yaml:6:15: 'block' ... also"},
        {"count: n}", "count: n * block}", "t.yaml:34:44: count ... 'block'"},
        {"bytes: 2 *", "bytes: block *", "t.yaml:45:10: bytes ... 'block'"},
        {"bytes: 2 *", "operations: block *", "t.yaml:45:15: operations ... 'block'"},
        {"bytes: 2 *", "operations_type: f23\n  bytes: 2 *",
         "t.yaml:45:20: 'f23' ... did you mean 'f32'"},
        {"bytes: 2 *", "operations_type: ${'f' if type == 'i32' else type}\n  bytes: 2 *",
         "t.yaml:45:20: no type is named 'f'"},
        {"  resident: active_blocks if", "  resident: grid if", "t.yaml:17:9: 'grid' ... made"},
        {"  resident: active_blocks if", "  resident: resident if",
         "t.yaml:16:13: 'resident' ... itself"},
        {"scale_${variant}", "scale_${variant + active_blocks}",
         "t.yaml:24:31: kernel ... 'active_blocks'"},
        {"scale_${variant}", "scale_${varient}",
         "t.yaml:24:21: 'varient' ... did you mean 'variant'"},
        {"scale_${variant}", "scale_${variant", "t.yaml:24:19: '${' without '}'"},
        {"-DWIDTH=${block // 32}", "-DWIDTH=${blok // 32}",
         "t.yaml:22:20: 'blok' ... did you mean 'block'"},
    };
    EXPECT_ERRORS(mistakes);
}

TEST(types_and_texts)
{
    static const struct mistake mistakes[] = {
        {"variant == \"plain\" or", "variant == \"plian\" or",
         "t.yaml:14:16: 'variant' ... did you mean 'plain'"},
        {"per_sm == \"occupancy\"", "per_sm in ['occupancy', 'x']",
         "t.yaml:16:54: 'per_sm' is never 'x'"},
        {"block >= 256", "block >= 'big'", "t.yaml:14:36: 'block' is never 'big'"},
        {"block >= 256", "variant * 2 > 1", "t.yaml:14:27: needed"},
        {"block >= 256", "variant > 1", "t.yaml:14:35: compares a"},
        {"c_type(type)", "c_type(block)", "t.yaml:20:19: element type"},
        {"sm_count * resident", "log2(type) * resident", "t.yaml:17:18: needed"},
        {"[i32, f32]", "[i32, f23]", "t.yaml:34:22: 'f23' ... did you mean 'f32'"},
    };
    EXPECT_ERRORS(mistakes);
}

TEST(values)
{
    static const struct mistake mistakes[] = {
        {"10**8]", "0]", "t.yaml:8:21: size is 0"},
        {"10**8]", "2.5]", "t.yaml:8:21: size must"},
        {"10**8]", "big]", "t.yaml:8:21: size ... 'big'"},
        {"10**8]", "1024]", "t.yaml:8:21: before"},
        {"10**8]", "10**20]", "t.yaml:8:23: result does"},
        {"[i32, f32]", "[i32, i32]", "t.yaml:6:15: before"},
        {"[i32, f32]", "[i32, 0.5]", "t.yaml:6:15: axis is"},
        {"[plain, staged]", "[plain, two-staged]", "t.yaml:10:20: 'two' ... plain"},
        {"[plain, staged]", "[plain, \"a b\"]", "t.yaml:10:20: 'a b' ... printable"},
        {"[128, 256,", "[128, 2**99,", "t.yaml:11:17: result does"},
        {"type: f64, value: 1 / 2", "type: f64, value: 1 / 2, count: 3",
         "t.yaml:37:5: 'factor' ... scalar"},
        {"count: n}", "count: n, alignment: sizeof(type) // 2}", "t.yaml:34:54: alignment is 2"},
        {"count: n}", "count: n - 2000}", "t.yaml:34:40: count is -976"},
        {"count: n}", "count: n, alignment: 12}", "t.yaml:34:54: alignment is 12 ... power of"},
        {"count: n}", "count: n, alignment: resident}",
         "t.yaml:34:54: 'active_blocks' ... through"},
        {"type: f64, value: 1 / 2", "type: f64, value: 1 / 2, alignment: 8",
         "t.yaml:37:5: 'factor' ... scalar"},
        {"type: i64, value: n", "type: i64", "t.yaml:36:5: 'n' ... vector"},
        {"scratch: true}", "scratch: true, output: true}", "t.yaml:38:5: 'part' ... scratch"},
        {"scratch: true}", "scratch: true, fill: zero}", "t.yaml:38:66: filled ... 'part'"},
        {"grid: [grid, 2]", "grid: [grid, 2, 3, 4]", "t.yaml:25:11: grid has 4"},
    };
    EXPECT_ERRORS(mistakes);
}

TEST(hostile_yaml)
{
    static const struct mistake mistakes[] = {
        {"[i32, f32]", "&a [i32, f32]", "t.yaml:6:9: aliases"},
        {"[i32, f32]", "[i32, *a]", "t.yaml:6:15: aliases"},
        {"[i32, f32]", "!!str [i32, f32]", "t.yaml:6:9: tags"},
        {"[i32, f32]", "[i32, f32", "t.yaml:7:6: ',' ... sequence"},
        {"[i32, f32]", "\"a\\0b\"", "t.yaml:6:9: a text with a zero byte"},
        {"[i32, f32]", "[[[[[[[[[[[[[[[[[[[[", "t.yaml:6:19: nested too deeply"},
        {"[i32, f32]", "[i32, f32]\n? [a, b]\n: c", "t.yaml:7:3: a key must be a name"},
        {"per_sm: 2}\n", "per_sm: 2}\n---\na: b\n", "t.yaml:51:1: document in"},
        {"[i32, f32]", "[i32, \xff]", "t.yaml:6:15: leading UTF"},
    };
    EXPECT_ERRORS(mistakes);
    struct experiment *experiment = NULL;
    struct error error;
    assert_int_equal(load_text("", &experiment, &error), STATUS_BAD_INPUT);
    assert_int_equal(load_text("- a\n", &experiment, &error), STATUS_BAD_INPUT);
    expect_message(error.text, "t.yaml:1:1: mapping");
    assert_int_equal(load_text("a\n", &experiment, &error), STATUS_BAD_INPUT);
}

TEST(counts_are_bounded)
{
    struct text list = {0};
    struct text text = {0};
    struct experiment *experiment = NULL;
    struct error error;
    text_append(&list, "[0");
    for (int i = 1; i < 300; i++)
        text_printf(&list, ", %d", i);
    text_append(&list, "]");
    replace(&text, base_text, "[2**20, 2**10, 10**8]", text_string(&list));
    assert_int_equal(load_text(text_string(&text), &experiment, &error), STATUS_BAD_INPUT);
    expect_message(error.text, "t.yaml:8:6: n has 300 items");
    text_clear(&text);
    text_clear(&list);
    text_append(&list, "[");
    for (int i = 0; i < 50000; i++)
        text_append(&list, "1, ");
    text_append(&list, "]");
    replace(&text, base_text, "[128, 256, max_threads_per_block]", text_string(&list));
    assert_int_equal(load_text(text_string(&text), &experiment, &error), STATUS_BAD_INPUT);
    assert_non_null(strstr(error.text, "more than 1024 values in one list"));
    text_free(&text);
    text_free(&list);
}

TEST(keys_must_fit)
{
    char value[64] = "";
    memset(value, 'x', 62);
    struct text text = {0};
    struct text axes = {0};
    struct experiment *experiment = NULL;
    struct error error;
    text_printf(&axes, "[i32, f32]\n  a: [%s]\n  b: [%s]", value, value);
    replace(&text, base_text, "[i32, f32]", text_string(&axes));
    assert_int_equal(load_text(text_string(&text), &experiment, &error), STATUS_BAD_INPUT);
    expect_message(error.text, "t.yaml:8:3: 127");
    text_free(&text);
    text_free(&axes);
}

/* The example of the documentation, with this test's sources. */
TEST(documented_example_is_right)
{
    struct arena arena = {0};
    struct error error;
    char *page = NULL;
    if (file_read(&arena, TEST_SOURCE_DIR "/docs/experiment-files.md", 1 << 20, &page, NULL,
                  &error) != STATUS_OK)
        fail_msg("%s", error.text);
    char *start = strstr(page, "```yaml\n");
    assert_non_null(start);
    start += strlen("```yaml\n");
    char *end = strstr(start, "```");
    assert_non_null(end);
    *end = '\0';
    struct text one = {0};
    struct text both = {0};
    replace(&one, start, "source: scale.cu", "source: k.cu");
    replace(&both, text_string(&one), "source: scale_reference.c", "source: r.c");
    struct experiment *experiment = load_or_fail(text_string(&both));
    assert_int_equal(experiment_problem_count(experiment), 6);
    experiment_free(experiment);
    text_free(&one);
    text_free(&both);
    arena_free(&arena);
}

TEST_MAIN(make_folder, remove_folder)
