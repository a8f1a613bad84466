/* The decision behind place_devices, on any topology, without effects or system calls. */
#ifndef TUNE_DEVICE_PLACE_NEAR_H
#define TUNE_DEVICE_PLACE_NEAR_H

#include <hwloc.h>

#include "tuner/device/place.h"

/* Places at most PLACE_DEVICES_MAX devices. `allowed`: the available processors. `near[i]`: those
 * near device i; NULL when unknown. */
enum status place_near(hwloc_topology_t topology, hwloc_const_cpuset_t allowed,
                       const hwloc_const_cpuset_t *near, size_t count, struct placement *out,
                       struct error *error);

#endif
