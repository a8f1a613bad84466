/* Types and functions of kernels NVRTC has by itself; this is what else the toolkit's header
 * brings. */
#pragma once
#include <limits.h>
#include <math.h>
#include <stdlib.h>
