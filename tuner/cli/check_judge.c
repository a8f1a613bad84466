/* What the race says of each entry, and how that is printed. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/json.h"
#include "tuner/base/text.h"
#include "tuner/cli/check.h"

extern const char show_query_check[];
extern const char show_query_check_failure[];

enum { INTERVAL_BYTES = 64 };
/* One and the same kernel may differ by a few percent from process to process, not by more. */
static const double clearly_slower = 0.05;

const char *check_state_name(enum check_state state)
{
    static const char *const names[CHECK_STATES] = {"holds", "stale", "no longer holds",
                                                    "cannot be checked", "not checked"};
    return names[state];
}

static double real_of(const struct rows *rows, size_t row, const char *name)
{
    return rows_number(rows, row, name);
}

static bool flag_of(const struct rows *rows, size_t row, const char *name)
{
    return strcmp(rows_text(rows, row, name, "0"), "1") == 0;
}

static void decide(struct check_entry *entry, enum check_state state, const char *reason)
{
    entry->state = state;
    (void)string_format(entry->reason, sizeof entry->reason, "%s", reason);
}

struct asked {
    char n[32], environment[32];
    struct store_parameter items[5];
};

static void fill(const struct check_entry *entry, int64_t environment_id, struct asked *out)
{
    (void)string_format(out->n, sizeof out->n, "%" PRId64, entry->n);
    (void)string_format(out->environment, sizeof out->environment, "%" PRId64, environment_id);
    const struct store_parameter items[] = {{"environment", out->environment},
                                            {"problem", entry->problem},
                                            {"n", out->n},
                                            {"configuration", entry->configuration},
                                            {"objective", "time"}};
    memcpy(out->items, items, sizeof items);
}

/* It did not come to race: what failed says whether the entry is wrong, or nobody knows. */
static enum status judge_missing(struct check *check, struct check_entry *entry,
                                 const struct asked *asked, struct error *error)
{
    struct rows rows = {0};
    enum status status =
        rows_read(check->store, show_query_check_failure, asked->items, 5, &rows, error);
    bool tried = status == STATUS_OK && rows.row_count > 0;
    const char *state = tried ? rows_text(&rows, 0, "status", "") : "";
    const char *detail = tried ? rows_text(&rows, 0, "detail", "") : "";
    bool ran = strcmp(state, "ok") == 0;
    bool nothing_wrong = !tried || (ran && detail[0] == '\0');
    if (status == STATUS_OK && nothing_wrong && check->budget_spent) {
        decide(entry, CHECK_NO_TIME, "the budget was spent before its turn");
    } else if (status == STATUS_OK && !tried) {
        decide(entry, CHECK_UNKNOWN, "it is no configuration of the experiment as it is today");
    } else if (status == STATUS_OK) {
        decide(entry, ran && detail[0] == '\0' ? CHECK_UNKNOWN : CHECK_BEATEN, "");
        (void)string_format(entry->reason, sizeof entry->reason, "%s%s%s",
                            ran ? "it did not come to race" : state, detail[0] ? ": " : "", detail);
    }
    rows_free(&rows);
    return status;
}

/* " (1.20 to 3.40 %)"; empty when it is not known. */
static const char *interval_of(const struct check_entry *entry, char out[static INTERVAL_BYTES])
{
    out[0] = '\0';
    if (isfinite(entry->low) && isfinite(entry->high))
        (void)string_format(out, INTERVAL_BYTES, " (%.2f to %.2f %%)", 100 * entry->low,
                            100 * entry->high);
    return out;
}

static void say_beaten(struct check_entry *entry)
{
    char interval[INTERVAL_BYTES];
    (void)string_format(entry->reason, sizeof entry->reason,
                        "%s%s%s is faster: the entry takes %.2f %% longer%s",
                        entry->named ? entry->named : "", entry->named ? ", " : "", entry->fastest,
                        100 * entry->loss, interval_of(entry, interval));
}

static void say_held(struct check_entry *entry, size_t rivals)
{
    char interval[INTERVAL_BYTES];
    const char *shown = interval_of(entry, interval);
    if (entry->loss > 0)
        (void)string_format(entry->reason, sizeof entry->reason,
                            "not shown to lose more than %.3g %% to the fastest of %zu: %.2f %%%s",
                            100 * entry->delta, rivals, 100 * entry->loss, shown);
    else
        (void)string_format(entry->reason, sizeof entry->reason, "the fastest of %zu", rivals);
}

static enum status judge_row(struct check *check, struct check_entry *entry,
                             const struct rows *rows, size_t own, struct error *error)
{
    const char *out = rows_text(rows, own, "out", NULL);
    const char *named = rows_text(rows, 0, "baselines", NULL);
    entry->time_ns = real_of(rows, own, "time_ns");
    entry->loss = real_of(rows, own, "difference");
    entry->low = real_of(rows, own, "difference_low");
    entry->high = real_of(rows, own, "difference_high");
    entry->delta = real_of(rows, own, "delta");
    entry->fastest = arena_strdup(&check->arena, rows_text(rows, 0, "configuration", ""));
    entry->named = named ? arena_strdup(&check->arena, named) : NULL;
    if (!entry->fastest || (named && !entry->named))
        return error_no_memory(error);
    if (out)
        decide(entry, CHECK_BEATEN, out);
    else if (strcmp(rows_text(rows, own, "trust", ""), "unstable") == 0)
        decide(entry, CHECK_UNKNOWN, rows_text(rows, own, "trust_reason", "unstable"));
    else if (flag_of(rows, own, "tied"))
        decide(entry, CHECK_HOLDS, "");
    else
        decide(entry, CHECK_BEATEN, "");
    entry->is_confirmed = flag_of(rows, own, "is_confirmed");
    entry->in_doubt = entry->state == CHECK_UNKNOWN ||
                      (entry->state == CHECK_BEATEN && !out && entry->low < clearly_slower);
    if (entry->reason[0] == '\0' && entry->state == CHECK_BEATEN)
        say_beaten(entry);
    else if (entry->state == CHECK_HOLDS)
        say_held(entry, rows->row_count);
    return STATUS_OK;
}

static enum status judge(struct check *check, struct check_entry *entry, int64_t environment_id,
                         struct error *error)
{
    struct asked asked;
    struct rows rows = {0};
    fill(entry, environment_id, &asked);
    enum status status = rows_read(check->store, show_query_check, asked.items, 5, &rows, error);
    size_t own = 0;
    while (own < rows.row_count && !flag_of(&rows, own, "is_entry"))
        own++;
    if (status == STATUS_OK)
        status = own < rows.row_count ? judge_row(check, entry, &rows, own, error)
                                      : judge_missing(check, entry, &asked, error);
    rows_free(&rows);
    if (entry->state == CHECK_HOLDS && entry->is_stale)
        entry->state = CHECK_STALE;
    return status;
}

enum status check_judge(struct check *check, int64_t environment_id, struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < check->entry_count; i++) {
        struct check_entry *entry = &check->entries[i];
        if (check_concerns(check, entry))
            status = judge(check, entry, environment_id, error);
    }
    return status;
}

void check_leave_doubts(struct check *check)
{
    for (size_t i = 0; i < check->entry_count; i++) {
        struct check_entry *entry = &check->entries[i];
        char interval[INTERVAL_BYTES];
        if (!entry->in_doubt || entry->is_confirmed || entry->state != CHECK_BEATEN)
            continue;
        entry->state = CHECK_NO_TIME;
        (void)string_format(entry->reason, sizeof entry->reason,
                            "one process saw it take %.2f %% longer%s, and the budget was spent "
                            "before others were asked",
                            100 * entry->loss, interval_of(entry, interval));
    }
}

/* ---- printing ---- */

static void print_line(struct text *out, const struct check_entry *entry)
{
    text_printf(out, "%-17s  %s n=%lld", check_state_name(entry->state), entry->problem,
                (long long)entry->n);
    if (isfinite(entry->time_ns))
        text_printf(out, "  %.1f ns (recorded: %.1f ns)", entry->time_ns,
                    tuned_expected_ns(entry->entry));
    text_printf(out, "  %s", entry->reason);
    if (entry->is_stale)
        text_printf(out, "; stale: %s", entry->stale);
    text_append(out, "\n");
}

static void add(struct named_value *values, size_t *count, const char *name, struct value value)
{
    values[(*count)++] = (struct named_value){name, value};
}

static void print_json(struct text *out, const struct check *check, const struct check_entry *entry)
{
    struct named_value values[16];
    size_t count = 0;
    double expected = tuned_expected_ns(entry->entry);
    add(values, &count, "device", value_text(facts_text(check->facts, "name", "")));
    add(values, &count, "problem", value_text(entry->problem));
    add(values, &count, "n", value_integer(entry->n));
    add(values, &count, "line", value_integer(tuned_entry_line(entry->entry)));
    add(values, &count, "state", value_text(check_state_name(entry->state)));
    add(values, &count, "reason", value_text(entry->reason));
    add(values, &count, "stale", value_text(entry->is_stale ? entry->stale : NULL));
    add(values, &count, "configuration", value_text(entry->configuration));
    add(values, &count, "time_ns", value_real(entry->time_ns));
    add(values, &count, "recorded_ns", value_real(expected >= 0 ? expected : (double)NAN));
    add(values, &count, "loss", value_real(entry->loss));
    add(values, &count, "loss_low", value_real(entry->low));
    add(values, &count, "loss_high", value_real(entry->high));
    add(values, &count, "allowed", value_real(entry->delta));
    add(values, &count, "fastest", value_text(entry->fastest));
    add(values, &count, "fastest_is", value_text(entry->named));
    text_append(out, out->length > 0 ? ",\n " : "\n ");
    json_append_object(out, values, count);
}

void check_print(struct check *check)
{
    if (!check->json)
        text_printf(&check->lines, "%s, driver %s, %s\n", facts_text(check->facts, "name", ""),
                    facts_text(check->facts, "driver", "?"),
                    facts_text(check->facts, "compiler", "?"));
    for (size_t i = 0; i < check->entry_count; i++) {
        check->counts[check->entries[i].state]++;
        check->checked++;
        if (check->json)
            print_json(&check->lines, check, &check->entries[i]);
        else
            print_line(&check->lines, &check->entries[i]);
    }
}
