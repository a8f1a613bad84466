#include "tuner/cli/dry_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/text.h"
#include "tuner/device/traits.h"
#include "tuner/session/sweep.h"
#include "tuner/terminal/style.h"

enum { BINARIES_OF_A_SAMPLE = 200, VALUES_SHOWN = 12, KERNEL_SHOWN = 60 };

/* One experiment, examined for a device. */
struct look {
    const struct run *run;
    const struct experiment *experiment;
    const bool *wanted;
    const struct facts *facts;
    struct landscape *landscape; /* NULL: no compiling */
};

static void print_parameters(const struct experiment *experiment, const struct space *space)
{
    size_t count = space_dimension_count(space);
    int width = 0;
    for (size_t i = 0; i < count; i++) {
        int length = (int)strlen(experiment_head(experiment)->parameter_names[i]);
        width = length > width ? length : width;
    }
    print_clean(stdout, "  parameters\n");
    for (size_t i = 0; i < count; i++) {
        size_t values = space_value_count(space, i);
        print_clean(stdout, "    %-*s  %zu:", width,
                    experiment_head(experiment)->parameter_names[i], values);
        for (size_t j = 0; j < values; j++) {
            char text[VALUE_TEXT_BYTES] = "?";
            if (values > VALUES_SHOWN && j == VALUES_SHOWN - 2) {
                print_clean(stdout, " ...");
                j = values - 1;
            }
            const struct value value = space_value(space, i, j);
            (void)value_format(value, text, sizeof text);
            print_clean(stdout, " %s", value.kind == VALUE_TEXT ? value.text : text);
        }
        print_clean(stdout, "\n");
    }
}

static void print_sides(const uint32_t sides[3])
{
    int count = sides[2] > 1 ? 3 : sides[1] > 1 ? 2 : 1;
    for (int i = 0; i < count; i++)
        print_clean(stdout, "%s%u", i ? "x" : "", sides[i]);
}

static void print_launch(const struct launch_plan *plan, const struct launch *launch)
{
    bool whole = strlen(launch->kernel) <= KERNEL_SHOWN;
    print_clean(stdout, "    %.*s%s(", KERNEL_SHOWN, launch->kernel, whole ? "" : "...");
    for (size_t i = 0; i < launch->argument_count; i++)
        print_clean(stdout, "%s%s", i ? ", " : "", plan->arguments[launch->arguments[i]].name);
    print_clean(stdout, launch->is_function ? "), a host function" : ") grid ");
    if (!launch->is_function)
        print_sides(launch->grid);
    if (launch->is_function && launch->workspace_of) {
        print_clean(stdout, "; %s tells the workspace", launch->workspace_of);
    } else if (launch->is_function) {
        /* nothing to launch */
    } else if (launch->threads > 0) {
        print_clean(stdout, " on %s, %s", count_text(launch->threads, "thread").text,
                    schedule_names[launch->schedule]);
    } else {
        print_clean(stdout, " block ");
        print_sides(launch->block);
    }
    if (launch_cluster_blocks(launch) > 1) {
        print_clean(stdout, " cluster ");
        print_sides(launch->cluster);
    }
    if (launch->shared_bytes > 0)
        print_clean(stdout, " shared %u bytes", launch->shared_bytes);
    if (launch->cooperative)
        print_clean(stdout, ", cooperative");
    if (launch->repeat > 1)
        print_clean(stdout, ", %u times", launch->repeat);
    if (launch->swap_one != launch->swap_other)
        print_clean(stdout, ", %s and %s in turn", plan->arguments[launch->swap_one].name,
                    plan->arguments[launch->swap_other].name);
    print_clean(stdout, "\n");
}

/* Finds the default configuration or, where an expression fails for this one, the first without
 * failures, as a run would, and prints the choice and the reason. */
static enum status find_possible(const struct look *look, const struct problem *problem,
                                 struct space *space, struct configuration *out,
                                 struct error *error)
{
    const struct work work = {
        .experiment = look->experiment, .problem = *problem, .facts = look->facts};
    struct arena arena = {0};
    struct error ignored = {0};
    struct launch_plan *plan = calloc(1, sizeof *plan);
    enum status status =
        plan ? experiment_default(look->experiment, problem, look->facts, out, error)
             : error_no_memory(error);
    struct point point = work_point(&work, out, 1);
    if (status == STATUS_OK)
        status = point_plan(&point, &arena, plan, error);
    if (status == STATUS_BAD_INPUT && !look->run->text.default_only && space_count(space) > 0) {
        work_representative(&work, space, out);
        if (point_plan(&point, &arena, plan, &ignored) == STATUS_OK) {
            print_clean(stdout,
                        "  with %s = %lld the default configuration cannot be launched: %s\n",
                        problem->size_name, (long long)problem->n, error->text);
            error_clear(error);
            status = STATUS_OK;
        }
    }
    free(plan);
    arena_free(&arena);
    return status;
}

/* Adds the line of the file to an error about a kernel's or variable's arguments. */
static enum status add_line(const struct experiment *experiment, const struct launch_plan *plan,
                            struct error *error)
{
    char name[256];
    int line = 0;
    if (sscanf(error->text, "kernel %255s", name) == 1) {
        line = experiment_line(experiment, "kernel", name);
    } else if (sscanf(error->text, "argument '%255[^']", name) == 1) {
        for (size_t i = 0; i < plan->argument_count && line == 0; i++)
            if (strcmp(plan->arguments[i].name, name) == 0)
                line = experiment_line(experiment, "name", name);
    } else {
        return error->status;
    }
    return line > 0 ? error_prefix(error, "%s:%d", experiment_head(experiment)->path, line)
                    : error_prefix(error, "%s", experiment_head(experiment)->path);
}

static enum status print_launches(const struct look *look, const struct problem *problem,
                                  const struct configuration *configuration, struct error *error)
{
    struct arena arena = {0};
    char key[CONFIGURATION_KEY_BYTES];
    enum status status = STATUS_OK;
    struct point point = {look->experiment, problem, look->facts, configuration, 0};
    struct launch_plan *plan = calloc(1, sizeof *plan);
    TRY_MEMORY(plan);
    if (look->landscape)
        status = landscape_active_blocks(look->landscape, &point, &point.active_blocks, error);
    (void)configuration_key(configuration, key);
    print_clean(stdout, "  launches of %s%s%s\n", problem_title(problem).text,
                *key ? ", with " : "", key);
    if (status == STATUS_OK)
        status = point_plan(&point, &arena, plan, error);
    if (status == STATUS_OK && look->landscape)
        status = landscape_fits(look->landscape, &point, plan, error);
    if (status == STATUS_BAD_INPUT)
        status = add_line(look->experiment, plan, error);
    if (status == STATUS_COMPILE_FAILED) {
        /* Why, the table or the command's error says once. */
        const bool alone = look->run->text.default_only;
        print_clean(stdout, "    does not compile%s%s\n", alone ? ": " : "",
                    alone ? error->text : "");
        error_clear(error);
        status = alone ? error_set(error, STATUS_NOT_FOUND,
                                   "the default configuration of %s does "
                                   "not compile",
                                   problem->key)
                       : point_plan(&point, &arena, plan, error);
    }
    for (size_t i = 0; status == STATUS_OK && i < plan->launch_count; i++)
        print_launch(plan, &plan->launches[i]);
    if (status == STATUS_UNAVAILABLE) {
        error_clear(error);
        /* A plan whose grids need facts of the compiled kernel. */
        struct launch kernels[LAUNCHES_MAX];
        size_t count = 0;
        status = point_kernels(&point, &arena, kernels, &count, error);
        for (size_t i = 0; status == STATUS_OK && i < count; i++)
            print_clean(stdout, "    %s, %s per block; the grid follows from the occupancy\n",
                        kernels[i].kernel,
                        count_text(launch_block_threads(&kernels[i]), "thread").text);
    }
    free(plan);
    arena_free(&arena);
    return status;
}

/* Prints a problem; facts common to all problems only with the first. *is_empty: the constraints
 * leave no configuration, as the error says. */
static enum status print_problem(const struct look *look, const struct problem *problem, bool first,
                                 bool *is_empty, struct error *error)
{
    struct space *space = NULL;
    struct configuration possible;
    enum status status = space_create(look->experiment, problem, look->facts, &space, error);
    *is_empty = status == STATUS_NOT_FOUND;
    if (status != STATUS_OK)
        return status;
    if (first) {
        print_parameters(look->experiment, space);
        /* Counts each constraint alone: a point ruled out by several counts for all of these. */
        size_t count = experiment_head(look->experiment)->constraint_count;
        uint64_t product = space_product_count(space);
        if (count > 0)
            print_clean(stdout, "  constraints, and the share that each rules out by itself\n");
        for (size_t i = 0; i < count; i++) {
            uint64_t kept = 0;
            struct error ignored = {0};
            char share[32] = "?";
            if (product < UINT64_MAX &&
                space_constraint_keeps(look->experiment, problem, look->facts, i, &kept,
                                       &ignored) == STATUS_OK)
                (void)string_format(share, sizeof share, "%.1f %%",
                                    100.0 * (double)(product - kept) / (double)product);
            print_clean(stdout, "    %8s  %s\n", share,
                        experiment_head(look->experiment)->constraints[i]);
        }
    }
    if (first || look->landscape)
        status = find_possible(look, problem, space, &possible, error);
    if (status == STATUS_OK)
        status = space_compares(look->experiment, problem, look->facts, space, error);
    if (first && status == STATUS_OK)
        status = print_launches(look, problem, &possible, error);
    if (first)
        print_clean(stdout, "  problems\n");
    uint64_t product = space_product_count(space);
    print_clean(stdout, "    %s: %s%s, %llu legal\n", problem_title(problem).text,
                product == UINT64_MAX ? "more than " : "", count_text(product, "point").text,
                (unsigned long long)space_count(space));
    if (status == STATUS_OK && look->landscape) {
        const struct point point = {look->experiment, problem, look->facts, &possible, 1};
        (void)fflush(stdout);
        status = landscape_checks(look->landscape, &point, error);
    }
    if (status == STATUS_OK && look->landscape && !look->run->text.default_only)
        status = landscape_print(look->landscape, look->experiment, problem, space, error);
    space_free(space);
    return status;
}

/* Takes the facts of the device that a run would use, if present: a space may need none of these.
 */
static enum status take_facts(const struct run *run, const struct device_api *api,
                              struct facts *facts, struct error *error)
{
    const bool is_first = run->device_count > 0 && run->devices[0].api == api;
    if (run->text.architecture)
        return api->describe(0, run->text.architecture, facts, error);
    if (api->describe(is_first ? run->devices[0].index : 0, NULL, facts, error) == STATUS_OK)
        return STATUS_OK;
    print_clean(stderr,
                "tune: no %s device here (%s): its numbers are unknown; --arch sm_90 takes those "
                "of that GPU\n",
                api->kind, error->text);
    error_clear(error);
    return STATUS_OK;
}

static enum status print_kind(const struct run *run, const struct device_api *api, size_t *problems,
                              struct error *error)
{
    struct session_experiment experiments[EXPERIMENTS_MAX];
    struct facts facts = {0};
    struct landscape *landscape = NULL;
    size_t count = experiments_of_kind(&run->experiments, api->kind, experiments);
    enum status status = count > 0 ? take_facts(run, api, &facts, error) : STATUS_OK;
    if (status == STATUS_OK && count > 0 && run->text.architecture) {
        const struct landscape_options options = {
            .api = api,
            .facts = &facts,
            .workers = run->session.compile_workers,
            .binary_most = run->text.all ? 0 : BINARIES_OF_A_SAMPLE,
            .point_most = run->session.points,
        };
        print_clean(
            stderr,
            "tune: compiling the kernels for %s, with the flags of their files; none is launched\n",
            run->text.architecture);
        status = landscape_start(&options, &landscape, error);
    }
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        const struct look look = {run, experiments[i].experiment, experiments[i].wanted, &facts,
                                  landscape};
        /* Prints the problems of the requested sizes, if any; those without a legal configuration
         * last. */
        bool first = true;
        struct text left_out = {0};
        struct error empty = {0}; /* error of the first one left out */
        status = STATUS_OK;
        for (size_t k = 0; status == STATUS_OK && k < experiment_problem_count(look.experiment);
             k++) {
            struct problem problem;
            bool is_empty = false;
            experiment_problem(look.experiment, k, &problem);
            if (!look.wanted[k] || !session_has_size(&look.run->session, &problem))
                continue;
            if (first && empty.status == STATUS_OK)
                print_clean(stdout, "%s (%s) on %s\n", experiment_head(look.experiment)->name,
                            experiment_head(look.experiment)->path,
                            facts_text(look.facts, "name", "a device that is not known"));
            status = print_problem(&look, &problem, first, &is_empty, error);
            first = first && is_empty;
            *problems += is_empty ? 0 : 1;
            if (!is_empty)
                continue;
            empty = empty.status == STATUS_OK ? *error : empty;
            text_printf(&left_out, "    %s: none legal, left out (%s)\n",
                        problem_title(&problem).text, error->text);
            error_clear(error);
            status = STATUS_OK;
        }
        if (status == STATUS_OK && first && empty.status != STATUS_OK) {
            *error = empty;
            status = error->status = STATUS_BAD_INPUT;
        } else if (status == STATUS_OK) {
            print_clean(stdout, "%s", text_string(&left_out));
        }
        text_free(&left_out);
    }
    if (status == STATUS_OK)
        status = landscape_judge(landscape, error);
    landscape_free(landscape);
    facts_free(&facts);
    return status;
}

/* Tells whether the run would use devices of the kind. Without a named device, the answer is yes
 * for all files. */
static bool kind_is_meant(const struct run *run, const struct device_api *api)
{
    const struct device_traits *traits = device_traits(api->kind);
    if (run->device_count > 0)
        return run_is_meant(run, api);
    return !traits->by_name_only &&
           (traits->is_gpu || !(run->text.architecture || run->text.device));
}

enum status run_dry(const struct run *run, struct error *error)
{
    struct session_experiment experiments[EXPERIMENTS_MAX];
    size_t shown = 0;
    size_t problems = 0;
    for (size_t i = 0; device_kinds[i]; i++) {
        if (!kind_is_meant(run, device_kinds[i]))
            continue;
        shown += experiments_of_kind(&run->experiments, device_kinds[i]->kind, experiments);
        TRY(print_kind(run, device_kinds[i], &problems, error));
    }
    const char *missing = NULL; /* requirement of a kind that this build lacks */
    for (size_t i = 0; i < device_traits_count && !missing; i++)
        missing = device_kind(device_traits_list[i].kind) ? NULL : device_traits_list[i].needs;
    if (shown == 0 && missing && (run->text.architecture || !run->text.device))
        return error_set(error, STATUS_UNAVAILABLE,
                         "the experiment is for a GPU, and this tune was built without %s; "
                         "'./bootstrap --with-toolkit tune' among its sources builds one with it",
                         missing);
    if (shown == 0)
        return error_set(error, STATUS_NOT_FOUND, "no experiment named here is for %s",
                         run->text.architecture ? "a GPU" : "that device");
    if (problems > 0)
        return STATUS_OK;
    for (size_t i = 0; i < run->experiments.count; i++)
        experiments[i] = (struct session_experiment){run->experiments.items[i],
                                                     run->experiments.wanted[i], NULL};
    return session_no_such_size(experiments, run->experiments.count, error);
}
