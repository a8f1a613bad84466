/* Properties of kinds of device, known in any build and without a device: rows of a database,
 * sections of tuned.conf and experiment files may be of kinds that this machine or build lacks. All
 * code that depends on the kind reads these. */
#ifndef TUNE_DEVICE_TRAITS_H
#define TUNE_DEVICE_TRAITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/status.h"

struct device_traits {
    const char *kind;    /* in --device, the database and tuned.conf: "cuda" */
    const char *about;   /* one line */
    const char *section; /* `device` in experiment files for this kind */
    const char *needs;   /* requirement of a build: "CUDA"; NULL: none */

    bool by_name_only; /* used only when named */
    bool is_single;    /* one per machine, named "cpu", not "cpu:0" */
    /* Kernels run in blocks of threads with shared memory, many blocks at once; else a thread runs
     * block after block. */
    bool is_gpu;
    bool computes_nothing; /* inputs are not generated, and results are not checked */
    /* Its numbers come from a recording, and do not describe the user's own device. */
    bool is_replayed;
    bool has_occupancy; /* has an Occupancy API, whose suggestion experiments may use */
    bool is_cpp;        /* sources are C++; else C */
    bool is_host;       /* binaries run in this process; references are compiled for this kind */
    bool is_shared;     /* shared with other programs: times spread wider */
    /* `inputs_intact` of struct device_api costs next to no time, and is called after every run. */
    bool intact_is_cheap;
    /* Number of slow blocks that makes a configuration slow: more than one where other programs
     * share the device. */
    uint32_t blocks_to_judge;

    const char *unit_fact;   /* number of units in facts and tuned.conf: "sm_count", "cores" */
    const char *unit_word;   /* these for people, in the plural: "multiprocessors" */
    const char *compute_api; /* interface that launches kernels, in T4's terms; NULL: none */
    const char *driver_word; /* word in front of facts "driver" in a heading */
    const char *clock_word;  /* meaning of `sm_clock_mhz` */
    const char *conditions_source; /* source of the state that may be missing; else NULL */
    const char *energy_source;     /* energy counter; NULL: none ever */
};

/* All kinds, the most preferred first, including those that this build leaves out. */
extern const struct device_traits device_traits_list[];
extern const size_t device_traits_count;

/* Returns a kind's properties; for a kind of another tune version, the most common ones. Never
 * NULL. */
const struct device_traits *device_traits(const char *kind);
/* Returns the properties of the kind whose experiment files say `device: SECTION`; NULL: none. */
const struct device_traits *device_traits_of_section(const char *section);
/* The sections that there are, each once; how many. */
enum { DEVICE_SECTIONS_MAX = 16 };
size_t device_sections(const char *out[DEVICE_SECTIONS_MAX]);

/* Writes a device's name for --device: "cuda:0", "cpu". */
enum { DEVICE_NAME_BYTES = 32 };
void device_name(const char *kind, int index, char out[DEVICE_NAME_BYTES]);
/* Returns the full form of a --device value: "cuda:0" for "0" (in `out`); other texts unchanged. */
const char *device_full_name(const char *text, char out[DEVICE_NAME_BYTES]);
/* Returns the recording in a device name: FILE for "replay:FILE", "" for "replay", ",clock" for
 * "replay,clock"; NULL: none. */
const char *device_replayed_name(const char *text);
/* Returns the properties of "replay" for "replay:FILE"; NULL likewise. */
const struct device_traits *device_traits_replayed(const char *text);

#endif
