/* Settings that `tune capture` passes to the library in the program's environment. */
#ifndef TUNE_CAPTURE_SETTINGS_H
#define TUNE_CAPTURE_SETTINGS_H

/* Folder of the files; without it the library is inactive. */
#define CAP_FOLDER_VARIABLE "TUNE_CAPTURE_FOLDER"
/* Pattern (fnmatch) of kernels whose launches are kept; none: launches are only counted. */
#define CAP_KERNEL_VARIABLE "TUNE_CAPTURE_KERNEL"
/* Limit of kept launches of a kernel. */
#define CAP_KEEP_VARIABLE "TUNE_CAPTURE_KEEP"
/* 1: of each shape, with the numbers among the parameters, the first only. */
#define CAP_SIZES_VARIABLE "TUNE_CAPTURE_SIZES"
/* 1: beyond that limit, also each launch with more than twice the threads of any kept one; the
 * program is ended when none has come for CAP_ENOUGH_S seconds. */
#define CAP_GROWING_VARIABLE "TUNE_CAPTURE_GROWING"
enum { CAP_ENOUGH_S = 10 };
/* Launches of a kernel before the first kept one. */
#define CAP_SKIP_VARIABLE "TUNE_CAPTURE_SKIP"
/* Limit of memory kept for a launch, in bytes; further buffers are left out. */
#define CAP_MAX_BYTES_VARIABLE "TUNE_CAPTURE_MAX_BYTES"
/* 1: events around launches. */
#define CAP_TIMES_VARIABLE "TUNE_CAPTURE_TIMES"

/* Folder of the table of `tune apply` (apply.h); turns recording off. */
#define CAP_APPLY_FOLDER_VARIABLE "TUNE_APPLY_FOLDER"
/* "off", set by users: all launches pass unchanged. */
#define CAP_APPLY_VARIABLE "TUNE_APPLY"

#endif
