/* Named points at which a test makes the program die, hang or fail. Compiled only with the CMake
 * option TUNE_FAILPOINTS; otherwise a point generates no code.
 *
 * TUNE_FAILPOINT="NAME#N=ACTION;...": the N-th time (default: the first) that this process reaches
 * the point, do ACTION: kill (SIGKILL), abort, exit (at once, code 70), stop (SIGSTOP), sleep:MS,
 * or error (the step fails; only FAILPOINT_FAILS points support this one). A NAME that ends
 * in * matches all names with that beginning, counted together. Each process counts for itself. */
#ifndef TUNE_BASE_FAILPOINT_H
#define TUNE_BASE_FAILPOINT_H

#include <stdbool.h>

#ifdef TUNE_FAILPOINTS
/* Returns true when the step should fail. */
bool failpoint(const char *name);
#define FAILPOINT(name)       ((void)failpoint(name))
#define FAILPOINT_FAILS(name) failpoint(name)
#else
#define FAILPOINT(name)       ((void)0)
#define FAILPOINT_FAILS(name) false
#endif

#endif
