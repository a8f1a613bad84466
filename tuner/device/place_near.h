/* The decision behind place_devices, on any topology: touches nothing, asks nobody. */
#ifndef TUNE_DEVICE_PLACE_NEAR_H
#define TUNE_DEVICE_PLACE_NEAR_H

#include <hwloc.h>

#include "tuner/device/place.h"

/* `allowed`: the processors that may be given out. `near[i]`: those near device i; NULL when
 * unknown. At most PLACE_DEVICES_MAX devices. */
enum status place_near(hwloc_topology_t topology, hwloc_const_cpuset_t allowed,
                       const hwloc_const_cpuset_t *near, size_t count, struct placement *out,
                       struct error *error);

#endif
