/* The recorder's dlsym and dlopen, and access to the driver behind them. */
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "frontends/capture/library/front.h"
#include "frontends/capture/library/recorder.h"
#include "frontends/capture/library/settings.h"

void *(*tune_capture_next_dlsym)(void *, const char *)__attribute__((visibility("hidden")));
void *(*tune_capture_next_dlopen)(const char *, int)__attribute__((visibility("hidden")));

/* Runs before the program has threads; constructors of its libraries may run earlier. */
__attribute__((constructor)) static void find_next(void)
{
    static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.17", "GLIBC_2.2.5", "GLIBC_2.27",
                                           "GLIBC_2.36"};
    void *(*next_dlsym)(void *, const char *) = NULL;
    void *found = NULL;
    if (tune_capture_next_dlsym)
        return;
    for (size_t i = 0; i < sizeof versions / sizeof *versions && !found; i++)
        found = dlvsym(RTLD_NEXT, "dlsym", versions[i]);
    if (!found)
        abort(); /* there is no C library that we know */
    memcpy(&next_dlsym, &found, sizeof found);
    found = next_dlsym(RTLD_NEXT, "dlopen");
    memcpy(&tune_capture_next_dlopen, &found, sizeof found);
    tune_capture_next_dlsym = next_dlsym;
}

anything look_up(void *library, const char *symbol)
{
    anything function = NULL;
    void *found = tune_capture_next_dlsym(library, symbol);
    memcpy(&function, &found, sizeof found);
    return function;
}

void *driver_library(void)
{
    static void *_Atomic library;
    void *found = atomic_load(&library);
    if (!found) {
        find_next();
        found = tune_capture_next_dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
        if (!found)
            found = tune_capture_next_dlopen("libcuda.so", RTLD_LAZY | RTLD_NOLOAD);
        atomic_store(&library, found);
    }
    return found;
}

/* Called by dlsym below. Returns NULL if the program's own dlsym shall answer. Preloaded libraries
 * that search for the next symbol get that one. */
__attribute__((visibility("hidden"), used)) void *tune_capture_dlsym(void *library,
                                                                     const char *symbol)
{
    find_next();
    if (!symbol || symbol[0] != 'c' || symbol[1] != 'u' || library == RTLD_NEXT ||
        library == RTLD_DEFAULT)
        return NULL;
    const int error_number = errno;
    const anything ours = hook_for(library, symbol);
    errno = error_number;
    void *function = NULL;
    memcpy(&function, &ours, sizeof ours);
    return function;
}

/* Called by dlopen below, which then goes on. */
__attribute__((visibility("hidden"), used)) void *tune_capture_dlopen(const char *path, int flags)
{
    find_next();
    if ((flags & RTLD_DEEPBIND) != 0 && atomic_load(&recorder.is_on) >= 0 &&
        getenv(CAP_FOLDER_VARIABLE))
        recorder_note(CAP_NOTE_DEEPBIND,
                      "libraries opened with RTLD_DEEPBIND: their own launches were not seen");
    (void)path;
    return NULL;
}

/* dlsym and dlopen depend on their caller (RTLD_NEXT, $ORIGIN), so the recorder's must not be
 * between: each asks tune_capture_*, then jumps on with the caller's return address. */
#if defined(__x86_64__)
#define IN_FRONT(function, handler, next)                                                          \
    __asm__(".text\n.globl " #function "\n.type " #function ",@function\n" #function ":\n"         \
            ".cfi_startproc\n"                                                                     \
            "endbr64\n"                                                                            \
            "pushq %rdi\n.cfi_adjust_cfa_offset 8\n"                                               \
            "pushq %rsi\n.cfi_adjust_cfa_offset 8\n"                                               \
            "subq $8, %rsp\n.cfi_adjust_cfa_offset 8\n"                                            \
            "call " #handler "\n"                                                                  \
            "addq $8, %rsp\n.cfi_adjust_cfa_offset -8\n"                                           \
            "popq %rsi\n.cfi_adjust_cfa_offset -8\n"                                               \
            "popq %rdi\n.cfi_adjust_cfa_offset -8\n"                                               \
            "testq %rax, %rax\n"                                                                   \
            "je 1f\n"                                                                              \
            "ret\n"                                                                                \
            "1: jmp *" #next "(%rip)\n"                                                            \
            ".cfi_endproc\n.size " #function ", .-" #function "\n")
#elif defined(__aarch64__)
#define IN_FRONT(function, handler, next)                                                          \
    __asm__(                                                                                       \
        ".text\n.globl " #function "\n.type " #function ",%function\n" #function ":\n"             \
        ".cfi_startproc\n"                                                                         \
        "stp x29, x30, [sp, #-32]!\n.cfi_adjust_cfa_offset 32\n.cfi_offset 29, -32\n.cfi_offset "  \
        "30, -24\n"                                                                                \
        "stp x0, x1, [sp, #16]\n"                                                                  \
        "bl " #handler "\n"                                                                        \
        "mov x16, x0\n"                                                                            \
        "ldp x0, x1, [sp, #16]\n"                                                                  \
        "ldp x29, x30, [sp], #32\n.cfi_adjust_cfa_offset -32\n.cfi_restore 29\n.cfi_restore 30\n"  \
        "cbz x16, 1f\n"                                                                            \
        "mov x0, x16\n"                                                                            \
        "ret\n"                                                                                    \
        "1: adrp x16, " #next "\n"                                                                 \
        "ldr x16, [x16, #:lo12:" #next "]\n"                                                       \
        "br x16\n"                                                                                 \
        ".cfi_endproc\n.size " #function ", .-" #function "\n")
#else /* only programs that link the driver are heard of */
#define IN_FRONT(function, handler, next) _Static_assert(1, "")
#endif
IN_FRONT(dlsym, tune_capture_dlsym, tune_capture_next_dlsym);
IN_FRONT(dlopen, tune_capture_dlopen, tune_capture_next_dlopen);
