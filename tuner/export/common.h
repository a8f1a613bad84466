/* What several devices have in common in one configuration at one size. */
#ifndef TUNE_EXPORT_COMMON_H
#define TUNE_EXPORT_COMMON_H

#include "tuner/export/elsewhere.h"

/* Zero at first. Needs are the greatest of all devices. */
struct common {
    struct text values, elsewhere, origin;
    struct needs needs;
    uint64_t majors; /* compute capabilities that it was measured on: bits */
    int64_t threads, shared_bytes, registers, devices;
    double loss;
};

void common_clear(struct common *common);
void common_free(struct common *common);
bool common_failed(const struct common *common);
/* Takes the rows of portable_devices.sql. `shared` and `formulas` are empty JSON objects. */
enum status common_take(struct experiments *experiments, struct store_query *query,
                        struct common *common, json_t *shared, json_t *formulas,
                        struct error *error);

#endif
