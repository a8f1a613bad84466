/* What is said of a kind of device in any build and without a device: rows of a database, sections
 * of tuned.conf and experiment files are of kinds that this machine, or this build, may not have.
 * Whatever depends on the kind asks for one of these. */
#ifndef TUNE_DEVICE_TRAITS_H
#define TUNE_DEVICE_TRAITS_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/status.h"

struct device_traits {
    const char *kind;    /* in --device, the database and tuned.conf: "cuda" */
    const char *about;   /* one line */
    const char *section; /* `device` of the experiment files that it runs */
    const char *needs;   /* what a build must have for it: "CUDA"; NULL: nothing */

    bool by_name_only; /* nothing takes it unless it is named */
    bool is_single;    /* a machine has one: its name is "cpu", not "cpu:0" */
    /* Kernels run in blocks of threads with shared memory, many blocks at once; else a thread runs
     * block after block. */
    bool is_gpu;
    bool computes_nothing; /* no inputs are made, and no results are held against anything */
    /* Its numbers were measured by somebody, some time, and are not to be taken for one's own. */
    bool is_replayed;
    bool has_occupancy; /* has an Occupancy API, so that experiments may ask what it suggests */
    bool is_cpp;        /* sources are C++; else C */
    bool is_host;   /* its binaries run in this process: references of checks are compiled for it */
    bool is_shared; /* other programs run on what is timed: times spread wider */

    const char *unit_fact; /* how many units it has, in facts and tuned.conf: "sm_count", "cores" */
    const char *unit_word; /* these for people, in the plural: "multiprocessors" */
    const char *compute_api; /* by which programs launch its kernels, as T4 names it; NULL: none */
    const char *driver_word; /* what stands in front of facts "driver" in a heading */
    const char *clock_word;  /* what `sm_clock_mhz` is */
    const char *conditions_source; /* what tells its state, where that may be missing; else NULL */
    const char *energy_source;     /* which counter of energy is read; NULL: none ever */
};

/* All kinds, in the order in which they are preferred, also those that this build leaves out. */
extern const struct device_traits device_traits_list[];
extern const size_t device_traits_count;

/* Of a kind that another version of tune may know: what is true of most. Never NULL. */
const struct device_traits *device_traits(const char *kind);
/* Those of the kind whose experiment files say `device: SECTION`; NULL: there is none. */
const struct device_traits *device_traits_of_section(const char *section);
/* The sections that there are, each once; how many. */
enum { DEVICE_SECTIONS_MAX = 16 };
size_t device_sections(const char *out[DEVICE_SECTIONS_MAX]);

/* What --device takes: "cuda:0", "cpu". */
enum { DEVICE_NAME_BYTES = 32 };
void device_name(const char *kind, int index, char out[DEVICE_NAME_BYTES]);
/* What --device may be given, in full: "0" is "cuda:0" (`out` holds it); anything else is itself.
 */
const char *device_full_name(const char *text, char out[DEVICE_NAME_BYTES]);
/* Of "replay:FILE" what is behind the colon, of "replay" "", of "replay,clock" ",clock"; NULL: it
 * names no recording. */
const char *device_replayed_name(const char *text);
/* Of "replay:FILE" those of "replay"; NULL likewise. */
const struct device_traits *device_traits_replayed(const char *text);

#endif
