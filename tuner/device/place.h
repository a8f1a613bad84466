/* Which processors each process should run on: whoever measures sits near its device, on a core of
 * its own; compilers take the others. */
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
    char note[256]; /* what could not be had, for people; "" when all is well */
};

/* pci_addresses[i]: of GPU i ("0000:1b:00.0"), NULL or unknown to the machine: anywhere. Only
 * processors that this process may use are given out. Two devices never share a core while there
 * are cores enough; the second hardware thread of a measuring core is left idle. Where the cores do
 * not suffice to leave compilers one of their own, they share all. `topology`: NULL for this
 * machine; else the path of an hwloc XML file or "synthetic:<hwloc synthetic description>". */
enum status place_devices(const char *topology, const char *const *pci_addresses, size_t count,
                          struct placement *out, struct error *error);

/* Of the device at the PCI address "0000:1b:00.0"; -1 when it is not known. */
int place_numa_node(const char *pci_address);

#endif
