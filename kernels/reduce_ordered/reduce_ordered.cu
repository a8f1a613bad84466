// What configs/reduce_ordered.yaml compiles.
#include "reduce_ordered.cuh"
