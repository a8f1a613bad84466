/* Mistakes in the file of an own kernel are reported on reading, with their place. */
#include "own_fixture.h"

struct mistake {
    const char *old, *new, *error;
};

static const char *const last_line = "  - {name: a, type: f64, value: 2}\n";

static void expect_error(const char *text, const char *expected)
{
    struct experiment *experiment = NULL;
    struct error error = {0};
    enum status status = load_text(text, &experiment, &error);
    if (status == STATUS_OK) {
        experiment_free(experiment);
        fail_msg("taken; expected %s", expected);
    }
    char text_told[ERROR_TEXT_BYTES];
    without_folder(error.text, text_told);
    expect_message(text_told, expected);
    assert_int_equal(status, STATUS_BAD_INPUT);
}

static void expect_errors(const struct mistake *mistakes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct text text = {0};
        replace(&text, own_text, mistakes[i].old, mistakes[i].new);
        expect_error(text_string(&text), mistakes[i].error);
        text_free(&text);
    }
}
#define EXPECT_ERRORS(mistakes) expect_errors(mistakes, sizeof(mistakes) / sizeof *(mistakes))

TEST(sources)
{
    static const struct mistake mistakes[] = {
        {"sources: [k.cu, more.cu]\n", "sources: [k.cu]\nsource: k.cu\n",
         "t.yaml:2:10: 'source' ... files"},
        {"sources: [k.cu, more.cu]\n", "", "t.yaml:1:1: experiment ... 'source'"},
        {"[k.cu, more.cu]", "[k.cu, ./k.cu]", "t.yaml:2:17: './k.cu' ... given"},
        {"[k.cu, more.cu]", "[k.cu, more.cu, more.cu]", "t.yaml:2:26: 'more.cu' ... given"},
        {"[k.cu, more.cu]", "[]", "t.yaml:2:10: sources must"},
        {"[k.cu, more.cu]", "k.cu", "t.yaml:2:10: sources must"},
        {"[k.cu, more.cu]", "[k.cu, inc]", "t.yaml:2:17: 'inc' ... FOLDER"},
        {"include: [inc]", "include: [k.cu]", "t.yaml:3:11: 'k.cu' ... FOLDER"},
        {"include: [inc]", "include: [ink]", "t.yaml:3:11: 'ink' ... FOLDER"},
        {"c++20", "c++18", "t.yaml:4:6: 'c++18' ... did you mean 'c++11'"},
        {"c++20", "c17", "t.yaml:4:6: standard ... 'c17'"},
        {"c++20\n", "c++20\nflags: [-O3, \"-std=c++17\"]\n", "t.yaml:5:14: twice ... 'std'"},
    };
    EXPECT_ERRORS(mistakes);
}

TEST(arguments)
{
    static const struct mistake mistakes[] = {
        {"value: 2}", "value: 2, fields: [{type: f32, value: 1}]}", "t.yaml:25:5: 'a' ... both"},
        {"fields: [{type: f32, value: 1.5}, {type: i32, value: loads}]", "fields: []",
         "t.yaml:24:23: fields must"},
        {"{type: f32, value: 1.5}, ", "{type: f32, value: 1.5, count: 0}, ",
         "t.yaml:24:55: count ... from 1 to 512"},
        {"{type: f32, value: 1.5}, ", "{type: f32, value: 1.5, count: 512}, ",
         "t.yaml:24:23: 's' has 513 fields"},
        {"fields: [{type: f32, value: 1.5}, {type: i32, value: loads}]", "fields: 3",
         "t.yaml:24:23: fields must"},
        {"fields: [{type: f32, value: 1.5}, {type: i32, value: loads}]",
         "fields: [{type: f32, value: 1.5}], type: f32", "t.yaml:24:56: 's' ... types"},
        {"fields: [{type: f32, value: 1.5}, {type: i32, value: loads}]",
         "fields: [{type: f32, value: 1.5}], count: 3", "t.yaml:24:5: 's' ... struct"},
        {"{type: f32, value: 1.5}", "{pointer: w}", "t.yaml:24:34: no argument ... 'w'"},
        {"{type: f32, value: 1.5}", "{pointer: a}", "t.yaml:24:34: pointers lead ... vectors"},
        {"{type: f32, value: 1.5}", "{pointer: c}", "t.yaml:24:34: pointers ... without a symbol"},
        {"{type: f32, value: 1.5}", "{pointer: x, type: f32}", "t.yaml:24:37: pointer ... 'type'"},
        {"{type: f32, value: 1.5}", "{type: f32}", "t.yaml:24:24: field ... 'value'"},
        {"{type: f32, value: 1.5}", "{type: f33, value: 1.5}",
         "t.yaml:24:31: 'f33' ... did you mean 'f32'"},
        {"{type: f32, value: 1.5}", "{type: f32, value: 1.5, name: q}",
         "t.yaml:24:48: field ... 'name'"},
        {"type: f64, value: 2", "value: 2", "t.yaml:25:5: argument ... 'type'"},
        {"update: true, fill", "update: true, output: true, fill", "t.yaml:23:5: 'z' ... both"},
        {"update: true, fill", "update: true, scratch: true, fill", "t.yaml:23:5: 'z' ... scratch"},
        {"output: true", "output: true, fill: zero", "t.yaml:22:64: filled ... 'y'"},
        {"output: true", "output: true, seed: 3", "t.yaml:22:64: filled ... 'y'"},
        {"output: true", "output: true, symbol: c_y", "t.yaml:15:58: 'y' ... symbol"},
        {"symbol: c_filter", "symbol: \"\"", "t.yaml:21:45: symbol is empty"},
        {"symbol: c_filter", "symbol: \"${lods}\"",
         "t.yaml:21:48: 'lods' ... did you mean 'loads'"},
        {"arguments: [x, y]", "arguments: [x, c]", "t.yaml:15:58: 'c' ... passed"},
        {"arguments: [x, y]", "arguments: [x, y, x]", "t.yaml:15:61: 'x' ... kernel"},
        {"name: k,", "name: x,", "t.yaml:19:12: argument ... 'x'"},
        {"repeat: 3 * loads", "repeat: 3 * active_blocks",
         "t.yaml:16:57: repeat ... 'active_blocks'"},
        {"repeat: 3 * loads", "repeats: 3", "t.yaml:16:45: 'repeats' ... did you mean 'repeat'"},
    };
    EXPECT_ERRORS(mistakes);
}

TEST(fills)
{
    static const struct mistake mistakes[] = {
        {"{constant: 0.5}", "constant", "t.yaml:21:61: 'constant' ... value"},
        {"{constant: 0.5}", "{constnat: 0.5}",
         "t.yaml:21:62: 'constnat' ... did you mean 'constant'"},
        {"{constant: 0.5}", "{}", "t.yaml:21:61: normal"},
        {"{constant: 0.5}", "[1, 2]", "t.yaml:21:61: fill must"},
        {"{constant: 0.5}", "{constant: 0.5, uniform: [0, 1]}", "t.yaml:21:61: normal"},
        {"{constant: 0.5}", "{constant: [0.5]}", "t.yaml:21:72: constant must"},
        {"{constant: 0.5}", "{constant: 1e60}", "t.yaml:21:72: within f32"},
        {"{constant: 0.5}", "{constant: loads}", "t.yaml:21:72: constant ... 'loads'"},
        {"{constant: 0.5}", "{constant: type}", "t.yaml:21:72: constant ... 'f32'"},
        {"{constant: 0.5}", "{constant: 1 / 0}", "t.yaml:21:74: division by zero"},
        {"{constant: 0.5}", "{constant: 0.5}, seed: 2", "t.yaml:21:84: 'c' ... random"},
        {"{constant: 0.5}", "zero, seed: 2", "t.yaml:21:73: 'c' ... random"},
        {"{constant: 0.5}", "{file: data.bin}, seed: 2", "t.yaml:21:85: 'c' ... random"},
        {"[-1, 2.5]}", "[2.5, -1]}", "t.yaml:18:62: smaller"},
        {"[-1, 2.5]}", "[1, 1]}", "t.yaml:18:62: smaller"},
        {"[-1, 2.5]}", "[1]}", "t.yaml:18:61: uniform needs"},
        {"[-1, 2.5]}", "[1, 2, 3]}", "t.yaml:18:61: uniform has 3"},
        {"[-1, 2.5]}", "1}", "t.yaml:18:61: uniform must"},
        {"[-1, 2.5]}", "[-1, 2.5]}, seed: -1", "t.yaml:18:79: seed is -1"},
        {"[-1, 2.5]}", "[-1, 2.5]}, seed: 0.5", "t.yaml:18:79: seed must"},
        {"{normal: [5, 2]}", "{normal: [5, -2]}", "t.yaml:23:70: deviation must"},
        {"{normal: [5, 2]}", "{uniform: [0.5, 2]}", "t.yaml:23:68: since the"},
        {"{normal: [5, 2]}", "{uniform: [0, 2**31]}", "t.yaml:23:71: upper end"},
        {"2 * i - sm_count", "2 * j", "t.yaml:19:56: 'j' ... did you mean 'i'"},
        {"2 * i - sm_count", "2 * loads", "t.yaml:19:56: series ... 'loads'"},
        {"2 * i - sm_count", "2 *", "t.yaml:19:55: ends where"},
        {"2 * i - sm_count", "1 / i", "t.yaml:19:54: division by zero"},
        {"2 * i - sm_count", "1 // (i - 7)", "t.yaml:19:54: division by zero"},
        {"2 * i - sm_count", "max([loads for loads in range(3)])",
         "t.yaml:19:52: 'loads' ... variable"},
        {"2 * i - sm_count", "'text'", "t.yaml:19:52: element ... 'text'"},
        {"count: 16,", "count: 17,", "t.yaml:20:50: data ... bin has 64"},
        {"data.bin", "gone.bin", "t.yaml:20:50: 'gone.bin' ... folder"},
        {"data.bin", "inc", "t.yaml:20:50: 'inc' ... folder"},
        {"data.bin", "\"${loads}.bin\"", "t.yaml:20:53: file ... 'loads'"},
        {"count: 17,", "count: -17,", "t.yaml:21:33: count is -17"},
    };
    EXPECT_ERRORS(mistakes);
}

/* Each row: the check's text, which begins at line 27. */
static const struct {
    const char *check, *error;
} check_rows[] = {
    {"  output: y\n", "t.yaml:27:3: keys reference"},
    {"  series: i\n", "t.yaml:27:3: check ... 'output'"},
    {"  output: x\n  series: i\n", "t.yaml:27:11: 'x' ... true"},
    {"  output: u\n  series: i\n", "t.yaml:27:11: 'u' ... did you mean 'x'"},
    {"  output: y\n  series: i\n  configuration: default\n", "t.yaml:27:3: both 'configuration'"},
    {"  output: y\n  series: i\n  source: r.c\n", "t.yaml:29:11: 'source' goes"},
    {"  output: y\n  configuration: default\n  defines: {A: 1}\n", "t.yaml:29:12: 'defines' goes"},
    {"  output: y\n  reference: f\n", "t.yaml:27:3: 'source' ... reference"},
    {"  output: y\n  source: r.c\n", "t.yaml:27:3: keys reference"},
    {"  output: y\n  configuration: defualt\n", "t.yaml:28:18: 'default' ... each"},
    {"  output: y\n  configuration: {block: 64, loads: 1}\n",
     "t.yaml:28:18: configuration ... 'warp_size'"},
    {"  output: y\n  configuration: {block: 64, loads: 1, warp: 1}\n",
     "t.yaml:28:40: configuration ... 'warp'"},
    {"  output: y\n  configuration: [default]\n", "t.yaml:28:18: configuration must"},
    {"  output: y\n  launches: []\n", "t.yaml:28:13: launches must"},
    {"  output: y\n  launches: [{kernel: f, grid: 1}]\n", "t.yaml:28:14: launch ... 'block'"},
    {"  output: y\n  launches: [{kernel: f, grid: 1, block: 1, dependent: true}]\n",
     "t.yaml:28:56: depend on"},
    {"  output: y\n  series: block\n", "t.yaml:28:11: series ... 'block'"},
    {"  output: y\n  file: gone.bin\n", "t.yaml:28:9: 'gone.bin' ... folder"},
    {"  output: y\n  file: expected.bin\n", "t.yaml:28:9: expected ... bin has 64"},
    {"  output: y\n  series: i\n  tolerance: -1\n", "t.yaml:29:14: tolerance must"},
    {"  output: y\n  series: i\n  absolute: -0.5\n", "t.yaml:29:13: absolute must"},
    {"  output: y\n  series: i\n  relative: \"'small'\"\n", "t.yaml:29:14: relative ... 'small'"},
    {"  output: y\n  series: i\n  ulps: 1.5\n", "t.yaml:29:9: ulps must"},
    {"  output: y\n  series: i\n  ulps: -1\n", "t.yaml:29:9: ulps is -1"},
    {"  output: y\n  series: i\n  ulps: 2**32\n", "t.yaml:29:9: ulps is 4294967296"},
    {"  output: z\n  series: i\n  ulps: 2\n", "t.yaml:29:9: reals ... 'absolute'"},
    {"  output: y\n  series: i\n  total: 1\n  relative: 1\n", "t.yaml:30:13: 'total' ... beside"},
    {"  output: y\n  series: i\n  tolerence: 1\n",
     "t.yaml:29:3: 'tolerence' ... did you mean 'tolerance'"},
    {"  - {output: y, series: i}\n  - {output: y, series: i + 1}\n",
     "t.yaml:28:14: a second check of 'y'"},
    {"  []\n", "t.yaml:27:3: item"},
    {"  y\n", "t.yaml:27:3: mapping"},
};

TEST(checks)
{
    for (size_t i = 0; i < sizeof check_rows / sizeof *check_rows; i++) {
        struct text text = {0};
        struct text check = {0};
        text_printf(&check, "%scheck:\n%s", last_line, check_rows[i].check);
        replace(&text, own_text, last_line, text_string(&check));
        expect_error(text_string(&text), check_rows[i].error);
        text_free(&text);
        text_free(&check);
    }
}

TEST(parameters)
{
    static const struct mistake mistakes[] = {
        {"\"[2**i for i in range(3)]\"", "\"[2**i for i in range(3)\"",
         "t.yaml:8:34: ends ... ']'"},
        {"\"[2**i for i in range(3)]\"", "\"[]\"", "t.yaml:8:11: the list is empty"},
        {"\"[2**i for i in range(3)]\"", "\"[i for i in range(9) if i > 9]\"",
         "t.yaml:8:11: the list is empty"},
        {"\"[2**i for i in range(3)]\"", "\"[block * i for i in range(3)]\"",
         "t.yaml:8:12: loads ... 'block'"},
        {"\"[2**i for i in range(3)]\"", "\"[1 // i for i in range(3)]\"",
         "t.yaml:8:14: division by zero"},
        {"\"[2**i for i in range(3)]\"", "\"range(10**9)\"", "t.yaml:8:11: range has"},
        {"\"[2**i for i in range(3)]\"", "3", "t.yaml:8:10: such as"},
        {"\"[2**i for i in range(3)]\"", "\"\"", "t.yaml:8:10: loads is empty"},
        {"\"[2**i for i in range(3)]\"", "\"range('a')\"", "t.yaml:8:11: bound ... 'a'"},
        {"loads * block <= 256", "\"loads in [2**i for i in range('f32')]\"",
         "t.yaml:11:46: needed"},
        {"loads * block <= 256", "\"['a', 'b'][loads] == 3\"", "t.yaml:11:34: compares a"},
        {"loads * block <= 256", "\"[1, 2]['a'] == 3\"", "t.yaml:11:23: needed"},
        {"loads * block <= 256", "type in range(4)", "t.yaml:11:23: compares a"},
        {"  loads:", "  block:", "t.yaml:8:3: 'block' ... line"},
        {"  loads:", "  type:", "t.yaml:8:3: 'type' ... another"},
        {"  loads:", "  for:", "t.yaml:8:3: 'for' ... word"},
        {"defaults: {block: 128, loads: 2, ", "defaults: {block: 128, ",
         "t.yaml:10:11: defaults ... 'loads'"},
        {"defaults: {block: 128, loads: 2, ", "defaults: {block: 128, loads: 2, lods: 2, ",
         "t.yaml:10:34: 'lods' ... did you mean 'loads'"},
        {"defaults: {block: 128, loads: 2, ", "defaults: {block: 128, loads: grid, ",
         "t.yaml:10:31: 'active_blocks' ... also"},
        {"{grid: sm_count * active_blocks}", "{grid: a * 2, a: b + 1, b: grid}",
         "t.yaml:12:37: 'b' ... made"},
    };
    EXPECT_ERRORS(mistakes);
}

/* A default configuration that is the reference of no output. */
TEST(something_must_be_checked)
{
    struct text text = {0};
    struct text other = {0};
    replace(&text, own_text, "output: true", "scratch: true");
    replace(&other, text_string(&text), "update: true, ", "");
    expect_error(text_string(&other), "t.yaml:18:3: nothing to");
    text_free(&text);
    text_free(&other);
}

static const char *const cpu_text =
    "experiment: c\ndevice: cpu\nsource: k.cu\n%sparameters: {threads: [1, 2]}\n"
    "launches: [{kernel: k, grid: 7, threads: threads}]\n"
    "arguments: [{name: out, type: i32, count: 1, output: true}%s]\n";

TEST(on_the_cpu)
{
    struct text text = {0};
    text_printf(&text, cpu_text, "std: c++20\n", "");
    expect_error(text_string(&text), "t.yaml:4:6: standard ... 'c++20'");
    text_clear(&text);
    text_append(&text, "experiment: c\ndevice: cpu\nsource: k.cu\nparameters: {a: [1]}\n"
                       "arguments: [{name: y, type: i8, count: 1, output: true}]\n"
                       "launches: [[k]]\n");
    expect_error(text_string(&text), "t.yaml:6:12: mapping");
    text_clear(&text);
    text_printf(&text, cpu_text, "", ", {name: s, fields: [{pointer: out}], symbol: s}");
    expect_error(text_string(&text), "t.yaml:6:90: pointers in variables ... GPU");
    text_clear(&text);
    text_printf(&text, cpu_text, "std: gnu11\n", ", {name: c, type: i32, count: 1, symbol: c}");
    experiment_free(load_or_fail(text_string(&text)));
    text_free(&text);
}

/* ---- limits ---- */

/* Puts `count` items, each made of its number, in place of `old`, between `start` and `end`, and
 * checks the limit. */
static void expect_limit(const char *old, const char *start, const char *item, size_t count,
                         const char *end, const char *expected)
{
    struct text list = {0};
    struct text text = {0};
    text_append(&list, start);
    for (size_t i = 0; i < count; i++) {
        for (const char *at = item; *at; at++) {
            if (*at == '#')
                text_printf(&list, "%zu", i);
            else
                text_append_bytes(&list, at, 1);
        }
    }
    text_append(&list, end);
    replace(&text, own_text, old, text_string(&list));
    if (expected) {
        expect_error(text_string(&text), expected);
    } else {
        experiment_free(load_or_fail(text_string(&text)));
    }
    text_free(&text);
    text_free(&list);
}

TEST(limits)
{
    const char *field = "{type: i8, value: #}, ";
    const char *all_fields = "{type: f32, value: 1.5}, {type: i32, value: loads}]";
    const char *define = "  D#: #\n";
    const char *launch = "  - {kernel: k#, grid: 1, block: 1}\n";
    const char *argument = "  - {name: a#, type: f64, value: 2}\n";
    const char *output = "  - {name: a#, type: f64, count: 2, output: true}\n";
    const char *metric = "  m#: time_ns\n";
    expect_limit(all_fields, "", field, 512, "]", NULL);
    expect_limit(all_fields, "", field, 513, "]", "t.yaml:24:23: fields has 513");
    expect_limit("defines: {LOADS: loads}\n", "defines:\n", define, 64, "", NULL);
    expect_limit("defines: {LOADS: loads}\n", "defines:\n", define, 65, "",
                 "t.yaml:14:3: defines ... most is 64");
    expect_limit("launches:\n", "launches:\n", launch, 6, "", NULL);
    expect_limit("launches:\n", "launches:\n", launch, 7, "", "t.yaml:15:3: launches has 9");
    expect_limit(last_line, last_line, argument, 40, "", NULL);
    expect_limit(last_line, last_line, argument, 41, "", "t.yaml:18:3: arguments has 49");
    expect_limit(last_line, last_line, output, 14, "", NULL);
    expect_limit(last_line, last_line, output, 15, "", "t.yaml:18:3: outputs ... 'check'");
    expect_limit("std: c++20\n", "std: c++20\nflags: [", "-DA#, ", 23, "]\n", NULL);
    expect_limit("std: c++20\n", "std: c++20\nflags: [", "-DA#, ", 24, "]\n",
                 "t.yaml:5:8: flags has 24");
    expect_limit("std: c++20\n", "flags: [", "-DA#, ", 24, "]\n", NULL);
    expect_limit("launches:\n", "metrics:\n", metric, 8, "launches:\n", NULL);
    expect_limit("launches:\n", "metrics:\n", metric, 9, "launches:\n",
                 "t.yaml:23:3: metrics besides");
    expect_limit("[k.cu, more.cu]", "[", "s#.cu, ", 10, "]", "t.yaml:2:10: sources has 10");
    expect_limit("include: [inc]", "include: [", "inc, ", 9, "]", "t.yaml:3:10: include has 9");
    expect_limit("  loads:", "", "  p#: [1]\n", 29, "  loads:", "t.yaml:39:11: defaults ... 'p0'");
    expect_limit("  loads:", "", "  p#: [1]\n", 30, "  loads:", "t.yaml:7:3: parameters has 33");
}

TEST(a_million_parameters)
{
    expect_limit("  loads:", "", "  p#: [1]\n", 50000, "  loads:", "t.yaml:1031:3: names in");
    expect_limit("  loads:", "", "  p#: [1]\n", 1000000, "  loads:", "yaml");
}

TEST_MAIN(make_own_folder, remove_own_folder)
