#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "tuner/base/json.h"
#include "tuner/cli/show_why.h"

/* The members of an object, one after the other. */
static void put_name(struct text *out, const char *name)
{
    const char before = out->length > 0 ? out->data[out->length - 1] : '{';
    text_append(out, before == '{' ? "" : ", ");
    json_append_string(out, name);
    text_append(out, ": ");
}

static void put_text(struct text *out, const char *name, const char *value)
{
    put_name(out, name);
    json_append_string(out, value);
}

static void put_real(struct text *out, const char *name, double value)
{
    put_name(out, name);
    if (isfinite(value))
        text_printf(out, "%.15g", value); /* as the other questions write them */
    else
        text_append(out, "null");
}

/* Below 0: unknown. */
static void put_integer(struct text *out, const char *name, int64_t value)
{
    put_name(out, name);
    if (value < 0)
        text_append(out, "null");
    else
        text_printf(out, "%" PRId64, value);
}

static void put_flag(struct text *out, const char *name, bool value)
{
    put_name(out, name);
    text_append(out, value ? "true" : "false");
}

static void put_point(struct text *out, const struct explain_point *point)
{
    text_append(out, "{");
    put_text(out, "role", point->role);
    put_text(out, "about", point->about);
    put_text(out, "status", point->status);
    put_text(out, "standing", point->standing);
    put_text(out, "stage", point->stage);
    put_real(out, "time_ns", point->time_ns);
    put_real(out, "time_low_ns", point->low_ns);
    put_real(out, "time_high_ns", point->high_ns);
    put_real(out, "worse_by", point->slower);
    put_real(out, "worse_by_low", point->slower_low);
    put_real(out, "worse_by_high", point->slower_high);
    put_real(out, "gbs", point->gbs);
    put_real(out, "ceiling_share", point->ceiling_share);
    put_real(out, "gops", point->gops);
    put_real(out, "arithmetic_share", point->arithmetic_share);
    put_integer(out, "launches", point->launches);
    put_integer(out, "grid", point->grid);
    put_integer(out, "block", point->block);
    put_integer(out, "threads", point->threads);
    put_real(out, "blocks_per_sm", point->blocks_per_sm);
    put_real(out, "occupancy", point->occupancy);
    put_integer(out, "registers", point->registers);
    put_integer(out, "spill_bytes", point->spill_bytes);
    put_integer(out, "local_bytes", point->local_bytes);
    put_integer(out, "shared_bytes", point->shared_bytes);
    put_real(out, "bytes_per_thread", point->bytes_per_thread);
    put_real(out, "bytes_in_flight_per_sm", point->bytes_in_flight_per_sm);
    put_integer(out, "trial_id", point->trial_id);
    put_text(out, "configuration", point->configuration);
    put_name(out, "parameters");
    text_append(out, point->parameters ? point->parameters : "null");
    text_append(out, "}");
}

static void put_sensitivity(struct text *out, const struct explain_sensitivity *item)
{
    text_append(out, "{");
    put_text(out, "parameter", item->parameter);
    put_text(out, "value", item->value);
    put_flag(out, "alone", item->alone);
    put_integer(out, "values", (int64_t)item->values);
    put_text(out, "best_other", item->best_other);
    put_real(out, "best_other_loss", item->best_other_loss);
    put_text(out, "best_other_with", item->best_other_with);
    put_text(out, "worst", item->worst);
    put_real(out, "worst_loss", item->worst_loss);
    put_text(out, "worst_with", item->worst_with);
    text_append(out, "}");
}

static void put_problem(struct text *out, const struct explanation *explanation)
{
    put_integer(out, "winner_id", explanation->winner_id);
    put_text(out, "device", explanation->device);
    put_text(out, "device_kind", explanation->device_kind);
    put_integer(out, "unit_count", explanation->unit_count);
    put_text(out, "driver", explanation->driver);
    put_text(out, "compiler", explanation->compiler);
    put_text(out, "l2_mode", explanation->l2_mode);
    put_text(out, "objective", explanation->objective);
    put_text(out, "experiment", explanation->experiment);
    put_text(out, "problem", explanation->problem);
    put_integer(out, "n", explanation->n);
    put_text(out, "ceiling", explanation->ceiling);
    put_real(out, "ceiling_gbs", explanation->ceiling_gbs);
    put_text(out, "operations_type", explanation->operations_type);
    put_real(out, "arithmetic_gops", explanation->arithmetic_gops);
    put_real(out, "delta", explanation->delta);
    put_real(out, "confidence", explanation->confidence);
    put_integer(out, "tied_count", explanation->tied_count);
    put_flag(out, "kept_incumbent", explanation->kept_incumbent);
    put_integer(out, "compared", explanation->compared);
    put_integer(out, "wrong_less_than_once_in",
                explanation->compared >= 3 ? explanation->compared / 3 : -1);
    put_text(out, "trust", explanation->trust);
    put_text(out, "trust_reason", explanation->trust_reason);
    put_text(out, "limit", explain_limit_name(explanation->limit));
    put_text(out, "limit_text", explanation->limit_text);
}

static void put_explanation(struct text *out, const struct explanation *explanation)
{
    text_append(out, "{");
    put_problem(out, explanation);
    put_name(out, "sentences");
    text_append(out, "[");
    for (size_t i = 0; i < explanation->sentence_count; i++) {
        text_append(out, i == 0 ? "" : ", ");
        json_append_string(out, explanation->sentences[i]);
    }
    text_append(out, "]");
    put_name(out, "points");
    text_append(out, "[");
    for (size_t i = 0; i < explanation->point_count; i++) {
        text_append(out, i == 0 ? "\n    " : ",\n    ");
        put_point(out, &explanation->points[i]);
    }
    text_append(out, "]");
    put_name(out, "sensitivities");
    text_append(out, "[");
    for (size_t i = 0; i < explanation->sensitivity_count; i++) {
        text_append(out, i == 0 ? "\n    " : ",\n    ");
        put_sensitivity(out, &explanation->sensitivities[i]);
    }
    text_append(out, "]}");
}

enum status show_why_json(const struct explanation *explanations, size_t count, struct error *error)
{
    fputs("[", stdout);
    for (size_t i = 0; i < count; i++) {
        struct text out = {0};
        put_explanation(&out, &explanations[i]);
        const bool failed = out.failed;
        if (!failed)
            printf("%s%s", i == 0 ? "\n  " : ",\n  ", text_string(&out));
        text_free(&out);
        if (failed)
            return error_no_memory(error);
    }
    fputs(count > 0 ? "\n]\n" : "]\n", stdout);
    return STATUS_OK;
}
