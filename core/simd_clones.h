#pragma once

// HALOSCOPE_SIMD_CLONES compiles a function for AVX-512, AVX2 and plain x86-64; the machine chooses
// at run time. The choice is made by an ifunc resolver, which runs before sanitizers are ready, so
// those builds have the plain version only.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define HALOSCOPE_SIMD_CLONES \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define HALOSCOPE_SIMD_CLONES
#endif
