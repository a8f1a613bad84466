// What configs/reduce.yaml compiles, one instance at a time by its name.
#include "reduce.cuh"
