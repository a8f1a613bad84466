/* Processors for each process: a measuring process gets a core of its own near the device;
 * compilers take the others. */
#ifndef TUNE_DEVICE_PLACE_H
#define TUNE_DEVICE_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/error.h"

enum { PLACE_CPUS_BYTES = 256, PLACE_DEVICES_MAX = 64 };

struct seat {
    char cpus[PLACE_CPUS_BYTES]; /* "3" or "0-3,8"; "": left to the system */
    char near[64];               /* "NUMA node 1", "package 0"; "" when unknown */
};

struct placement {
    struct seat devices[PLACE_DEVICES_MAX];
    struct seat compilers;
    char note[256]; /* shortcomings, for users; "" without any */
};

/* Places devices on processors that this process may use. pci_addresses[i]: of GPU i
 * ("0000:1b:00.0"), NULL or unknown to the machine: anywhere. Two devices never share a core while
 * enough exist; the second hardware thread of a measuring core stays idle. Compilers share all
 * cores where none can be left to them. `topology`: NULL for this machine; else the path of an
 * hwloc XML file or "synthetic:<hwloc synthetic description>". */
enum status place_devices(const char *topology, const char *const *pci_addresses, size_t count,
                          struct placement *out, struct error *error);

/* Returns the NUMA node of the device at the PCI address "0000:1b:00.0"; -1 when unknown. */
int place_numa_node(const char *pci_address);

#endif
