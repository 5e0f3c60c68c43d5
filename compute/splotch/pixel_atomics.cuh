#pragma once

#include <cuda_runtime.h>

namespace haloscope::compute::splotch {

// Adds three channels to a pixel in device memory: one 16-byte vector atomic where the chip has it
// (compute capability 9.0, from CUDA 12.1 on), three scalar ones elsewhere.
__device__ inline void add_to_pixel(float4* pixel, float r, float g, float b) {
#if __CUDA_ARCH__ >= 900 && (__CUDACC_VER_MAJOR__ > 12 || __CUDACC_VER_MINOR__ >= 1)
  asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(pixel), "f"(r), "f"(g), "f"(b),
               "f"(0.f)
               : "memory");
#else
  atomicAdd(&pixel->x, r);
  atomicAdd(&pixel->y, g);
  atomicAdd(&pixel->z, b);
#endif
}

}  // namespace haloscope::compute::splotch
