/* Judgement of each entry by the race, and printing. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/json.h"
#include "tuner/base/text.h"
#include "tuner/cli/check.h"
#include "tuner/cli/embedded.h"
#include "tuner/stats/choose.h"
#include "tuner/store/query.h"

enum { INTERVAL_BYTES = 64 };
/* A kernel differs by a few percent from process to process, not by more. */
static const double clearly_slower = 0.05;

static const char *state_name(enum check_state state)
{
    static const char *const names[CHECK_STATES] = {"holds", "stale", "no longer holds",
                                                    "cannot be checked", "not checked"};
    return names[state];
}

/* Contenders of the race, the fastest first. */
struct contender_row {
    const char *configuration, *baselines, *rejection, *trust, *trust_reason;
    double time_ns, difference, difference_low, difference_high, delta;
    bool is_entry, tied, is_confirmed;
};
#define OF(member, kind) STORE_MEMBER(struct contender_row, member, kind)
static const struct store_column contender_columns[] = {
    OF(configuration, TEXT),
    OF(baselines, TEXT),
    {"out", offsetof(struct contender_row, rejection), STORE_TEXT},
    OF(trust, TEXT),
    OF(trust_reason, TEXT),
    OF(time_ns, REAL),
    OF(difference, REAL),
    OF(difference_low, REAL),
    OF(difference_high, REAL),
    OF(delta, REAL),
    OF(is_entry, TRUTH),
    OF(tied, TRUTH),
    OF(is_confirmed, TRUTH),
};
/* Failure of an entry that did not race. */
struct failure_row {
    const char *status, *detail;
};
static const struct store_column failure_columns[] = {
    {"status", offsetof(struct failure_row, status), STORE_TEXT},
    {"detail", offsetof(struct failure_row, detail), STORE_TEXT},
};

/* Reads the rows of a query about the entry. */
static enum status read_of(struct check *check, const struct check_entry *entry,
                           int64_t environment_id, struct store_reading reading, void *rows,
                           size_t *count, struct error *error)
{
    const struct store_parameter parameters[] = {{"environment", STORE_NUMBER(environment_id)},
                                                 {"problem", entry->problem},
                                                 {"n", STORE_NUMBER(entry->n)},
                                                 {"configuration", entry->configuration},
                                                 {"objective", "time"}};
    reading.parameters = parameters;
    reading.parameter_count = COUNT(parameters);
    return store_read(check->store, &reading, &check->arena, rows, count, error);
}

static void decide(struct check_entry *entry, enum check_state state, const char *reason)
{
    entry->state = state;
    (void)string_format(entry->reason, sizeof entry->reason, "%s", reason);
}

/* Judges an entry that did not race: the failure is the entry's fault, or the verdict stays open.
 */
static enum status judge_missing(struct check *check, struct check_entry *entry,
                                 int64_t environment_id, struct error *error)
{
    const struct store_reading reading = {.sql = show_query_check_failure,
                                          STORE_COLUMNS(failure_columns),
                                          .row_bytes = sizeof(struct failure_row),
                                          .row_max = 1};
    struct failure_row *failure = NULL;
    size_t tried = 0;
    TRY(read_of(check, entry, environment_id, reading, &failure, &tried, error));
    const char *state = tried && failure->status ? failure->status : "";
    const char *detail = tried && failure->detail ? failure->detail : "";
    const bool ran = strcmp(state, "ok") == 0;
    const bool nothing_wrong = !tried || (ran && detail[0] == '\0');
    if (nothing_wrong && check->budget_spent) {
        decide(entry, CHECK_NO_TIME, "the budget was spent before its turn");
    } else if (!tried) {
        decide(entry, CHECK_UNKNOWN, "it is no configuration of the experiment as it is today");
    } else {
        decide(entry, nothing_wrong ? CHECK_UNKNOWN : CHECK_BEATEN, "");
        (void)string_format(entry->reason, sizeof entry->reason, "%s%s%s",
                            ran ? "it was not raced" : state, detail[0] ? ": " : "", detail);
    }
    return STATUS_OK;
}

/* Formats " (1.20 to 3.40 %)"; "" when unknown. */
static const char *interval_of(const struct check_entry *entry, char out[static INTERVAL_BYTES])
{
    out[0] = '\0';
    if (isfinite(entry->low) && isfinite(entry->high))
        (void)string_format(out, INTERVAL_BYTES, " (%.2f to %.2f %%)", 100 * entry->low,
                            100 * entry->high);
    return out;
}

/* Returns how much slower, relative, an entry may be since few kernels serve many sizes. The loss
 * is a mean over the states of the cache, and may be due entirely to the state measured here. */
static double allowed_loss(const struct tuned_entry *entry)
{
    double states = 1;
    const char *text = tuned_evidence_text(entry, "states", NULL);
    for (; text && *text; text++)
        states += *text == ',';
    return states * tuned_evidence(entry, "loss_percent", 0) / 100;
}

static void judge_row(struct check_entry *entry, const struct contender_row *fastest,
                      const struct contender_row *own, size_t rivals)
{
    char interval[INTERVAL_BYTES];
    entry->time_ns = own->time_ns;
    entry->loss = own->difference;
    entry->low = own->difference_low;
    entry->high = own->difference_high;
    const struct interval difference = {entry->loss, entry->low, entry->high};
    entry->delta = own->delta + allowed_loss(entry->entry);
    entry->fastest = fastest->configuration;
    entry->named = fastest->baselines;
    entry->is_confirmed = own->is_confirmed;
    if (own->rejection)
        decide(entry, CHECK_BEATEN, own->rejection);
    else if (own->trust && strcmp(own->trust, "unstable") == 0)
        decide(entry, CHECK_UNKNOWN,
               own->trust_reason ? own->trust_reason : "the measurement supports no choice");
    else
        decide(entry,
               own->tied || difference_is_tied(difference, entry->delta) ? CHECK_HOLDS
                                                                         : CHECK_BEATEN,
               "");
    entry->in_doubt =
        entry->state == CHECK_UNKNOWN ||
        (entry->state == CHECK_BEATEN && !own->rejection && entry->low < clearly_slower);
    (void)interval_of(entry, interval);
    if (entry->reason[0] == '\0' && entry->state == CHECK_BEATEN)
        (void)string_format(entry->reason, sizeof entry->reason,
                            "%s%s%s is faster: the entry takes %.2f %% longer%s",
                            entry->named ? entry->named : "", entry->named ? ", " : "",
                            entry->fastest, 100 * entry->loss, interval);
    else if (entry->state == CHECK_HOLDS && entry->loss > 0)
        (void)string_format(entry->reason, sizeof entry->reason,
                            "not shown to lose more than %.3g %% to the fastest of %zu: %.2f %%%s",
                            100 * entry->delta, rivals, 100 * entry->loss, interval);
    else if (entry->state == CHECK_HOLDS)
        (void)string_format(entry->reason, sizeof entry->reason, "the fastest of %zu", rivals);
}

enum status check_judge(struct check *check, int64_t environment_id, struct error *error)
{
    for (size_t i = 0; i < check->entry_count; i++) {
        struct check_entry *entry = &check->entries[i];
        if (!check_concerns(check, entry))
            continue;
        const struct store_reading reading = {.sql = show_query_check,
                                              STORE_COLUMNS(contender_columns),
                                              .row_bytes = sizeof(struct contender_row)};
        struct contender_row *rows = NULL;
        size_t count = 0;
        size_t own = 0;
        TRY(read_of(check, entry, environment_id, reading, &rows, &count, error));
        while (own < count && !rows[own].is_entry)
            own++;
        if (own < count)
            judge_row(entry, &rows[0], &rows[own], count);
        else
            TRY(judge_missing(check, entry, environment_id, error));
        if (entry->state == CHECK_HOLDS && entry->is_stale)
            entry->state = CHECK_STALE;
    }
    return STATUS_OK;
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
                            "one process saw it take %.2f %% longer%s, and the budget ended before "
                            "other processes timed it",
                            100 * entry->loss, interval_of(entry, interval));
    }
}

/* ---- printing ---- */

void check_print(struct check *check)
{
    if (!check->json)
        text_printf(&check->lines, "%s, driver %s, %s\n", facts_text(check->facts, "name", ""),
                    facts_text(check->facts, "driver", "?"),
                    facts_text(check->facts, "compiler", "?"));
    for (size_t i = 0; i < check->entry_count; i++) {
        check->counts[check->entries[i].state]++;
        check->checked++;
        if (check->json) {
            const struct check_entry *entry = &check->entries[i];
            const double expected = tuned_expected_ns(entry->entry);
            const struct named_value values[] = {
                {"version", value_integer(JSON_VERSION)},
                {"device", value_text(facts_text(check->facts, "name", ""))},
                {"device_kind", value_text(facts_text(check->facts, "kind", ""))},
                {"device_uuid", value_text(facts_text(check->facts, "uuid", NULL))},
                {"driver", value_text(facts_text(check->facts, "driver", NULL))},
                {"compiler", value_text(facts_text(check->facts, "compiler", NULL))},
                {"problem", value_text(entry->problem)},
                {"n", value_integer(entry->n)},
                {"line", value_integer(tuned_entry_line(entry->entry))},
                {"state", value_text(state_name(entry->state))},
                {"reason", value_text(entry->reason)},
                {"stale", value_text(entry->is_stale ? entry->stale : NULL)},
                {"configuration", value_text(entry->configuration)},
                {"time_ns", value_real(entry->time_ns)},
                {"recorded_ns", value_real(expected >= 0 ? expected : (double)NAN)},
                {"loss", value_real(entry->loss)},
                {"loss_low", value_real(entry->low)},
                {"loss_high", value_real(entry->high)},
                {"allowed", value_real(entry->delta)},
                {"fastest", value_text(entry->fastest)},
                {"fastest_is", value_text(entry->named)},
            };
            text_append(&check->lines, check->lines.length > 0 ? ",\n " : "\n ");
            json_append_object(&check->lines, values, COUNT(values));
        } else {
            const struct check_entry *entry = &check->entries[i];
            text_printf(&check->lines, "%-17s  %s n=%lld", state_name(entry->state), entry->problem,
                        (long long)entry->n);
            if (isfinite(entry->time_ns))
                text_printf(&check->lines, "  %.1f ns (recorded: %.1f ns)", entry->time_ns,
                            tuned_expected_ns(entry->entry));
            text_printf(&check->lines, "  %s", entry->reason);
            if (entry->is_stale)
                text_printf(&check->lines, "; stale: %s", entry->stale);
            text_append(&check->lines, "\n");
        }
    }
}
