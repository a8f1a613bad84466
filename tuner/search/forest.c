#include "tuner/search/forest.h"

#include <stdlib.h>

#include "tuner/base/array.h"
#include "tuner/base/random.h"
#include "tuner/search/search.h"

enum {
    TREES = 48,
    LEAF_MOST = 2, /* rows that are split no more */
    DEPTH_MOST = 64,
};

struct node {
    uint32_t left; /* 0: a leaf; the right child comes after it */
    uint16_t dimension;
    uint16_t threshold; /* indices up to it go left */
    float mean, variance, feasible;
};
struct forest {
    struct node *nodes;
    size_t count;
    size_t capacity;
    uint32_t roots[TREES];
};

struct build {
    const struct forest_data *data;
    struct forest *forest;
    struct random random;
    uint32_t *rows; /* the order of the rows; a node has a part of it */
};
struct part {
    size_t first, count;
    uint32_t node;
};

static bool add_nodes(struct forest *forest, size_t count, uint32_t *first)
{
    if (forest->count + count > UINT32_MAX)
        return false;
    if (!array_grow_by(&forest->nodes, forest->count, count, &forest->capacity,
                       sizeof *forest->nodes))
        return false;
    *first = (uint32_t)forest->count;
    forest->count += count;
    return true;
}

static void fill_leaf(const struct build *build, const struct part *part, struct node *leaf)
{
    double sum = 0, squares = 0, passed = 0;
    for (size_t i = 0; i < part->count; i++) {
        const uint32_t row = build->rows[part->first + i];
        sum += build->data->targets[row];
        squares += build->data->targets[row] * build->data->targets[row];
        passed += build->data->failed[row] ? 0 : 1;
    }
    const double count = (double)part->count;
    const double variance = squares / count - sum / count * (sum / count);
    *leaf = (struct node){.mean = (float)(sum / count),
                          .variance = variance > 0 ? (float)variance : 0,
                          .feasible = (float)(passed / count)};
}

static uint16_t value_of(const struct build *build, size_t place, size_t dimension)
{
    return build->data->values[build->rows[place] * build->data->dimensions + dimension];
}

struct split {
    double gain; /* of the sum of squares between the halves; negative: none was found */
    uint16_t dimension, threshold;
};

static void try_split(const struct build *build, const struct part *part, struct split *best,
                      uint16_t dimension, uint16_t threshold)
{
    double sums[2] = {0, 0};
    size_t counts[2] = {0, 0};
    for (size_t i = part->first; i < part->first + part->count; i++) {
        const int side = value_of(build, i, dimension) > threshold;
        sums[side] += build->data->targets[build->rows[i]];
        counts[side]++;
    }
    const double total = sums[0] + sums[1];
    const double gain = sums[0] * sums[0] / (double)counts[0] +
                        sums[1] * sums[1] / (double)counts[1] - total * total / (double)part->count;
    if (gain > best->gain)
        *best = (struct split){.gain = gain, .dimension = dimension, .threshold = threshold};
}

/* One random threshold for each parameter that varies; the best of these. */
static struct split find_split(struct build *build, const struct part *part)
{
    struct split best = {.gain = -1};
    for (size_t d = 0; d < build->data->dimensions; d++) {
        uint16_t low = UINT16_MAX, high = 0;
        for (size_t i = part->first; i < part->first + part->count; i++) {
            const uint16_t value = value_of(build, i, d);
            low = value < low ? value : low;
            high = value > high ? value : high;
        }
        if (low < high)
            try_split(build, part, &best, (uint16_t)d,
                      (uint16_t)(low + random_below(&build->random, (uint64_t)(high - low))));
    }
    return best;
}

/* Rows that go left come first; returns how many. */
static size_t partition(struct build *build, const struct part *part, const struct split *split)
{
    size_t left = part->first;
    for (size_t i = part->first; i < part->first + part->count; i++)
        if (value_of(build, i, split->dimension) <= split->threshold) {
            const uint32_t swap = build->rows[left];
            build->rows[left++] = build->rows[i];
            build->rows[i] = swap;
        }
    return left - part->first;
}

static bool grow_tree(struct build *build, uint32_t root)
{
    /* The smaller half is put off, so that the stack stays as deep as a logarithm. */
    struct part stack[DEPTH_MOST];
    size_t depth = 0;
    stack[depth++] = (struct part){.first = 0, .count = build->data->count, .node = root};
    while (depth > 0) {
        const struct part part = stack[--depth];
        struct forest *forest = build->forest;
        fill_leaf(build, &part, &forest->nodes[part.node]);
        if (part.count <= LEAF_MOST)
            continue;
        const struct split split = find_split(build, &part);
        if (split.gain <= 0)
            continue;
        uint32_t left = 0;
        if (!add_nodes(forest, 2, &left))
            return false;
        forest->nodes[part.node].left = left;
        forest->nodes[part.node].dimension = split.dimension;
        forest->nodes[part.node].threshold = split.threshold;
        const size_t count = partition(build, &part, &split);
        const struct part halves[2] = {
            {.first = part.first, .count = count, .node = left},
            {.first = part.first + count, .count = part.count - count, .node = left + 1}};
        const int larger = halves[1].count > halves[0].count;
        stack[depth++] = halves[larger];
        stack[depth++] = halves[!larger];
    }
    return true;
}

struct forest *forest_fit(const struct forest_data *data, uint64_t seed)
{
    struct forest *forest = calloc(1, sizeof *forest);
    struct build build = {.data = data, .forest = forest, .random = {.seed = seed}};
    build.rows = malloc(data->count * sizeof build.rows[0]);
    bool good = forest && build.rows;
    for (size_t tree = 0; good && tree < TREES; tree++) {
        for (size_t i = 0; i < data->count; i++)
            build.rows[i] = (uint32_t)i;
        good = add_nodes(forest, 1, &forest->roots[tree]) && grow_tree(&build, forest->roots[tree]);
    }
    free(build.rows);
    if (good)
        return forest;
    forest_free(forest);
    return NULL;
}

void forest_predict(const struct forest *forest, const uint16_t *values,
                    struct forest_prediction *out)
{
    double sum = 0, squares = 0, within = 0, feasible = 0;
    for (size_t tree = 0; tree < TREES; tree++) {
        const struct node *node = &forest->nodes[forest->roots[tree]];
        while (node->left != 0)
            node = &forest->nodes[node->left + (values[node->dimension] > node->threshold)];
        sum += (double)node->mean;
        squares += (double)node->mean * (double)node->mean;
        within += (double)node->variance;
        feasible += (double)node->feasible;
    }
    const double mean = sum / TREES;
    const double between = squares / TREES - mean * mean;
    *out = (struct forest_prediction){.mean = mean,
                                      .variance = (between > 0 ? between : 0) + within / TREES,
                                      .feasible = feasible / TREES};
}

void forest_free(struct forest *forest)
{
    if (!forest)
        return;
    free(forest->nodes);
    free(forest);
}
