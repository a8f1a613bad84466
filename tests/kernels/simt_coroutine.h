// Coroutines for the SIMT emulation: each has a stack of its own, switched by hand on x86-64 (a
// few nanoseconds), else by ucontext (a system call each time).
#ifndef TESTS_KERNELS_SIMT_COROUTINE_H
#define TESTS_KERNELS_SIMT_COROUTINE_H

#include <cstddef>
#if !defined(__x86_64__) || defined(SIMT_UCONTEXT)
#include <ucontext.h>
#endif

namespace simt
{

constexpr size_t stack_bytes = 16 * 1024;

#if defined(__x86_64__) && !defined(SIMT_UCONTEXT)
struct coroutine {
    void *stack_pointer;
};
extern "C" void simt_switch(void **from, void *to);

inline void switch_coroutine(coroutine *from, coroutine *to)
{
    simt_switch(&from->stack_pointer, to->stack_pointer);
}

inline void prepare_coroutine(coroutine *out, char *stack, void (*entry)())
{
    void **top = reinterpret_cast<void **>(stack + stack_bytes);
    *--top = nullptr; // where entry would return to; the stack is then aligned as after a call
    *--top = reinterpret_cast<void *>(entry);
    for (int i = 0; i < 6; i++)
        *--top = nullptr;
    out->stack_pointer = top;
}
#else
typedef ucontext_t coroutine;

inline void switch_coroutine(coroutine *from, coroutine *to)
{
    swapcontext(from, to);
}

inline void prepare_coroutine(coroutine *out, char *stack, void (*entry)())
{
    getcontext(out);
    out->uc_stack.ss_sp = stack;
    out->uc_stack.ss_size = stack_bytes;
    out->uc_link = nullptr;
    makecontext(out, entry, 0);
}
#endif

} // namespace simt

#endif
