#include "tuner/trial/verdict.h"

#include <math.h>
#include <stdio.h>

#include "tuner/base/text.h"

static const char *const names[VERDICTS] = {
    [VERDICT_SOUND] = "sound", [VERDICT_NOISY] = "noisy", [VERDICT_UNSTABLE] = "unstable"};

const char *verdict_name(enum verdict verdict)
{
    return names[verdict];
}

static enum verdict judge(const struct verdict_facts *facts)
{
    double dropped = (double)facts->rounds_dropped;
    if (facts->biased || dropped > facts->dropped_most * (double)facts->rounds)
        return VERDICT_UNSTABLE;
    if (facts->rounds == 0 || !(facts->floor <= facts->delta) || facts->processes == 0 ||
        !facts->conditions_known)
        return VERDICT_NOISY;
    return VERDICT_SOUND;
}

static void append_percent(struct text *out, double share)
{
    text_printf(out, "%.3g %%", share * 100);
}

static void append_rounds(struct text *out, const struct verdict_facts *facts)
{
    if (facts->rounds == 0)
        text_append(out, "no rounds");
    else if (facts->rounds_dropped == 0)
        text_printf(out, "none of %zu rounds dropped", facts->rounds);
    else
        text_printf(out, "%zu of %zu rounds dropped", facts->rounds_dropped, facts->rounds);
    if (facts->rounds_dropped > 0 && facts->most_frequent_fault)
        text_printf(out, " (%s)", facts->most_frequent_fault);
    if ((double)facts->rounds_dropped > facts->dropped_most * (double)facts->rounds) {
        text_append(out, ", more than ");
        append_percent(out, facts->dropped_most);
    }
}

static void append_floor(struct text *out, const struct verdict_facts *facts)
{
    if (isnan(facts->floor)) {
        text_append(out, ", A/A floor unknown");
        return;
    }
    text_append(out, ", A/A floor ");
    append_percent(out, facts->floor);
    if (facts->biased)
        text_append(out, " (twins differ: the harness is biased)");
    else if (facts->floor > facts->delta) {
        text_append(out, " (over the tie band of ");
        append_percent(out, facts->delta);
        text_append(out, ")");
    }
}

enum verdict verdict_of(const struct verdict_facts *facts, char *reason, size_t reason_bytes)
{
    struct text out = {0};
    append_rounds(&out, facts);
    append_floor(&out, facts);
    if (facts->processes == 0)
        text_append(&out, ", not confirmed by fresh processes");
    else
        text_printf(&out, ", confirmed by %zu fresh process%s", facts->processes,
                    facts->processes == 1 ? "" : "es");
    if (!facts->conditions_known)
        text_append(&out, ", clocks and throttling could not be read");
    (void)string_format(reason, reason_bytes, "%s", text_string(&out));
    text_free(&out);
    return judge(facts);
}
