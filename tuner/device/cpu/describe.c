#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "tuner/base/files.h"
#include "tuner/base/hash.h"
#include "tuner/base/text.h"
#include "tuner/device/cpu/compiler.h"
#include "tuner/device/cpu/device.h"

enum { LINE_BYTES = 8192, TEXT_BYTES = 256 };

/* Reads the value of the first line of /proc/cpuinfo with one of the keys, which differ by
 * architecture; "" when absent. */
static void read_cpuinfo(const char *const *keys, char *out, size_t bytes)
{
    char line[LINE_BYTES];
    FILE *file = fopen("/proc/cpuinfo", "re");
    out[0] = '\0';
    while (file && !out[0] && fgets(line, sizeof line, file)) {
        char *colon = strchr(line, ':');
        if (!colon)
            continue;
        size_t key = strcspn(line, "\t:");
        for (size_t i = 0; keys[i]; i++)
            if (strlen(keys[i]) == key && memcmp(keys[i], line, key) == 0)
                (void)string_format(out, bytes, "%.*s", (int)strcspn(colon + 1, "\n"),
                                    colon + 1 + strspn(colon + 1, " "));
    }
    if (file)
        (void)fclose(file);
}

static void read_model(const struct machine *machine, char out[TEXT_BYTES])
{
    static const char *const keys[] = {"model name", "Processor", "cpu", "Hardware", NULL};
    hwloc_obj_t package = hwloc_get_obj_by_type(machine->topology, HWLOC_OBJ_PACKAGE, 0);
    const char *model = package ? hwloc_obj_get_info_by_name(package, "CPUModel") : NULL;
    struct utsname system;
    if (model)
        (void)string_format(out, TEXT_BYTES, "%s", model);
    else
        read_cpuinfo(keys, out, TEXT_BYTES);
    out[strcspn(out, "\n")] = '\0';
    if (!out[0] && uname(&system) == 0)
        (void)string_format(out, TEXT_BYTES, "%s processor", system.machine);
}

/* Lists the vector instructions useful to kernels, in the order of this list. */
static void read_simd(char *out, size_t bytes)
{
    static const char *const keys[] = {"flags", "Features", "isa", NULL};
    static const char *const known[] = {
        "sse2",     "sse4_2",   "avx",      "f16c",     "fma",         "avx2",        "avx_vnni",
        "avx512f",  "avx512dq", "avx512bw", "avx512vl", "avx512_vnni", "avx512_bf16", "avx512_fp16",
        "amx_tile", "asimd",    "asimddp",  "bf16",     "sve",         "sve2",        "sme",
    };
    char flags[LINE_BYTES];
    size_t length = 0;
    read_cpuinfo(keys, flags, sizeof flags);
    out[0] = '\0';
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        size_t word = strlen(known[i]);
        for (const char *at = flags; (at = strstr(at, known[i])) != NULL; at += word) {
            bool whole = (at == flags || at[-1] == ' ') && strchr(" \n", at[word]);
            if (!whole || length + word + 2 > bytes)
                continue;
            length +=
                (size_t)snprintf(out + length, bytes - length, "%s%s", length ? " " : "", known[i]);
            break;
        }
    }
}

/* Adds the device's identity: equal for the same processors of a machine; a part of these, as in a
 * container, is another device. */
static enum status add_uuid(const struct machine *machine, const char *model, struct facts *facts,
                            struct error *error)
{
    char host[TEXT_BYTES], shape[TEXT_BYTES], uuid[HASH_TEXT_BYTES];
    struct hash_state *state = hash_start();
    TRY_MEMORY(state);
    (void)file_line("/etc/machine-id", host, sizeof host);
    if (!host[0] && gethostname(host, TEXT_BYTES) != 0)
        host[0] = '\0';
    host[TEXT_BYTES - 1] = '\0';
    (void)string_format(shape, sizeof shape, "%d %d %d %d %lld %lld %lld", machine->packages,
                        machine->cores, machine->hardware_threads, machine->numa_nodes,
                        (long long)machine->l1d.bytes, (long long)machine->l2.bytes,
                        (long long)machine->l3.bytes);
    hash_add_string(state, model);
    hash_add_string(state, host);
    hash_add_string(state, shape);
    hash_finish(state, uuid);
    facts_add_text(facts, "uuid", uuid);
    return STATUS_OK;
}

static void add_cache(struct facts *facts, const struct cache_level *cache, const char *key)
{
    char text[64];
    if (cache->bytes <= 0)
        return;
    (void)string_format(text, sizeof text, "%s_bytes", key);
    facts_add_integer(facts, text, cache->bytes);
    (void)string_format(text, sizeof text, "%s_count", key);
    facts_add_integer(facts, text, cache->count);
}

enum status cpu_describe(int index, const char *architecture, struct facts *facts,
                         struct error *error)
{
    struct machine machine;
    char model[TEXT_BYTES] = "", simd[TEXT_BYTES];
    if (architecture)
        return error_set(error, STATUS_UNAVAILABLE, "architecture '%s': a CPU's follows from none",
                         architecture);
    if (index != 0)
        return error_set(error, STATUS_NOT_FOUND, "there is no device cpu:%d, only cpu", index);
    enum status status = machine_load(&machine, error);
    if (status != STATUS_OK)
        return status;
    read_model(&machine, model);
    facts_add_text(facts, "kind", "cpu");
    facts_add_integer(facts, "index", 0);
    facts_add_text(facts, "name", model);
    status = add_uuid(&machine, model, facts, error);
    if (machine.packages > 0)
        facts_add_integer(facts, "packages", machine.packages);
    facts_add_integer(facts, "cores", machine.cores);
    facts_add_integer(facts, "hardware_threads", machine.hardware_threads);
    add_cache(facts, &machine.l1d, "l1d");
    add_cache(facts, &machine.l2, "l2");
    add_cache(facts, &machine.l3, "l3");
    if (machine.numa_nodes > 0)
        facts_add_integer(facts, "numa_nodes", machine.numa_nodes);
    if (machine.memory_bytes > 0)
        facts_add_integer(facts, "memory_bytes", machine.memory_bytes);
    for (int i = 0; machine.numa_nodes > 1 && i < machine.numa_nodes; i++) {
        hwloc_obj_t node = hwloc_get_obj_by_type(machine.topology, HWLOC_OBJ_NUMANODE, (unsigned)i);
        char key[64];
        (void)string_format(key, sizeof key, "numa_node_%u_memory_bytes", node->os_index);
        facts_add_integer(facts, key, machine_node_bytes(&machine, node));
    }
    read_simd(simd, sizeof simd);
    if (simd[0])
        facts_add_text(facts, "simd", simd);
    struct arena arena = {0};
    struct error ignored = {0};
    struct utsname system;
    const char *compiler = NULL;
    char text[2 * sizeof system.release];
    if (uname(&system) == 0 &&
        string_format(text, sizeof text, "%s %s", system.sysname, system.release))
        facts_add_text(facts, "driver", text);
    bool found = compiler_find(&arena, &compiler, &ignored) == STATUS_OK;
    facts_add_text(facts, "compiler", found ? compiler_version(&arena, compiler) : "");
    const char *wanted = getenv(COMPILERS_VARIABLE), *settings = "";
    if (status == STATUS_OK && wanted && *wanted) {
        status = cpu_compiler_settings(NULL, NULL, &settings, error);
        facts_add_text(facts, COMPILER_SETTINGS, settings);
    }
    facts_add_text(facts, "architecture", "native");
    arena_free(&arena);
    struct sensors sensors;
    struct error why = {0};
    double joules = 0;
    sensors_open(&sensors, "", NULL, 0);
    bool counts = sensors_energy(&sensors, &joules, &why) == STATUS_OK;
    sensors_close(&sensors);
    facts_add(facts, "energy_counter", value_boolean(counts));
    machine_free(&machine);
    return status == STATUS_OK && facts->failed ? error_no_memory(error) : status;
}
