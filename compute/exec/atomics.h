#pragma once

#include "core/host_device.h"

#include <cstdint>

// Atomics on single words, the same words for both executors. They are relaxed but for the one that
// says otherwise: the algorithms that use them are right whatever the order in which threads see
// one another's writes.
namespace haloscope::compute {

HALOSCOPE_HD inline std::uint32_t atomic_load(const std::uint32_t* p) {
#if defined(__CUDA_ARCH__)
  return *static_cast<const volatile std::uint32_t*>(p);
#else
  return __atomic_load_n(p, __ATOMIC_RELAXED);
#endif
}

HALOSCOPE_HD inline void atomic_store(std::uint32_t* p, std::uint32_t value) {
#if defined(__CUDA_ARCH__)
  *static_cast<volatile std::uint32_t*>(p) = value;
#else
  __atomic_store_n(p, value, __ATOMIC_RELAXED);
#endif
}

HALOSCOPE_HD inline void atomic_store(std::uint8_t* p, std::uint8_t value) {
#if defined(__CUDA_ARCH__)
  *static_cast<volatile std::uint8_t*>(p) = value;
#else
  __atomic_store_n(p, value, __ATOMIC_RELAXED);
#endif
}

// Puts `desired` in *p if that is `expected`; returns what *p was.
HALOSCOPE_HD inline std::uint32_t atomic_compare_exchange(std::uint32_t* p, std::uint32_t expected,
                                                          std::uint32_t desired) {
#if defined(__CUDA_ARCH__)
  return atomicCAS(p, expected, desired);
#else
  __atomic_compare_exchange_n(p, &expected, desired, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return expected;
#endif
}

// Puts `value` in *p and returns what *p was. What this thread wrote before is seen by the thread
// that exchanges next, after its exchange.
HALOSCOPE_HD inline std::uint32_t atomic_exchange_ordered(std::uint32_t* p, std::uint32_t value) {
#if defined(__CUDA_ARCH__)
  __threadfence();
  const std::uint32_t was = atomicExch(p, value);
  __threadfence();
  return was;
#else
  return __atomic_exchange_n(p, value, __ATOMIC_ACQ_REL);
#endif
}

// Adds `value` to *p, modulo 2³²; returns what *p was.
HALOSCOPE_HD inline std::uint32_t atomic_add(std::uint32_t* p, std::uint32_t value) {
#if defined(__CUDA_ARCH__)
  return atomicAdd(p, value);
#else
  return __atomic_fetch_add(p, value, __ATOMIC_RELAXED);
#endif
}

// The same, modulo 2⁶⁴.
HALOSCOPE_HD inline std::uint64_t atomic_add(std::uint64_t* p, std::uint64_t value) {
#if defined(__CUDA_ARCH__)
  static_assert(sizeof(unsigned long long) == sizeof(std::uint64_t));
  return atomicAdd(reinterpret_cast<unsigned long long*>(p), value);
#else
  return __atomic_fetch_add(p, value, __ATOMIC_RELAXED);
#endif
}

// Sets the bits of `value` in *p.
HALOSCOPE_HD inline void atomic_or(std::uint32_t* p, std::uint32_t value) {
#if defined(__CUDA_ARCH__)
  atomicOr(p, value);
#else
  __atomic_fetch_or(p, value, __ATOMIC_RELAXED);
#endif
}

// Clears the bits of *p that `value` has not.
HALOSCOPE_HD inline void atomic_and(std::uint32_t* p, std::uint32_t value) {
#if defined(__CUDA_ARCH__)
  atomicAnd(p, value);
#else
  __atomic_fetch_and(p, value, __ATOMIC_RELAXED);
#endif
}

HALOSCOPE_HD inline void atomic_minimum(std::uint32_t* p, std::uint32_t value) {
  // Most calls find a smaller value there already, which a load tells for less.
  std::uint32_t seen = atomic_load(p);
#if defined(__CUDA_ARCH__)
  if (value < seen) atomicMin(p, value);
#else
  while (value < seen &&
         !__atomic_compare_exchange_n(p, &seen, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
#endif
}

HALOSCOPE_HD inline std::uint64_t atomic_load(const std::uint64_t* p) {
#if defined(__CUDA_ARCH__)
  return *static_cast<const volatile std::uint64_t*>(p);
#else
  return __atomic_load_n(p, __ATOMIC_RELAXED);
#endif
}

HALOSCOPE_HD inline void atomic_minimum(std::uint64_t* p, std::uint64_t value) {
  std::uint64_t seen = atomic_load(p);
#if defined(__CUDA_ARCH__)
  if (value < seen) atomicMin(reinterpret_cast<unsigned long long*>(p), value);
#else
  while (value < seen &&
         !__atomic_compare_exchange_n(p, &seen, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
#endif
}

HALOSCOPE_HD inline void atomic_maximum(std::uint64_t* p, std::uint64_t value) {
  std::uint64_t seen = atomic_load(p);
#if defined(__CUDA_ARCH__)
  if (value > seen) atomicMax(reinterpret_cast<unsigned long long*>(p), value);
#else
  while (value > seen &&
         !__atomic_compare_exchange_n(p, &seen, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
#endif
}

HALOSCOPE_HD inline void atomic_store(std::uint64_t* p, std::uint64_t value) {
#if defined(__CUDA_ARCH__)
  *static_cast<volatile std::uint64_t*>(p) = value;
#else
  __atomic_store_n(p, value, __ATOMIC_RELAXED);
#endif
}

// Puts `desired` in *p if that is `expected`; returns what *p was.
HALOSCOPE_HD inline std::uint64_t atomic_compare_exchange(std::uint64_t* p, std::uint64_t expected,
                                                          std::uint64_t desired) {
#if defined(__CUDA_ARCH__)
  return atomicCAS(reinterpret_cast<unsigned long long*>(p), expected, desired);
#else
  __atomic_compare_exchange_n(p, &expected, desired, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return expected;
#endif
}

}  // namespace haloscope::compute
