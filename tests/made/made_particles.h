#pragma once

#include "core/particles.h"
#include "tests/renderers.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

// Loaded particles that no file holds.
namespace haloscope::test {

inline Array<float> array_of(const std::vector<float>& values) {
  Array<float> made(values.size());
  std::copy(values.begin(), values.end(), made.begin());
  return made;
}

inline ParticleColumns made_columns(int type, const std::string& name, const Domain& domain,
                                    const std::vector<std::array<double, 3>>& points) {
  ParticleColumns columns;
  columns.type = type;
  columns.name = name;
  columns.count = points.size();
  for (std::size_t c = 0; c < 3; ++c) {
    columns.position[c] = Array<std::uint32_t>(points.size());
    for (std::size_t i = 0; i < points.size(); ++i)
      columns.position[c][i] = domain.to_fixed(points[i][c], int(c));
  }
  return columns;
}

inline void add_field(ParticleColumns& columns, const std::string& name,
                      const std::vector<float>& values) {
  columns.fields[name].push_back(array_of(values));
}

}  // namespace haloscope::test
