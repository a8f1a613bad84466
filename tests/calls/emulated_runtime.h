// State of the runtime that emulates kernels, set and read by tests.
#ifndef TUNE_TEST_EMULATED_RUNTIME_STATE
#define TUNE_TEST_EMULATED_RUNTIME_STATE

struct emulated_device {
    const char *name;
    int major; // compute capability, major part
    int sm_count;
};
extern emulated_device emulated; // before the first call
extern unsigned int launched_grid, launched_block;
extern int memory_sets;

#endif
