// The kernel that ktt-cltune-gemm.json names; its parameters and arguments are the same.
#include "gemm.cu"
