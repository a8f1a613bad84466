#include <hwloc.h>
#include <stdio.h>
#include <stdlib.h>

#include "tuner/base/text.h"
#include "tuner/device/cuda/internal.h"

/* NULL when the topology cannot be read. */
static hwloc_topology_t load_topology(void)
{
    hwloc_topology_t topology = NULL;
    if (hwloc_topology_init(&topology) != 0)
        return NULL;
    (void)hwloc_topology_set_type_filter(topology, HWLOC_OBJ_PCI_DEVICE,
                                         HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
    if (hwloc_topology_load(topology) != 0) {
        hwloc_topology_destroy(topology);
        return NULL;
    }
    return topology;
}

/* The part of the machine that the device hangs on; NULL when the topology has no such device. */
static hwloc_obj_t place_of(hwloc_topology_t topology, const char *pci_address)
{
    hwloc_obj_t device = hwloc_get_pcidev_by_busidstring(topology, pci_address);
    return device ? hwloc_get_non_io_ancestor_obj(topology, device) : NULL;
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

int cuda_numa_node(const char *pci_address)
{
    int node = -1;
    hwloc_topology_t topology = load_topology();
    if (topology) {
        hwloc_obj_t place = place_of(topology, pci_address);
        if (place && place->nodeset && hwloc_bitmap_weight(place->nodeset) == 1)
            node = hwloc_bitmap_first(place->nodeset);
        hwloc_topology_destroy(topology);
    }
    return node >= 0 ? node : numa_node_by_sysfs(pci_address);
}
