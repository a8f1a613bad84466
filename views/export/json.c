/* tuned.conf as JSON: all entries with their devices, for programs with a JSON reader. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "libtuned/tuned.h"
#include "tuner/base/array.h"
#include "tuner/base/json.h"
#include "views/export/configurations.h"

/* Returns a number or boolean if the text is valid JSON of that type; else the text. */
static json_t *json_of(const char *text)
{
    json_t *value = json_read(text, JSON_DECODE_ANY, NULL);
    if (json_is_number(value) || json_is_boolean(value))
        return value;
    json_decref(value);
    return json_string(text);
}

typedef void read_field(const struct tuned_entry *entry, size_t position, const char **name,
                        const char **value);

static json_t *fields_of(const struct tuned_entry *entry, read_field *read)
{
    json_t *fields = json_object();
    const char *name = NULL, *value = NULL;
    for (size_t i = 0; read(entry, i, &name, &value), name; i++)
        (void)json_object_set_new(fields, name, json_of(value));
    return fields;
}

/* Returns the numbers of the entry's device that its section has. */
static json_t *device_facts_of(const struct tuned_entry *entry)
{
    static const struct {
        const char *name;
        bool is_text; /* a list of versions is no number */
    } facts[] = {{"compute_capability", true}, {"sm_count", false},      {"cores", false},
                 {"memory_bytes", false},      {"bandwidth_gbs", false}, {"capabilities", true}};
    json_t *out = json_object();
    for (size_t i = 0; i < COUNT(facts); i++) {
        const char *text = tuned_device_text(entry, facts[i].name, NULL);
        if (text)
            (void)json_object_set_new(out, facts[i].name,
                                      facts[i].is_text ? json_string(text) : json_of(text));
    }
    return out;
}

enum status export_json(const struct conf_text *file, struct text *out, size_t *entries,
                        struct error *error)
{
    struct tuned_error refused;
    struct tuned *tuned = tuned_load_memory(file->text, file->bytes, file->name, &refused);
    if (!tuned)
        return error_set(error, STATUS_BAD_INPUT, "%s", refused.text);
    bool failed = false;
    *entries = tuned_entry_count(tuned);
    text_append(out, "[");
    for (size_t i = 0; i < *entries; i++) {
        const struct tuned_entry *entry = tuned_entry_at(tuned, i);
        /* Fields that the heading may hold for all entries. */
        static const char *const shared[] = {"verdict",    "trust", "coverage", "stage", "l2",
                                             "confidence", "date",  "source",   "flags", "samples"};
        json_t *evidence = fields_of(entry, tuned_evidence_at);
        for (size_t k = 0; k < COUNT(shared); k++) {
            const char *member = tuned_evidence_text(entry, shared[k], NULL);
            if (member)
                (void)json_object_set_new(evidence, shared[k], json_of(member));
        }
        for (const char *const *name = (const char *const[]){"source", "flags", "capability", NULL};
             *name; name++) {
            const char *member = tuned_evidence_text(entry, *name, NULL);
            if (member) /* also with decimal digits alone */
                (void)json_object_set_new(evidence, *name, json_string(member));
        }
        long long low = tuned_entry_n_low(entry), high = tuned_entry_n_high(entry);
        json_t *sizes = json_pack("{s:[I,I]}", "n", (json_int_t)low, (json_int_t)high);
        const char *size = NULL;
        for (size_t k = 0; (size = tuned_entry_size_at(entry, k, &low, &high)) != NULL; k++)
            (void)json_object_set_new(sizes, size,
                                      json_pack("[I,I]", (json_int_t)low, (json_int_t)high));
        const struct tuned_device *device = tuned_entry_device(entry);
        json_t *object =
            json_pack("{s:i,s:s,s:s,s:s?,s:s?,s:o,s:s,s:o,s:o,s:o,s:i}", "version", JSON_VERSION,
                      "device", device->name, "device_kind", device->kind, "driver",
                      tuned_device_text(entry, "driver", NULL), "compiler",
                      tuned_device_text(entry, "compiler", NULL), "device_facts",
                      device_facts_of(entry), "problem", tuned_entry_problem(entry), "sizes", sizes,
                      "values", fields_of(entry, tuned_value_at), "evidence", evidence, "line",
                      tuned_entry_line(entry));
        char *text = object ? json_dumps(object, JSON_REAL_PRECISION(15)) : NULL;
        failed = failed || !text;
        text_append(out, i > 0 ? ",\n " : "\n ");
        text_append(out, text ? text : "null");
        free(text);
        json_decref(object);
    }
    text_append(out, "\n]\n");
    tuned_free(tuned);
    return failed || out->failed ? error_no_memory(error) : STATUS_OK;
}
