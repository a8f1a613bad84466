/* What several devices have in common in one configuration at one size. */
#ifndef TUNE_EXPORT_COMMON_H
#define TUNE_EXPORT_COMMON_H

#include "tuner/export/internal.h"

/* Zero at first. Needs are the greatest of all devices. */
struct common {
    struct text values, per_unit, origin;
    int64_t threads, shared_bytes, registers, devices;
    double loss;
};

void common_clear(struct common *common);
void common_free(struct common *common);
bool common_failed(const struct common *common);
/* Takes the rows of portable_devices.sql. `shared` and `multiples` are empty JSON objects. */
enum status common_take(struct experiments *experiments, struct store_query *query,
                        struct common *common, json_t *shared, json_t *multiples,
                        struct error *error);

#endif
