#include "app/cli/selftest/made_particles.h"

namespace haloscope::app::cli {

namespace {

constexpr std::size_t kClumps = 8, kCount = 20000;

// SplitMix64 (Steele et al. 2014). The standard's generators are the same everywhere, but its
// distributions are each library's own.
class Random {
 public:
  std::uint32_t bits() {
    state_ += 0x9e3779b97f4a7c15u;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return std::uint32_t((z ^ (z >> 31)) >> 32);
  }
  // [0, 1), exact in float32.
  float uniform() { return float(bits() >> 8) * 0x1p-24f; }
  // About normal, of deviation 2³²/√3 · 2^-shift: the sum of four uniform numbers.
  std::uint32_t around_zero(int shift) {
    std::int64_t sum = -(std::int64_t(1) << 33);
    for (int i = 0; i < 4; ++i) sum += bits();
    return std::uint32_t(sum / (std::int64_t(1) << shift));
  }

 private:
  std::uint64_t state_ = 20000;
};

}  // namespace

MadeParticles make_particles() {
  MadeParticles made;
  made.domain.periodic = true;
  Random random;
  std::array<std::array<std::uint32_t, 3>, kClumps> centers{};
  for (std::size_t clump = 1; clump < kClumps; ++clump)
    for (auto& x : centers[clump]) x = random.bits();
  for (std::size_t i = 0; i < kCount; ++i) {
    const bool clumped = i % 2 == 0;
    // Each clump has about half as many particles as the one before, and is no smaller.
    std::size_t clump = 0;
    while (clump + 1 < kClumps && random.bits() % 2) ++clump;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::uint32_t apart = random.around_zero(6), anywhere = random.bits();
      made.position[axis].push_back(clumped ? centers[clump][axis] + apart : anywhere);
      made.velocity[axis].push_back(2 * random.uniform() - 1);
    }
    const float u = random.uniform();
    made.radius.push_back(0.002f + 0.048f * u * u * u * u);
    made.weight.push_back(0.5f + random.uniform());
    made.color.push_back(random.uniform());
  }
  return made;
}

MadeParticles make_open_particles() {
  MadeParticles made = make_particles();
  made.domain.periodic = false;
  made.domain.side = 2;
  made.domain.origin = {-0.5, -0.5, -0.5};
  for (auto& axis : made.position)
    for (auto& x : axis) x = (x >> 1) + (1u << 30);
  return made;
}

}  // namespace haloscope::app::cli
