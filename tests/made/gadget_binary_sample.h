#pragma once

#include "core/error.h"
#include "io/snapshot_reader.h"
#include "tests/made/binary_files.h"
#include "tests/output_folder.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

// What the tests of binary Gadget files share: reading a column whole, and a file with everything
// that format 1 can tell.
namespace gadget_binary_sample {

using namespace haloscope;
using namespace haloscope::io;
using namespace binary_files;

inline bool says(const SnapshotInfo& info, const std::string& part) {
  return std::any_of(info.assumed.begin(), info.assumed.end(),
                     [&](const auto& one) { return one.sentence.find(part) != std::string::npos; });
}

inline std::string failure(const std::string& path, const OpenOptions& options = {}) {
  return haloscope::test::message_of([&] { open_snapshot(path, options); });
}

template <class T = double>
std::vector<T> read_all(const SnapshotReader& reader, int type, const std::string& field) {
  const TypeInfo& info = reader.info().types.at(type);
  const auto components = std::size_t(info.find(field)->components);
  std::vector<T> values(info.count * components, T(-12345));
  Progress progress;
  reader.read(
      type, field,
      [&](const ColumnChunk& chunk) {
        for (std::uint64_t i = 0; i < chunk.rows * components; ++i) {
          T& to = values[chunk.first * components + i];
          if (chunk.scalar == ScalarType::UInt64)
            to = T(static_cast<const std::uint64_t*>(chunk.data)[i]);
          else if (chunk.scalar == ScalarType::UInt32)
            to = T(static_cast<const std::uint32_t*>(chunk.data)[i]);
          else
            to = T(chunk.value(i / components, int(i % components)));
        }
      },
      progress);
  return values;
}

inline std::vector<double> part_of(const std::vector<double>& values, std::size_t first,
                                   std::size_t count) {
  return {values.begin() + std::ptrdiff_t(first), values.begin() + std::ptrdiff_t(first + count)};
}

// 5 gas, 7 dark matter (mass in the header), 3 stars, with everything that format 1 can tell.
struct Sample {
  GadgetBinary file;
  std::vector<double> positions = some_values(45, 0, 10, 1);
  std::vector<double> velocities = some_values(45, -300, 300, 2);
  std::vector<double> masses = some_values(8, 0.1, 0.2, 3);
  std::vector<double> energies = some_values(5, 10, 1000, 4);
  std::vector<double> densities = some_values(5, 1e-6, 1e-3, 5);
  std::vector<double> lengths = some_values(5, 0.1, 2, 6);
  std::vector<double> potentials = some_values(15, -9, 9, 7);
  std::vector<std::uint64_t> ids;

  explicit Sample(const GadgetBinary& variant) : file(variant) {
    file.count = {5, 7, 0, 0, 3, 0};
    file.mass = {0, 0.25, 0, 0, 0, 0};
    for (std::uint64_t i = 0; i < 15; ++i)
      ids.push_back(file.long_ids ? (std::uint64_t(1) << 53) + 1 + 2 * i : 4000000000U + i);
    file.reals("POS", positions).reals("VEL", velocities).ids(ids).reals("MASS", masses);
    file.reals("U", energies).reals("RHO", densities).reals("HSML", lengths);
    file.reals("POT", potentials);
  }
};

}  // namespace gadget_binary_sample
