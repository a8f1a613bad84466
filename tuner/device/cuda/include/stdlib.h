/* size_t, malloc, free, abs: NVRTC has them by itself. */
#pragma once
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
#ifndef RAND_MAX
#define RAND_MAX 2147483647
#endif
