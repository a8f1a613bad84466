/* The covariance is Matern's with 5/2 and one length scale for each feature, set by the greatest
 * likelihood under a prior. The factor of the rows' covariance grows by a row for each point,
 * together with each candidate's solution: an update of all candidates after a point costs a
 * product of rows and candidates, however many trials there were, since rows are at most ROWS_MAX.
 * Points without a result are rows as well, "hallucinated" by their expected result (Desautels,
 * Krause, Burdick 2014), so that the next request lies elsewhere. */
#include "tuner/search/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROWS_MAX = 384,
    ROWS_KEPT = 256,        /* rows kept when full: the best half, others at even distances */
    ROWS_LEARNED = 100,     /* rows for learning length scales, chosen alike */
    ELSEWHERE_KEPT = 96,    /* rows of all other sources, chosen alike, */
    ELSEWHERE_LEARNED = 48, /* and additional rows for learning length scales */
    SOURCES_MAX = 16,       /* most sources, the first ones */
    TRUST_MIN = 4,          /* least own results for a judgement of other sources, */
    TRUST_MAX = 24,         /* and most of these */
    ELSEWHERE_WEIGHT = 8,   /* own points whose mean counts as much as that of the others */
    CANDIDATES_MAX = 8192,  /* largest space with all points as candidates */
    CANDIDATES_RANDOM =
        1024, /* random candidates of a larger space, drawn anew with the length scales, */
    CANDIDATES_NEAR = 24, /* plus neighbours of the best and of the chosen, */
    CANDIDATES_ABOUT = 8, /* as many of the best */
    CHANCE_MIN = 32,      /* least results for an estimate of a better point left */
    STANDS_FOR_MAX = 4,   /* most points that a candidate then represents */
    READY_OR_NOT = 64,    /* points of which every third ignores readiness */
    CENTRES_MAX = 8,      /* best points whose neighbours are tried regardless of the model */
    SWEEPS = 2,           /* passes over the length scales, a step up or down each */
};
static const double length_scale = 0.7,
                    length_scale_spread = 1; /* the prior's mean and deviation, lognormal */
static const double noise_first = 1e-3, noise_spread = 2; /* variance; likewise */
static const double noise_least = 1e-5, noise_most = 0.3;
/* Correlation of one source with another and with this search, as odds, with the same prior. */
static const double relation_first = 4, relation_spread = 2;
static const double relation_least = 0.01, relation_most = 100;
static const double trusted_share = 0.7; /* share of pairs of own results in the predicted order */
/* Share of a point's promise if its binary is missing: compiling takes as long as a few trials. */
static const double unready_weight = 0.3;
static const double sweep_steps[SWEEPS] = {4, 1.8};
/* Results before length scales are learned again: a factor plus a constant. */
static const double learn_growth = 1.4, learn_least = 2;

struct row {
    size_t record; /* index in the trail, or in its points elsewhere */
    size_t source; /* 0: this search; else place in `sources` + 1 */
    double value;  /* NaN: pending or failed */
    double target; /* NaN: pending */
    bool known, failed;
    double z, failed_z; /* solutions of the factor for targets and failures */
    float vector[FEATURES_MAX];
};
struct model {
    struct trail *trail;
    struct features features;
    double weights[FEATURES_MAX]; /* 1 / length scale^2 */
    float scales[FEATURES_MAX];   /* 1 / length scale */
    double noise;                 /* variance, relative to the signal's */
    double relation;              /* odds of the correlation between sources */
    size_t sources[SOURCES_MAX], source_count;
    size_t learned_at;      /* results at the last learning */
    size_t seen;            /* records in use as rows so far */
    size_t neighbour_turns; /* neighbours requested so far */
    bool forgot;            /* results of elsewhere were misleading */

    struct row *rows;
    size_t count;
    double *factor; /* rows of ROWS_MAX, lower triangle */
    double *scratch;
    double best;         /* target of the best */
    double failed_share; /* mean of the known rows */
    double signal;       /* variance */

    size_t candidate_count, candidates_most;
    uint64_t *points;
    struct index places; /* index of candidates by point */
    bool *taken;
    float *vectors;   /* rows of features */
    float *solutions; /* a row of candidates_most for each of `rows` */
    float *variances, *means, *failures;
};

void model_free(struct model *model)
{
    if (!model)
        return;
    for (size_t i = 0; i < model->features.count; i++)
        free(model->features.tables[i]);
    index_free(&model->places);
    free(model->rows);
    free(model->factor);
    free(model->scratch);
    free(model->points);
    free(model->taken);
    free(model->vectors);
    free(model->solutions);
    free(model->variances);
    free(model->means);
    free(model->failures);
    free(model);
}

struct model *model_create(struct trail *trail)
{
    struct model *model = calloc(1, sizeof *model);
    if (!model)
        return NULL;
    const uint64_t count = trail->space.count;
    const size_t most = count < CANDIDATES_MAX ? (size_t)count : CANDIDATES_MAX;
    model->trail = trail;
    model->noise = noise_first;
    model->relation = relation_first;
    model->candidates_most = most;
    const bool good = features_create(&model->features, &trail->space);
    model->rows = malloc(ROWS_MAX * sizeof model->rows[0]);
    model->factor = malloc((size_t)ROWS_MAX * ROWS_MAX * sizeof(double));
    model->scratch = malloc((size_t)ROWS_LEARNED * ROWS_LEARNED * sizeof(double));
    model->points = malloc(most * sizeof(uint64_t));
    model->taken = malloc(most * sizeof(bool));
    model->vectors = malloc(most * (model->features.count + 1) * sizeof(float));
    model->solutions = malloc((size_t)ROWS_MAX * most * sizeof(float));
    model->variances = malloc(most * sizeof(float));
    model->means = malloc(most * sizeof(float));
    model->failures = malloc(most * sizeof(float));
    if (!good || !model->rows || !model->factor || !model->scratch || !model->points ||
        !model->taken || !model->vectors || !model->solutions || !model->variances ||
        !model->means || !model->failures) {
        model_free(model);
        return NULL;
    }
    for (size_t i = 0; i < model->features.count; i++) {
        model->weights[i] = 1 / (length_scale * length_scale);
        model->scales[i] = (float)(1 / length_scale);
    }
    return model;
}

bool model_is_misled(const struct model *model)
{
    return model->forgot;
}

const struct features *model_features(const struct model *model)
{
    return &model->features;
}

static double covariance(const struct model *model, const float *a, const float *b)
{
    float square = 0;
    for (size_t i = 0; i < model->features.count; i++) {
        const float off = (a[i] - b[i]) * model->scales[i];
        square += off * off;
    }
    const double r = sqrt(5 * (double)square);
    return (1 + r + r * r / 3) * exp(-r);
}

/* Computes the covariance. Sources are tasks with one correlation (intrinsic coregionalization;
 * Bonilla, Chai, Williams 2008). */
static double between(const struct model *model, const struct row *row, size_t source)
{
    return row->source == source ? 1 : model->relation / (1 + model->relation);
}

/* ---- rows and candidates ---- */

/* Adds a candidate unless the point is one already, or was tried. */
static void add_candidate(struct model *model, uint64_t point)
{
    size_t place = model->candidate_count;
    if (place == model->candidates_most || index_find(&model->places, point, &place) ||
        trail_find(model->trail, point) || !index_put(&model->places, point, place))
        return;
    model->candidate_count++;
    float *vector = &model->vectors[place * model->features.count];
    features_of_point(&model->features, &model->trail->space, point, vector);
    model->points[place] = point;
    model->taken[place] = false;
    double column[ROWS_MAX]; /* stride of the solutions, if stored apart */
    double variance = 1, mean = 0, fails = 0;
    for (size_t i = 0; i < model->count; i++) {
        const double *row = &model->factor[i * ROWS_MAX];
        double sum =
            covariance(model, model->rows[i].vector, vector) * between(model, &model->rows[i], 0);
        for (size_t k = 0; k < i; k++)
            sum -= row[k] * column[k];
        column[i] = sum / row[i];
        model->solutions[i * model->candidates_most + place] = (float)column[i];
        variance -= column[i] * column[i];
        mean += column[i] * model->rows[i].z;
        fails += column[i] * model->rows[i].failed_z;
    }
    model->variances[place] = (float)variance;
    model->means[place] = (float)mean;
    model->failures[place] = (float)fails;
}

static void add_neighbours(struct model *model, uint64_t point)
{
    uint64_t neighbours[NEIGHBOURS_MAX];
    const size_t found = trail_neighbours(model->trail, point, neighbours);
    for (size_t i = 0; i < found && i < CANDIDATES_NEAR; i++)
        add_candidate(model, neighbours[i]);
}

/* Appends a row's vector, without a solution. */
static void place_row(struct model *model, size_t record, size_t source)
{
    const struct trail *trail = model->trail;
    struct row *row = &model->rows[model->count++];
    *row = (struct row){.record = record, .source = source};
    if (source == 0)
        features_of_point(&model->features, &trail->space, trail->records[record].point,
                          row->vector);
    else
        features_of_values(&model->features, trail->elsewhere[record].values, row->vector);
}

static void add_row(struct model *model, size_t record, size_t source)
{
    const size_t n = model->count, candidates = model->candidate_count;
    double *row = &model->factor[n * ROWS_MAX];
    place_row(model, record, source);
    const float *vector = model->rows[n].vector;
    double diagonal = 1 + model->noise;
    for (size_t i = 0; i < n; i++) {
        const double *other = &model->factor[i * ROWS_MAX];
        double sum = covariance(model, model->rows[i].vector, vector) *
                     between(model, &model->rows[i], source);
        for (size_t k = 0; k < i; k++)
            sum -= other[k] * row[k];
        row[i] = sum / other[i];
        diagonal -= row[i] * row[i];
    }
    row[n] = sqrt(fmax(diagonal, noise_least));
    size_t place;
    if (source == 0 && index_find(&model->places, model->trail->records[record].point, &place))
        model->taken[place] = true;
    const float related = (float)between(model, &model->rows[n], 0);
    float *restrict solution = &model->solutions[n * model->candidates_most];
    for (size_t c = 0; c < candidates; c++)
        solution[c] =
            related * (float)covariance(model, vector, &model->vectors[c * model->features.count]);
    for (size_t i = 0; i < n; i++) {
        const float factor = (float)row[i];
        const float *restrict earlier = &model->solutions[i * model->candidates_most];
        for (size_t c = 0; c < candidates; c++)
            solution[c] -= factor * earlier[c];
    }
    const float inverse = (float)(1 / row[n]);
    for (size_t c = 0; c < candidates; c++) {
        solution[c] *= inverse;
        model->variances[c] -= solution[c] * solution[c];
    }
}

/* ---- targets ---- */

struct ranked {
    double value;
    size_t place;
};
static int compare_ranked(const void *left, const void *right)
{
    const struct ranked *a = left;
    const struct ranked *b = right;
    if (a->value < b->value || a->value > b->value)
        return a->value < b->value ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

/* Keeps `kept` of the sorted rows: the best half, and others at even distances. */
static size_t thin(const struct ranked *ranked, size_t count, size_t kept, size_t i)
{
    const size_t half = kept / 2;
    if (count <= kept || i < half)
        return ranked[i].place;
    return ranked[half + (i - half) * (count - half) / (kept - half)].place;
}

/* Returns the value on a scale of ratios to the best; of differences if values are 0 or negative,
 * as a formula's may be. */
static double logarithm(double value, double best, double median)
{
    if (best > 0)
        return log(value / best);
    return median > best ? (value - best) / (median - best) : 0;
}

/* Scales the rows of one source: logarithms of times over the source's best. Values above the
 * median are compressed below twice the median, since differences between slow points do not
 * matter. Failed points count as the slowest. `middle` is the median's logarithm, unless there are
 * few points. */
static size_t set_logarithms(struct model *model, size_t source, double *middle, double *mean)
{
    struct ranked ranked[ROWS_MAX] = {0};
    size_t count = 0;
    double sum = 0;
    for (size_t i = 0; i < model->count; i++)
        if (model->rows[i].source == source && !isnan(model->rows[i].value))
            ranked[count++] = (struct ranked){.value = model->rows[i].value, .place = i};
    if (count == 0)
        return 0;
    qsort(ranked, count, sizeof ranked[0], compare_ranked);
    const double best = ranked[0].value, median = ranked[count / 2].value;
    if (!(count<ELSEWHERE_WEIGHT && * middle> 0))
        *middle = logarithm(median, best, median);
    for (size_t i = 0; i < count; i++) {
        double target = logarithm(ranked[i].value, best, median);
        if (target > *middle)
            target = *middle + *middle * tanh((target - *middle) / fmax(*middle, 1e-9));
        model->rows[ranked[i].place].target = target;
        sum += target;
    }
    for (size_t i = 0; i < model->count; i++)
        if (model->rows[i].source == source && model->rows[i].failed)
            model->rows[i].target = 2 * *middle;
    *mean = sum / (double)count;
    return count;
}

/* Centres the logarithms on the mean of their source's successful points. This search's mean is
 * held by that of the others, since its first points may all be among the best. Returns the number
 * of successful rows. */
static size_t set_targets(struct model *model)
{
    double means[SOURCES_MAX + 1] = {0}, middles = 0, sum = 0;
    size_t failed = 0, known = 0, total = 0;
    for (size_t i = 0; i < model->count; i++) {
        struct row *row = &model->rows[i];
        const struct trail_record *record =
            row->source == 0 ? &model->trail->records[row->record] : NULL;
        row->value = record ? record->value : model->trail->elsewhere[row->record].value;
        row->known = !record || record->has_result;
        row->failed = row->known && isnan(row->value);
        row->target = (double)NAN;
        known += row->known ? 1 : 0;
        failed += row->failed ? 1 : 0;
    }
    model->failed_share = failed > 0 ? (double)failed / (double)known : 0;
    for (size_t source = 1; source <= model->source_count; source++) {
        double middle = 0;
        total += set_logarithms(model, source, &middle, &means[source]);
        middles += middle / (double)model->source_count;
        sum += means[source] / (double)model->source_count;
    }
    double middle = middles;
    const size_t own = set_logarithms(model, 0, &middle, &means[0]);
    const double weight = model->source_count > 0 ? ELSEWHERE_WEIGHT : 0;
    if (own + total > 0)
        means[0] = (means[0] * (double)own + sum * weight) / ((double)own + weight);
    for (size_t i = 0; i < model->count; i++)
        model->rows[i].target -= means[model->rows[i].source];
    model->best = -means[0];
    return own + total;
}

/* ---- length scales ---- */

/* Returns minus the logarithm of the likelihood, with the best variance of the signal, and of the
 * prior. */
static double misfit(struct model *model, const size_t *rows, size_t count)
{
    double z[ROWS_LEARNED];
    double determinant = 0, fit = 1e-6, prior = 0;
    for (size_t i = 0; i < count; i++) {
        double *row = &model->scratch[i * ROWS_LEARNED];
        double diagonal = 1 + model->noise;
        z[i] = model->rows[rows[i]].target;
        for (size_t k = 0; k < i; k++) {
            const double *other = &model->scratch[k * ROWS_LEARNED];
            const struct row *before = &model->rows[rows[k]];
            double sum = covariance(model, model->rows[rows[i]].vector, before->vector) *
                         between(model, before, model->rows[rows[i]].source);
            for (size_t m = 0; m < k; m++)
                sum -= row[m] * other[m];
            row[k] = sum / other[k];
            diagonal -= row[k] * row[k];
            z[i] -= row[k] * z[k];
        }
        row[i] = sqrt(fmax(diagonal, 1e-9));
        z[i] /= row[i];
        determinant += log(row[i]);
        fit += z[i] * z[i];
    }
    for (size_t i = 0; i < model->features.count; i++) {
        const double off =
            (-0.5 * log(model->weights[i]) - log(length_scale)) / length_scale_spread;
        prior += 0.5 * off * off;
    }
    const double noise = log(model->noise / noise_first) / noise_spread;
    const double relation = log(model->relation / relation_first) / relation_spread;
    return 0.5 * (double)count * log(fit / (double)count) + determinant + prior +
           0.5 * (noise * noise + relation * relation);
}

static double *parameter(struct model *model, size_t i)
{
    if (i < model->features.count)
        return &model->weights[i];
    return i == model->features.count ? &model->noise : &model->relation;
}

static void set_parameter(struct model *model, size_t i, double value)
{
    *parameter(model, i) = value;
    if (i < model->features.count)
        model->scales[i] = (float)sqrt(value);
}

/* Selects rows for learning, of this search or of the others. */
static size_t choose_rows(const struct model *model, bool own, size_t most, size_t *rows)
{
    struct ranked ranked[ROWS_MAX] = {0};
    size_t known = 0;
    for (size_t i = 0; i < model->count; i++)
        if (!isnan(model->rows[i].target) && (model->rows[i].source == 0) == own)
            ranked[known++] = (struct ranked){.value = model->rows[i].target, .place = i};
    qsort(ranked, known, sizeof ranked[0], compare_ranked);
    const size_t count = known < most ? known : most;
    for (size_t i = 0; i < count; i++)
        rows[i] = thin(ranked, known, count, i);
    return count;
}

/* Descends along one coordinate after another. */
static void learn(struct model *model)
{
    size_t rows[ROWS_LEARNED];
    size_t count = choose_rows(model, false, ELSEWHERE_LEARNED, rows);
    count += choose_rows(model, true, ROWS_LEARNED - count, &rows[count]);
    if (count < 4)
        return;
    double least = misfit(model, rows, count);
    /* The weights, the noise, and the relation if there are other sources. */
    const size_t learned = model->features.count + (model->source_count > 0 ? 2 : 1);
    for (size_t sweep = 0; sweep < SWEEPS; sweep++) {
        for (size_t i = 0; i < learned; i++) {
            const double before = *parameter(model, i);
            bool better = false;
            for (int up = 1; up >= 0 && !better; up--) {
                const double value = up ? before * sweep_steps[sweep] : before / sweep_steps[sweep];
                if (i >= model->features.count &&
                    (i == model->features.count
                         ? !(value >= noise_least && value <= noise_most)
                         : !(value >= relation_least && value <= relation_most)))
                    continue;
                set_parameter(model, i, value);
                const double now = misfit(model, rows, count);
                better = now < least;
                least = better ? now : least;
            }
            if (!better)
                set_parameter(model, i, before);
        }
    }
}

/* ---- keeping up with the trail ---- */

/* Adds candidates at the best points of other sources (of the first `rows`), then near the best of
 * this search. */
static void choose_candidates(struct model *model, size_t rows, const struct ranked *ranked,
                              size_t count)
{
    struct trail *trail = model->trail;
    index_free(&model->places);
    model->places = (struct index){0};
    model->candidate_count = 0;
    if (trail->space.count <= CANDIDATES_MAX) {
        for (uint64_t point = 0; point < trail->space.count; point++)
            add_candidate(model, point);
        return;
    }
    for (size_t i = 0; i < rows; i++) {
        const struct row *row = &model->rows[i];
        uint64_t point = 0;
        if (row->source > 0 &&
            trail->space.find(trail->space.context, trail->elsewhere[row->record].values, &point))
            add_candidate(model, point);
    }
    for (size_t i = 0; i < count && i < CANDIDATES_ABOUT && isfinite(ranked[i].value); i++)
        add_neighbours(model, trail->records[ranked[i].place].point);
    for (int i = 0; i < CANDIDATES_RANDOM; i++)
        add_candidate(model, random_below(&trail->random, trail->space.count));
}

/* Rebuilds all with other candidates, and with the kept own rows behind those of other sources. */
static void rebuild(struct model *model, size_t kept)
{
    struct ranked ranked[ROWS_MAX] = {0};
    size_t records[ROWS_MAX], others[ELSEWHERE_KEPT], sources[ELSEWHERE_KEPT];
    size_t count = 0, other_count = 0;
    for (size_t i = 0; i < model->count; i++) {
        const size_t record = model->rows[i].record;
        if (model->rows[i].source > 0) {
            others[other_count] = record;
            sources[other_count++] = model->rows[i].source;
            continue;
        }
        const double value = model->trail->records[record].value;
        records[count] = record;
        ranked[count++] =
            (struct ranked){.value = isnan(value) ? (double)INFINITY : value, .place = record};
    }
    qsort(ranked, count, sizeof ranked[0], compare_ranked);
    for (size_t i = 0; kept < count && i < kept; i++)
        records[i] = thin(ranked, count, kept, i);
    const size_t rows = model->count;
    model->count = 0; /* candidates are solved as rows are added */
    choose_candidates(model, rows, ranked, count);
    for (size_t i = 0; i < other_count; i++)
        add_row(model, others[i], sources[i]);
    for (size_t i = 0; i < kept && i < count; i++)
        add_row(model, records[i], 0);
}

/* Adds, once, the best half of each other source's share of rows, and others at even distances. */
static bool place_elsewhere(struct model *model)
{
    const struct trail *trail = model->trail;
    struct ranked *ranked = malloc((trail->elsewhere_count + 1) * sizeof ranked[0]);
    if (!ranked)
        return false;
    for (size_t i = 0; i < trail->elsewhere_count; i++) {
        size_t k = 0;
        while (k < model->source_count && model->sources[k] != trail->elsewhere[i].source)
            k++;
        if (k == model->source_count && k < SOURCES_MAX)
            model->sources[model->source_count++] = trail->elsewhere[i].source;
    }
    for (size_t source = 0; source < model->source_count; source++) {
        size_t count = 0;
        for (size_t i = 0; i < trail->elsewhere_count; i++) {
            const double value = trail->elsewhere[i].value;
            if (trail->elsewhere[i].source == model->sources[source])
                ranked[count++] =
                    (struct ranked){.value = isnan(value) ? (double)INFINITY : value, .place = i};
        }
        qsort(ranked, count, sizeof ranked[0], compare_ranked);
        const size_t share = ELSEWHERE_KEPT / model->source_count;
        for (size_t i = 0; i < share && i < count; i++)
            place_row(model, thin(ranked, count, share, i), source + 1);
    }
    free(ranked);
    return true;
}

/* Predicts a candidate's result and its probability of failure. */
static void solve(struct model *model, size_t known)
{
    double fit = 1e-9;
    memset(model->means, 0, model->candidate_count * sizeof model->means[0]);
    memset(model->failures, 0, model->candidate_count * sizeof model->failures[0]);
    for (size_t i = 0; i < model->count; i++) {
        struct row *row = &model->rows[i];
        const double *factor = &model->factor[i * ROWS_MAX];
        double target = row->target, failed = (row->failed ? 1 : 0) - model->failed_share;
        for (size_t k = 0; k < i; k++) {
            target -= factor[k] * model->rows[k].z;
            failed -= factor[k] * model->rows[k].failed_z;
        }
        /* A pending row's value is the prediction by the rows before. */
        row->z = isnan(row->target) ? 0 : target / factor[i];
        row->failed_z = row->known && model->failed_share > 0 ? failed / factor[i] : 0;
        fit += row->z * row->z;
        const float z = (float)row->z, failed_z = (float)row->failed_z;
        const float *restrict solution = &model->solutions[i * model->candidates_most];
        float *restrict means = model->means;
        float *restrict failures = model->failures;
        for (size_t c = 0; z != 0 && c < model->candidate_count; c++)
            means[c] += z * solution[c];
        for (size_t c = 0; failed_z != 0 && c < model->candidate_count; c++)
            failures[c] += failed_z * solution[c];
    }
    model->signal = fit / (double)known;
}

/* Returns whether the predictions of other sources alone order too many pairs of this search's
 * first points wrongly. The others' rows come first, so that a row's part of the factor, times
 * their solution, is their prediction. */
static bool is_misled(const struct model *model)
{
    double predicted[TRUST_MAX], targets[TRUST_MAX];
    size_t own = 0, pairs = 0, agreed = 0;
    for (size_t i = 0; model->source_count > 0 && i < model->count; i++) {
        const struct row *row = &model->rows[i];
        if (row->source > 0 || !row->known)
            continue;
        if (own == TRUST_MAX)
            return false;
        targets[own] = row->target;
        predicted[own] = 0;
        for (size_t k = 0; model->rows[k].source > 0; k++)
            predicted[own] += model->factor[i * ROWS_MAX + k] * model->rows[k].z;
        for (size_t k = 0; k < own; k++, pairs++)
            agreed += (predicted[own] - predicted[k]) * (targets[own] - targets[k]) > 0 ? 1 : 0;
        own++;
    }
    return own >= TRUST_MIN && (double)agreed < trusted_share * (double)pairs;
}

bool model_update(struct model *model)
{
    const struct trail *trail = model->trail;
    const bool first = model->candidate_count == 0;
    const bool stale =
        first || (double)trail->results >= (double)model->learned_at * learn_growth + learn_least;
    if (trail->best == SIZE_MAX && (trail->elsewhere_count == 0 || model->forgot))
        return false;
    if (first && model->count == 0 && !place_elsewhere(model))
        return false;
    for (; model->seen < trail->count; model->seen++) {
        if (model->count == ROWS_MAX)
            rebuild(model, ROWS_KEPT);
        if (stale)
            place_row(model, model->seen, 0); /* solved below */
        else
            add_row(model, model->seen, 0);
    }
    size_t known = set_targets(model);
    if (stale) {
        learn(model);
        model->learned_at = trail->results;
        rebuild(model, model->count);
        known = set_targets(model);
    }
    if (known > 0)
        solve(model, known);
    if (known > 0 && is_misled(model)) {
        /* Drops the results of other sources. */
        size_t own = 0;
        for (size_t i = 0; i < model->count; i++)
            if (model->rows[i].source == 0)
                model->rows[own++] = model->rows[i];
        model->count = own;
        model->source_count = 0;
        model->forgot = true;
        model->noise = noise_first;
        model->candidate_count = 0; /* all is learned and solved anew */
        for (size_t i = 0; i < model->features.count; i++)
            set_parameter(model, i, 1 / (length_scale * length_scale));
        return model_update(model);
    }
    return known > 0;
}

static double probability_of_passing(const struct model *model, size_t candidate)
{
    const double passes = 1 - model->failed_share - (double)model->failures[candidate];
    return fmin(fmax(passes, 0.01), 1);
}

/* Returns the promise, reduced if a binary is missing; only the likely greatest are asked for
 * readiness. While few results are known, that would keep a search at others' points: winners of
 * elsewhere are every other point, so half of the model's own choices ignore readiness. */
static double worth(const struct model *model, size_t candidate, double greatest)
{
    const struct trail *trail = model->trail;
    const struct search_space *space = &trail->space;
    const double variance = fmax((double)model->variances[candidate], 1e-8) * model->signal;
    /* The expected improvement of a normal distribution below `best`; negative once tried. */
    const double deviation = sqrt(variance);
    const double u = (model->best - (double)model->means[candidate]) / deviation;
    const double density = exp(-0.5 * u * u) * 0.3989422804014327;
    const double promised = model->taken[candidate]
                                ? -1
                                : deviation * (u * 0.5 * erfc(-u * 0.7071067811865476) + density) *
                                      probability_of_passing(model, candidate);
    const bool prefers =
        space->is_ready && (trail->count >= READY_OR_NOT || trail->count / 2 % 2 == 0);
    return promised > greatest && prefers &&
                   !space->is_ready(space->context, model->points[candidate])
               ? promised * unready_weight
               : promised;
}

bool model_choose(struct model *model, uint64_t *point)
{
    double greatest = -1;
    for (size_t c = 0; c < model->candidate_count; c++) {
        const double here = worth(model, c, greatest);
        if (here > greatest) {
            greatest = here;
            *point = model->points[c];
        }
    }
    if (greatest < 0)
        return false;
    if (model->trail->space.count > CANDIDATES_MAX) {
        if (model->trail->best != SIZE_MAX)
            add_neighbours(model, model->trail->records[model->trail->best].point);
        add_neighbours(model, *point);
    }
    return true;
}

/* Finds the point with the greatest worth; false: all were tried. */
static bool choose_of(struct model *model, const uint64_t *points, size_t count, uint64_t *point)
{
    double greatest = -1;
    for (size_t i = 0; i < count; i++) {
        size_t c = 0;
        add_candidate(model, points[i]);
        if (!index_find(&model->places, points[i], &c))
            continue;
        const double here = worth(model, c, greatest);
        if (here <= greatest)
            continue;
        greatest = here;
        *point = points[i];
    }
    return greatest >= 0;
}

bool model_choose_of_few(struct model *model, uint64_t *point)
{
    uint64_t near[NEIGHBOURS_MAX];
    const struct trail *trail = model->trail;
    return trail->best != SIZE_MAX &&
           choose_of(model, near,
                     trail_neighbours_of_few(trail, trail->records[trail->best].point, near),
                     point);
}

bool model_choose_neighbour(struct model *model, uint64_t *point)
{
    uint64_t near[2 * NEIGHBOURS_MAX];
    size_t centres[CENTRES_MAX];
    struct trail *trail = model->trail;
    const size_t centre_count = trail_best_of_texts(trail, CENTRES_MAX, centres);
    const size_t turn = model->neighbour_turns++;
    if (centre_count == 0)
        return false;
    const size_t centre = turn % 2 == 0 ? 0 : turn / 2 % centre_count;
    const uint64_t origin = trail->records[centres[centre]].point;
    size_t found = trail_neighbours(trail, origin, near);
    found += trail_exchanges(trail, origin, &near[found]);
    return choose_of(model, near, found, point);
}

/* Lets each candidate represent others in a space larger than the candidates, but only a few: were
 * all points as uncertain and independent, some would always be better. */
double model_chance_of_better(const struct model *model, double share)
{
    const double count = (double)model->trail->space.count;
    const double others = fmin(count / fmax((double)model->candidate_count, 1), STANDS_FOR_MAX);
    if (model->trail->results < CHANCE_MIN)
        return (double)NAN;
    double none = 0; /* logarithm of the probability that no point is better */
    for (size_t c = 0; c < model->candidate_count; c++) {
        if (model->taken[c])
            continue;
        const double deviation =
            sqrt((fmax((double)model->variances[c], 0) + model->noise) * model->signal);
        const double below = (model->best + log1p(-share) - (double)model->means[c]) / deviation;
        const double better =
            0.5 * erfc(-below * 0.7071067811865476) * probability_of_passing(model, c);
        none += fmax(others, 1) * log1p(-fmin(better, 1 - 1e-12));
    }
    return -expm1(none);
}
