/* Reading experiment files: what is there, and what each mistake is answered with. */
#include <glob.h>

#include "experiment_fixture.h"

static void base_is_read(void **state)
{
    (void)state;
    struct experiment *experiment = load_or_fail(base_text);
    char source[64];
    snprintf(source, sizeof source, "%s/k.cu", folder);
    assert_string_equal(experiment_name(experiment), "scale");
    assert_string_equal(experiment->about, "Scales an array.");
    assert_string_equal(experiment_path(experiment), "t.yaml");
    assert_string_equal(experiment_device_kind(experiment), "cuda");
    assert_string_equal(experiment->source, source);
    assert_string_equal(experiment_text(experiment), base_text);
    assert_int_equal(experiment_parameter_count(experiment), 3);
    assert_string_equal(experiment_parameter_name(experiment, 2), "per_sm");
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

static void on_request_is_no_part_of_the_definition(void **state)
{
    (void)state;
    struct experiment *absent = load_or_fail(base_text);
    struct experiment *yes = load_changed("device: cuda\n", "device: cuda\non_request: true\n");
    struct experiment *no = load_changed("device: cuda\n", "on_request: false\n");
    assert_false(experiment_is_on_request(absent));
    assert_true(experiment_is_on_request(yes));
    assert_false(experiment_is_on_request(no));
    assert_string_equal(experiment_definition_hash(yes), experiment_definition_hash(absent));
    experiment_free(absent);
    experiment_free(yes);
    experiment_free(no);
}

/* A run of everything is the reduction: minutes, as the README says. */
static void shipped_families_are_on_request(void **state)
{
    (void)state;
    glob_t found;
    assert_int_equal(glob(TEST_SOURCE_DIR "/configs/*.yaml", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct experiment *experiment = NULL;
        struct error error;
        if (experiment_load(found.gl_pathv[i], TEST_SOURCE_DIR, &experiment, &error) != STATUS_OK)
            fail_msg("%s", error.text);
        bool reduction = strcmp(experiment_name(experiment), "reduce") == 0;
        if (experiment_is_on_request(experiment) == reduction)
            fail_msg("%s: on_request is %s", found.gl_pathv[i], reduction ? "true" : "false");
        experiment_free(experiment);
    }
    globfree(&found);
}

static void axes_turn_the_last_fastest(void **state)
{
    (void)state;
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

static void a_problem_at_another_size(void **state)
{
    (void)state;
    struct experiment *experiment = load_or_fail(base_text);
    struct problem problem;
    struct problem between;
    experiment_problem(experiment, 4, &problem);
    experiment_problem_at(experiment, &problem, 12345, &between);
    assert_int_equal(between.n, 12345);
    assert_string_equal(between.key, "scale.f32");
    assert_string_equal(between.size_name, "n");
    assert_int_equal(between.axis_count, 1);
    assert_string_equal(between.axes[0].value.text, "f32");
    assert_int_equal(problem.n, 1 << 20);
    experiment_free(experiment);
}

static void content_hash_follows_file_and_sources(void **state)
{
    (void)state;
    struct experiment *a = load_or_fail(base_text);
    struct experiment *b = load_or_fail(base_text);
    struct experiment *c = load_changed("as in the book", "as in a book");
    assert_string_equal(experiment_content_hash(a), experiment_content_hash(b));
    assert_string_not_equal(experiment_content_hash(a), experiment_content_hash(c));
    char path[64];
    struct error error;
    snprintf(path, sizeof path, "%s/r.c", folder);
    assert_int_equal(file_write_atomically(path, "REFERENCE", 9, &error), STATUS_OK);
    struct experiment *d = load_or_fail(base_text);
    assert_string_not_equal(experiment_content_hash(a), experiment_content_hash(d));
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
        assert_string_equal(error.text, mistakes[i].error);
        assert_int_equal(status, STATUS_BAD_INPUT);
        assert_int_equal(error.status, STATUS_BAD_INPUT);
        text_free(&text);
    }
}
#define EXPECT_ERRORS(mistakes) expect_errors(mistakes, sizeof(mistakes) / sizeof *(mistakes))

static void keys_and_kinds(void **state)
{
    (void)state;
    static const struct mistake mistakes[] = {
        {"about:", "abuot:", "t.yaml:2:1: an experiment has no key 'abuot'; did you mean 'about'?"},
        {"about:", "purpose:", "t.yaml:2:1: an experiment has no key 'purpose'"},
        {"source: k.cu\n", "", "t.yaml:1:1: an experiment needs the key 'source' (or 'sources')"},
        {"    shared:", "    shard:",
         "t.yaml:27:5: a launch has no key 'shard'; did you mean 'shared'?"},
        {"    shared:", "    threads:", "t.yaml:27:5: a launch has no key 'threads'"},
        {"    shared:", "    dependent: true\n    shared:",
         "t.yaml:27:16: the first launch has none before it to depend on"},
        {"    shared: block * sizeof(type)\n  - when", "  - dependent: grid > 1\n    when",
         "t.yaml:27:16: dependent cannot use 'active_blocks' (through 'grid'): it is known only "
         "after compiling; only grids, counts and values of arguments and derived values may use "
         "it"},
        {"    grid: 1\n", "", "t.yaml:28:5: a launch needs the key 'grid'"},
        {"count: n}", "cuont: n}",
         "t.yaml:34:33: an argument has no key 'cuont'; did you mean 'count'?"},
        {"metrics:\n", "metrics:\n  ceiling: wirte\n",
         "t.yaml:45:12: no ceiling is named 'wirte'; did you mean 'write'?"},
        {"metrics:\n", "metrics:\n  ceiling: ${'read' if type == 'i32' else 'cpoy'}\n",
         "t.yaml:45:12: no ceiling is named 'cpoy'; did you mean 'copy'?"},
        {"metrics:\n", "metrics:\n  ceiling: ${variant}\n",
         "t.yaml:45:14: ceiling cannot use 'variant': a parameter has no value here yet"},
        {"device: cuda", "device: cdua",
         "t.yaml:3:9: device is cuda or cpu, not 'cdua'; did you mean 'cuda'?"},
        {"device: cuda", "on_request: yes",
         "t.yaml:3:13: on_request must be true or false, not 'yes'"},
        {"experiment: scale", "experiment: 2scale",
         "t.yaml:1:13: the experiment's name '2scale' must be a name: letters, digits and _, at "
         "most 63"},
        {"source: k.cu", "source: [k.cu]", "t.yaml:4:9: source must be a value, not a list [...]"},
        {"  type: [i32, f32]", "  type: i32", "t.yaml:6:9: type must be a list [...], not a value"},
        {"  type: [i32, f32]", "  type: []", "t.yaml:6:9: type must have at least one item"},
        {"  type: [i32, f32]", "  type: [[i32], f32]",
         "t.yaml:6:10: an item must be a value, not a list [...]"},
        {"about: Scales", "about: scales\nabout: Scales",
         "t.yaml:3:1: 'about' is given a second time; the first is at line 2"},
        {"  block: [128", "  variant: [128",
         "t.yaml:11:3: 'variant' is given a second time; the first is at line 10"},
        {"output: true", "output: yes", "t.yaml:35:52: output must be true or false, not 'yes'"},
        {"  BLOCK: block", "  BLOCK:", "t.yaml:19:9: a define is empty"},
    };
    EXPECT_ERRORS(mistakes);
}

static void names(void **state)
{
    (void)state;
    static const struct mistake mistakes[] = {
        {"block >= 256", "blck >= 256",
         "t.yaml:14:27: name 'blck' is not defined; did you mean 'block'?"},
        {"ceil_div(n, block))", "ceil_dvi(n, block))",
         "t.yaml:17:34: function 'ceil_dvi' is not defined; did you mean 'ceil_div'?"},
        {"sm_count *", "cores *", "t.yaml:17:13: name 'cores' is not defined"},
        {"  type: [i32", "  max: [i32", "t.yaml:6:3: 'max' is the name of a function"},
        {"  type: [i32", "  in: [i32", "t.yaml:6:3: 'in' is a word of expressions, not a name"},
        {"  block: [", "  n: [",
         "t.yaml:11:3: the name 'n' is taken by another axis, size, parameter or derived value"},
        {"  resident:", "  warp_size:",
         "t.yaml:16:3: the name 'warp_size' is taken by what the device tells"},
        {"  n: [2**20", "  m: [2, 3]\n  n: [2**20", "t.yaml:8:3: sizes has 2 names; the most is 1"},
        {"[out, n, factor]", "[out, n, facter]",
         "t.yaml:32:25: no argument is named 'facter'; did you mean 'factor'?"},
        {"  output: out", "  output: in",
         "t.yaml:42:11: 'in' is not an output (output: true, or update: true)"},
        {"{name: n, type", "{name: in, type", "t.yaml:36:12: a second argument named 'in'"},
        {"type: i64", "type: i46", "t.yaml:36:21: no type is named 'i46'; did you mean 'i16'?"},
        {"count: n}", "count: n, fill: rondom}",
         "t.yaml:34:49: no fill is named 'rondom'; did you mean 'random'?"},
        {"count: n}", "count: n, fill: random_od}",
         "t.yaml:34:49: no fill is named 'random_od'; did you mean 'random_odd'?"},
        {"    occupancy: block", "    occupancy: blok",
         "t.yaml:49:16: no parameter is named 'blok'; did you mean 'block'?"},
        {"plain, block: 1024, per_sm: 2", "plain, block: 1024",
         "t.yaml:50:10: the baseline 'textbook' has no value for the parameter 'per_sm'"},
        {"plain, block: 1024, per_sm: 2", "plain, block: 1024, per_sn: 2",
         "t.yaml:50:40: set has no key 'per_sn'; did you mean 'per_sm'?"},
    };
    EXPECT_ERRORS(mistakes);
}

static void a_missing_source_is_named(void **state)
{
    (void)state;
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

static void what_an_expression_may_use(void **state)
{
    (void)state;
    static const struct mistake mistakes[] = {
        {"  - variant ==", "  - grid < 99 and variant ==",
         "t.yaml:14:5: a constraint cannot use 'active_blocks' (through 'grid'): it is known only "
         "after compiling; only grids, counts and values of arguments and derived values may use "
         "it"},
        {"BLOCK: block", "BLOCK: 2 * active_blocks",
         "t.yaml:19:14: a define cannot use 'active_blocks': it is known only after compiling; "
         "only grids, counts and values of arguments and derived values may use it"},
        {"block: [128, 256", "block: [128, 2 * per_sm",
         "t.yaml:11:20: this list cannot use 'per_sm': a parameter has no value here yet"},
        {"[2**20,", "[sm_count,",
         "t.yaml:8:7: this list cannot use 'sm_count': it differs from device to device, and this "
         "is the same on all; a text that is also a name goes in quotes"},
        {"[i32, f32]", "[i32, block]",
         "t.yaml:6:15: this list cannot use 'block': a parameter has no value here yet; a text "
         "that is also a name goes in quotes"},
        {"count: n}", "count: n * block}",
         "t.yaml:34:44: count cannot use 'block': a parameter has no value here yet"},
        {"bytes: 2 *", "bytes: block *",
         "t.yaml:45:10: bytes cannot use 'block': a parameter has no value here yet"},
        {"bytes: 2 *", "operations: block *",
         "t.yaml:45:15: operations cannot use 'block': a parameter has no value here yet"},
        {"bytes: 2 *", "operations_type: f23\n  bytes: 2 *",
         "t.yaml:45:20: no type is named 'f23'; did you mean 'f32'?"},
        {"bytes: 2 *", "operations_type: ${'f' if type == 'i32' else type}\n  bytes: 2 *",
         "t.yaml:45:20: no type is named 'f'"},
        {"  resident: active_blocks if", "  resident: grid if",
         "t.yaml:17:9: 'grid' is made of 'resident', which is made of it"},
        {"  resident: active_blocks if", "  resident: resident if",
         "t.yaml:16:13: 'resident' is made of itself"},
        {"scale_${variant}", "scale_${variant + active_blocks}",
         "t.yaml:24:31: kernel cannot use 'active_blocks': it is known only after compiling; only "
         "grids, counts and values of arguments and derived values may use it"},
        {"scale_${variant}", "scale_${varient}",
         "t.yaml:24:21: name 'varient' is not defined; did you mean 'variant'?"},
        {"scale_${variant}", "scale_${variant", "t.yaml:24:19: '${' without '}'"},
        {"-DWIDTH=${block // 32}", "-DWIDTH=${blok // 32}",
         "t.yaml:22:20: name 'blok' is not defined; did you mean 'block'?"},
    };
    EXPECT_ERRORS(mistakes);
}

static void types_and_texts(void **state)
{
    (void)state;
    static const struct mistake mistakes[] = {
        {"variant == \"plain\" or", "variant == \"plian\" or",
         "t.yaml:14:16: 'variant' is never 'plian'; did you mean 'plain'?"},
        {"per_sm == \"occupancy\"", "per_sm in ['occupancy', 'x']",
         "t.yaml:16:54: 'per_sm' is never 'x'"},
        {"block >= 256", "block >= 'big'", "t.yaml:14:36: 'block' is never 'big'"},
        {"block >= 256", "variant * 2 > 1", "t.yaml:14:27: a number is needed, not a text"},
        {"block >= 256", "variant > 1", "t.yaml:14:35: this compares a text with a number"},
        {"c_type(type)", "c_type(block)",
         "t.yaml:20:19: the name of an element type is needed, not a number"},
        {"sm_count * resident", "log2(type) * resident",
         "t.yaml:17:18: a number is needed, not a text"},
        {"[i32, f32]", "[i32, f23]", "t.yaml:34:22: no type is named 'f23'; did you mean 'f32'?"},
    };
    EXPECT_ERRORS(mistakes);
}

static void values(void **state)
{
    (void)state;
    static const struct mistake mistakes[] = {
        {"10**8]", "0]", "t.yaml:8:21: a size is 0, which is not from 1 to 9223372036854775807"},
        {"10**8]", "2.5]", "t.yaml:8:21: a size must be an integer, not 2.5: use // or int()"},
        {"10**8]", "big]", "t.yaml:8:21: a size must be an integer, not the text 'big'"},
        {"10**8]", "1024]", "t.yaml:8:21: this size was given before"},
        {"10**8]", "10**20]", "t.yaml:8:23: the result does not fit 64 bits"},
        {"[i32, f32]", "[i32, i32]", "t.yaml:6:15: this value was given before"},
        {"[i32, f32]", "[i32, 0.5]", "t.yaml:6:15: the value of an axis is a text or an integer"},
        {"[plain, staged]", "[plain, two-staged]",
         "t.yaml:10:20: name 'two' is not defined; a text that is not one plain word goes in "
         "quotes"},
        {"[plain, staged]", "[plain, \"a b\"]",
         "t.yaml:10:20: the text 'a b' must be 1 to 63 printable characters of ASCII, without "
         "blanks, quotes and = \\ # ; ` $"},
        {"[128, 256,", "[128, 2**99,", "t.yaml:11:17: the result does not fit 64 bits"},
        {"type: f64, value: 1 / 2", "type: f64, value: 1 / 2, count: 3",
         "t.yaml:37:5: 'factor' has a value, so it is a scalar: no count, fill, seed, alignment, "
         "output, scratch or update"},
        {"count: n}", "count: n, alignment: sizeof(type) // 2}",
         "t.yaml:34:54: alignment is 2, which is not from 4 to 256"},
        {"count: n}", "count: n - 2000}",
         "t.yaml:34:40: count is -976, which is not from 0 to 281474976710656"},
        {"count: n}", "count: n, alignment: 12}",
         "t.yaml:34:54: alignment is 12, which is not a power of two"},
        {"count: n}", "count: n, alignment: resident}",
         "t.yaml:34:54: alignment cannot use 'active_blocks' (through 'resident'): it is known "
         "only "
         "after compiling; only grids, counts and values of arguments and derived values may use "
         "it"},
        {"type: f64, value: 1 / 2", "type: f64, value: 1 / 2, alignment: 8",
         "t.yaml:37:5: 'factor' has a value, so it is a scalar: no count, fill, seed, alignment, "
         "output, scratch or update"},
        {"type: i64, value: n", "type: i64",
         "t.yaml:36:5: 'n' needs a count (a vector), a value (a scalar) or fields (a struct)"},
        {"scratch: true}", "scratch: true, output: true}",
         "t.yaml:38:5: 'part' is both output and scratch"},
        {"scratch: true}", "scratch: true, fill: zero}",
         "t.yaml:38:66: only inputs and updates are filled; 'part' is an output or scratch"},
        {"grid: [grid, 2]", "grid: [grid, 2, 3, 4]",
         "t.yaml:25:11: grid has 4 items; the most is 3"},
    };
    EXPECT_ERRORS(mistakes);
}

static void hostile_yaml(void **state)
{
    (void)state;
    static const struct mistake mistakes[] = {
        {"[i32, f32]", "&a [i32, f32]",
         "t.yaml:6:9: anchors and aliases (& and *) are not taken; a text with & goes in quotes"},
        {"[i32, f32]", "[i32, *a]",
         "t.yaml:6:15: anchors and aliases (& and *) are not taken; a text with * goes in quotes"},
        {"[i32, f32]", "!!str [i32, f32]",
         "t.yaml:6:9: tags (!) are not taken; a text with ! goes in quotes"},
        {"[i32, f32]", "[i32, f32",
         "t.yaml:7:6: not YAML: did not find expected ',' or ']' while parsing a flow sequence at "
         "line "
         "6"},
        {"[i32, f32]", "\"a\\0b\"", "t.yaml:6:9: a text with a zero byte"},
        {"[i32, f32]", "[[[[[[[[[[[[[[[[[[[[", "t.yaml:6:19: nested too deeply"},
        {"[i32, f32]", "[i32, f32]\n? [a, b]\n: c", "t.yaml:7:3: a key must be a name"},
        {"per_sm: 2}\n", "per_sm: 2}\n---\na: b\n", "t.yaml:51:1: a second document in the file"},
        {"[i32, f32]", "[i32, \xff]", "t.yaml:6:15: not UTF-8 text: invalid leading UTF-8 octet"},
    };
    EXPECT_ERRORS(mistakes);
    struct experiment *experiment = NULL;
    struct error error;
    assert_int_equal(load_text("", &experiment, &error), STATUS_BAD_INPUT);
    assert_int_equal(load_text("- a\n", &experiment, &error), STATUS_BAD_INPUT);
    assert_string_equal(error.text,
                        "t.yaml:1:1: an experiment must be a mapping (key: value), not a list "
                        "[...]");
    assert_int_equal(load_text("a\n", &experiment, &error), STATUS_BAD_INPUT);
}

static void counts_are_bounded(void **state)
{
    (void)state;
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
    assert_string_equal(error.text, "t.yaml:8:6: n has 300 items; the most is 256");
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

static void keys_must_fit(void **state)
{
    (void)state;
    char value[64] = "";
    memset(value, 'x', 62);
    struct text text = {0};
    struct text axes = {0};
    struct experiment *experiment = NULL;
    struct error error;
    text_printf(&axes, "[i32, f32]\n  a: [%s]\n  b: [%s]", value, value);
    replace(&text, base_text, "[i32, f32]", text_string(&axes));
    assert_int_equal(load_text(text_string(&text), &experiment, &error), STATUS_BAD_INPUT);
    assert_string_equal(error.text,
                        "t.yaml:8:3: the names of the problems come to more than 127 characters");
    text_free(&text);
    text_free(&axes);
}

/* The example of the documentation, with this test's sources. */
static void documented_example_is_right(void **state)
{
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(base_is_read),
        cmocka_unit_test(on_request_is_no_part_of_the_definition),
        cmocka_unit_test(shipped_families_are_on_request),
        cmocka_unit_test(axes_turn_the_last_fastest),
        cmocka_unit_test(a_problem_at_another_size),
        cmocka_unit_test(content_hash_follows_file_and_sources),
        cmocka_unit_test(keys_and_kinds),
        cmocka_unit_test(names),
        cmocka_unit_test(a_missing_source_is_named),
        cmocka_unit_test(what_an_expression_may_use),
        cmocka_unit_test(types_and_texts),
        cmocka_unit_test(values),
        cmocka_unit_test(hostile_yaml),
        cmocka_unit_test(counts_are_bounded),
        cmocka_unit_test(keys_must_fit),
        cmocka_unit_test(documented_example_is_right),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
