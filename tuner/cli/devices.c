#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/json.h"
#include "tuner/base/text.h"
#include "tuner/cli/commands.h"
#include "tuner/cli/hosts.h"
#include "tuner/device/device.h"
#include "tuner/device/traits.h"
#include "tuner/stats/protocol.h"
#include "tuner/terminal/style.h"
#include "tuner/worker/worker.h"

static const struct ceiling_row {
    const char *key;
    size_t offset; /* in struct bandwidth */
} ceilings[] = {
    {"host_to_device_gbs", offsetof(struct bandwidth, host_to_device_gbs)},
    {"device_to_host_gbs", offsetof(struct bandwidth, device_to_host_gbs)},
    {"copy_gbs", offsetof(struct bandwidth, copy_gbs)},
    {"read_gbs", offsetof(struct bandwidth, read_gbs)},
    {"write_gbs", offsetof(struct bandwidth, write_gbs)},
};

/* A device as shown. */
enum { SHOWN_NAME_BYTES = 80 + DEVICE_NAME_BYTES };
struct shown {
    char address[SHOWN_NAME_BYTES]; /* "cuda:0" */
    struct facts facts;
    bool is_measured;
    struct bandwidth bandwidth; /* if so; 0: not measured */
};

static double ceiling_gbs(const struct shown *shown, const struct ceiling_row *ceiling)
{
    return *(const double *)(const void *)((const char *)&shown->bandwidth + ceiling->offset);
}

struct output {
    bool names_hosts;    /* hosts other than this machine are shown */
    bool bandwidth;      /* is measured */
    json_t *devices;     /* NULL: for people */
    json_t *unavailable; /* kinds, with the reason */
    size_t count;
};

/* Formats "n1:cuda:0"; without the host where none was named. */
static void full_name(const struct host *host, const char *device, const struct output *output,
                      char out[static SHOWN_NAME_BYTES])
{
    (void)string_format(out, SHOWN_NAME_BYTES, "%.60s%s%s", output->names_hosts ? host->name : "",
                        output->names_hosts ? ":" : "", device);
}

/* Measures ceilings in a child process, as every request to a driver: a driver that crashes or
 * hangs does so there. Repeats when the host is lost meanwhile. */
static enum status measure_ceilings(const struct host *host, const char *kind, int index,
                                    struct shown *shown, struct error *error)
{
    unsigned connections = host_connections(host);
    int64_t bytes = 0;
    TRY(device_ceiling_bytes(&bytes, error));
    enum status status = STATUS_OK;
    do {
        struct worker *worker = NULL;
        status = worker_start(host, kind, index, NULL, &worker, error);
        if (status == STATUS_OK)
            status = worker_ceilings(worker, bytes > 0 ? bytes : 0, &shown->bandwidth, NULL, error);
        worker_stop(worker);
    } while (status != STATUS_OK && hosts_ask_again(host, NULL, &connections, error));
    return status;
}

/* Appends a readable form to "34359738368 bytes": " (32 GiB)". */
static void human_bytes(int64_t bytes, char *out, size_t size)
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB"};
    double amount = (double)bytes / 1024;
    size_t unit = 0;
    out[0] = '\0';
    if (bytes < 1024)
        return;
    while (amount >= 1024 && unit + 1 < COUNT(units)) {
        amount /= 1024;
        unit++;
    }
    (void)string_format(out, size, " (%.4g %s)", amount, units[unit]);
}

static void print_fact(const struct fact *fact, int width)
{
    char number[VALUE_TEXT_BYTES], human[32] = "";
    const char *value = fact->value.text;
    if (fact->value.kind == VALUE_BOOLEAN)
        value = fact->value.integer ? "yes" : "no";
    else if (fact->value.kind != VALUE_TEXT)
        value = value_format(fact->value, number, sizeof number) ? number : "?";
    if (fact->value.kind == VALUE_INTEGER && strstr(fact->key, "bytes"))
        human_bytes(fact->value.integer, human, sizeof human);
    print_clean(stdout, "  %-*s  %s%s\n", width, fact->key, *value ? value : "none", human);
}

static void print_device(const struct shown *shown)
{
    int width = 0;
    char human[32];
    for (size_t i = 0; i < shown->facts.count; i++) {
        int length = (int)strlen(shown->facts.items[i].key);
        width = length > width ? length : width;
    }
    for (size_t i = 0; shown->is_measured && i < COUNT(ceilings); i++) {
        int length = (int)strlen(ceilings[i].key);
        if (ceiling_gbs(shown, &ceilings[i]) > 0)
            width = length > width ? length : width;
    }
    print_clean(stdout, "%s: %s\n", shown->address, facts_text(&shown->facts, "name", "?"));
    for (size_t i = 0; i < shown->facts.count; i++)
        print_fact(&shown->facts.items[i], width);
    if (!shown->is_measured)
        return;
    human_bytes(shown->bandwidth.bytes, human, sizeof human);
    print_clean(stdout, "  measured with buffers of %lld bytes%s:\n",
                (long long)shown->bandwidth.bytes, human);
    for (size_t i = 0; i < COUNT(ceilings); i++)
        if (ceiling_gbs(shown, &ceilings[i]) > 0)
            print_clean(stdout, "  %-*s  %.4g\n", width, ceilings[i].key,
                        ceiling_gbs(shown, &ceilings[i]));
}

static json_t *value_json(const struct value *value)
{
    switch (value->kind) {
    case VALUE_INTEGER:
        return json_integer(value->integer);
    case VALUE_REAL:
        return json_real(value->real);
    case VALUE_BOOLEAN:
        return json_boolean(value->integer);
    case VALUE_TEXT:
        break;
    }
    /* Texts of drivers and files may be invalid UTF-8. */
    json_t *text = json_string(value->text);
    return text ? text : json_string("");
}

/* Returns the ceilings that were measured; null without any. */
static json_t *bandwidth_json(const struct shown *shown)
{
    if (!shown->is_measured)
        return json_null();
    json_t *measured = json_pack("{s:I}", "bytes", (json_int_t)shown->bandwidth.bytes);
    for (size_t i = 0; i < COUNT(ceilings); i++)
        if (ceiling_gbs(shown, &ceilings[i]) > 0 &&
            json_object_set_new(measured, ceilings[i].key,
                                json_real(ceiling_gbs(shown, &ceilings[i]))) != 0) {
            json_decref(measured);
            return NULL;
        }
    return measured;
}

static enum status show_device(const struct host *host, const struct device_api *api, int index,
                               struct output *output, struct error *error)
{
    struct shown shown = {0};
    char name[DEVICE_NAME_BYTES];
    device_name(api->kind, index, name);
    full_name(host, name, output, shown.address);
    enum status status = hosts_describe(host, api->kind, index, NULL, &shown.facts, error);
    if (status == STATUS_OK && output->bandwidth)
        status = measure_ceilings(host, api->kind, index, &shown, error);
    for (size_t i = 0; status == STATUS_OK && i < COUNT(ceilings); i++)
        shown.is_measured = shown.is_measured || ceiling_gbs(&shown, &ceilings[i]) > 0;
    if (status == STATUS_OK && output->devices) {
        /* Appends the device: facts that every kind has under the names of the other answers, the
         * rest in `device_facts`. */
        static const struct {
            const char *fact, *member;
        } shared[] = {{"name", "device"},
                      {"kind", "device_kind"},
                      {"uuid", "device_uuid"},
                      {"driver", "driver"},
                      {"compiler", "compiler"}};
        json_t *object = json_pack("{s:n,s:n,s:n,s:s,s:n,s:n}", shared[0].member, shared[1].member,
                                   shared[2].member, "address", shown.address, shared[3].member,
                                   shared[4].member);
        json_t *own = json_object();
        bool good = object && own;
        for (size_t j = 0; j < shown.facts.count; j++) {
            const struct fact *fact = &shown.facts.items[j];
            size_t k = 0;
            while (k < COUNT(shared) && strcmp(shared[k].fact, fact->key) != 0)
                k++;
            const bool is_shared = k < COUNT(shared);
            good = good && json_object_set_new(is_shared ? object : own,
                                               is_shared ? shared[k].member : fact->key,
                                               value_json(&fact->value)) == 0;
        }
        good = json_object_set_new(object, "device_facts", own) == 0 && good;
        good = json_object_set_new(object, "bandwidth", bandwidth_json(&shown)) == 0 && good;
        if (!(json_array_append_new(output->devices, object) == 0 && good))
            status = error_no_memory(error);
    } else if (status == STATUS_OK) {
        if (output->count > 0)
            putchar('\n');
        print_device(&shown);
    }
    output->count += status == STATUS_OK;
    facts_free(&shown.facts);
    return status;
}

static void print_unavailable(const char *device, const struct error *error, struct output *output)
{
    (void)print_clean(stderr, "tune devices: %s: %s\n", device, error->text);
    if (output->unavailable)
        (void)json_array_append_new(
            output->unavailable, json_pack("{s:s,s:s}", "address", device, "reason", error->text));
}

/* Shows the devices of a kind; a failing device is reported and does not hide the others. */
static void show_kind(const struct host *host, const struct device_api *api, struct output *output)
{
    struct error error = {0};
    char name[SHOWN_NAME_BYTES], device[DEVICE_NAME_BYTES];
    int count = 0;
    if (hosts_count(host, api->kind, NULL, &count, &error) != STATUS_OK) {
        full_name(host, api->kind, output, name);
        print_unavailable(name, &error, output);
        return;
    }
    for (int index = 0; index < count; index++) {
        device_name(api->kind, index, device);
        full_name(host, device, output, name);
        error_clear(&error);
        if (show_device(host, api, index, output, &error) != STATUS_OK)
            print_unavailable(name, &error, output);
    }
}

static enum status show_one(const struct host *host, const char *wanted, struct output *output,
                            struct error *error)
{
    const struct device_api *api = NULL;
    int index = 0, count = 0;
    TRY(device_parse(wanted, &api, &index, error));
    TRY(hosts_count(host, api->kind, NULL, &count, error));
    if (index >= count)
        return error_set(error, STATUS_NOT_FOUND, "there is no device '%s': %s has %d of kind %s",
                         wanted, output->names_hosts ? host->name : "this machine", count,
                         api->kind);
    return show_device(host, api, index, output, error);
}

static void show_kinds(const struct host *host, struct output *output)
{
    for (size_t i = 0; device_kinds[i]; i++)
        if (!device_traits(device_kinds[i]->kind)->by_name_only)
            show_kind(host, device_kinds[i], output);
}

static enum status show(const struct host_list *hosts, const char *wanted, struct output *output,
                        struct error *error)
{
    output->names_hosts = hosts->count > 0;
    if (output->names_hosts) {
        /* Shows each host once reached; an unreachable host is reported and does not hide the
         * others. */
        for (size_t i = 0; i < hosts->count; i++) {
            const struct host *host = hosts->items[i];
            struct error why = {0};
            if (hosts_await_one(host, NULL) != HOST_READY) {
                char trouble[512] = "";
                host_trouble(host, trouble, sizeof trouble);
                (void)error_set(&why, STATUS_UNAVAILABLE, "gives no host: %s", trouble);
                print_unavailable(host_command(host), &why, output);
            } else if (!wanted) {
                show_kinds(host, output);
            } else if (show_one(host, wanted, output, &why) != STATUS_OK) {
                print_unavailable(host->name, &why, output);
            }
        }
    } else if (wanted)
        return show_one(host_local(), wanted, output, error);
    else
        show_kinds(host_local(), output);
    return output->count > 0
               ? STATUS_OK
               : error_set(error, STATUS_UNAVAILABLE, "no device can be used; see the lines above");
}

static enum status print_json(const struct output *output, struct error *error)
{
    json_t *all = json_pack("{s:i,s:O,s:O}", "version", JSON_VERSION, "devices", output->devices,
                            "unavailable", output->unavailable);
    char *text = all ? json_dumps(all, JSON_INDENT(2) | JSON_REAL_PRECISION(6)) : NULL;
    json_decref(all);
    TRY_MEMORY(text);
    puts(text); /* main checks for write errors */
    free(text);
    return STATUS_OK;
}

static enum status run_devices(const struct command *command, int argc, char **argv,
                               struct error *error)
{
    bool json = false;
    const char *wanted = NULL;
    struct host_list hosts = {.count = 0};
    struct output output = {0};
    const struct option_spec options[] = {
        OPTION_SHORT('d', "device", "X", &wanted, "only this device: 0, cuda:0 or cpu"),
        HOST_OPTIONS(&hosts),
        OPTION_SHORT_FLAG('b', "bandwidth", &output.bandwidth,
                          "also measure the bandwidth of copies, reads and writes: the ceilings"),
        OPTION_FLAG("json", &json, "print JSON (docs/json.md)"),
    };
    size_t words = 0;
    TRY(options_parse(command, options, COUNT(options), argc, argv, NULL, 0, &words, error));
    enum status status = STATUS_OK;
    if (json) {
        output.devices = json_array();
        output.unavailable = json_array();
        if (!output.devices || !output.unavailable)
            status = error_no_memory(error);
    }
    if (status == STATUS_OK)
        status = hosts_open(&hosts, error);
    if (status == STATUS_OK)
        status = show(&hosts, wanted, &output, error);
    hosts_close(&hosts);
    if (status == STATUS_OK && json)
        status = print_json(&output, error);
    json_decref(output.devices);
    json_decref(output.unavailable);
    return status;
}

const struct command command_devices = {
    .name = "devices",
    .usage = "[options]",
    .about = "Describes the devices of this machine: GPUs first, then the CPU.",
    .more = "Names are those of expressions and of JSON.",
    .run = run_devices,
};
