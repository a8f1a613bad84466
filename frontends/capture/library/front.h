/* Access to the driver for the recorder: front.c for hooks.c, or cupti.c. */
#ifndef TUNE_CAPTURE_FRONT_H
#define TUNE_CAPTURE_FRONT_H

typedef void (*anything)(void);

/* Looks up a symbol with the program's own dlsym. */
anything look_up(void *library, const char *symbol);
/* Returns the driver's library, or NULL if the program has not loaded it yet. */
void *driver_library(void);
/* Returns the hook for a symbol of that library, or NULL if there is no hook or no such symbol
 * (hooks.c). */
anything hook_for(void *library, const char *symbol);

#endif
