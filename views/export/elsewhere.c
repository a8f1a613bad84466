/* Evaluates a row's experiment at other sizes and on other devices: where the constraints hold, and
 * formulas for derived values and launches. A formula is accepted if libtuned's evaluation equals
 * the experiment's own expressions at hundreds of sizes and unit counts; without a formula a value
 * holds only where measured. */
#include "views/export/elsewhere.h"

#include <stdlib.h>
#include <string.h>

#include "libtuned/tuned.h"
#include "tuner/base/json.h"
#include "tuner/device/traits.h"
#include "tuner/experiment/point.h"
#include "tuner/experiment/recall.h"
#include "tuner/records/domain.h"
#include "views/export/embedded.h"

/* ---- one question ---- */

/* A row's configuration and the state of its evaluation. */
struct evaluation {
    struct experiments *experiments;
    const struct experiment *experiment;
    struct arena arena;
    struct problem problem;
    struct configuration configuration;
    const char *facts;
    const char *units_key;
    int64_t active_blocks, n, units;
    unsigned launches; /* of the row's size and device (domain_launches) */
    /* Sizes with several names: the count, else 0; names in tuned.conf; sizes of the row. */
    size_t size_count;
    const char *size_names[SIZE_NAMES_MAX];
    int64_t sizes[SIZE_NAMES_MAX];
    /* Result of the last request, by the number of units; 0: none yet. */
    struct facts facts_there;
    int64_t units_there;
};

json_t *load_object(const char *text, bool *failed)
{
    json_t *object = text && text[0] != '\0' ? json_read(text, 0, NULL) : NULL;
    *failed |= !object && text && text[0] != '\0';
    return object;
}

/* Fills the device's facts with `units` units and this compute capability (NULL: the device's own).
 */
static void fill_facts(struct facts *facts, const struct evaluation *evaluation, int64_t units,
                       const char *capability)
{
    const char *key = NULL;
    json_t *member = NULL;
    struct value value;
    json_t *json = load_object(evaluation->facts, &facts->failed);
    json_object_foreach(json, key, member)
    {
        if (strcmp(key, evaluation->units_key) == 0)
            facts_add_integer(facts, key, units);
        else if (capability && strcmp(key, "compute_capability") == 0)
            facts_add_text(facts, key, capability);
        else if (json_to_value(member, &value))
            facts_add(facts, key, value);
    }
    json_decref(json);
}

static const struct facts *facts_there(struct evaluation *evaluation, int64_t units)
{
    if (evaluation->units_there != units) {
        facts_free(&evaluation->facts_there);
        evaluation->facts_there = (struct facts){0};
        fill_facts(&evaluation->facts_there, evaluation, units, NULL);
        evaluation->units_there = units;
    }
    return &evaluation->facts_there;
}

static void end(struct evaluation *evaluation)
{
    evaluation->experiments->short_of_memory |= evaluation->arena.failed;
    facts_free(&evaluation->facts_there);
    arena_free(&evaluation->arena);
}

/* Prepares the evaluation. Returns false if the experiment cannot be evaluated. */
static bool begin(struct evaluation *evaluation, struct experiments *experiments,
                  const struct conf_row *row)
{
    struct error ignored = {0};
    bool found = false;
    *evaluation =
        (struct evaluation){.experiments = experiments,
                            .experiment = experiments_loaded(experiments, row->experiment),
                            .facts = row->facts ? row->facts : "",
                            .units_key = device_traits(row->kind)->unit_fact,
                            .active_blocks = row->active_blocks > 0 ? row->active_blocks : 0,
                            .n = row->n,
                            .units = row->units};
    if (!evaluation->experiment ||
        !experiment_find_problem(evaluation->experiment, row->problem, &evaluation->arena,
                                 &evaluation->problem))
        return false;
    size_t first = 0;
    evaluation->size_count =
        experiment_size_names(evaluation->experiment, evaluation->size_names, &first);
    if (evaluation->size_count != problem_sizes(&evaluation->problem, evaluation->sizes))
        return false;
    if (evaluation->size_count > 0)
        evaluation->size_names[first] = "n";
    experiments->short_of_memory |=
        recall_configuration(evaluation->experiment, row->parameters, &evaluation->arena,
                             &evaluation->configuration, &found, &ignored) == STATUS_NO_MEMORY;
    const struct problem own = problem_at(&evaluation->problem, evaluation->n);
    if (found)
        evaluation->launches =
            domain_launches(evaluation->experiment, &own,
                            facts_there(evaluation, evaluation->units), &evaluation->configuration);
    return found;
}

/* ---- compute capabilities ---- */

static bool admits(struct evaluation *evaluation, const char *capability)
{
    struct facts facts = {0};
    struct error ignored = {0};
    struct problem problem;
    bool holds = false;
    problem = problem_at(&evaluation->problem, evaluation->n);
    fill_facts(&facts, evaluation, evaluation->units, capability);
    enum status status = facts.failed ? STATUS_NO_MEMORY
                                      : space_admits(evaluation->experiment, &problem, &facts,
                                                     &evaluation->configuration, &holds, &ignored);
    holds = holds && domain_launches(evaluation->experiment, &problem, &facts,
                                     &evaluation->configuration) == evaluation->launches;
    evaluation->experiments->short_of_memory |= status == STATUS_NO_MEMORY;
    facts_free(&facts);
    return status == STATUS_OK && holds;
}

static int capability_of(const char *text)
{
    char *end = NULL;
    long major = strtol(text, &end, 10);
    return (int)(major * 100 + (*end == '.' ? strtol(end + 1, NULL, 10) : 0));
}

/* Adds the needs of clusters, beyond the constraints: those of launches, and of kernels whose
 * source has a cluster parameter. */
static void take_hardware(struct evaluation *evaluation, struct needs *needs)
{
    struct arena arena = {0};
    struct error ignored = {0};
    struct launch launches[LAUNCHES_MAX];
    size_t count = 0;
    const struct facts *facts = facts_there(evaluation, evaluation->units);
    const struct point point = {.experiment = evaluation->experiment,
                                .problem = &evaluation->problem,
                                .facts = facts,
                                .configuration = &evaluation->configuration};
    if (point_kernels(&point, &arena, launches, &count, &ignored) != STATUS_OK)
        count = 0;
    for (size_t i = 0; i < count; i++)
        if (launch_cluster_blocks(&launches[i]) > needs->cluster &&
            launch_cluster_blocks(&launches[i]) > 1)
            needs->cluster = launch_cluster_blocks(&launches[i]);
    evaluation->experiments->short_of_memory |= ignored.status == STATUS_NO_MEMORY;
    arena_free(&arena);
    static const char *const names[] = {"cluster_size", "cluster"};
    for (size_t i = 0; i < evaluation->configuration.count; i++)
        for (size_t j = 0; j < 2; j++) {
            const struct named_value *value = &evaluation->configuration.values[i];
            if (strcmp(value->name, names[j]) == 0 && value->value.kind == VALUE_INTEGER &&
                value->value.integer > needs->cluster && value->value.integer > 1)
                needs->cluster = value->value.integer;
        }
    if (needs->cluster > 1 && needs->least < 900)
        needs->least = 900;
}

void elsewhere_needs(struct experiments *experiments, const struct conf_row *row,
                     struct needs *needs)
{
    static const char *const known[] = {"7.0", "7.5", "8.0", "8.6", "8.9", "9.0", "10.0", "12.0"};
    enum { KNOWN = sizeof known / sizeof known[0] };
    struct evaluation evaluation;
    const int own = capability_of(row->capability ? row->capability : "");
    size_t first = 0;
    *needs = (struct needs){.threads = row->threads,
                            .shared_bytes = row->shared_bytes,
                            .registers = row->registers,
                            .least = (int64_t)own / 100 * 100,
                            .most = INT64_MAX};
    if (own == 0)
        return;
    bool is_found = begin(&evaluation, experiments, row);
    if (is_found && admits(&evaluation, NULL)) {
        while (first < KNOWN && capability_of(known[first]) < own)
            first++;
        size_t last = first; /* all from here on are at or above `own` */
        needs->least = own;
        while (first > 0 && admits(&evaluation, known[first - 1]))
            needs->least = capability_of(known[--first]);
        needs->most = own;
        while (last < KNOWN && admits(&evaluation, known[last]))
            needs->most = capability_of(known[last++]);
        if (last == KNOWN)
            needs->most = INT64_MAX;
    }
    if (is_found)
        take_hardware(&evaluation, needs);
    end(&evaluation);
}

/* ---- values at many sizes and numbers of units ---- */

/* Values of a launch: three axes each of grid, block and cluster, shared memory, cooperation. */
enum { LAUNCH_TARGETS = 11 };
enum { WRITTEN_MAX = 64 };
enum { TARGETS_MAX = EXPERIMENT_DERIVED_MAX + LAUNCH_TARGETS * LAUNCHES_MAX, TEMPLATE_BYTES = 256 };

/* Target of a formula: a derived value, or a number of a launch. */
struct target {
    const char *name; /* NULL: a number of a launch */
    const char *text; /* the formula; NULL: none */
};

struct probe {
    int64_t n, units;
    int64_t sizes[SIZE_NAMES_MAX]; /* sizes with several names; n above is 1 */
    int64_t values[TARGETS_MAX];   /* INT64_MIN: no whole number */
};

struct probes {
    struct probe *items;
    size_t count;
    struct target targets[TARGETS_MAX];
    size_t derived_count, target_count, launch_count;
    size_t others;   /* sizes with other launches: the domain excludes them */
    const char *why; /* reason why no value is known elsewhere, if other than missing values */
};

/* Evaluates a probe. Returns false if the experiment has no values there, or other launches. */
static bool take_values(struct evaluation *evaluation, struct probes *probes, struct probe *probe)
{
    struct error ignored = {0};
    struct problem problem;
    struct arena arena = {0};
    struct named_value derived[EXPERIMENT_DERIVED_MAX];
    struct launch_plan *plan = arena_alloc(&arena, 1, sizeof *plan);
    size_t count = 0;
    bool is_problem = true;
    if (evaluation->size_count > 0)
        is_problem = problem_at_sizes(&evaluation->problem, probe->sizes, evaluation->size_count,
                                      &arena, &problem);
    else
        problem = problem_at(&evaluation->problem, probe->n);
    const struct facts *facts = facts_there(evaluation, probe->units);
    const struct point point = {.experiment = evaluation->experiment,
                                .problem = &problem,
                                .facts = facts,
                                .configuration = &evaluation->configuration,
                                .active_blocks = evaluation->active_blocks};
    enum status status = facts->failed || !plan ? STATUS_NO_MEMORY : STATUS_OK;
    if (status == STATUS_OK && !is_problem)
        status = STATUS_BAD_INPUT;
    if (status == STATUS_OK &&
        domain_launches(evaluation->experiment, &problem, facts, &evaluation->configuration) !=
            evaluation->launches) {
        probes->others++;
        status = STATUS_BAD_INPUT;
    }
    if (status == STATUS_OK)
        status = point_derived(&point, &arena, derived, &count, &ignored);
    if (status == STATUS_OK)
        status = point_plan(&point, &arena, plan, &ignored);
    evaluation->experiments->short_of_memory |= status == STATUS_NO_MEMORY;
    if (probes->count == 0 && status == STATUS_OK) {
        probes->launch_count = plan->launch_count;
        probes->derived_count = count;
        probes->target_count = count + LAUNCH_TARGETS * plan->launch_count;
        for (size_t i = 0; i < count; i++)
            probes->targets[i].name = arena_strdup(&evaluation->arena, derived[i].name);
    }
    bool is_alike = status == STATUS_OK && count == probes->derived_count &&
                    plan->launch_count == probes->launch_count;
    for (size_t i = 0; is_alike && i < count; i++)
        probe->values[i] =
            derived[i].value.kind == VALUE_INTEGER ? derived[i].value.integer : INT64_MIN;
    for (size_t i = 0; is_alike && i < plan->launch_count; i++) {
        int64_t *values = probe->values + count + LAUNCH_TARGETS * i;
        for (size_t axis = 0; axis < 3; axis++) {
            values[axis] = plan->launches[i].grid[axis];
            values[3 + axis] = plan->launches[i].block[axis];
            values[6 + axis] = plan->launches[i].cluster[axis];
        }
        values[9] = plan->launches[i].shared_bytes;
        values[10] = plan->launches[i].cooperative;
    }
    evaluation->experiments->short_of_memory |= arena.failed;
    arena_free(&arena);
    return is_alike;
}

/* Chooses the probes' sizes: the row's own first, as measured, then sizes around powers of two and
 * ten, and others. */
static bool fill_probes(struct evaluation *evaluation, struct probes *probes)
{
    static const int64_t units[] = {1, 16, 46, 108, 132, 188, 1024, 65536};
    enum {
        UNITS = sizeof units / sizeof units[0],
        SIZES = 3 * 36 + 8 + 16,
        PROBE_SIZE_MAX = 30011,
        LEAST = 16
    };
    int64_t sizes[SIZES];
    size_t count = 0;
    uint64_t seed = 1;
    for (int power = 0; power < 36; power++)
        for (int64_t d = -1; d < 2; d++)
            sizes[count++] = (INT64_C(1) << power) + d;
    for (int64_t ten = 10; ten < INT64_C(1000000000); ten *= 10)
        sizes[count++] = ten;
    while (count < SIZES) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        sizes[count++] = (int64_t)(seed >> 40 >> (seed >> 60));
    }
    probes->items = arena_alloc(&evaluation->arena, SIZES * UNITS + 1, sizeof *probes->items);
    if (!probes->items) {
        evaluation->experiments->short_of_memory = true;
        return false;
    }
    probes->items[0].n = evaluation->n;
    probes->items[0].units = evaluation->units;
    memcpy(probes->items[0].sizes, evaluation->sizes, sizeof evaluation->sizes);
    if (!take_values(evaluation, probes, &probes->items[0]))
        return false;
    probes->count = 1;
    for (size_t j = 0; j < UNITS; j++) {
        struct probe probe = probes->items[0];
        probe.units = units[j];
        (void)take_values(evaluation, probes, &probe);
    }
    if (probes->others > 0) {
        probes->why = "devices with other numbers of units have other launches";
        return false;
    }
    for (size_t j = 0; j < UNITS; j++)
        for (size_t i = j % 3; i < SIZES; i += 3) {
            struct probe *probe = &probes->items[probes->count];
            probe->n = sizes[i];
            probe->units = units[j];
            /* Another value for each of several sizes, small enough for memory. */
            for (size_t k = 0; k < evaluation->size_count; k++)
                probe->sizes[k] = sizes[(i * (2 * k + 1) + 7 * j * k) % SIZES] % PROBE_SIZE_MAX + 1;
            if (sizes[i] > 0 && take_values(evaluation, probes, probe))
                probes->count++;
        }
    return probes->count >= LEAST && probes->count + probes->others > SIZES;
}

/* Evaluates a target at a size and unit count that need not be probes; with several sizes, `along`
 * names the one that is n, and the others are the row's. */
static int64_t value_at(struct evaluation *evaluation, struct probes *probes, size_t target,
                        size_t along, int64_t n, int64_t units)
{
    struct probe probe = {.n = n, .units = units};
    memcpy(probe.sizes, evaluation->sizes, sizeof probe.sizes);
    probe.sizes[along] = n;
    return take_values(evaluation, probes, &probe) ? probe.values[target] : INT64_MIN;
}

/* ---- formulas ---- */

static bool is_constant(const struct probes *probes, size_t target)
{
    for (size_t i = 1; i < probes->count; i++)
        if (probes->items[i].values[target] != probes->items[0].values[target])
            return false;
    return true;
}

/* The constants that a formula may name: parameters and derived values. */
struct constants {
    const char *names[EXPERIMENT_PARAMETERS_MAX + EXPERIMENT_DERIVED_MAX];
    int64_t values[EXPERIMENT_PARAMETERS_MAX + EXPERIMENT_DERIVED_MAX];
    size_t count;
    struct text conf; /* a tuned.conf with the formula to be added */
};

static void take_constant(struct constants *constants, const char *name, int64_t value)
{
    for (size_t i = 0; i < constants->count; i++)
        if (strcmp(constants->names[i], name) == 0)
            return;
    /* A formula cannot name these: the sign is an operator, the words have a meaning already. */
    if (strchr(name, '-') || strcmp(name, "n") == 0 || strcmp(name, "units") == 0 ||
        strcmp(name, "min") == 0 || strcmp(name, "max") == 0 || strcmp(name, "ceil_div") == 0)
        return;
    constants->names[constants->count] = name;
    constants->values[constants->count++] = value;
    text_printf(&constants->conf, " %s=%lld", name, (long long)value);
}

/* Returns a name for a count of elements: a constant, two constants, or digits. */
static const char *name_number(const struct constants *constants, struct arena *arena,
                               int64_t value)
{
    for (size_t i = 0; i < constants->count; i++)
        if (constants->values[i] == value)
            return constants->names[i];
    for (size_t i = 0; i < constants->count; i++)
        for (size_t j = i; j < constants->count; j++)
            if (value % constants->values[i] == 0 &&
                value / constants->values[i] == constants->values[j])
                return arena_printf(arena, "%s*%s", constants->names[i], constants->names[j]);
    return arena_printf(arena, "%lld", (long long)value);
}

/* Returns an expression for `each` blocks per unit, with a constant of that value, else digits. */
static const char *name_units(const struct constants *constants, struct arena *arena, int64_t each)
{
    if (each <= 1)
        return "units";
    for (size_t i = 0; i < constants->count; i++)
        if (constants->values[i] == each &&
            (strstr(constants->names[i], "resident") || strstr(constants->names[i], "blocks_per")))
            return arena_printf(arena, "units*%s", constants->names[i]);
    return arena_printf(arena, "units*%lld", (long long)each);
}

/* Evaluates the formula at a probe with libtuned. */
static long long evaluate(const struct tuned *tuned, const struct evaluation *evaluation,
                          const struct probe *probe)
{
    struct tuned_size sizes[SIZE_NAMES_MAX];
    int64_t n = probe->n;
    for (size_t i = 0; i < evaluation->size_count; i++) {
        sizes[i] = (struct tuned_size){evaluation->size_names[i], probe->sizes[i]};
        n = strcmp(sizes[i].name, "n") == 0 ? probe->sizes[i] : n;
    }
    const struct tuned_device device = {
        .kind = "cuda", .name = "X", .unit_count = (int)probe->units};
    struct tuned_answer answer;
    tuned_find_sizes(tuned, &device, "p", n, sizes, evaluation->size_count, &answer);
    return tuned_answer_integer(&answer, "value.sought", INT64_MIN);
}

/* Returns true if the formula, plus a constant taken from the first probe, gives the target's value
 * at every probe. `out` is the sum. */
static bool is_right(struct evaluation *evaluation, const struct constants *constants,
                     const struct probes *probes, size_t target, const char *formula,
                     struct text *out)
{
    struct text conf = {0};
    text_printf(&conf, "%s | formula.value.sought=\"%s\"\nend\n", text_string(&constants->conf),
                formula);
    struct tuned *tuned =
        conf.failed ? NULL : tuned_load_memory(conf.data, conf.length, "formula", NULL);
    evaluation->experiments->short_of_memory |= !tuned;
    const long long first = evaluate(tuned, evaluation, &probes->items[0]);
    const long long more = first == INT64_MIN ? 0 : probes->items[0].values[target] - first;
    bool holds = tuned != NULL && first != INT64_MIN;
    for (size_t i = 0; holds && i < probes->count; i++) {
        const long long value = evaluate(tuned, evaluation, &probes->items[i]);
        holds = value != INT64_MIN && value + more == probes->items[i].values[target];
    }
    text_clear(out);
    text_append(out, formula);
    if (more != 0)
        text_printf(out, "%+lld", more);
    evaluation->experiments->short_of_memory |= out->failed;
    tuned_free(tuned);
    text_free(&conf);
    return holds && !out->failed;
}

/* Returns the elements of n per block, on a device with very many units; 1 if blocks do not grow
 * with n. */
static int64_t tile_of(struct evaluation *evaluation, struct probes *probes, size_t target,
                       size_t along)
{
    for (int64_t n = INT64_C(1) << 34; n > 16; n /= 2) {
        const int64_t whole = value_at(evaluation, probes, target, along, n, 65536);
        const int64_t half = value_at(evaluation, probes, target, along, n / 2, 65536);
        const int64_t quarter = value_at(evaluation, probes, target, along, n / 4, 65536);
        if (whole == INT64_MIN || half == INT64_MIN || quarter == INT64_MIN)
            continue;
        const int64_t grown = whole - half;
        const int64_t before = half - quarter;
        if (grown > 0 && grown - 2 * before <= 2 && 2 * before - grown <= 2)
            return (n / 2 + grown / 2) / grown;
    }
    return 1;
}

/* Finds a formula for a count of blocks: tiles of n (with several sizes, of the one that `along`
 * names), units, or the lesser of both; plain or in clusters. Returns NULL if none is right. */
static const char *find_formula(struct evaluation *evaluation, struct probes *probes,
                                const struct constants *constants, size_t target, size_t along)
{
    struct arena *arena = &evaluation->arena;
    const char *size = evaluation->size_count > 0 ? evaluation->size_names[along] : "n";
    /* Elements per tile, blocks per unit, and the greatest count, from the value's growth. */
    int64_t n = INT64_C(1) << 40;
    while (n > 1 && value_at(evaluation, probes, target, along, n, 1024) == INT64_MIN)
        n /= 2;
    const int64_t most = value_at(evaluation, probes, target, along, n, 1024);
    const int64_t of_units = (most - value_at(evaluation, probes, target, along, n, 512)) / 512;
    const char *tile = name_number(constants, arena, tile_of(evaluation, probes, target, along));
    const char *each = name_units(constants, arena, of_units);
    const char *all = arena_printf(arena, "%lld", (long long)(most > 0 ? most : 1));
    const char *inner[] = {
        arena_printf(arena, "ceil_div(%s,%s)", size, tile),
        arena_printf(arena, "min(%s,ceil_div(%s,%s))", each, size, tile),
        arena_printf(arena, "%s", each),
        arena_printf(arena, "min(%s,ceil_div(%s,%s))", all, size, tile),
        arena_printf(arena, "%s/%s", size, tile),
        arena_printf(arena, "max(1,%s/%s)", size, tile),
        arena_printf(arena, "min(%s,%s/%s)", each, size, tile),
        arena_printf(arena, "max(1,min(%s,%s/%s))", each, size, tile),
        arena_printf(arena, "max(1,min(%s,%s/%s))", all, size, tile),
    };
    struct text formula = {0};
    const char *found = NULL;
    for (size_t i = 0; !found && i < sizeof inner / sizeof inner[0]; i++) {
        if (inner[i] && is_right(evaluation, constants, probes, target, inner[i], &formula))
            found = arena_strdup(arena, text_string(&formula));
        for (size_t j = 0; !found && inner[i] && j < constants->count; j++) {
            const char *size_name = constants->names[j];
            const char *whole[] = {
                arena_printf(arena, "ceil_div(%s,%s)*%s", inner[i], size_name, size_name),
                /* one more cluster if there are several */
                arena_printf(arena, "%s*(ceil_div(%s,%s)+min(1,ceil_div(%s,%s)-1))", size_name,
                             inner[i], size_name, inner[i], size_name),
            };
            for (size_t k = 0; !found && k < 2; k++)
                if (whole[k] && is_right(evaluation, constants, probes, target, whole[k], &formula))
                    found = arena_strdup(arena, text_string(&formula));
        }
    }
    text_free(&formula);
    return found;
}

/* ---- results ---- */

static void set_text(json_t *object, const char *name, const char *text, bool *failed)
{
    *failed |= !name || !text || json_object_set_new(object, name, json_string(text)) != 0;
}

/* Returns the first earlier target with equal values, or `target`. */
static size_t same_values(const struct probes *probes, size_t target)
{
    for (size_t i = 0; i < target; i++) {
        size_t at = 0;
        while (at < probes->count &&
               probes->items[at].values[i] == probes->items[at].values[target])
            at++;
        if (at == probes->count)
            return i;
    }
    return target;
}

/* Looks for the formulas of all targets. */
static void fill_formulas(struct evaluation *evaluation, struct probes *probes,
                          struct elsewhere *out)
{
    struct constants constants = {.count = 0};
    struct text formula = {0};
    const char *written[WRITTEN_MAX]; /* the experiment's own expressions */
    bool failed = false;
    constants.count = 0;
    text_clear(&constants.conf);
    text_append(&constants.conf,
                "tuned-conf 4\n[cuda \"*\"]\np n=0-9223372036854775807 value.sought=0");
    for (size_t i = 0; i < probes->derived_count; i++) /* these first: the most informative names */
        if (is_constant(probes, i) && probes->items[0].values[i] > 1)
            take_constant(&constants, probes->targets[i].name, probes->items[0].values[i]);
    for (size_t i = 0; i < evaluation->configuration.count; i++) {
        const struct named_value *value = &evaluation->configuration.values[i];
        if (value->value.kind == VALUE_INTEGER && value->value.integer > 1)
            take_constant(&constants, value->name, value->value.integer);
    }
    const size_t written_count = domain_numbers(
        evaluation->experiment, &evaluation->problem, facts_there(evaluation, evaluation->units),
        &evaluation->configuration, &evaluation->arena, written, WRITTEN_MAX);
    for (size_t i = 0; i < probes->target_count; i++) {
        struct target *target = &probes->targets[i];
        int64_t value = probes->items[0].values[i];
        const size_t same = same_values(probes, i);
        if (same < i)
            target->text = probes->targets[same].text;
        else if (value != INT64_MIN && is_constant(probes, i))
            target->text = arena_printf(&evaluation->arena, "%lld", (long long)value);
        else if (value != INT64_MIN)
            for (size_t k = 0; !target->text && (k == 0 || k < evaluation->size_count); k++)
                target->text = find_formula(evaluation, probes, &constants, i, k);
        for (size_t k = 0; !target->text && value != INT64_MIN && k < written_count; k++)
            if (is_right(evaluation, &constants, probes, i, written[k], &formula))
                target->text = arena_strdup(&evaluation->arena, text_string(&formula));
        if (target->name && !is_constant(probes, i) && target->text)
            set_text(out->formulas, target->name, target->text, &failed);
        if (target->name && value != INT64_MIN && !target->text)
            failed |= json_object_set_new(out->varying, target->name, json_true()) != 0;
    }
    for (size_t i = 0; i < probes->launch_count; i++)
        for (size_t part = 0; part < LAUNCH_PARTS; part++) {
            /* Fills a part of a launch: its formula, and the first probe's value for parts not kept
             * in the database. */
            static const size_t first_target[LAUNCH_PARTS] = {0, 3, 6, 9, 10};
            static const char *const usual[LAUNCH_PARTS] = {NULL, NULL, "1", "0", "0"};
            struct arena *arena = &evaluation->arena;
            const size_t first = probes->derived_count + LAUNCH_TARGETS * i + first_target[part];
            const bool has_axes = part < SHARED_PART;
            const struct target *at = &probes->targets[first];
            const int64_t *numbers = probes->items[0].values + first;
            const char *name = launch_part_name(arena, i, part);
            const char *axes[] = {at[0].text, has_axes ? at[1].text : "1",
                                  has_axes ? at[2].text : "1"};
            const char *text = launch_axes(arena, axes);
            if (text && (!usual[part] || strcmp(text, usual[part]) != 0))
                set_text(out->formulas, name, text, &failed);
            else if (!text && usual[part])
                set_text(out->varying, name, launch_numbers(arena, numbers, has_axes), &failed);
        }
    evaluation->experiments->short_of_memory |= failed || constants.conf.failed;
    text_free(&constants.conf);
    text_free(&formula);
}

/* Returns true if today's expressions give the values recorded at the row's size. */
static bool is_recorded(struct evaluation *evaluation, const struct conf_row *row)
{
    struct probes probes = {0};
    struct probe probe = {.n = evaluation->n, .units = evaluation->units};
    const char *derived = row->derived && row->derived[0] != '\0' ? row->derived : "{}";
    memcpy(probe.sizes, evaluation->sizes, sizeof probe.sizes);
    json_t *recorded = load_object(derived, &evaluation->experiments->short_of_memory);
    bool holds = recorded && take_values(evaluation, &probes, &probe);
    for (size_t i = 0; holds && i < probes.derived_count; i++) {
        const json_t *value = json_object_get(recorded, probes.targets[i].name);
        holds = probe.values[i] == INT64_MIN ||
                (json_is_integer(value) && json_integer_value(value) == probe.values[i]);
    }
    json_decref(recorded);
    return holds;
}

void elsewhere_free(struct elsewhere *elsewhere)
{
    json_decref(elsewhere->formulas);
    json_decref(elsewhere->varying);
    text_free(&elsewhere->domain);
    *elsewhere = (struct elsewhere){0};
}

/* Fills an answer without an experiment: all derived values vary. */
static bool fill_unknown(struct elsewhere *out, const struct conf_row *row)
{
    const char *name = NULL;
    json_t *value = NULL;
    bool failed = false;
    json_t *derived = load_object(row->derived, &failed);
    json_object_foreach(derived, name, value)
    {
        failed |= json_object_set_new(out->varying, name, json_true()) != 0;
    }
    json_decref(derived);
    return !failed;
}

/* Fills the domain; without an experiment, from the checks alone. */
static enum status fill_domain(struct evaluation *evaluation, bool is_found,
                               const struct conf_row *row, struct elsewhere *out,
                               struct error *error)
{
    const bool is_tuple = is_found && evaluation->size_count > 0;
    struct domain checked = {.multiple = row->multiple > 1 ? row->multiple : 1,
                             .least = row->least > 1 ? row->least : 1,
                             .most = row->most,
                             /* Without the experiment a tuple's names are unknown. */
                             .is_listed = row->is_listed > 0 ||
                                          (!is_found && row->family && row->multiples)};
    domain_set_multiples(&checked, is_tuple ? row->multiples : NULL);
    struct domain_text domain = {.text = "", .is_listed = checked.is_listed};
    struct problem problem;
    enum status status = STATUS_OK;
    if (is_found) {
        const struct facts *facts = facts_there(evaluation, evaluation->units);
        problem = problem_at(&evaluation->problem, evaluation->n);
        status = domain_of(evaluation->experiment, &problem, facts, &evaluation->configuration,
                           &checked, &evaluation->arena, &domain, error);
    } else if (!domain_is_whole(&checked) && !checked.is_listed) {
        domain.text = arena_printf(&evaluation->arena, "n%%%lld==0&&n>=%lld",
                                   (long long)checked.multiple, (long long)checked.least);
        if (domain.text && checked.most > 0)
            domain.text = arena_printf(&evaluation->arena, "%s&&n<=%lld", domain.text,
                                       (long long)checked.most);
    }
    out->is_listed = domain.is_listed;
    if (domain.is_listed && evaluation->size_count == 0)
        text_printf(&out->domain, "n==%lld", (long long)row->n);
    else if (domain.text)
        text_append(&out->domain, domain.text);
    return status != STATUS_OK || !out->domain.failed ? status : error_no_memory(error);
}

/* Keeps the key and the answer for the next row. */
static bool keep_answer(struct experiments *experiments, struct text *question,
                        const struct elsewhere *out)
{
    if (!experiments->answer)
        experiments->answer = calloc(1, sizeof *experiments->answer);
    if (!experiments->answer)
        return false;
    elsewhere_free(experiments->answer);
    text_append(&experiments->answer->domain, text_string(&out->domain));
    experiments->answer->formulas = json_incref(out->formulas);
    experiments->answer->varying = json_incref(out->varying);
    experiments->answer->is_listed = out->is_listed;
    experiments->answer->why = out->why;
    text_free(&experiments->question);
    experiments->question = *question;
    *question = (struct text){0};
    return !experiments->answer->domain.failed;
}

enum status elsewhere_domain(struct elsewhere *out, struct experiments *experiments,
                             const struct conf_row *row, struct error *error)
{
    struct evaluation evaluation;
    *out = (struct elsewhere){0};
    const bool is_found = begin(&evaluation, experiments, row);
    const enum status status = fill_domain(&evaluation, is_found, row, out, error);
    end(&evaluation);
    return status;
}

enum status elsewhere_fill(struct elsewhere *out, struct experiments *experiments,
                           const struct conf_row *row, struct error *error)
{
    struct evaluation evaluation;
    struct text question = {0};
    enum status status = STATUS_OK;
    const bool is_found = begin(&evaluation, experiments, row);
    const bool is_recorded_so = is_found && is_recorded(&evaluation, row);
    /* Appends the key of an answer: equal for the rows of a range, unless the domain is listed. */
    text_printf(&question, "%lld\n%s\n%s\n%lld\n%s\n%lld\n%lld %lld %lld %lld %u %s\n",
                (long long)row->experiment, row->problem, row->parameters, (long long)row->units,
                row->facts ? row->facts : "", (long long)row->active_blocks,
                (long long)row->multiple, (long long)row->least, (long long)row->most,
                (long long)row->is_listed, evaluation.launches,
                evaluation.size_count > 0 && row->multiples ? row->multiples : "");
    *out = (struct elsewhere){.formulas = json_object(), .varying = json_object()};
    bool failed = question.failed || !out->formulas || !out->varying;
    if (is_recorded_so && !failed && experiments->question.length > 0 &&
        strcmp(text_string(&question), text_string(&experiments->question)) == 0) {
        /* Copies the answer of the previous row, whose key was equal. */
        const struct elsewhere *answer = experiments->answer;
        out->why = answer->why;
        out->is_listed = answer->is_listed;
        if (out->is_listed && !row->family)
            text_printf(&out->domain, "n==%lld", (long long)row->n);
        else
            text_append(&out->domain, text_string(&answer->domain));
        failed |= !(json_object_update(out->formulas, answer->formulas) == 0 &&
                    json_object_update(out->varying, answer->varying) == 0 && !out->domain.failed);
    } else if (!failed) {
        struct probes *probes = arena_alloc(&evaluation.arena, 1, sizeof *probes);
        out->why = !is_found         ? "the experiment cannot be read as the database has it"
                   : !is_recorded_so ? "the experiment's formulas give other values than were "
                                       "recorded"
                                     : NULL;
        status = fill_domain(&evaluation, is_found, row, out, error);
        if (is_recorded_so && probes && fill_probes(&evaluation, probes)) {
            fill_formulas(&evaluation, probes, out);
        } else {
            failed |= !probes || !fill_unknown(out, row);
            if (!out->why)
                out->why = probes && probes->why ? probes->why
                                                 : "its formulas have no value at most sizes";
        }
        failed |= is_recorded_so && !keep_answer(experiments, &question, out);
    }
    text_free(&question);
    end(&evaluation);
    return status == STATUS_OK ? experiments_status(experiments, failed, error) : status;
}
