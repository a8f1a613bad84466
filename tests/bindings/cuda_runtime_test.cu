// tuned_cuda.h as nvcc compiles it.
#include "cuda_runtime_test.cpp"
