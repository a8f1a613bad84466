/* How `tune capture` tells the library what is wanted: the environment of the program. */
#ifndef TUNE_CAPTURE_SETTINGS_H
#define TUNE_CAPTURE_SETTINGS_H

/* Where the files go; without it the library does nothing. */
#define CAP_FOLDER_VARIABLE "TUNE_CAPTURE_FOLDER"
/* Launches of these are kept: fnmatch of the name; none: they are only counted. */
#define CAP_KERNEL_VARIABLE "TUNE_CAPTURE_KERNEL"
/* At most so many launches of a kernel. */
#define CAP_KEEP_VARIABLE "TUNE_CAPTURE_KEEP"
/* 1: of each shape, with the numbers among the parameters, the first only. */
#define CAP_SIZES_VARIABLE "TUNE_CAPTURE_SIZES"
/* So many launches of a kernel pass before one is kept. */
#define CAP_SKIP_VARIABLE "TUNE_CAPTURE_SKIP"
/* Bytes of memory behind a launch; buffers beyond them are left out. */
#define CAP_MAX_BYTES_VARIABLE "TUNE_CAPTURE_MAX_BYTES"
/* 1: events around launches. */
#define CAP_TIMES_VARIABLE "TUNE_CAPTURE_TIMES"

/* How `tune apply` does (capture/apply.h): where its table is; nothing is recorded then. */
#define CAP_APPLY_FOLDER_VARIABLE "TUNE_APPLY_FOLDER"
/* "off", set by whoever runs the program: all launches pass as they are. */
#define CAP_APPLY_VARIABLE "TUNE_APPLY"

#endif
