#include "tuner/base/status.h"

#include <stddef.h>

#include "tuner/base/text.h"

static const struct status_row {
    int exit_code;
    const char *text;
} status_rows[] = {
#define STATUS_ROW(name, code, text) {code, text},
    STATUS_LIST(STATUS_ROW)
#undef STATUS_ROW
};

static const struct status_row *row_of(enum status status)
{
    size_t index = (size_t)status;
    if (index >= sizeof status_rows / sizeof status_rows[0])
        index = STATUS_INTERNAL;
    return &status_rows[index];
}

const char *status_text(enum status status)
{
    return row_of(status)->text;
}

int status_exit_code(enum status status)
{
    return row_of(status)->exit_code;
}

static const struct trial_status_row {
    const char *name;
    const char *text;
} trial_status_rows[] = {
#define TRIAL_STATUS_ROW(enumerator, name, text) {name, text},
    TRIAL_STATUS_LIST(TRIAL_STATUS_ROW)
#undef TRIAL_STATUS_ROW
};

const char *trial_status_name(enum trial_status status)
{
    size_t index = (size_t)status;
    return index < TRIAL_STATUS_COUNT ? trial_status_rows[index].name : "unknown";
}

const char *trial_status_text(enum trial_status status)
{
    size_t index = (size_t)status;
    return index < TRIAL_STATUS_COUNT ? trial_status_rows[index].text : "unknown";
}

_Bool trial_status_from_name(const char *name, enum trial_status *out)
{
    const size_t index = ROW_INDEX(name, trial_status_rows, name);
    if (index < TRIAL_STATUS_COUNT)
        *out = (enum trial_status)index;
    return index < TRIAL_STATUS_COUNT;
}
