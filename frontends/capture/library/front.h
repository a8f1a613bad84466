/* Between the recorder and how it comes to the driver: front.c by hooks.c, or cupti.c. */
#ifndef TUNE_CAPTURE_FRONT_H
#define TUNE_CAPTURE_FRONT_H

typedef void (*anything)(void);

/* As the program's own dlsym finds it. */
anything look_up(void *library, const char *symbol);
/* The driver's, where the program has it; NULL: not yet. */
void *driver_library(void);
/* hooks.c: ours in place of what the symbol is in that library; NULL: none of ours, or it is not
 * there. */
anything hook_for(void *library, const char *symbol);

#endif
