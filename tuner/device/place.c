#include "tuner/device/place.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/files.h"
#include "tuner/base/text.h"
#include "tuner/device/place_near.h"

static const char synthetic[] = "synthetic:";

static enum status load(const char *source, hwloc_topology_t *out, struct error *error)
{
    if (hwloc_topology_init(out) != 0)
        return error_no_memory(error);
    (void)hwloc_topology_set_type_filter(*out, HWLOC_OBJ_PCI_DEVICE,
                                         HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
    /* /sys suffices; libpciaccess would leave memory behind. */
    (void)hwloc_topology_set_components(*out, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "pci");
    const size_t prefix = sizeof synthetic - 1;
    const bool is_synthetic = source && strncmp(source, synthetic, prefix) == 0;
    enum status status = STATUS_OK;
    if (is_synthetic && hwloc_topology_set_synthetic(*out, source + prefix) != 0)
        status = error_set(error, STATUS_BAD_INPUT, "'%s' is no synthetic topology of hwloc's",
                           source + prefix);
    else if (source && !is_synthetic && hwloc_topology_set_xml(*out, source) != 0)
        status = error_set_errno(error, errno, "%s: hwloc cannot read it as a topology", source);
    if (status == STATUS_OK && hwloc_topology_load(*out) != 0)
        status = source
                     ? error_set(error, STATUS_BAD_INPUT, "%s: hwloc cannot make a topology of it",
                                 source)
                     : error_set_errno(error, errno, "hwloc cannot read this machine's processors");
    if (status != STATUS_OK)
        hwloc_topology_destroy(*out);
    return status;
}

/* Returns the device's parent in the machine; NULL when the topology lacks the device. */
static hwloc_obj_t parent_of(hwloc_topology_t topology, const char *pci_address)
{
    hwloc_obj_t device = hwloc_get_pcidev_by_busidstring(topology, pci_address);
    return device ? hwloc_get_non_io_ancestor_obj(topology, device) : NULL;
}

/* Returns the allowed processors near the device; NULL when unknown, or none of these is allowed.
 */
static hwloc_bitmap_t near_device(hwloc_topology_t topology, const char *pci_address,
                                  hwloc_const_cpuset_t allowed)
{
    hwloc_bitmap_t near = pci_address ? hwloc_bitmap_alloc() : NULL;
    if (!near)
        return NULL;
    hwloc_obj_t parent = parent_of(topology, pci_address);
    bool known = parent && hwloc_bitmap_copy(near, parent->cpuset) == 0;
    char path[128], list[4096];
    if (!known && hwloc_topology_is_thissystem(topology) &&
        string_format(path, sizeof path, "/sys/bus/pci/devices/%s/local_cpulist", pci_address)) {
        /* The kernel's list of local processors, where hwloc does not see the device. */
        for (char *c = path; *c; c++)
            *c = (char)tolower((unsigned char)*c);
        known = file_line(path, list, sizeof list) && list[0] &&
                hwloc_bitmap_list_sscanf(near, list) == 0;
    }
    if (known && hwloc_bitmap_and(near, near, allowed) == 0 && !hwloc_bitmap_iszero(near))
        return near;
    hwloc_bitmap_free(near);
    return NULL;
}

enum status place_devices(const char *topology, const char *const *pci_addresses, size_t count,
                          struct placement *out, struct error *error)
{
    hwloc_topology_t loaded = NULL;
    hwloc_bitmap_t near[PLACE_DEVICES_MAX] = {0};
    hwloc_const_cpuset_t const_near[PLACE_DEVICES_MAX] = {0};
    *out = (struct placement){0};
    enum status status = load(topology, &loaded, error);
    if (status != STATUS_OK)
        return status;
    /* hwloc leaves out processors that the cgroup forbids, but not those of `taskset`. */
    hwloc_bitmap_t allowed = hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(loaded));
    hwloc_bitmap_t mask = hwloc_bitmap_alloc();
    if (allowed && mask && hwloc_topology_is_thissystem(loaded) &&
        hwloc_get_cpubind(loaded, mask, HWLOC_CPUBIND_PROCESS) == 0 &&
        hwloc_bitmap_intersects(allowed, mask))
        (void)hwloc_bitmap_and(allowed, allowed, mask);
    hwloc_bitmap_free(mask);
    for (size_t i = 0; allowed && i < count && i < PLACE_DEVICES_MAX; i++)
        const_near[i] = near[i] = near_device(loaded, pci_addresses[i], allowed);
    status = allowed ? place_near(loaded, allowed, const_near, count, out, error)
                     : error_no_memory(error);
    for (size_t i = 0; i < PLACE_DEVICES_MAX; i++)
        hwloc_bitmap_free(near[i]);
    hwloc_bitmap_free(allowed);
    hwloc_topology_destroy(loaded);
    return status;
}

int place_numa_node(const char *pci_address)
{
    int node = -1;
    hwloc_topology_t topology = NULL;
    struct error ignored = {0};
    if (load(NULL, &topology, &ignored) == STATUS_OK) {
        hwloc_obj_t parent = parent_of(topology, pci_address);
        if (parent && parent->nodeset && hwloc_bitmap_weight(parent->nodeset) == 1)
            node = hwloc_bitmap_first(parent->nodeset);
        hwloc_topology_destroy(topology);
    }
    char path[128], text[128];
    if (node < 0 &&
        string_format(path, sizeof path, "/sys/bus/pci/devices/%s/numa_node", pci_address) &&
        file_line(path, text, sizeof text)) {
        const long given = strtol(text, NULL, 10);
        node = given >= 0 && given < 4096 ? (int)given : -1;
    }
    return node;
}

/* ---- the decision, on any topology ---- */

/* Fewer cores have none to spare: reserving one of two would keep the compilers, and the system's
 * own work, from half of the machine. */
enum { CORES_MIN = 3 };

struct choice {
    hwloc_topology_t topology;
    hwloc_obj_type_t core; /* hwloc's type for one */
    hwloc_const_cpuset_t allowed;
    hwloc_bitmap_t taken; /* all hardware threads of the cores that were given to devices */
    /* Devices with unknown place, far from their core, or sharing a core. */
    hwloc_bitmap_t unknown, far, sharing;
    struct placement *out;
};

static void add_note(struct choice *choice, const char *text, hwloc_const_bitmap_t devices)
{
    char *note = choice->out->note, list[64] = "";
    size_t length = strlen(note);
    if (devices && hwloc_bitmap_iszero(devices))
        return;
    if (devices)
        (void)hwloc_bitmap_list_snprintf(list, sizeof list, devices);
    (void)string_format(note + length, sizeof choice->out->note - length, "%s%s%s",
                        length > 0 ? "; " : "", text, list);
}

static hwloc_obj_t core_at(const struct choice *choice, int index)
{
    return hwloc_get_obj_by_type(choice->topology, choice->core, (unsigned)index);
}

/* Tells whether a core has an available processor and, with `within`, lies there. */
static bool is_usable(const struct choice *choice, hwloc_obj_t core, hwloc_const_cpuset_t within)
{
    return hwloc_bitmap_intersects(core->cpuset, choice->allowed) &&
           (!within || hwloc_bitmap_intersects(core->cpuset, within));
}

static int core_count(const struct choice *choice)
{
    int count = hwloc_get_nbobjs_by_type(choice->topology, choice->core);
    return count > 0 ? count : 0;
}

/* Returns the last free core, since the first serve most interrupts; NULL when none is left. */
static hwloc_obj_t last_core(const struct choice *choice, hwloc_const_cpuset_t within)
{
    for (int i = core_count(choice) - 1; i >= 0; i--) {
        hwloc_obj_t core = core_at(choice, i);
        if (is_usable(choice, core, within) &&
            !hwloc_bitmap_intersects(core->cpuset, choice->taken))
            return core;
    }
    return NULL;
}

/* Writes "NUMA node 1", where all near processors are on one; else "package 0". */
static void name_place(hwloc_topology_t topology, hwloc_const_cpuset_t near, char *out,
                       size_t bytes)
{
    static const struct {
        hwloc_obj_type_t type;
        const char *name;
    } kinds[] = {{HWLOC_OBJ_NUMANODE, "NUMA node"}, {HWLOC_OBJ_PACKAGE, "package"}};
    out[0] = '\0';
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0] && !out[0]; k++)
        for (hwloc_obj_t object = NULL;
             !out[0] && (object = hwloc_get_next_obj_by_type(topology, kinds[k].type, object));)
            if (hwloc_bitmap_isincluded(near, object->cpuset))
                (void)string_format(out, bytes, "%s %u", kinds[k].name, object->os_index);
}

static void place_all(struct choice *choice, const hwloc_const_cpuset_t *near, unsigned count,
                      unsigned usable, hwloc_bitmap_t free_cores)
{
    /* A device gets a near free core, else any free core; with none left, cores are used again. */
    for (unsigned i = 0; i < count; i++) {
        struct seat *seat = &choice->out->devices[i];
        if (near[i])
            name_place(choice->topology, near[i], seat->near, sizeof seat->near);
        else
            (void)hwloc_bitmap_set(choice->unknown, i);
        if (!last_core(choice, NULL))
            hwloc_bitmap_zero(choice->taken);
        hwloc_obj_t core = last_core(choice, near[i]);
        if (!core) {
            (void)hwloc_bitmap_set(choice->far, i);
            core = last_core(choice, NULL);
        }
        (void)hwloc_bitmap_or(choice->taken, choice->taken, core->cpuset);
        int cpu = hwloc_bitmap_first(core->cpuset);
        while (!hwloc_bitmap_isset(choice->allowed, (unsigned)cpu))
            cpu = hwloc_bitmap_next(core->cpuset, cpu);
        (void)snprintf(seat->cpus, sizeof seat->cpus, "%d", cpu);
        if (i >= usable)
            (void)hwloc_bitmap_set(choice->sharing, i);
    }
    add_note(choice, "where they hang is unknown of devices ", choice->unknown);
    add_note(choice, "no core was left near devices ", choice->far);
    add_note(choice, "for want of cores, others' are shared by devices ", choice->sharing);
    if (count < usable)
        (void)hwloc_bitmap_andnot(free_cores, choice->allowed, choice->taken);
    /* The compilers take the free cores; without any, all. */
    struct seat *place = &choice->out->compilers;
    const bool shares = hwloc_bitmap_iszero(free_cores);
    if (shares)
        add_note(choice, "compilers share the devices' cores", NULL);
    int length = hwloc_bitmap_list_snprintf(place->cpus, sizeof place->cpus,
                                            shares ? choice->allowed : free_cores);
    if (length >= 0 && (size_t)length < sizeof place->cpus)
        return;
    place->cpus[0] = '\0';
    add_note(choice, "the compilers' processors make too long a list: left to the system", NULL);
}

enum status place_near(hwloc_topology_t topology, hwloc_const_cpuset_t allowed,
                       const hwloc_const_cpuset_t *near, size_t count, struct placement *out,
                       struct error *error)
{
    *out = (struct placement){0};
    struct choice choice = {.topology = topology, .allowed = allowed, .out = out};
    bool has_cores = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE) > 0;
    choice.core = has_cores ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
    if (count > PLACE_DEVICES_MAX)
        return error_set(error, STATUS_BAD_INPUT, "%zu devices: at most %d can be placed", count,
                         PLACE_DEVICES_MAX);
    int usable = 0;
    for (int i = 0; i < core_count(&choice); i++)
        usable += is_usable(&choice, core_at(&choice, i), NULL);
    if (usable < CORES_MIN) {
        for (size_t i = 0; i < count; i++)
            if (near[i])
                name_place(topology, near[i], out->devices[i].near, sizeof out->devices[i].near);
        (void)snprintf(out->note, sizeof out->note,
                       "%s may be used, too few to give one away: left to the system",
                       count_text((uint64_t)usable, "core").text);
        return STATUS_OK;
    }
    hwloc_bitmap_t sets[5];
    bool made = true;
    for (size_t i = 0; i < 5; i++)
        made = (sets[i] = hwloc_bitmap_alloc()) && made;
    choice.taken = sets[0];
    choice.unknown = sets[1];
    choice.far = sets[2];
    choice.sharing = sets[3];
    if (made)
        place_all(&choice, near, (unsigned)count, (unsigned)usable, sets[4]);
    for (size_t i = 0; i < 5; i++)
        hwloc_bitmap_free(sets[i]);
    return made ? STATUS_OK : error_no_memory(error);
}
