#pragma once

#include "compute/exec/device.h"
#include "compute/splotch/renderer.h"
#include "core/domain.h"
#include "tests/skip.h"

#include <algorithm>
#include <array>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

// The executors that this machine has, and particles made up in a test as renderer input.
namespace haloscope::compute {

inline std::ostream& operator<<(std::ostream& out, Device device) {
  return out << device.word();
}

}  // namespace haloscope::compute

namespace haloscope::test {

using namespace haloscope;
using namespace haloscope::compute;

// The processor always, and the first GPU where there is one. Others are like it: device_test.cpp.
inline std::vector<Device> devices() {
  std::vector<Device> all{Device::cpu()};
  std::string why;
  if (is_usable(Device::cuda(), &why))
    all.push_back(Device::cuda());
  else
    haloscope::test::require_here(haloscope::test::Needs::Gpu, why);
  return all;
}

using splotch::make_renderer;

// One type's columns, with positions in fixed point.
struct Particles {
  std::array<std::vector<std::uint32_t>, 3> position;
  std::vector<float> radius, weight;
  std::array<std::vector<float>, 3> color;

  splotch::TypeInput input() const {
    splotch::TypeInput in;
    in.count = position[0].size();
    for (std::size_t c = 0; c < 3; ++c) {
      in.position[c] = position[c].data();
      in.color[c] = color[c].empty() ? nullptr : color[c].data();
    }
    in.radius = radius.empty() ? nullptr : radius.data();
    in.weight = weight.empty() ? nullptr : weight.data();
    return in;
  }
  void add(const Domain& domain, const std::array<double, 3>& where, double r, double w,
           const std::vector<double>& colors) {
    for (std::size_t c = 0; c < 3; ++c) position[c].push_back(domain.to_fixed(where[c], int(c)));
    radius.push_back(float(r));
    weight.push_back(float(w));
    for (std::size_t c = 0; c < colors.size(); ++c) color[c].push_back(float(colors[c]));
  }
};

// A non-periodic domain whose middle half holds the cube [low, high]³.
inline Domain open_domain(double low, double high) {
  Domain d;
  d.side = 2 * (high - low);
  for (auto& o : d.origin) o = low - (high - low) / 2;
  return d;
}

inline Domain periodic_domain(double side) {
  Domain d;
  d.side = side;
  d.periodic = true;
  return d;
}

}  // namespace haloscope::test

// For files without `using namespace haloscope`.
namespace test = haloscope::test;
