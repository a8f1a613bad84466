// tuned_cuda.h compiled by nvcc.
#include "cuda_runtime_test.cpp"
