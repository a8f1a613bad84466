/* Access to the driver for the recorder: front.c for hooks.c, or cupti.c. */
#ifndef TUNE_CAPTURE_FRONT_H
#define TUNE_CAPTURE_FRONT_H

typedef void (*anything)(void);

/* Looks up a symbol with the program's own dlsym. */
anything look_up(void *library, const char *symbol);
/* Returns the driver's library, or NULL if the program has not loaded it yet. */
void *driver_library(void);
/* The program's own, named by hooks.c in assembly; find_next finds them. */
extern void *(*tune_capture_next_dlsym)(void *, const char *)__attribute__((visibility("hidden")));
extern void *(*tune_capture_next_dlopen)(const char *, int)__attribute__((visibility("hidden")));
void find_next(void);

#endif
