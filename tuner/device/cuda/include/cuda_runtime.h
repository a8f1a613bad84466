/* Types and functions of kernels NVRTC has by itself; this is what else the toolkit's header
 * brings. */
#pragma once
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#define CUDART_VERSION (1000 * __CUDACC_VER_MAJOR__ + 10 * __CUDACC_VER_MINOR__)
