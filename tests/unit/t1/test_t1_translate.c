/* Each construct of T1 by itself: its translation, and refusals with place and reason. */
#include "tests/unit/t1/t1_fixture.h"

#define SPACE(text)    "{\"ConfigurationSpace\": {" text "}}"
#define SPEC(text)     "{\"KernelSpecification\": {" text "}}"
#define ARGUMENT(text) SPEC("\"Arguments\": {\"a\": {" text "}}")
#define CHECKED(text)                                                                              \
    SPEC("\"ReferenceArguments\": [{\"Name\": \"r\", \"TargetName\": \"out\", " text "}]")

struct translation_case {
    const char *overlay;
    enum t1_dialect dialect;
    const char *pieces[4];
    const char *ignored; /* NULL: whatever */
};

static const struct translation_case cases[] = {
    {NULL, T1_DETECT, {"  X: [32, 64]\n", "  Y: \"[2**i for i in range(4)]\"\n", "  X: X\n"}, ""},
    /* parameters */
    {SPACE("\"TuningParameters\": {\"X\": {\"Values\": [1, 2.5, \"a\"]}}"),
     T1_DETECT,
     {"  X: [1, 2.5, \"a\"]\n"},
     NULL},
    {SPACE("\"TuningParameters\": {\"Z\": {\"Type\": \"string\", \"Values\": \"['p', 'q']\"}}"),
     T1_DETECT,
     {"  Z: \"['p', 'q']\"\n", "  Z: Z\n"},
     NULL},
    {SPACE("\"TuningParameters\": {\"X\": {\"Type\": \"float\"}}"),
     T1_KTT,
     {"defines:\n  X: float(X)\n"},
     NULL},
    {SPACE("\"TuningParameters\": {\"X\": {\"Type\": \"float\"}}"),
     T1_KERNEL_TUNER,
     {"defines:\n  X: X\n"},
     NULL},
    {SPACE("\"TuningParameters\": {\"X\": {\"Default\": 64}, \"Y\": {\"Default\": \"2\"}}"),
     T1_DETECT,
     {"defaults:\n  X: 64\n  Y: 2\n"},
     NULL},
    {SPACE("\"TuningParameters\": {\"X\": {\"Default\": 64}}"),
     T1_DETECT,
     {"constraints:"},
     "Default (not all have one)"},
    {SPACE("\"Conditions\": null"), T1_DETECT, {"defines:"}, ""},
    {SPACE("\"Conditions\": [\"lambda p: all(p['X'] % v == 0 for v in (p['Y'], 32)) and p['X'] & 1 "
           "== 0\"]"),
     T1_DETECT,
     {"  - \"lambda p: all(p['X'] % v == 0 for v in (p['Y'], 32)) and p['X'] & 1 == 0\"\n"},
     ""},
    /* fills */
    {ARGUMENT("\"FillValue\": 0"), T1_DETECT, {"    fill: zero\n"}, NULL},
    {ARGUMENT("\"FillType\": \"Random\", \"FillValue\": 4, \"RandomSeed\": 9"),
     T1_KTT,
     {"    fill: {uniform: [0, 4]}\n    seed: 9\n"},
     NULL},
    {ARGUMENT("\"FillType\": \"Random\", \"FillValue\": 4"),
     T1_KERNEL_TUNER,
     {"    fill: {normal: [0, 1]}\n"},
     "Arguments[].FillValue"},
    {ARGUMENT("\"FillType\": \"Generator\", \"DataSource\": \"(i%10)*0.1\""),
     T1_DETECT,
     {"    fill: {series: \"(i%10)*0.1\"}\n"},
     NULL},
    {ARGUMENT("\"FillType\": \"BinaryRaw\", \"DataSource\": \"d \\\"x\\\".bin\""),
     T1_DETECT,
     {"    fill: {file: \"d \\\"x\\\".bin\"}\n"},
     NULL},
    /* types and memory */
    {ARGUMENT("\"Type\": \"float4\""),
     T1_DETECT,
     {"    type: f32\n    count: (4096) * 4\n    fill: {constant: 1.5}\n"},
     NULL},
    {ARGUMENT("\"Type\": \"custom\", \"TypeSize\": 12, \"FillValue\": 0"),
     T1_DETECT,
     {"    type: u8\n    count: (4096) * 12\n"},
     NULL},
    {ARGUMENT("\"Type\": \"half\", \"AccessType\": \"ReadWrite\""),
     T1_DETECT,
     {"    type: f16\n    count: 4096\n    update: true\n    fill: {constant: 1.5}\n"},
     NULL},
    {SPEC("\"Arguments\": {\"k\": {\"Type\": \"float2\", \"FillValue\": 0.5}}"),
     T1_DETECT,
     {"  - name: k\n    fields:\n      - {type: f32, value: \"0.5\"}\n      - {type: f32, value: "
      "\"0.5\"}\n"},
     NULL},
    {SPEC("\"Arguments\": {\"k\": {\"FillValue\": 3.0}}"), T1_DETECT, {"    value: 3\n"}, NULL},
    {ARGUMENT("\"MemoryType\": \"Symbol\", \"Size\": 8"),
     T1_DETECT,
     {"  - name: a\n    symbol: a\n    type: f32\n    count: 8\n", "    arguments: [out, k]\n"},
     NULL},
    {SPEC("\"Arguments\": {\"k\": {\"MemoryType\": \"Symbol\"}}"),
     T1_DETECT,
     {"  - name: k\n    symbol: k\n    type: i32\n    value: 3\n", "    arguments: [a, out]\n"},
     NULL},
    {ARGUMENT("\"MemType\": \"Constant\""),
     T1_DETECT,
     {"    symbol: a\n", "kernel_tuner: 1\n", "    arguments: [out, k]\n"},
     NULL},
    {ARGUMENT("\"AccessType\": null, \"Output\": 1"),
     T1_DETECT,
     {"    count: 4096\n    update: true\n", "kernel_tuner: 1\n"},
     NULL},
    {ARGUMENT("\"MemType\": \"Constant\""),
     T1_KTT,
     {"  - name: a\n    type: f32\n"},
     "Arguments[].MemType"},
    {SPEC("\"SharedMemory\": 64, \"Arguments\": {\"tile\": {\"Type\": \"double\", \"MemoryType\": "
          "\"Local\", \"Size\": \"X * 2\"}}"),
     T1_DETECT,
     {"    shared: 64 + (X * 2) * 8\n    arguments: [a, out, k]\n"},
     NULL},
    /* grids */
    {SPEC("\"GlobalSizeType\": \"OpenCL\", \"GlobalSize\": {\"X\": 4096, \"Y\": \"1\", \"Z\": "
          "null}"),
     T1_KTT,
     {"    grid: (4096) // (X)\n    block: X\n"},
     NULL},
    {SPEC("\"GlobalSize\": {\"X\": \"4096 / X\"}"), T1_DETECT, {"    grid: int(4096 / X)\n"}, NULL},
    {SPEC("\"ProblemSize\": [4096, \"Y * 8\"], \"GridDivX\": [\"X\", 2], \"GridDivY\": null"),
     T1_DETECT,
     {"      - ceil_div(4096, X * (2))\n      - Y * 8\n", "    block: X\n", "  block_size_x: X\n",
      "  kernel_tuner: 1\n"},
     "GlobalSize (the grid is ProblemSize over GridDiv)"},
    {SPEC("\"ProblemSize\": 512, \"LocalSize\": null"),
     T1_DETECT,
     {"    grid: 512\n    block: 256\n"},
     NULL},
    {SPEC("\"ProblemSize\": 512, \"Arguments\": {\"a\": {\"Size\": \"ProblemSize[0] + max(Y) * "
          "min( X )\"}}"),
     T1_DETECT,
     {"    count: 512 + 8 * 32\n"},
     NULL},
    {"{\"KernelSpecification\": {\"Arguments\": {\"a\": {\"Size\": \"max(Y) * 2\"}}}, "
     "\"ConfigurationSpace\": {\"TuningParameters\": {\"Y\": null}}, \"tune\": {\"axes\": {\"Y\": "
     "[4, 8]}, \"defines\": {\"Y\": \"Y\"}}}",
     T1_KERNEL_TUNER,
     {"    count: Y * 2\n", "  Y: \"Y\"\n", "axes:\n  Y: [4, 8]\n"},
     NULL},
    /* the compiler */
    {SPEC("\"CompilerOptions\": [\"-std=gnu++14 -O3\", \"-Iinc\", \"-I\", \"more\", \"-arch\", "
          "\"sm_80\", \"--maxrregcount=64\", \"-Xptxas -v\", \"-DN=4\"]"),
     T1_DETECT,
     {"include:\n  - inc\n  - more\nstd: c++14\nflags:\n  - \"--maxrregcount=64\"\n  - "
      "\"--ptxas-options=-v\"\n  - \"-DN=4\"\n"},
     "CompilerOptions '-O3', KernelSpecification.CompilerOptions '-arch sm_80'"},
    {SPEC("\"KernelFile\": [\"a.cu\", \"b.cu\"]"),
     T1_DETECT,
     {"sources:\n  - a.cu\n  - b.cu\n"},
     NULL},
    /* references */
    {CHECKED("\"FillType\": \"Constant\", \"FillValue\": 4.5, \"ValidationMethod\": "
             "\"AbsoluteDifference\", \"ValidationThreshold\": 2"),
     T1_DETECT,
     {"check:\n  - output: out\n    series: \"4.5\"\n    total: 2\n"},
     NULL},
    {CHECKED("\"FillType\": \"BinaryRaw\", \"DataSource\": \"e.bin\", \"ValidationMethod\": "
             "\"SideBySideRelativeComparison\", \"ValidationThreshold\": 0.01"),
     T1_DETECT,
     {"    file: \"e.bin\"\n    relative: 0.01\n"},
     NULL},
    /* our own members */
    {"{\"tune\": {\"device\": \"cpu\", \"metrics\": {\"gflops\": \"4096 / time_ns\"}, \"defines\": "
     "{\"X\": 7, \"W\": \"2 * X\"}, \"constraints\": [\"X > 32\"], \"check\": {\"output\": "
     "\"out\", "
     "\"reference\": \"f\", \"source\": \"r.c\"}}}",
     T1_DETECT,
     {"device: cpu\n", "    threads: (X)\n", "defines:\n  Y: Y\n  X: 7\n  W: \"2 * X\"\n",
      "  - X * Y <= 256\n  - \"X > 32\"\n"},
     ""},
};

TEST(constructs_translate)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct t1 t1;
        const char *about = cases[i].overlay ? cases[i].overlay : "as it stands";
        if (translate_small(cases[i].overlay, cases[i].dialect, &t1) != STATUS_OK)
            fail_msg("%s: %s", about, error.text);
        for (size_t j = 0; j < 4 && cases[i].pieces[j]; j++)
            need_piece(document_text(&t1.document), cases[i].pieces[j], about);
        if (cases[i].ignored && cases[i].ignored[0])
            need_piece(t1.ignored, cases[i].ignored, about);
        else if (cases[i].ignored)
            assert_string_equal(t1.ignored, "");
        t1_free(&t1);
    }
}

struct refusal {
    const char *overlay;
    enum t1_dialect dialect;
    const char *says;
};

static const struct refusal refusals[] = {
    {"[]", T1_DETECT, "over.json: no T1 file"},
    {"{\"a\" 1}", T1_DETECT, "over.json:1:"},
    {"{\"ConfigurationSpace\": null}", T1_DETECT, "small.json: ConfigurationSpace: is missing"},
    {"{\"KernelSpecification\": 3}", T1_DETECT, "small.json: KernelSpecification: is missing"},
    {SPACE("\"TuningParameters\": []"), T1_DETECT, "TuningParameters: must be a list"},
    {SPACE("\"TuningParameters\": [{\"Name\": \"a b\", \"Values\": \"[1]\"}]"), T1_DETECT,
     "TuningParameters[0]: Name must be a name"},
    {SPACE("\"TuningParameters\": [{\"Name\": \"X\", \"Values\": \"[1]\"}, {\"Name\": \"X\"}]"),
     T1_DETECT, "TuningParameters[1]: there is a parameter 'X' before it"},
    {SPACE("\"TuningParameters\": {\"X\": {\"Values\": 4}}"), T1_DETECT,
     "TuningParameters[0].Values: must be a text with a list"},
    {SPACE("\"TuningParameters\": {\"X\": 4}"), T1_DETECT, "over.json: cannot be merged"},
    {SPACE("\"Conditions\": [{\"Parameters\": []}]"), T1_DETECT,
     "ConfigurationSpace.Conditions[0].Expression: is missing"},
    {SPEC("\"Language\": \"OpenCL\""), T1_DETECT,
     "KernelSpecification.Language: kernels in 'OpenCL' cannot be run; only those in CUDA"},
    {SPEC("\"Language\": \"HIP\""), T1_DETECT, "kernels in 'HIP' cannot be run"},
    {SPEC("\"KernelFile\": \"k.cl\", \"Language\": null"), T1_DETECT,
     "'k.cl' is a kernel in OpenCL"},
    {SPEC("\"KernelFile\": \"k.cu.hip\", \"Language\": null"), T1_DETECT,
     "'k.cu.hip' is a kernel in HIP"},
    {SPEC("\"KernelNam\": \"k\""), T1_DETECT,
     "over.json: KernelSpecification: there is no 'KernelNam'; did you mean 'KernelName'?"},
    {SPACE("\"TuningParameters\": {\"XX\": {\"Default\": 4}}"), T1_DETECT,
     "over.json: ConfigurationSpace.TuningParameters[]: there is none of the name 'XX'"},
    {"{\"KernelSpecfication\": {}}", T1_DETECT, "did you mean 'KernelSpecification'?"},
    {SPEC("\"KernelFile\": null"), T1_DETECT, "KernelSpecification.KernelFile: is missing; name"},
    {SPEC("\"KernelName\": null"), T1_DETECT, "KernelSpecification.KernelName: is missing"},
    {SPEC("\"LocalSize\": null"), T1_DETECT, "KernelSpecification.LocalSize: is missing"},
    {SPEC("\"LocalSize\": {\"X\": null, \"Y\": 4}"), T1_DETECT, "LocalSize.X: is missing"},
    {SPEC("\"LocalSize\": {\"X\": [1]}"), T1_DETECT, "LocalSize.X: must be a number or a text"},
    {SPEC("\"GlobalSize\": null"), T1_DETECT, "neither GlobalSize nor ProblemSize says"},
    {SPEC("\"GlobalSizeType\": \"Metal\""), T1_DETECT, "GlobalSizeType: 'Metal' is neither CUDA"},
    {SPEC("\"ProblemSize\": []"), T1_DETECT, "ProblemSize: must be one to three"},
    {SPEC("\"ProblemSize\": 4, \"Arguments\": {\"a\": {\"Size\": \"ProblemSize[1]\"}}"), T1_DETECT,
     "Arguments[0].Size: ProblemSize has no such element"},
    {ARGUMENT("\"FillType\": \"BinaryHDF\", \"DataSource\": \"x.h5\""), T1_DETECT,
     "Arguments[0]: FillType BinaryHDF cannot be read; write the data as raw bytes and say "
     "FillType BinaryRaw in an overlay"},
    {ARGUMENT("\"FillType\": \"Script\", \"DataSource\": \"x.py\""), T1_DETECT,
     "FillType Script is not run; say FillType Generator"},
    {ARGUMENT("\"FillType\": \"Sorted\""), T1_DETECT, "FillType 'Sorted' is unknown"},
    {ARGUMENT("\"FillType\": \"Generator\""), T1_DETECT, "Arguments[0].DataSource: is missing"},
    {ARGUMENT("\"FillType\": \"Random\", \"FillValue\": 0"), T1_KTT, "must be above 0"},
    {ARGUMENT("\"Type\": \"quad\""), T1_DETECT, "Arguments[0]: Type 'quad' is unknown"},
    {ARGUMENT("\"Type\": \"flaot\""), T1_DETECT, "did you mean 'float'?"},
    {ARGUMENT("\"Type\": \"custom\""), T1_DETECT, "Type custom needs its bytes as TypeSize"},
    {ARGUMENT("\"MemoryType\": \"Texture\""), T1_DETECT, "MemoryType is Scalar, Vector, Local"},
    {ARGUMENT("\"MemType\": \"Texture\""), T1_DETECT, "MemType is Constant or absent"},
    {ARGUMENT("\"AccessType\": \"Write\""), T1_DETECT, "AccessType is ReadOnly, WriteOnly or"},
    {ARGUMENT("\"Size\": null"), T1_DETECT, "Arguments[0].Size: is missing"},
    {SPEC("\"Arguments\": {\"k\": {\"FillValue\": null}}"), T1_DETECT,
     "Arguments[2].FillValue: must be a number: it is the scalar's value"},
    {SPEC("\"Arguments\": []"), T1_DETECT, "Arguments: must be a list of the kernel's arguments"},
    {CHECKED("\"FillType\": \"Random\""), T1_DETECT,
     "ReferenceArguments[0]: FillType Random is no reference"},
    {CHECKED("\"FillType\": \"Constant\""), T1_DETECT, "FillValue must be a number"},
    {CHECKED("\"FillType\": \"Constant\", \"FillValue\": 1, \"ValidationMethod\": \"Eye\""),
     T1_DETECT, "ValidationMethod 'Eye' is unknown"},
    {CHECKED("\"FillType\": \"Constant\", \"FillValue\": 1, \"ValidationThreshold\": -1"),
     T1_DETECT, "ValidationThreshold must be a number, not below 0"},
    {SPEC("\"ReferenceArguments\": [{\"TargetName\": \"nix\"}]"), T1_DETECT,
     "ReferenceArguments[0]: TargetName must be the name of an argument"},
    {"{\"tune\": {\"device\": \"tpu\"}}", T1_DETECT, "tune.device: is \"cuda\" or \"cpu\""},
    {"{\"tune\": {\"flags\": \"-O2\"}}", T1_DETECT, "tune.flags: must be a list"},
};

TEST(refusals_name_the_place)
{
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        struct t1 t1;
        if (translate_small(refusals[i].overlay, refusals[i].dialect, &t1) != STATUS_BAD_INPUT)
            fail_msg("%s was not refused", refusals[i].overlay);
        need_piece(error.text, refusals[i].says, refusals[i].overlay);
        t1_free(&t1);
    }
}

/* Errors that only the experiment's reader can find have the place in the T1 file. */
TEST(reading_names_the_place)
{
    static const char *const wrong[][2] = {
        {SPACE("\"Conditions\": [{\"Expression\": \"X > 1\"}, {\"Expression\": \"X < Zebra\"}]"),
         "small.json: ConfigurationSpace.Conditions[1].Expression: name 'Zebra' is not defined"},
        {SPACE("\"Conditions\": [\"lambda p: p['XX'] > 1\"]"),
         "small.json: ConfigurationSpace.Conditions[0].Expression: name 'XX' is not defined"},
        {SPACE("\"Conditions\": [\"lambda p: p > 1\"]"),
         "Conditions[0].Expression: 'p' is all parameters: name one, as in p[\"block\"]"},
        {SPACE("\"TuningParameters\": {\"Y\": {\"Values\": \"[open(1)]\"}}"),
         "small.json: ConfigurationSpace.TuningParameters[1].Values: "},
        {SPEC("\"GlobalSize\": {\"X\": \"1\", \"Y\": \"W\"}"),
         "small.json: KernelSpecification.GlobalSize.Y: name 'W' is not defined"},
        {ARGUMENT("\"Size\": \"2 +\""), "small.json: KernelSpecification.Arguments[0].Size: "},
        {ARGUMENT("\"FillType\": \"Generator\", \"DataSource\": \"j\""),
         "small.json: KernelSpecification.Arguments[0].DataSource: name 'j' is not defined"},
        {"{\"tune\": {\"metrics\": {\"gflops\": \"q\"}}}", "small.json: tune.metrics.gflops: "},
        {"{\"tune\": {\"metrix\": {\"gflops\": \"q\"}}}", "small.json: tune.metrix: "},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct t1 t1;
        struct experiment *experiment = NULL;
        if (translate_small(wrong[i][0], T1_DETECT, &t1) != STATUS_OK)
            fail_msg("%s", error.text);
        if (experiment_load_document(&t1.document, TEST_SOURCE_DIR, true, &experiment, &error) ==
            STATUS_OK)
            fail_msg("%s was taken:\n%s", wrong[i][0], experiment_head(experiment)->text);
        need_piece(error.text, wrong[i][1], wrong[i][0]);
        t1_free(&t1);
    }
}

/* One configuration is no reference for others with another size of the arguments. */
TEST(shaping_parameters_are_noted)
{
    static const char *const overlays[] = {
        ARGUMENT("\"Size\": \"max(Y) + min(Y)\""),
        ARGUMENT("\"Size\": \"X\""),
        SPEC("\"Arguments\": {\"a\": {\"Size\": \"max(Y)\"}}, \"ReferenceArguments\": "
             "[{\"TargetName\": "
             "\"out\", \"FillValue\": 1}]"),
        ("{\"KernelSpecification\": {\"Arguments\": {\"a\": {\"Size\": \"max(Y)\"}}}, "
         "\"ConfigurationSpace\": {\"TuningParameters\": {\"Y\": {\"Values\": \"[4]\"}}}}"),
    };
    for (size_t i = 0; i < sizeof overlays / sizeof overlays[0]; i++) {
        struct t1 t1;
        assert_int_equal(translate_small(overlays[i], T1_KERNEL_TUNER, &t1), STATUS_OK);
        if (i == 0)
            need_piece(t1.note, "depend on Y: points", overlays[i]);
        else
            assert_string_equal(t1.note, "");
        t1_free(&t1);
    }
}

TEST(a_million_parameters)
{
    struct text json = {0};
    struct t1 t1 = {.ignored = NULL};
    text_append(&json, "{\"KernelSpecification\": {}, \"ConfigurationSpace\": {\"TuningParameters\""
                       ": [{}");
    for (int i = 1; i < 1000000; i++)
        text_append(&json, ",{}");
    text_append(&json, "]}}");
    const struct t1_file file = {"many.json", json.data, json.length};
    assert_int_equal(t1_translate(&file, NULL, 0, T1_KTT, &t1, &error), STATUS_BAD_INPUT);
    t1_free(&t1);
    text_free(&json);
}

TEST(dialects_have_names)
{
    enum t1_dialect dialect = T1_DETECT;
    assert_int_equal(t1_dialect_parse("ktt", &dialect, &error), STATUS_OK);
    assert_int_equal(dialect, T1_KTT);
    assert_int_equal(t1_dialect_parse("kernel_tuner", &dialect, &error), STATUS_OK);
    assert_int_equal(dialect, T1_KERNEL_TUNER);
    assert_int_equal(t1_dialect_parse("detected", &dialect, &error), STATUS_USAGE);
}

TEST_MAIN(NULL, NULL)
