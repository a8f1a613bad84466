// A CUDA runtime that is not there: devices of one's choice, and every launch is written down.
#ifndef TUNE_TEST_FAKE_RUNTIME
#define TUNE_TEST_FAKE_RUNTIME

#include <cstddef>
#include <vector>

struct machine {
    const char *name;
    int major, minor, sm_count;
    int ptx_version; // version of the program's code for it
    int clusters;    // clusters that fit
};
extern machine machines[3];
extern int current;

struct launched {
    const void *kernel;
    unsigned int grid, block;
    size_t shared;
    bool dependent;
    long long n; // the kernels' fifth argument
    unsigned int grid_y, grid_z, block_y, block_z;
    bool cooperative;
    unsigned int cluster; // blocks; 0: none
    void *fourth;         // argument of kernels that have one: the state
};
extern std::vector<launched> launches;
extern int shared_allowed;     // dynamic shared memory allowed for any kernel
extern int failing;            // 0, or the error of every call
extern bool has_few_arguments; // the kernels have few arguments, which are not read
extern int memsets;
extern int questions; // to the driver, but for the current device

#endif
