#include "tuner/search/features.h"

#include <math.h>
#include <stdlib.h>

/* Adds a feature, scaled to 0 .. 1, unless all values are equal. Takes over the table. */
static void add(struct features *features, size_t dimension, float *table, size_t count,
                bool is_odd_part)
{
    float low = table[0], high = table[0];
    for (size_t i = 1; i < count; i++) {
        low = fminf(low, table[i]);
        high = fmaxf(high, table[i]);
    }
    if (low == high) {
        free(table);
        return;
    }
    for (size_t i = 0; i < count; i++)
        table[i] = (table[i] - low) / (high - low);
    features->dimensions[features->count] = dimension;
    features->tables[features->count] = table;
    features->is_odd_part[features->count++] = is_odd_part;
}

bool features_create(struct features *features, const struct search_space *space)
{
    *features = (struct features){0};
    for (size_t d = 0; d < space->dimensions; d++) {
        const size_t count = space->value_counts[d];
        float *places = calloc(count + 1, sizeof places[0]);
        float *odd_parts = calloc(count + 1, sizeof odd_parts[0]);
        if (!places || !odd_parts) {
            free(places);
            free(odd_parts);
            return false;
        }
        for (size_t i = 0; i < count; i++) {
            places[i] = (float)i;
            /* log2 of the odd part of a whole number */
            double number = space->number && count > 2
                                ? fabs(space->number(space->context, d, (uint16_t)i))
                                : 0;
            if (!(number >= 1) || number != floor(number) || number > 0x1p53)
                continue;
            while (fmod(number, 2) == 0)
                number /= 2;
            odd_parts[i] = (float)log2(number);
        }
        add(features, d, places, count, false);
        add(features, d, odd_parts, count, true);
    }
    return true;
}

void features_of_values(const struct features *features, const uint16_t *values,
                        float vector[FEATURES_MAX])
{
    for (size_t i = 0; i < features->count; i++)
        vector[i] = features->tables[i][values[features->dimensions[i]]];
}

void features_of_point(const struct features *features, const struct search_space *space,
                       uint64_t point, float vector[FEATURES_MAX])
{
    uint16_t values[SEARCH_DIMENSIONS_MAX];
    space->values(space->context, point, values);
    features_of_values(features, values, vector);
}
