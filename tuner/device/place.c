#include "tuner/device/place.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/text.h"
#include "tuner/device/place_near.h"

static const char synthetic[] = "synthetic:";

static enum status set_source(hwloc_topology_t topology, const char *source, struct error *error)
{
    size_t prefix = sizeof synthetic - 1;
    if (source && strncmp(source, synthetic, prefix) == 0) {
        if (hwloc_topology_set_synthetic(topology, source + prefix) != 0)
            return error_set(error, STATUS_BAD_INPUT, "'%s' is no synthetic topology of hwloc's",
                             source + prefix);
    } else if (source && hwloc_topology_set_xml(topology, source) != 0) {
        return error_set_errno(error, errno, "%s: hwloc cannot read it as a topology", source);
    }
    return STATUS_OK;
}

static enum status load(const char *source, hwloc_topology_t *out, struct error *error)
{
    if (hwloc_topology_init(out) != 0)
        return error_no_memory(error);
    (void)hwloc_topology_set_type_filter(*out, HWLOC_OBJ_PCI_DEVICE,
                                         HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
    /* What /sys tells is enough; libpciaccess would leave memory behind. */
    (void)hwloc_topology_set_components(*out, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "pci");
    enum status status = set_source(*out, source, error);
    if (status == STATUS_OK && hwloc_topology_load(*out) != 0)
        status = source
                     ? error_set(error, STATUS_BAD_INPUT, "%s: hwloc cannot make a topology of it",
                                 source)
                     : error_set_errno(error, errno, "hwloc cannot read this machine's processors");
    if (status != STATUS_OK)
        hwloc_topology_destroy(*out);
    return status;
}

/* hwloc leaves out what the cgroup forbids; what `taskset` forbids is taken out here. */
static hwloc_bitmap_t allowed_processors(hwloc_topology_t topology)
{
    hwloc_bitmap_t allowed = hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(topology));
    hwloc_bitmap_t mask = hwloc_bitmap_alloc();
    if (allowed && mask && hwloc_topology_is_thissystem(topology) &&
        hwloc_get_cpubind(topology, mask, HWLOC_CPUBIND_PROCESS) == 0 &&
        hwloc_bitmap_intersects(allowed, mask))
        (void)hwloc_bitmap_and(allowed, allowed, mask);
    hwloc_bitmap_free(mask);
    return allowed;
}

/* What the kernel says, where hwloc was not shown the device. */
static bool read_local_processors(const char *pci_address, hwloc_bitmap_t out)
{
    char path[128], list[4096] = "";
    if (!string_format(path, sizeof path, "/sys/bus/pci/devices/%s/local_cpulist", pci_address))
        return false;
    for (char *c = path; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    bool got = fgets(list, sizeof list, file) != NULL;
    (void)fclose(file);
    list[strcspn(list, "\n")] = '\0';
    return got && list[0] && hwloc_bitmap_list_sscanf(out, list) == 0;
}

/* The part of the machine that the device hangs on; NULL when the topology has no such device. */
static hwloc_obj_t parent_of(hwloc_topology_t topology, const char *pci_address)
{
    hwloc_obj_t device = hwloc_get_pcidev_by_busidstring(topology, pci_address);
    return device ? hwloc_get_non_io_ancestor_obj(topology, device) : NULL;
}

/* The processors near the device, of those allowed; NULL when that is unknown or none of them may
 * be used. */
static hwloc_bitmap_t near_device(hwloc_topology_t topology, const char *pci_address,
                                  hwloc_const_cpuset_t allowed)
{
    hwloc_bitmap_t near = pci_address ? hwloc_bitmap_alloc() : NULL;
    if (!near)
        return NULL;
    hwloc_obj_t parent = parent_of(topology, pci_address);
    bool known = parent && hwloc_bitmap_copy(near, parent->cpuset) == 0;
    if (!known && hwloc_topology_is_thissystem(topology))
        known = read_local_processors(pci_address, near);
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
    hwloc_bitmap_t allowed = allowed_processors(loaded);
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

static int numa_node_by_sysfs(const char *pci_address)
{
    char text[128];
    long node = -1;
    if (!string_format(text, sizeof text, "/sys/bus/pci/devices/%s/numa_node", pci_address))
        return -1;
    FILE *file = fopen(text, "re");
    if (!file)
        return -1;
    if (fgets(text, sizeof text, file))
        node = strtol(text, NULL, 10);
    (void)fclose(file);
    return node >= 0 && node < 4096 ? (int)node : -1;
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
    return node >= 0 ? node : numa_node_by_sysfs(pci_address);
}
