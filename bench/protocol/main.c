/* bench_protocol: tests the tuner's own worker, protocol and statistics on a device, without
 * database and tuned.conf.
 *
 *   bench_protocol twin  --device cuda:0 --out twin.csv     A/A: one configuration in 16 slots
 *   bench_protocol flush --device cuda:0 --out flush.csv    cache flushed by reading, by writing
 *   bench_protocol agree --device cuda:0 --out agree.csv    do simpler ways choose alike twice?
 *
 * `bench_protocol --help` lists the options. On an H200 twin and flush take under a minute each;
 * agree with nvbench's own --min-time 0.5 takes up to 15 s a candidate, size and repetition, which
 * is hours; --min-time 0.02 comes to some ten minutes, and the table says so. */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "bench/protocol/bench.h"

#include "tuner/device/device.h"
#include "tuner/device/traits.h"
#include "tuner/stats/estimate.h"

static const char help[] =
    "usage: bench_protocol twin|flush|agree [options]\n\n"
    "  twin    A/A: how often the signed-rank test calls one configuration different from itself\n"
    "  flush   times after the cache was flushed by reading, by writing, streaming and hot\n"
    "  agree   how often ways of choosing a winner agree with themselves\n\n"
    "options:\n"
    "  --device D           cuda:0, cpu ... (cuda:0)\n"
    "  --experiment FILE    (configs/reduce.yaml; on a CPU configs/reduce_cpu.yaml)\n"
    "  --problem KEY        (the experiment's first: reduce.sum.i32)\n"
    "  --sizes N,N...       2^24 or 100000000 (twin: 2^16,2^24,2^28; flush:\n"
    "                       2^20,2^24,100000000,2^28; agree: the experiment's)\n"
    "  --configuration C    a key such as 'variant=tree block=256', or a baseline's name\n"
    "                       (occupancy_api, else the first); agree: screened besides others;\n"
    "                       may be repeated\n"
    "  --rounds N           of twin (200) and flush (60)\n"
    "  --candidates N       of agree: the fastest of the screen (12)\n"
    "  --screen N           of agree: configurations drawn at random (200)\n"
    "  --repeats N          of agree: tunings (5)\n"
    "  --reference-rounds N of agree: rounds a repetition from which regrets come (40)\n"
    "  --min-time S         of agree: nvbench's, of GPU time (0.5)\n"
    "  --timeout S          of agree: nvbench's, of time (15)\n"
    "  --pause S            of agree: between repetitions (0)\n"
    "  --effort E           quick, normal, thorough: the protocol's defaults (normal)\n"
    "  --set NAME=VALUE     a number of the protocol's; may be repeated\n"
    "  --seed N             of orders and draws (1)\n"
    "  --out FILE           the figures as CSV\n"
    "  --raw FILE           twin: every block as CSV\n"
    "  --keep               keep what the device makes for a plan between visits\n";

static const struct option long_options[] = {
    {"device", required_argument, NULL, 'd'},
    {"experiment", required_argument, NULL, 'e'},
    {"problem", required_argument, NULL, 'p'},
    {"sizes", required_argument, NULL, 'n'},
    {"configuration", required_argument, NULL, 'c'},
    {"rounds", required_argument, NULL, 'r'},
    {"candidates", required_argument, NULL, 'k'},
    {"screen", required_argument, NULL, 's'},
    {"repeats", required_argument, NULL, 't'},
    {"reference-rounds", required_argument, NULL, 'R'},
    {"min-time", required_argument, NULL, 'm'},
    {"timeout", required_argument, NULL, 'l'},
    {"pause", required_argument, NULL, 'P'},
    {"effort", required_argument, NULL, 'E'},
    {"set", required_argument, NULL, 'S'},
    {"seed", required_argument, NULL, 'x'},
    {"out", required_argument, NULL, 'o'},
    {"raw", required_argument, NULL, 'w'},
    {"keep", no_argument, NULL, 'K'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

enum { SETTINGS_MAX = 64 };
struct given {
    struct options options;
    enum effort effort;
    const char *settings[SETTINGS_MAX];
    size_t setting_count;
};

static enum status read_integer(const char *text, int64_t least, int64_t most, int64_t *out,
                                struct error *error)
{
    char *end = NULL;
    errno = 0;
    const long long value = strtoll(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || value < least || value > most)
        return error_set(error, STATUS_USAGE, "'%s' is no integer from %lld to %lld", text,
                         (long long)least, (long long)most);
    *out = value;
    return STATUS_OK;
}

static enum status read_seconds(const char *text, double *out, struct error *error)
{
    char *end = NULL;
    const double value = strtod(text, &end);
    if (end == text || *end != '\0' || !(value >= 0) || !isfinite(value))
        return error_set(error, STATUS_USAGE, "'%s' is no number of seconds", text);
    *out = value;
    return STATUS_OK;
}

/* "2^24", "2**24", "100000000" */
static enum status read_size(const char *text, int64_t *out, struct error *error)
{
    if (strncmp(text, "2^", 2) != 0 && strncmp(text, "2**", 3) != 0)
        return read_integer(text, 1, INT64_MAX, out, error);
    int64_t power = 0;
    enum status status = read_integer(text + (text[1] == '^' ? 2 : 3), 0, 62, &power, error);
    *out = INT64_C(1) << power;
    return status;
}

static enum status read_sizes(const char *text, struct options *options, struct error *error)
{
    enum status status = STATUS_OK;
    options->size_count = 0;
    while (status == STATUS_OK) {
        char one[32];
        const size_t length = strcspn(text, ",");
        if (length >= sizeof one || options->size_count == SIZES_MAX)
            return error_set(error, STATUS_USAGE, "--sizes: too long");
        memcpy(one, text, length);
        one[length] = '\0';
        status = read_size(one, &options->sizes[options->size_count++], error);
        if (text[length] == '\0')
            break;
        text += length + 1;
    }
    return status;
}

static enum status read_text_option(int letter, char *value, struct given *given,
                                    struct error *error)
{
    struct options *options = &given->options;
    switch (letter) {
    case 'd':
        options->device = value;
        return STATUS_OK;
    case 'e':
        options->experiment = value;
        return STATUS_OK;
    case 'p':
        options->problem = value;
        return STATUS_OK;
    case 'o':
        options->out = value;
        return STATUS_OK;
    case 'w':
        options->raw = value;
        return STATUS_OK;
    case 'K':
        options->keeps = true;
        return STATUS_OK;
    case 'c':
        if (options->configuration_count == CONFIGURATIONS_MAX)
            return error_set(error, STATUS_USAGE, "at most %d configurations", CONFIGURATIONS_MAX);
        options->configurations[options->configuration_count++] = value;
        return STATUS_OK;
    case 'S':
        if (given->setting_count == SETTINGS_MAX)
            return error_set(error, STATUS_USAGE, "at most %d times --set", SETTINGS_MAX);
        given->settings[given->setting_count++] = value;
        return STATUS_OK;
    case 'E':
        return effort_parse(value, &given->effort)
                   ? STATUS_OK
                   : error_set(error, STATUS_USAGE, "--effort is quick, normal or thorough");
    default:
        return error_set(error, STATUS_USAGE, "bench_protocol --help lists the options");
    }
}

static enum status read_option(int letter, char *value, struct given *given, struct error *error)
{
    struct options *options = &given->options;
    switch (letter) {
    case 'n':
        return read_sizes(value, options, error);
    case 'r':
        return read_integer(value, 2, ESTIMATE_MAX, &options->rounds, error);
    case 'k':
        return read_integer(value, 2, CANDIDATES_MAX, &options->candidates, error);
    case 's':
        return read_integer(value, 1, 100000, &options->screen, error);
    case 't':
        return read_integer(value, 2, REPEATS_MAX, &options->repeats, error);
    case 'R':
        return read_integer(value, 0, ESTIMATE_MAX, &options->reference_rounds, error);
    case 'x':
        return read_integer(value, 0, INT64_MAX, &options->seed, error);
    case 'm':
        return read_seconds(value, &options->min_time_s, error);
    case 'l':
        return read_seconds(value, &options->timeout_s, error);
    case 'P':
        return read_seconds(value, &options->pause_s, error);
    default:
        return read_text_option(letter, value, given, error);
    }
}

static enum status read_options(int argc, char **argv, struct given *given, bool *wants_help,
                                struct error *error)
{
    enum status status = STATUS_OK;
    int letter = 0;
    *wants_help = false;
    while (status == STATUS_OK &&
           (letter = getopt_long(argc, argv, "h", long_options, NULL)) != -1) {
        *wants_help = *wants_help || letter == 'h';
        if (letter != 'h')
            status = read_option(letter, optarg, given, error);
    }
    if (status != STATUS_OK || *wants_help)
        return status;
    if (optind != argc - 1)
        return error_set(error, STATUS_USAGE, "one command: twin, flush or agree (see --help)");
    given->options.command = argv[optind];
    return STATUS_OK;
}

static enum status make_protocol(struct given *given, struct error *error)
{
    const struct device_api *api = NULL;
    int index = 0;
    struct protocol *protocol = &given->options.protocol;
    enum status status = device_parse(given->options.device, &api, &index, error);
    if (status != STATUS_OK)
        return status;
    protocol_defaults(given->effort, device_traits(api->kind)->is_shared, protocol);
    for (size_t i = 0; i < given->setting_count && status == STATUS_OK; i++)
        status = protocol_set(protocol, given->settings[i], error);
    return status;
}

static enum status run(const struct options *options, struct error *error)
{
    static const struct {
        const char *name;
        enum status (*run)(struct bench *bench, struct error *error);
    } commands[] = {{"twin", bench_twin}, {"flush", bench_flush}, {"agree", bench_agree}};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        struct bench bench;
        if (strcmp(commands[i].name, options->command) != 0)
            continue;
        enum status status = bench_open(&bench, options, error);
        if (status == STATUS_OK)
            status = commands[i].run(&bench, error);
        if (status == STATUS_OK && (fflush(stdout) != 0 || fflush(bench.out) != 0 ||
                                    (bench.raw && fflush(bench.raw) != 0)))
            status = error_set(error, STATUS_IO, "the figures could not be written");
        bench_close(&bench);
        return status;
    }
    return error_set(error, STATUS_USAGE, "there is no command '%s': twin, flush or agree",
                     options->command);
}

int main(int argc, char **argv)
{
    struct error error = {.status = STATUS_OK};
    bool wants_help = false;
    struct given given = {
        .effort = EFFORT_NORMAL,
        .options = {.device = "cuda:0",
                    .candidates = 12,
                    .screen = 200,
                    .repeats = 5,
                    .reference_rounds = 40,
                    .min_time_s = 0.5,
                    .timeout_s = 15,
                    .seed = 1,
                    .out = "/dev/null"},
    };
    if (argc > 1 && worker_is_entry(argv[1]))
        return worker_main(argc, argv);
    (void)signal(SIGPIPE, SIG_IGN); /* a child that died: its error is reported instead */
    enum status status = read_options(argc, argv, &given, &wants_help, &error);
    if (status == STATUS_OK && wants_help) {
        printf("%s", help);
        return 0;
    }
    if (status == STATUS_OK)
        status = make_protocol(&given, &error);
    if (status == STATUS_OK)
        status = run(&given.options, &error);
    if (status != STATUS_OK)
        fprintf(stderr, "bench_protocol: %s\n", error.text);
    return status_exit_code(status);
}
