#pragma once

// Marks functions that g++ compiles for the CPU executor and nvcc for both.
#if defined(__CUDACC__)
#define HALOSCOPE_HD __host__ __device__
#else
#define HALOSCOPE_HD
#endif
