/* libtuned: files of format 5 with random contents. All written values are read back, and each
 * look-up agrees with a search through all entries, with further sizes, limits and capabilities. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libtuned/tuned.h"
#include "load.h"
#include "tests/unit/suite.h"

enum {
    DEVICES = 4,
    PROBLEMS = 4,
    LINES = 160,
    SIZES = 3,
    TEXT = 24,
    WORLDS = 60,
    QUESTIONS = 1200
};

struct span {
    long long low, high;
};

struct line {
    int device, problem, id, number;
    struct span spans[SIZES]; /* the first is n */
    long long at[SIZES];      /* below 0: the line does not tell */
    long long integer, grid, threads, shared_bytes, registers, cluster;
    int least, most; /* compute capability, 90 is 9.0; 0: the line does not tell */
    double real, time_ns;
    char text[TEXT], odd[TEXT];
};

struct world {
    struct tuned_device devices[DEVICES];
    char names[DEVICES][TEXT], compilers[DEVICES][TEXT];
    int size_counts[PROBLEMS]; /* n included */
    struct line lines[LINES];
    size_t count;
    int majors; /* major capabilities on which the portable section was measured, as bits; 0: not
                   given */
    enum tuned_grade least_grade;
    double size_factor;
};

static uint64_t seed;

static long long draw(long long bound)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (long long)((seed >> 11) % (uint64_t)bound);
}

/* Characters to which the format gives a meaning, and some beyond ASCII. */
static void draw_text(char out[TEXT])
{
    static const char *const pieces[] = {"a",  "Z", "_", ".", "-",  "|", " ", "#", "=", "\"",
                                         "\\", "[", "]", "@", "\t", ",", "'", "é", "∞", "end"};
    out[0] = '\0';
    for (long long i = draw(9); i > 0 && strlen(out) < TEXT - 4; i--)
        strcat(out, pieces[draw(sizeof pieces / sizeof *pieces)]);
}

/* ---- making ---- */

static void draw_devices(struct world *world)
{
    for (int i = 0; i < DEVICES; i++) {
        draw_text(world->names[i]);
        draw_text(world->compilers[i]);
        (void)sprintf(world->names[i] + strlen(world->names[i]), "%d", i);
        world->devices[i] = (struct tuned_device){
            .kind = "cuda",
            .name = world->names[i],
            .compute_capability_major = 7 + (int)draw(4),
            .compute_capability_minor = (int)draw(2),
            .unit_count = 1 + (int)draw(200),
            .memory_bytes = draw(1LL << 40),
            .bandwidth_gbs = draw(2) ? (double)draw(8000) / 2 : 0,
        };
    }
    world->devices[0].name = "*"; /* for all devices */
    world->devices[0].compute_capability_major = 0;
    world->majors = draw(3) ? (int)draw(16) << 7 : 0;
    world->least_grade = draw(2) ? TUNED_FAR_DEVICE : (enum tuned_grade)draw(TUNED_EXACT + 1);
    world->size_factor = draw(2) ? 1e19 : (double)draw(20);
}

static int is_taken(const struct world *world, const struct line *line)
{
    for (size_t i = 0; i < world->count; i++) {
        const struct line *other = &world->lines[i];
        int count = world->size_counts[line->problem];
        if (other->device != line->device || other->problem != line->problem)
            continue;
        if (count == 1 && other->spans[0].low <= line->spans[0].high &&
            line->spans[0].low <= other->spans[0].high)
            return 1;
        if (memcmp(other->spans, line->spans, (size_t)count * sizeof *line->spans) == 0)
            return 1;
    }
    return 0;
}

static void draw_lines(struct world *world)
{
    world->count = 0;
    for (int i = 0; i < LINES; i++) {
        struct line line = {.device = (int)draw(DEVICES), .problem = (int)draw(PROBLEMS), .id = i};
        for (int j = 0; j < world->size_counts[line.problem]; j++) {
            long long low = draw(1LL << (1 + draw(16)));
            line.spans[j] = (struct span){low, draw(2) ? low : low + draw(low + 2)};
        }
        for (int j = 0; j < SIZES; j++) { /* none, the first ones, all */
            const struct span *span = &line.spans[j];
            const int is_told = j < world->size_counts[line.problem] && draw(j == 0 ? 2 : 4) &&
                                (j == 0 || line.at[j - 1] >= 0);
            line.at[j] = is_told ? span->low + draw(span->high - span->low + 1) : -1;
        }
        line.integer = (long long)((uint64_t)draw(1LL << 40) << draw(24)) * (draw(2) ? 1 : -1);
        line.grid = 1 + draw(100000);
        line.threads = draw(1025);
        line.shared_bytes = draw(100000);
        line.registers = draw(256);
        line.cluster = draw(2) ? 0 : 1LL << draw(5);
        line.least = draw(2) ? 0 : 10 * (int)(7 + draw(4)) + (int)draw(2);
        line.most = line.least && draw(2) ? line.least + (int)draw(20) : 0;
        line.real = ((double)draw(2000001) - 1e6) / 64;
        line.time_ns = (double)draw(1000000) / 8;
        draw_text(line.text);
        draw_text(line.odd);
        if (!is_taken(world, &line))
            world->lines[world->count++] = line;
    }
}

/* ---- writing ---- */

static size_t write_quoted(char *out, const char *before, const char *text)
{
    size_t length = (size_t)sprintf(out, "%s\"", before);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            out[length++] = '\\';
        out[length++] = *text;
    }
    out[length++] = '"';
    return length;
}

static size_t write_span(char *out, const char *name, struct span span)
{
    size_t length = (size_t)sprintf(out, " %s%lld", name, span.low);
    if (span.low < span.high || draw(4) == 0)
        length += (size_t)sprintf(out + length, "-%lld", span.high);
    return length;
}

static size_t write_line(char *out, const struct world *world, const struct line *line)
{
    static const char *const names[SIZES] = {"n=", "m@", "k.x@"};
    size_t length = (size_t)sprintf(out, "p%d", line->problem);
    for (int i = 0; i < world->size_counts[line->problem]; i++)
        length += write_span(out + length, names[i], line->spans[i]);
    length +=
        (size_t)sprintf(out + length, draw(2) ? " id=%d integer=%lld" : "\tid=%d  integer=%lld",
                        line->id, line->integer);
    length += (size_t)sprintf(out + length, " grid=%lld real=%.17g", line->grid, line->real);
    length += write_quoted(out + length, " text=", line->text);
    length += (size_t)sprintf(out + length, " | time_ns=%.17g per_unit=other,grid", line->time_ns);
    for (int i = 0; i < SIZES && line->at[i] >= 0; i++)
        length += (size_t)sprintf(out + length, i == 0 ? " at=%lld" : ",%lld", line->at[i]);
    length += write_quoted(out + length, " odd.field-1=", line->odd);
    length += (size_t)sprintf(out + length, " threads=%lld registers=%lld shared_bytes=%lld",
                              line->threads, line->registers, line->shared_bytes);
    if (line->cluster > 0)
        length += (size_t)sprintf(out + length, " cluster=%lld", line->cluster);
    if (line->least > 0)
        length +=
            (size_t)sprintf(out + length, " capability=%d.%d", line->least / 10, line->least % 10);
    if (line->most > 0)
        length += (size_t)sprintf(out + length, "-%d.%d", line->most / 10, line->most % 10);
    return length + (size_t)sprintf(out + length, draw(8) ? "\n" : "\r\n");
}

static struct tuned *write_and_load(struct world *world)
{
    enum { BYTES = 512 * (LINES + DEVICES) };
    char *text = malloc(BYTES);
    int number = 1;
    assert_non_null(text);
    size_t length = (size_t)sprintf(text, "tuned-conf 5\n");
    for (int i = 0; i < DEVICES; i++) {
        const struct tuned_device *device = &world->devices[i];
        length += write_quoted(text + length, "[cuda ", device->name);
        length += (size_t)sprintf(text + length, "] compute_capability=%d.%d sm_count=%d",
                                  device->compute_capability_major,
                                  device->compute_capability_minor, device->unit_count);
        length += (size_t)sprintf(text + length, " memory_bytes=%lld bandwidth_gbs=%.17g",
                                  device->memory_bytes, device->bandwidth_gbs);
        length += write_quoted(text + length, " compiler=", world->compilers[i]);
        for (int major = 7, first = 1; i == 0 && major < 11; major++)
            if (world->majors >> major & 1) {
                length += (size_t)sprintf(text + length, first ? " capabilities=%d" : ",%d", major);
                first = 0;
            }
        text[length++] = '\n';
        number++;
        for (size_t j = world->count; j-- > 0;) /* backwards, so that the reader has to sort */
            if (world->lines[j].device == i) {
                if (draw(10) == 0) {
                    length += (size_t)sprintf(text + length, "\t# \xe2\x88\x9e \" remark\n");
                    number++;
                }
                world->lines[j].number = ++number;
                length += write_line(text + length, world, &world->lines[j]);
            }
    }
    length += (size_t)sprintf(text + length, "end\n");
    assert_true(length < BYTES);
    struct tuned *tuned = load_with(text, world->least_grade, world->size_factor);
    free(text);
    return tuned;
}

/* ---- entries that come back ---- */

static void assert_line(const struct world *world, const struct line *line,
                        const struct tuned_entry *entry)
{
    char name[16];
    const struct tuned_device *device = &world->devices[line->device];
    const struct tuned_device *found = tuned_entry_device(entry);
    (void)sprintf(name, "p%d", line->problem);
    assert_string_equal(tuned_entry_problem(entry), name);
    assert_int_equal(tuned_entry_line(entry), line->number);
    assert_string_equal(found->name, device->name);
    assert_int_equal(found->unit_count, device->unit_count);
    assert_int_equal(found->memory_bytes, device->memory_bytes);
    assert_true(found->bandwidth_gbs == device->bandwidth_gbs);
    assert_int_equal(found->compute_capability_major, device->compute_capability_major);
    assert_int_equal(found->compute_capability_minor, device->compute_capability_minor);
    assert_string_equal(tuned_device_text(entry, "compiler", "?"), world->compilers[line->device]);
    assert_int_equal(tuned_value_count(entry), 5);
    assert_int_equal(tuned_integer(entry, "integer", 1), line->integer);
    assert_int_equal(tuned_integer(entry, "grid", 1), line->grid);
    assert_true(tuned_real(entry, "real", 1e300) == line->real);
    assert_string_equal(tuned_text(entry, "text", "?"), line->text);
    assert_true(tuned_expected_ns(entry) == line->time_ns);
    assert_string_equal(tuned_evidence_text(entry, "odd.field-1", "?"), line->odd);
    assert_true(tuned_evidence(entry, "registers", -1) == (double)line->registers);
    assert_int_equal(tuned_entry_n_low(entry), line->spans[0].low);
    assert_int_equal(tuned_entry_n_high(entry), line->spans[0].high);
    assert_int_equal(tuned_entry_n(entry), line->at[0] < 0 ? line->spans[0].low : line->at[0]);
    long long low = 0, high = 0;
    for (int i = 1; i < world->size_counts[line->problem]; i++) {
        assert_string_equal(tuned_entry_size_at(entry, (size_t)i - 1, &low, &high),
                            i == 1 ? "m" : "k.x");
        assert_int_equal(low, line->spans[i].low);
        assert_int_equal(high, line->spans[i].high);
    }
    assert_null(
        tuned_entry_size_at(entry, (size_t)world->size_counts[line->problem] - 1, &low, &high));
}

static void assert_all(const struct world *world, const struct tuned *tuned)
{
    assert_int_equal(tuned_entry_count(tuned), world->count);
    for (size_t i = 0; i < world->count; i++) {
        const struct tuned_entry *entry = tuned_entry_at(tuned, i);
        size_t at = 0;
        while (at < world->count && world->lines[at].id != tuned_integer(entry, "id", -1))
            at++;
        assert_true(at < world->count);
        assert_line(world, &world->lines[at], entry);
    }
}

/* ---- look-ups ---- */

struct question {
    struct tuned_device device;
    int problem;
    long long n;
    struct tuned_size sizes[SIZES];
    size_t size_count;
};

struct expected {
    const struct line *line;
    enum tuned_grade grade;
    double distance;
};

static double ratio_of(double a, double b)
{
    a = a < 1 ? 0.5 : a;
    b = b < 1 ? 0.5 : b;
    return a > b ? a / b : b / a;
}

/* Tells whether the section was measured on devices of this major compute capability. */
static int is_of_major(const struct world *world, int device, const struct tuned_device *here)
{
    int major = here->compute_capability_major;
    return device == 0 ? world->majors >> major & 1
                       : world->devices[device].compute_capability_major == major;
}

static int fits(const struct world *world, const struct line *line,
                const struct tuned_device *device)
{
    int capability = device->compute_capability_major * 10 + device->compute_capability_minor;
    int least =
        line->least ? line->least : world->devices[line->device].compute_capability_major * 10;
    long long cluster = device->max_cluster_blocks;
    if (cluster == 0)
        cluster = capability < 90 ? 1 : is_of_major(world, line->device, device) ? 16 : 8;
    if (capability < least || (line->most && capability > line->most) || line->cluster > cluster ||
        (device->unit_count > 0 && line->cluster > device->unit_count))
        return 0;
    long long registers = (line->registers + 7) / 8 * 8 * ((line->threads + 31) / 32 * 32);
    return (device->max_threads_per_block == 0 || line->threads <= device->max_threads_per_block) &&
           (device->max_shared_bytes == 0 || line->shared_bytes <= device->max_shared_bytes) &&
           (device->registers_per_unit == 0 || registers <= device->registers_per_unit);
}

/* Tells whether all sizes are among the line's; *ratio is their distance. */
static int is_within(const struct world *world, const struct line *line,
                     const struct question *question, double *ratio)
{
    static const char *const names[] = {"n", "m", "k.x"};
    int within = 1;
    *ratio = 1;
    for (int i = 0; i < world->size_counts[line->problem]; i++) {
        const struct span *span = &line->spans[i];
        long long size = question->n;
        size_t at = 0;
        while (i > 0 && at < question->size_count &&
               strcmp(question->sizes[at].name, names[i]) != 0)
            at++;
        if (i > 0 && at == question->size_count) {
            within = 0;
            continue;
        }
        size = i > 0 ? question->sizes[at].size : size;
        if (size >= span->low && size <= span->high)
            continue;
        within = 0;
        *ratio *= ratio_of((double)(size < span->low ? span->low : span->high), (double)size);
    }
    return within;
}

/* Returns the nearest line. Lines are sorted, so the first of equally near ones counts. */
static const struct line *nearest(const struct world *world, int device,
                                  const struct question *question, int *within, double *ratio)
{
    const struct line *best = NULL;
    for (size_t i = 0; i < world->count; i++) {
        const struct line *line = &world->lines[i];
        double its_ratio = 0;
        if (line->device != device || line->problem != question->problem ||
            !fits(world, line, &question->device))
            continue;
        int is = is_within(world, line, question, &its_ratio);
        if (!is && its_ratio > (world->size_factor > 0 ? world->size_factor : 8))
            continue;
        if (best && (is < *within || (is == *within && its_ratio >= *ratio)))
            continue;
        best = line;
        *within = is;
        *ratio = its_ratio;
    }
    return best;
}

static enum tuned_grade grade_device(const struct world *world, int device,
                                     const struct tuned_device *here)
{
    const struct tuned_device *found = &world->devices[device];
    int same_major = found->compute_capability_major == here->compute_capability_major;
    if (device == 0)
        return !world->majors                ? TUNED_DEFAULT
               : is_of_major(world, 0, here) ? TUNED_PORTABLE
                                             : TUNED_FAR_DEVICE;
    if (strcmp(found->name, here->name) == 0 && found->unit_count == here->unit_count &&
        same_major && found->compute_capability_minor == here->compute_capability_minor)
        return TUNED_EXACT;
    return same_major ? TUNED_OTHER_DEVICE : TUNED_FAR_DEVICE;
}

/* Fills in the keys of a device's distance; smaller is nearer; the last is that of units and
 * bandwidth. */
static void rank_device(const struct tuned_device *found, const struct tuned_device *here,
                        double keys[5])
{
    int knows_bandwidth = found->bandwidth_gbs > 0 && here->bandwidth_gbs > 0;
    int knows_memory = found->memory_bytes > 0 && here->memory_bytes > 0;
    keys[0] = found->compute_capability_major == here->compute_capability_major &&
              found->compute_capability_minor != here->compute_capability_minor;
    keys[1] = !knows_bandwidth;
    keys[2] = (strcmp(found->name, "*") == 0 ? 1 : ratio_of(found->unit_count, here->unit_count)) *
              (knows_bandwidth ? ratio_of(found->bandwidth_gbs, here->bandwidth_gbs) : 1);
    keys[3] = strcmp(found->name, here->name) != 0;
    keys[4] =
        knows_memory ? ratio_of((double)found->memory_bytes, (double)here->memory_bytes) : 1e300;
}

/* Returns the grade of a line of this very device. */
static enum tuned_grade grade_sizes(const struct world *world, const struct line *line,
                                    const struct question *question)
{
    double ratio = 0;
    if (!is_within(world, line, question, &ratio))
        return TUNED_NEAREST_SIZE;
    for (int i = 0; i < world->size_counts[question->problem]; i++) {
        const struct span *span = &line->spans[i];
        long long size = question->n;
        for (size_t k = 0; i > 0 && k < question->size_count; k++)
            if (strcmp(question->sizes[k].name, i == 1 ? "m" : "k.x") == 0)
                size = question->sizes[k].size;
        if (size != (line->at[i] < 0 && span->low == span->high ? span->low : line->at[i]))
            return TUNED_IN_RANGE;
    }
    return TUNED_EXACT;
}

static struct expected expect(const struct world *world, const struct question *question)
{
    struct expected best = {NULL, TUNED_NONE, 0};
    double best_keys[5] = {0}, keys[5];
    for (int i = 0; i < DEVICES && question->n >= 0; i++) {
        double ratio = 0;
        int within = 0, nearer = 0;
        const struct line *line = nearest(world, i, question, &within, &ratio);
        enum tuned_grade grade = grade_device(world, i, &question->device);
        int is_own = grade == TUNED_EXACT;
        if (line && is_own)
            grade = grade_sizes(world, line, question);
        rank_device(&world->devices[i], &question->device, keys);
        while (nearer < 4 && keys[nearer] == best_keys[nearer])
            nearer++;
        enum tuned_grade least = world->least_grade ? world->least_grade : TUNED_DEFAULT;
        if (!line || grade < least || grade < best.grade ||
            (grade == best.grade && !(keys[nearer] < best_keys[nearer])))
            continue;
        memcpy(best_keys, keys, sizeof keys);
        best = (struct expected){line, grade, ratio * (is_own ? 1 : keys[2]) - 1};
    }
    return best;
}

static struct question draw_question(const struct world *world)
{
    static const char *const names[] = {"k.x", "m", "unknown"};
    struct question out = {.device = world->devices[draw(DEVICES)],
                           .problem = (int)draw(PROBLEMS),
                           .n = draw(8) ? draw(1LL << (1 + draw(17))) : -5};
    if (draw(3) == 0) { /* a device that is not in the file; '*' is none */
        out.device.compute_capability_major = 6 + (int)draw(6);
        out.device.unit_count = 1 + (int)draw(200);
        out.device.bandwidth_gbs = draw(2) ? (double)draw(8000) : 0;
    }
    if (draw(2) == 0 || strcmp(out.device.name, "*") == 0)
        out.device.name = "none of these";
    if (draw(2)) {
        out.device.max_threads_per_block = (int)draw(1200);
        out.device.max_shared_bytes = draw(2) ? draw(110000) : 0;
        out.device.registers_per_unit = draw(2) ? (int)draw(270000) : 0;
        out.device.max_cluster_blocks = draw(2) ? (int)draw(18) : 0;
    }
    out.size_count = (size_t)draw(SIZES + 1);
    for (size_t i = 0; i < out.size_count; i++)
        out.sizes[i] = (struct tuned_size){names[i], draw(1LL << (1 + draw(17)))};
    return out;
}

static void assert_found(const struct world *world, const struct tuned *tuned,
                         const struct question *question)
{
    char name[16];
    struct tuned_answer answer, resolved;
    struct tuned_handle handle;
    struct expected expected = expect(world, question);
    (void)sprintf(name, "p%d", question->problem);
    enum tuned_grade grade = tuned_find_sizes(tuned, &question->device, name, question->n,
                                              question->sizes, question->size_count, &answer);
    assert_int_equal(grade, expected.grade);
    (void)tuned_resolve(tuned, &question->device, name, &handle);
    assert_int_equal(tuned_find_resolved_sizes(&handle, question->n, question->sizes,
                                               question->size_count, &resolved),
                     grade);
    assert_ptr_equal(resolved.entry, answer.entry);
    if (!expected.line) {
        assert_null(answer.entry);
        return;
    }
    assert_int_equal(tuned_integer(answer.entry, "id", -1), expected.line->id);
    assert_true(answer.distance == expected.distance && resolved.distance == expected.distance);
    /* Scaled by units, rounded to the nearest, at least one. */
    long long had = tuned_entry_device(answer.entry)->unit_count;
    long long grid = (expected.line->grid * question->device.unit_count * 2 + had) / (2 * had);
    assert_int_equal(tuned_answer_integer(&answer, "grid", 0), grid > 0 ? grid : 1);
    assert_int_equal(tuned_answer_integer(&answer, "integer", 0), expected.line->integer);
}

static int order_lines(const void *a, const void *b)
{
    const struct line *left = a, *right = b;
    for (int i = 0; i < SIZES; i++) {
        if (left->spans[i].low != right->spans[i].low)
            return left->spans[i].low < right->spans[i].low ? -1 : 1;
        if (left->spans[i].high != right->spans[i].high)
            return left->spans[i].high < right->spans[i].high ? -1 : 1;
    }
    return 0;
}

TEST(random_files_come_back_and_are_searched_right)
{
    static struct world world;
    for (uint64_t number = 1; number <= WORLDS; number++) {
        seed = number * 1000003;
        draw_devices(&world);
        for (int i = 0; i < PROBLEMS; i++)
            world.size_counts[i] = 1 + (int)draw(i == 0 ? 1 : SIZES);
        draw_lines(&world);
        struct tuned *tuned = write_and_load(&world);
        assert_all(&world, tuned);
        qsort(world.lines, world.count, sizeof *world.lines, order_lines);
        for (int i = 0; i < QUESTIONS; i++) {
            struct question question = draw_question(&world);
            assert_found(&world, tuned, &question);
        }
        tuned_free(tuned);
    }
}

TEST_MAIN(NULL, NULL)
