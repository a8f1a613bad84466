/* A recording from other tools' trials: one problem, with an experiment made to fit. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/text.h"
#include "tuner/exchange/recordings.h"
#include "tuner/exchange/tried.h"
#include "tuner/experiment/experiment.h"

/* The distinct values of a parameter. */
struct seen_values {
    const char *name;
    bool is_text; /* some values are not numbers */
    const char **texts;
    size_t count, capacity;
};

struct gathering {
    struct recording *out;
    struct arena *arena;
    const char *problem; /* and the experiment's name */
    const char *device;  /* NULL: the file names no device */
    struct seen_values parameters[EXPERIMENT_PARAMETERS_MAX];
    size_t count;
};

static bool see_value(struct gathering *gathering, struct seen_values *seen,
                      const struct tried_value *value)
{
    seen->is_text = seen->is_text || !value->is_number;
    for (size_t i = 0; i < seen->count; i++)
        if (strcmp(seen->texts[i], value->text) == 0)
            return true;
    if (!array_grow(&seen->texts, seen->count, &seen->capacity, sizeof *seen->texts))
        return false;
    seen->texts[seen->count] = arena_strdup(gathering->arena, value->text);
    return seen->texts[seen->count++] != NULL;
}

static enum status take_tried(void *context, const struct tried *tried, struct error *error)
{
    struct gathering *gathering = context;
    struct recording *out = gathering->out;
    struct text key = {0};
    struct text parameters = {0};
    if (tried->count == 0 || tried->count > EXPERIMENT_PARAMETERS_MAX)
        return error_set(error, STATUS_BAD_INPUT, "%zu parameters; 1 to %d can be replayed",
                         tried->count, EXPERIMENT_PARAMETERS_MAX);
    /* Format the configuration like configuration_key and a database. */
    text_append(&parameters, "{");
    for (size_t i = 0; i < tried->count; i++) {
        const struct tried_value *value = &tried->values[i];
        text_printf(&key, "%s%s=%s", i > 0 ? " " : "", value->name, value->text);
        text_printf(&parameters, value->is_number ? "%s\"%s\":%s" : "%s\"%s\":\"%s\"",
                    i > 0 ? "," : "", value->name, value->text);
    }
    text_append(&parameters, "}");
    bool fits = !key.failed && !parameters.failed;
    for (size_t i = 0; i < tried->count; i++) {
        const struct tried_value *value = &tried->values[i];
        if (!is_name(value->name) || strpbrk(value->text, "\"\\"))
            fits = fits && error_set(error, STATUS_BAD_INPUT,
                                     "the parameter '%.60s' has a name or a value that no "
                                     "experiment can have",
                                     value->name) == STATUS_OK;
        if (gathering->parameters[i].name == NULL)
            gathering->parameters[i].name = arena_strdup(gathering->arena, value->name);
        fits = fits && gathering->parameters[i].name &&
               see_value(gathering, &gathering->parameters[i], value);
    }
    gathering->count = tried->count;
    if (tried->device && !gathering->device)
        gathering->device = arena_strdup(gathering->arena, tried->device);
    struct recorded_point point = {
        .problem = recording_hash(gathering->problem, 1),
        .configuration = recording_hash(text_string(&key), 0),
        .time_ns = tried->time_ns,
        .trial_ns = (int64_t)tried->cost_ns,
        .block_ns = isnan(tried->time_ns) ? 0 : (int64_t)tried->time_ns,
        .key = recording_add_text(out, text_string(&key)),
        .parameters = recording_add_text(out, text_string(&parameters)),
        .detail = recording_add_text(out, *tried->failure ? tried->failure : "it has no time"),
        .status = !isnan(tried->time_ns)                   ? TRIAL_OK
                  : strstr(tried->failure, "ompil")        ? TRIAL_COMPILE_FAILED
                  : strstr(tried->failure, "orrect")       ? TRIAL_WRONG_RESULT
                  : strcmp(tried->failure, "timeout") == 0 ? TRIAL_TIMED_OUT
                                                           : TRIAL_LAUNCH_FAILED,
        .raced_status = TRIAL_OK,
    };
    point.twin = point.configuration;
    (void)recording_add(out, RECORDED_POINTS, &point);
    text_free(&key);
    text_free(&parameters);
    return fits ? STATUS_OK : error->status != STATUS_OK ? error->status : error_no_memory(error);
}

static int compare_numbers(const void *a, const void *b)
{
    const double left = strtod(*(const char *const *)a, NULL);
    const double right = strtod(*(const char *const *)b, NULL);
    return left < right ? -1 : left > right;
}

/* Writes the experiment. The kernel's text is never read: a binary is the name of a point. */
static void write_experiment(struct gathering *gathering, const char *from, struct text *out)
{
    text_printf(out,
                "experiment: %s\nabout: \"Replayed from %s.\"\ndevice: cuda\nsource: "
                "replayed.cu\nparameters:\n",
                gathering->problem, from);
    for (size_t i = 0; i < gathering->count; i++) {
        struct seen_values *seen = &gathering->parameters[i];
        if (!seen->is_text)
            qsort(seen->texts, seen->count, sizeof *seen->texts, compare_numbers);
        text_printf(out, "  %s: [", seen->name);
        for (size_t k = 0; k < seen->count; k++)
            text_printf(out, seen->is_text ? "%s\"%s\"" : "%s%s", k > 0 ? ", " : "",
                        seen->texts[k]);
        text_append(out, "]\n");
    }
    text_append(out, "launches:\n  - {kernel: replayed, grid: 1, block: 1, arguments: [out]}\n"
                     "arguments:\n  - {name: out, type: f32, count: 1, output: true}\n"
                     "check: {series: \"0\", output: out}\n");
}

enum status recordings_take_file(char *text, size_t length, const char *name, struct recording *out,
                                 struct error *error)
{
    struct arena arena = {0};
    struct text written = {0};
    char problem[64]; /* "gemm_A100" of "gemm-A100.json.gz" */
    size_t used = 0;
    if (name[0] >= '0' && name[0] <= '9')
        problem[used++] = '_';
    for (const char *c = name; *c && *c != '.' && used + 1 < 60; c++)
        problem[used++] = is_name_character(*c) ? *c : '_';
    problem[used] = '\0';
    if (used == 0)
        (void)string_format(problem, sizeof problem, "replayed");
    struct gathering *gathering = arena_alloc(&arena, 1, sizeof *gathering);
    TRY_MEMORY(gathering);
    *gathering = (struct gathering){.out = out, .arena = &arena, .problem = problem};
    enum status status = tried_read(text, length, &arena, take_tried, gathering, error);
    if (status == STATUS_OK && gathering->count == 0)
        status = error_set(error, STATUS_BAD_INPUT, "there is no configuration in it");
    if (status == STATUS_OK) {
        out->device = (struct recorded_device){.calibration = {.tick_ns = 1},
                                               .anchor_ns = 100000,
                                               .sm_clock_mhz = (double)NAN,
                                               .memory_clock_mhz = (double)NAN,
                                               .temperature_c = (double)NAN,
                                               .power_w = (double)NAN,
                                               .source = recording_add_text(out, name)};
        /* The facts are a generic GPU's, since the file has few. */
        char title[256], uuid[256];
        (void)string_format(title, sizeof title, "%.40s, replayed from %.190s",
                            gathering->device ? gathering->device : "A GPU", name);
        (void)string_format(uuid, sizeof uuid, "replay:%.200s", name);
        recording_add_fact(out, "name", value_text(title));
        recording_add_fact(out, "uuid", value_text(uuid));
        recording_add_fact(out, "architecture", value_text("unknown"));
        recording_add_fact(out, "driver", value_text("unknown"));
        recording_add_fact(out, "compiler", value_text("unknown"));
        recording_add_fact(out, "replayed_from", value_text(name));
        recording_add_fact(out, "memory_bytes", value_integer(0));
        recording_add_fact(out, "sm_count", value_integer(1));
        recording_add_fact(out, "energy_counter", value_boolean(false));
        write_experiment(gathering, name, &written);
        const struct recorded_experiment item = {
            .name = recording_add_text(out, problem),
            .text = recording_add_text(out, text_string(&written))};
        (void)recording_add(out, RECORDED_EXPERIMENTS, &item);
        status = written.failed ? error_no_memory(error) : STATUS_OK;
    }
    for (size_t i = 0; i < EXPERIMENT_PARAMETERS_MAX; i++)
        free(gathering->parameters[i].texts);
    text_free(&written);
    arena_free(&arena);
    return status;
}
