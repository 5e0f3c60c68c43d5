#pragma once

#include "core/host_device.h"

#include <array>
#include <cstdint>
#include <vector>

// Samples of the particles, for pictures of a camera that moves. Of every two neighbors in Morton
// order one belongs to the sample of 1 in 2, of every two neighbors in that one to the sample of
// 1 in 4, and so on. So each particle is in the sample of 1 in n with probability 1/n, of every n
// consecutive ones (a stratum) exactly one is, and the coarser samples are parts of the finer ones.
// Which one it is depends on the stratum's number alone: nothing flickers from picture to picture.
namespace haloscope::compute::splotch {

inline constexpr int kCoarsestSample = 64;

// Samples that are kept, so that drawing one does not read the particles that are not in it: an
// eighth and a 64th, 14 % of the particles' memory. Of very many a 16th in place of an eighth, 8 %:
// these are still as many as a GPU draws while a display shows a picture.
inline constexpr std::uint64_t kVeryMany = 1ull << 28;
inline std::array<int, 2> kept_samples(std::uint64_t particles) {
  return {particles < kVeryMany ? 8 : 16, kCoarsestSample};
}
// The samples that a moving camera may be drawn of, all particles among them. What is not kept is
// cut from the next finer sample when it is drawn; of very many particles that takes as long as
// many pictures of a kept one (H200: 20 to 70 ms of 1.07 G).
inline std::vector<int> samples_for_motion(std::uint64_t particles, const std::vector<int>& kept) {
  std::vector<int> samples{1};
  if (particles >= kVeryMany)
    samples.insert(samples.end(), kept.begin(), kept.end());
  else
    for (int n = 2; n <= kCoarsestSample; n *= 2) samples.push_back(n);
  return samples;
}

// Samples are 1 in 1, 2, 4 … kCoarsestSample.
inline bool is_sample(int n) {
  return n >= 1 && n <= kCoarsestSample && (n & (n - 1)) == 0;
}

// Which of a pair of neighbors in the sample of 1 in n/2, 0 or 1, is in that of 1 in n. Mixed as
// SplitMix64's output is (Steele, Lea & Flood 2014, OOPSLA, fig. 17), so that the choices look
// independent, as the variance of a sample's light takes for granted.
HALOSCOPE_HD inline std::uint64_t chosen_of_pair(std::uint64_t pair, int n) {
  std::uint64_t h = (pair * 128 + std::uint64_t(n)) * 0x9e3779b97f4a7c15u;
  h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u;
  h = (h ^ (h >> 27)) * 0x94d049bb133111ebu;
  return h >> 63;
}

// Where the k-th particle of the sample of 1 in `coarse` stands in that of 1 in `fine`.
HALOSCOPE_HD inline std::uint64_t place_in_finer(std::uint64_t k, int coarse, int fine) {
  for (int n = coarse; n > fine; n /= 2) k = 2 * k + chosen_of_pair(k, n);
  return k;
}

// How many of the `count` particles in the sample of 1 in `fine` are in that of 1 in `coarse`. A
// last one without a neighbor is there when it is the chosen one of its pair, so with the same
// probability as all others.
inline std::uint64_t sample_size(std::uint64_t count, int coarse, int fine = 1) {
  for (int n = 2 * fine; n <= coarse; n *= 2)
    count = count / 2 + (count % 2 == 1 && chosen_of_pair(count / 2, n) == 0 ? 1 : 0);
  return count;
}

}  // namespace haloscope::compute::splotch
