#pragma once

// Functions that are compiled for AVX-512, AVX2 and plain x86-64; the machine chooses at run time.

// HALOSCOPE_SIMD_CLONES: one source for all, in loops that the compiler makes vectors of. The
// choice is made by an ifunc resolver, which runs before sanitizers are ready, so those builds have
// the plain version only.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define HALOSCOPE_SIMD_CLONES \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define HALOSCOPE_SIMD_CLONES
#endif

// A function that clones call in their loops: it takes on their instructions, where the attribute
// flatten alone leaves one version for plain x86-64, which calls a library function for each fused
// multiply-add. nvcc decides for itself.
#if defined(__CUDACC__)
#define HALOSCOPE_INLINE_IN_CLONES inline
#else
#define HALOSCOPE_INLINE_IN_CLONES inline __attribute__((always_inline))
#endif

// HALOSCOPE_BY_REGISTER(name, function, parameters, arguments) defines the function `name` as
// function<Bytes>, an always_inline template, for the machine's registers of 16, 32 or 64 bytes.
// For sources that name their vector types: GCC 12 keeps one that is longer than a register in
// memory, and takes its comparisons apart into numbers. No resolver is needed, so that builds with
// sanitizers have all of them. name_16, name_32 and name_64 are there for tests. Where the command
// line asks for AVX (-march=native), functions with a target of their own may not take in what was
// compiled for that one, and there is one version.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__AVX__) && !defined(__CUDACC__)
#define HALOSCOPE_HAS_REGISTER_VERSIONS 1
#define HALOSCOPE_BY_REGISTER(name, function, parameters, arguments)                       \
  void name##_16 parameters {                                                              \
    function<16> arguments;                                                                \
  }                                                                                        \
  __attribute__((target("arch=x86-64-v3"))) void name##_32 parameters {                    \
    function<32> arguments;                                                                \
  }                                                                                        \
  __attribute__((target("arch=x86-64-v4"))) void name##_64 parameters {                    \
    function<64> arguments;                                                                \
  }                                                                                        \
  void name parameters {                                                                   \
    static auto* const chosen = ::haloscope::by_register(name##_16, name##_32, name##_64); \
    chosen arguments;                                                                      \
  }

namespace haloscope {

// Bytes of the longest registers for which there are functions.
inline int register_bytes() {
#if defined(__clang__)  // its version 14 does not know the levels by their names
  const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                  __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512vl");
#else
  const bool v3 = __builtin_cpu_supports("x86-64-v3"), v4 = __builtin_cpu_supports("x86-64-v4");
#endif
  return v4 ? 64 : v3 ? 32 : 16;
}

template <class Function>
Function* by_register(Function* of_16, Function* of_32, Function* of_64) {
  const int bytes = register_bytes();
  return bytes == 64 ? of_64 : bytes == 32 ? of_32 : of_16;
}

}  // namespace haloscope
#else
#define HALOSCOPE_HAS_REGISTER_VERSIONS 0
#if defined(__AVX512F__)
#define HALOSCOPE_REGISTER_BYTES 64
#elif defined(__AVX__)
#define HALOSCOPE_REGISTER_BYTES 32
#else
#define HALOSCOPE_REGISTER_BYTES 16
#endif
#define HALOSCOPE_BY_REGISTER(name, function, parameters, arguments) \
  void name parameters {                                             \
    function<HALOSCOPE_REGISTER_BYTES> arguments;                    \
  }
#endif
