/* `tune apply`: runs a program with tuned.conf's launches in place of its own, and shows the
 * effect. `tune ab`: measures the effect on the program's time, also of programs that look launches
 * up by libtuned. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "frontends/capture/applied.h"
#include "libtuned/tuned.h"
#include "tuner/base/clock.h"
#include "tuner/base/files.h"
#include "tuner/base/hash.h"
#include "tuner/cli/commands.h"
#include "tuner/cli/preload.h"
#include "tuner/device/traits.h"
#include "tuner/stats/estimate.h"
#include "tuner/stats/summary.h"
#include "tuner/terminal/style.h"

enum { WORDS_MAX = 4096, REPEATS_MAX = 200, AB_REPEATS = 10, WHY_BYTES = 320 };

/* Runs of the unchanged program, or with tuned launches. */
struct side {
    double s[REPEATS_MAX];
    size_t count;
    int ended;                    /* status from waitpid of the first run ... */
    int ended_otherwise;          /* ... and of the last one that ended otherwise */
    size_t otherwise_count;       /* runs that ended otherwise */
    char output[HASH_TEXT_BYTES]; /* of the first run; `tune ab` */
    size_t other_output_count;    /* runs with another */
};

/* An entry of tuned.conf that is of a captured kernel. */
struct apply_entry {
    const struct tuned_entry *is;
    char why[WHY_BYTES]; /* reason why the row cannot be applied; "": applied */
    size_t row;
};

struct apply {
    const char *conf, *repeat;
    bool once;
    bool is_ab;                   /* `tune ab` ... */
    bool by_libtuned;             /* ... of a program that looks launches up */
    const char *words[WORDS_MAX]; /* tuned.conf, then program and arguments, NULL */
    const char *const *program;
    size_t repeats;
    struct tuned *tuned;
    struct arena arena;
    struct apply_entry *entries;
    size_t entry_count, other_count; /* others are of experiments with a source */
    struct apply_row *rows;
    size_t row_count;
    struct text texts;
    struct apply_counts_head launches; /* launches of the last run */
    struct apply_counts *counts;
    struct side plain, applied;
    off_t input_at; /* where our standard input stands before each run; -1: no file */
};

/* ---- the table ---- */

static uint32_t add_text(struct text *texts, const char *text)
{
    const uint32_t at = (uint32_t)texts->length;
    text_append_bytes(texts, text, strlen(text) + 1);
    return at;
}

/* Finds the entry's launch at the captured size; false: not in the file. */
static bool find_launch(const struct apply *apply, const struct tuned_entry *entry,
                        struct apply_launch *out)
{
    struct tuned_answer answer;
    struct tuned_launch launch;
    if (tuned_find(apply->tuned, tuned_entry_device(entry), tuned_entry_problem(entry),
                   tuned_entry_n(entry), &answer) != TUNED_EXACT ||
        answer.entry != entry || !tuned_answer_launch(&answer, 0, &launch) ||
        launch.shared_bytes < 0 || launch.shared_bytes > INT32_MAX)
        return false;
    for (size_t axis = 0; axis < 3; axis++) {
        if (launch.grid[axis] < 1 || launch.grid[axis] > INT32_MAX || launch.block[axis] < 1 ||
            launch.block[axis] > 1024 || launch.cluster[axis] < 1 || launch.cluster[axis] > 1024)
            return false;
        out->grid[axis] = (uint32_t)launch.grid[axis];
        out->block[axis] = (uint32_t)launch.block[axis];
        out->cluster[axis] = (uint32_t)launch.cluster[axis];
    }
    out->shared_bytes = (uint32_t)launch.shared_bytes;
    return out->block[0] * out->block[1] * out->block[2] <= 1024;
}

static bool has_cluster(const struct apply_launch *launch)
{
    return launch->cluster[0] * launch->cluster[1] * launch->cluster[2] > 1;
}

/* Finds the cluster of a row. The entry has the number of blocks; the shape may be absent: then the
 * program's own, or a line of blocks where the program has none (`cluster` is then a parameter). */
static bool find_cluster(const struct tuned_entry *entry, struct apply_row *row)
{
    const double blocks = tuned_evidence(entry, "cluster", 1);
    const uint32_t *from = row->from.cluster;
    uint32_t *to = row->to.cluster;
    if (!has_cluster(&row->to) && has_cluster(&row->from))
        memcpy(to, from, sizeof row->to.cluster);
    else if (!has_cluster(&row->to) && blocks > 1)
        to[0] = (uint32_t)tuned_integer(entry, "cluster", 1);
    return (double)to[0] * to[1] * to[2] == blocks &&
           (!has_cluster(&row->from) || memcmp(from, to, sizeof row->to.cluster) == 0);
}

/* Permits any other numbers in place of those that differed among the captured launches, where no
 * thread would be missing: as many threads along each axis, or blocks that go on by the grid. */
static bool may_have_others(const struct tuned_entry *entry, const struct apply_row *row)
{
    if (tuned_integer(entry, "blocks_per_sm", 0) > 0)
        return true;
    for (size_t axis = 0; axis < 3; axis++)
        if ((uint64_t)row->to.grid[axis] * row->to.block[axis] <
            (uint64_t)row->from.grid[axis] * row->from.block[axis])
            return false;
    return true;
}

/* Adds a row for the entry, or the reason why there is none. */
static void take_entry(struct apply *apply, struct apply_entry *entry)
{
    const struct tuned_device *device = tuned_entry_device(entry->is);
    const long long registers = tuned_integer(entry->is, "registers", 0);
    struct apply_row *row = &apply->rows[apply->row_count];
    const char *why = NULL;
    if (!applied_key_read(tuned_text(entry->is, "launched", ""), row) ||
        !applied_image_read(tuned_text(entry->is, "image", ""), row))
        why = "its line does not say which launch it is of";
    else if (registers > 0)
        (void)string_format(entry->why, sizeof entry->why,
                            "it won under a limit of %lld registers, for which the program would "
                            "need another image; 'tune run' with --only registers=0 tunes "
                            "without",
                            registers);
    else if (!(tuned_evidence(entry->is, "gain.program", 0) > 1))
        why = "it is not shown to be faster than the program's own launch";
    else if (!find_launch(apply, entry->is, &row->to))
        why = "the file has no launch for the size and device of its measurement";
    else if (!find_cluster(entry->is, row))
        why = "the file does not give its clusters";
    if (why)
        (void)string_format(entry->why, sizeof entry->why, "%s", why);
    if (entry->why[0] != '\0')
        return;
    if (!may_have_others(entry->is, row))
        row->word_count = 0;
    row->kernel = add_text(&apply->texts, tuned_text(entry->is, "kernel", ""));
    row->device = add_text(&apply->texts, device->name);
    row->major = device->compute_capability_major;
    row->minor = device->compute_capability_minor;
    row->sm_count = device->unit_count;
    entry->row = apply->row_count++;
}

static enum status make_table(struct apply *apply, struct error *error)
{
    struct tuned_error refused;
    apply->tuned = tuned_load(apply->conf, &refused);
    if (!apply->tuned)
        return error_set(error, STATUS_BAD_INPUT, "%s", refused.text);
    const size_t all = tuned_entry_count(apply->tuned);
    apply->entries = arena_alloc(&apply->arena, all + 1, sizeof *apply->entries);
    apply->rows = arena_alloc(&apply->arena, all + 1, sizeof *apply->rows);
    apply->counts = arena_alloc(&apply->arena, all + 1, sizeof *apply->counts);
    TRY_MEMORY(apply->entries && apply->rows && apply->counts);
    (void)add_text(&apply->texts, "");
    for (size_t i = 0; i < all; i++) {
        const struct tuned_entry *entry = tuned_entry_at(apply->tuned, i);
        const struct tuned_device *device = tuned_entry_device(entry);
        if (!device_traits(device->kind)->is_gpu || strcmp(device->name, "*") == 0)
            continue;
        if (!tuned_text(entry, "image", NULL) || tuned_integer(entry, "checked_on", 0) < 1) {
            apply->other_count++;
            continue;
        }
        apply->entries[apply->entry_count] = (struct apply_entry){.is = entry};
        take_entry(apply, &apply->entries[apply->entry_count++]);
    }
    TRY_MEMORY(!apply->texts.failed);
    apply->by_libtuned = apply->is_ab && apply->entry_count == 0;
    if (apply->by_libtuned && all == 0)
        return error_set(error, STATUS_NOT_FOUND, "%s: it has no entries", apply->conf);
    if (apply->entry_count == 0 && !apply->by_libtuned)
        return error_set(
            error, STATUS_NOT_FOUND,
            "%s: no entry is of a captured kernel; 'tune run --binary FILE.cap' writes "
            "such (docs/capture.md)",
            apply->conf);
    return STATUS_OK;
}

/* ---- running ---- */

/* Files and variables of the runs. */
struct run_setup {
    const char *folder;
    const char *library; /* NULL: the program looks launches up */
    const char *conf;    /* absolute path */
};

/* Passes a run's output on to ours, and hashes it. */
static enum status pass_output(int file, char hash[HASH_TEXT_BYTES], struct error *error)
{
    char part[1 << 16];
    ssize_t bytes = 0;
    struct hash_state *state = hash_start();
    TRY_MEMORY(state);
    for (off_t at = 0; (bytes = pread(file, part, sizeof part, at)) > 0; at += bytes) {
        hash_add(state, part, (size_t)bytes);
        (void)fwrite(part, 1, (size_t)bytes, stdout);
    }
    hash_finish(state, hash);
    (void)fflush(stdout);
    return bytes < 0 ? error_set_errno(error, errno, "the program's output") : STATUS_OK;
}

static enum status run_once(struct apply *apply, const struct run_setup *setup, bool is_plain,
                            bool counts, struct error *error)
{
    const char *library = is_plain ? NULL : setup->library;
    const struct process_variable variables[] = {
        {CAP_FOLDER_VARIABLE, NULL},
        {CAP_APPLY_FOLDER_VARIABLE, library ? setup->folder : NULL},
        {"TUNED_OFF", is_plain ? "1" : NULL},
        {"TUNED_CONF", setup->conf},
    };
    const size_t count = COUNT(variables) - (apply->is_ab ? 0 : 2);
    char output[HASH_TEXT_BYTES] = "-";
    int ended = 0;
    if (library)
        TRY(applied_write(setup->folder, apply->rows, apply->row_count, apply->texts.data,
                          apply->texts.length, error));
    if (apply->input_at >= 0)
        (void)lseek(STDIN_FILENO, apply->input_at, SEEK_SET);
    const int file = apply->is_ab ? memfd_create("output", MFD_CLOEXEC) : -1;
    const int64_t before = clock_now_ns();
    enum status status =
        preload_run(apply->program, library, variables, count, file, &ended, error);
    const double s = (double)(clock_now_ns() - before) / 1e9;
    if (status == STATUS_OK && file >= 0)
        status = pass_output(file, output, error);
    file_close(file);
    TRY(status);
    /* Adds a run to a side; an uncounted one only shows how the program ends. */
    struct side *side = is_plain ? &apply->plain : &apply->applied;
    const bool is_first = side->count == 0 && !side->output[0];
    if (is_first) {
        side->ended = ended;
        (void)string_format(side->output, sizeof side->output, "%s", output);
    } else if (ended != side->ended) {
        side->ended_otherwise = ended;
        side->otherwise_count++;
    }
    side->other_output_count += strcmp(output, side->output) != 0;
    if (counts)
        side->s[side->count++] = s;
    if (library)
        TRY(applied_counts(setup->folder, &apply->launches, apply->counts, apply->row_count,
                           error));
    if (WIFSIGNALED(ended) && (WTERMSIG(ended) == SIGINT || WTERMSIG(ended) == SIGTERM))
        return error_set(error, STATUS_INTERRUPTED, "%s was ended by signal %d", apply->program[0],
                         WTERMSIG(ended));
    return STATUS_OK;
}

static enum status set_up(struct apply *apply, struct temporary *folder, struct run_setup *setup,
                          struct error *error)
{
    if (!apply->by_libtuned) {
        TRY(preload_library(&apply->arena, &setup->library, error));
        TRY(preload_folder(NULL, &apply->arena, folder, error));
    }
    char *conf = realpath(apply->conf, NULL);
    setup->folder = folder->path;
    setup->conf = arena_strdup(&apply->arena, conf ? conf : apply->conf);
    free(conf);
    return setup->conf ? STATUS_OK : error_no_memory(error);
}

/* ---- output ---- */

static void append_dimensions(struct text *out, const char *name, const uint32_t d[3])
{
    text_printf(out, "%s %" PRIu32, name, d[0]);
    if (d[1] > 1 || d[2] > 1)
        text_printf(out, "x%" PRIu32, d[1]);
    if (d[2] > 1)
        text_printf(out, "x%" PRIu32, d[2]);
}

static void append_launch(struct text *out, const struct apply_launch *launch)
{
    append_dimensions(out, "grid", launch->grid);
    append_dimensions(out, ", block", launch->block);
    if (has_cluster(launch))
        append_dimensions(out, ", cluster", launch->cluster);
    if (launch->shared_bytes > 0)
        text_printf(out, ", dynamic shared %" PRIu32 " B", launch->shared_bytes);
}

/* Appends the reason why a row's launch replaced none, from the last comparison that matched. */
static void append_why(struct text *out, const struct apply *apply, const struct apply_row *row,
                       const struct apply_counts *counts)
{
    const uint64_t *count = counts->count;
    char kernel[256];
    captured_plain_name(apply->texts.data + row->kernel, kernel, sizeof kernel);
    if (count[APPLY_NAMED] == 0) {
        text_printf(out, "%s was not launched", kernel);
    } else if (count[APPLY_IMAGE] == 0) {
        text_printf(out,
                    "%s was launched %s, but of another image: the program was built anew since "
                    "the capture, or is another",
                    kernel, count_text(count[APPLY_NAMED], "time").text);
    } else if (count[APPLY_SHAPED] == 0) {
        text_printf(out, "%s was launched %s, never with ", kernel,
                    count_text(count[APPLY_IMAGE], "time").text);
        append_launch(out, &row->from);
    } else if (count[APPLY_PASSED] == 0) {
        text_printf(out, "%s was launched %s with ", kernel,
                    count_text(count[APPLY_SHAPED], "time").text);
        append_launch(out, &row->from);
        text_append(out, ", always with other numbers than it was tuned with");
    } else if (count[APPLY_ON_DEVICE] == 0) {
        text_printf(out, "it was tuned on %s, and launched on another device",
                    apply->texts.data + row->device);
    } else if (count[APPLY_SHADOWED] > 0) {
        text_append(out, "an entry before it has the same launches");
    } else if (count[APPLY_CAPTURING] > 0) {
        text_printf(out, "%s in a graph or cooperative: left alone",
                    count_text(count[APPLY_CAPTURING], "launch").text);
    } else if (count[APPLY_REFUSED] > 0) {
        text_printf(out,
                    "the driver refused it (error %" PRId64 "): launched as the program has it",
                    counts->error);
    } else {
        text_printf(out, "the program's own launch is the winner (%" PRIu64 " such)",
                    count[APPLY_ON_DEVICE]);
    }
}

static void print_entry(const struct apply *apply, const struct apply_entry *entry)
{
    struct text line = {0};
    text_printf(&line, "tune: %s n=%lld: ", tuned_entry_problem(entry->is),
                tuned_entry_n(entry->is));
    if (entry->why[0] != '\0') {
        text_printf(&line, "not applied: %s", entry->why);
    } else {
        const struct apply_row *row = &apply->rows[entry->row];
        const struct apply_counts *counts = &apply->counts[entry->row];
        const uint64_t changed = counts->count[APPLY_CHANGED];
        const uint64_t all = counts->count[APPLY_ON_DEVICE];
        if (changed > 0) {
            char kernel[256];
            captured_plain_name(apply->texts.data + row->kernel, kernel, sizeof kernel);
            text_printf(&line, "%" PRIu64 " of %s of %s changed, from ", changed,
                        count_text(counts->count[APPLY_NAMED], "launch").text, kernel);
            append_launch(&line, &row->from);
            text_append(&line, " to ");
            append_launch(&line, &row->to);
            if (changed < all)
                text_printf(&line, "; %" PRIu64 " like them stayed (graphs, or refused)",
                            all - changed);
        } else {
            text_append(&line, "nothing changed: ");
            append_why(&line, apply, row, counts);
        }
    }
    print_clean(stderr, "%s\n", text_string(&line));
    text_free(&line);
}

static void print_times(struct apply *apply)
{
    const size_t count = apply->repeats;
    double logs[REPEATS_MAX];
    if (apply->once) {
        fprintf(stderr, "tune: wall time: %.4g s with tuned launches\n", apply->applied.s[0]);
        return;
    }
    if (count == 1) {
        fprintf(
            stderr,
            "tune: wall time: %.4g s as it is, %.4g s with tuned launches; one run of each says "
            "little: --repeat 7\n",
            apply->plain.s[0], apply->applied.s[0]);
        return;
    }
    for (size_t i = 0; i < count; i++)
        logs[i] = log(apply->plain.s[i] / apply->applied.s[i]);
    const struct interval gain = hodges_lehmann(logs, count, normal_quantile(0.975));
    const struct summary plain = summarize(apply->plain.s, count);
    const struct summary applied = summarize(apply->applied.s, count);
    print_clean(stderr,
                "tune: wall time, the median of %s each: %.4g s as it is (%.4g to %.4g s), %.4g s "
                "with tuned launches (%.4g to %.4g s)\n",
                count_text(count, "run").text, plain.median, plain.minimum, plain.maximum,
                applied.median, applied.minimum, applied.maximum);
    if (!isfinite(gain.low) || !isfinite(gain.high))
        fprintf(stderr, "tune: too few runs for an interval of the gain: --repeat 7\n");
    else if (gain.low > 0 || gain.high < 0)
        fprintf(stderr, "tune: %.3f times as fast with tuned launches (%.3f to %.3f, at 95 %%)\n",
                exp(gain.estimate), exp(gain.low), exp(gain.high));
    else
        fprintf(stderr,
                "tune: no faster and no slower with tuned launches: %.3f to %.3f times as fast, at "
                "95 %%; more runs (--repeat) narrow this down\n",
                exp(gain.low), exp(gain.high));
}

static void append_end(struct text *out, int ended)
{
    if (WIFSIGNALED(ended))
        text_printf(out, "by signal %d", WTERMSIG(ended));
    else
        text_printf(out, "with exit code %d", WEXITSTATUS(ended));
}

/* Appends how the runs of a side ended: "with exit code 0, but in 2 of 10 runs by signal 11". */
static void append_ends(struct text *out, const struct side *side)
{
    append_end(out, side->ended);
    if (side->otherwise_count == 0)
        return;
    text_printf(out, ", but in %zu of %s ", side->otherwise_count,
                count_text(side->count, "run").text);
    append_end(out, side->ended_otherwise);
}

static enum status say(struct apply *apply, struct error *error)
{
    const char *word = getenv(CAP_APPLY_VARIABLE), *program = apply->program[0];
    const bool is_off = !apply->by_libtuned && word && strcmp(word, "off") == 0;
    uint64_t changed = 0;
    const bool is_seen = apply->launches.processes > 0;
    for (size_t i = 0; i < apply->entry_count && is_seen; i++)
        print_entry(apply, &apply->entries[i]);
    for (size_t i = 0; i < apply->row_count; i++)
        changed += apply->counts[i].count[APPLY_CHANGED];
    if (is_off)
        fprintf(stderr, "tune: " CAP_APPLY_VARIABLE "=off: all launches passed as they are\n");
    else if (is_seen)
        print_clean(stderr, "tune: %" PRIu64 " of %s changed\n", changed,
                    count_text(apply->launches.launches, "launch").text);
    if (apply->launches.graph_nodes > 0)
        print_clean(stderr, "tune: %s added to graphs, left alone\n",
                    count_text(apply->launches.graph_nodes, "node").text);
    if (apply->other_count > 0 && !apply->by_libtuned)
        print_clean(stderr,
                    "tune: %s of experiments with a source left out: their programs use libtuned\n",
                    count_text(apply->other_count, "entry").text);
    const struct side *plain = &apply->plain, *applied = &apply->applied;
    const bool alike = apply->once || (plain->ended == applied->ended &&
                                       plain->otherwise_count + applied->otherwise_count == 0);
    if (!is_off && alike)
        print_times(apply);
    if (!is_off && applied->count > 0 && plain->other_output_count == 0 &&
        strcmp(applied->output, plain->output) != 0 && apply->is_ab)
        fprintf(stderr,
                "tune: the program's output is another with tuned launches, and always the same "
                "without: compare the results\n");
    struct text end = {0};
    enum status status = STATUS_OK;
    if (!is_off && !is_seen && !apply->by_libtuned) {
        status = preload_no_launch(program, applied->ended, error);
    } else if (!alike) {
        text_append(&end, "with tuned launches it ended ");
        append_ends(&end, applied);
        text_append(&end, ", as it is ");
        append_ends(&end, plain);
        status = error_set(error, STATUS_NOT_HELD, "%s: %s", program, text_string(&end));
    } else if (applied->ended != 0) {
        append_end(&end, applied->ended);
        print_clean(stderr, "tune: %s ended %s%s\n", program, text_string(&end),
                    apply->once ? "" : ", as it does by itself");
    }
    text_free(&end);
    return status;
}

/* ---- the command ---- */

static enum status take_words(struct apply *apply, int argc, char **argv, size_t count,
                              struct error *error)
{
    int behind = 0; /* words behind "--" */
    long long repeats = apply->is_ab ? AB_REPEATS : 1;
    for (int i = 1; i < argc && behind == 0; i++)
        if (strcmp(argv[i], "--") == 0)
            behind = argc - i - 1;
    if (behind == 0 || (size_t)behind > count)
        return error_set(error, STATUS_USAGE,
                         "name the program: tune %s tuned.conf -- ./app ARGUMENTS",
                         apply->is_ab ? "ab" : "apply");
    const size_t before = count - (size_t)behind;
    if (before > 1)
        return error_set(error, STATUS_USAGE, "one tuned.conf at a time: '%s' or '%s'",
                         apply->words[0], apply->words[1]);
    apply->conf = before == 1 ? apply->words[0] : "tuned.conf";
    apply->program = apply->words + before;
    if (apply->once && apply->repeat)
        return error_set(error, STATUS_USAGE, "--once and --repeat %s: one of them", apply->repeat);
    const enum status status =
        apply->repeat ? option_integer("repeat", apply->repeat, 1, REPEATS_MAX, &repeats, error)
                      : STATUS_OK;
    apply->repeats = (size_t)repeats;
    return status;
}

static enum status apply_run(const struct command *command, int argc, char **argv,
                             struct error *error)
{
    const bool is_ab = command == &command_ab;
    struct apply *apply = calloc(1, sizeof *apply);
    size_t count = 0;
    TRY_MEMORY(apply);
    apply->is_ab = is_ab;
    const struct option_spec options[] = {
        OPTION_TEXT("repeat", "N", &apply->repeat,
                    is_ab ? "run it N times each way, alternately (default: 10)"
                          : "run it N times each way, alternately (default: 1), and print the "
                            "medians and the speed-up with its interval"),
        OPTION_FLAG("once", &apply->once, "run the program once, with tuned launches"),
    };
    enum status status = STATUS_OK;
    TRY_OR_CLEANUP(options_parse(command, options, COUNT(options) - (is_ab ? 1 : 0), argc, argv,
                                 apply->words, WORDS_MAX - 1, &count, error));
    TRY_OR_CLEANUP(take_words(apply, argc, argv, count, error));
    TRY_OR_CLEANUP(make_table(apply, error));
    /* Runs program and changed program in turns, each first equally often, so that drift affects
     * both alike. */
    struct temporary folder = {.file = -1};
    struct run_setup setup = {0};
    status = set_up(apply, &folder, &setup, error);
    apply->input_at = lseek(STDIN_FILENO, 0, SEEK_CUR);
    if (status == STATUS_OK && apply->is_ab) /* not counted: caches are cold */
        status = run_once(apply, &setup, true, false, error);
    for (size_t i = 0; i < apply->repeats; i++)
        for (size_t turn = 0; turn < 2 && status == STATUS_OK; turn++) {
            const bool is_plain = (i + turn) % 2 == 0;
            if (!is_plain || !apply->once)
                status = run_once(apply, &setup, is_plain, true, error);
        }
    temporary_folder_remove(&folder);
    TRY_OR_CLEANUP(status);
    TRY_OR_CLEANUP(say(apply, error));
cleanup:
    tuned_free(apply->tuned);
    text_free(&apply->texts);
    arena_free(&apply->arena);
    free(apply);
    return status;
}

const struct command command_ab = {
    .name = "ab",
    .usage = "[tuned.conf] [options] -- PROGRAM [ARGUMENT...]",
    .about = "Measures how much faster a whole program is with tuned.conf.",
    .more =
        "Runs the program with and without tuned launches in turns, each time in a new process, "
        "after one uncounted run. A program that uses libtuned finds the file (TUNED_CONF), or "
        "none (TUNED_OFF=1); other programs get the launches that tune run --binary found, "
        "as by tune apply.",
    .manual =
        "Standard error has the wall times, and the gain with its interval at 95 %; where "
        "the interval holds 1, the program is no faster and no slower. Runs that end otherwise "
        "than "
        "the program by itself are an error, and another output is named. A file that the program "
        "names itself precedes the given one (docs/libtuned.md).",
    .run = apply_run,
};

const struct command command_apply = {
    .name = "apply",
    .usage = "[tuned.conf] [options] -- PROGRAM [ARGUMENT...]",
    .about = "Runs a program with the launches that tune run --binary found for it.",
    .more =
        "Runs the program twice: as it is, and with a library in front of the driver (LD_PRELOAD) "
        "that replaces launches of the same image and kernel, "
        "with the same grid, block and numbers, on the same device. TUNE_APPLY=off replaces none.",
    .manual = "Numbers that differed among three or more captured launches need not be the same. "
              "Standard error lists the replaced launches with counts and replacements, the "
              "entries that met no launch and why, and the wall time both ways (docs/capture.md). "
              "The exit code is not 0 if the program ends differently with tuned launches.",
    .run = apply_run,
};
