// What configs/reduce_rows.yaml compiles, one instance at a time by its name.
#include "reduce_rows.cuh"
