#include "io/snapshots/integer_coordinates.h"

#include "core/error.h"

#include <vector>

namespace haloscope::io {

void check_integer_coordinates(const DatasetLayout& layout, double box_size,
                               const std::string& described, const std::string& file) {
  if (layout.long_integers)
    throw BadFile(described + " holds integers of more than 64 bits, which haloscope does not read",
                  file, "write the snapshot with 32- or 64-bit positions or with Coordinates");
  if (!layout.numeric || layout.scalar == ScalarType::Float32 ||
      layout.scalar == ScalarType::Float64)
    throw BadFile(described + " does not hold integers", file);
  if (!(box_size > 0))
    throw BadFile(described + " cannot be scaled: the integers span BoxSize, which is not set",
                  file);
}

ChunkVisitor scaled_to_box(const ChunkVisitor& visit, double box_size) {
  return [&visit, box_size](const ColumnChunk& chunk) {
    const std::size_t count = std::size_t(chunk.rows) * std::size_t(chunk.components);
    std::vector<double> positions(count);
    const bool wide = chunk.scalar == ScalarType::Int64 || chunk.scalar == ScalarType::UInt64;
    if (wide) {
      // Without the bits that a double would round away, up to the far edge perhaps.
      const auto* integers = static_cast<const std::uint64_t*>(chunk.data);
      const double step = box_size / double(std::uint64_t(1) << 52);
      for (std::size_t i = 0; i < count; ++i) positions[i] = double(integers[i] >> 12) * step;
    } else {
      const auto* integers = static_cast<const std::uint32_t*>(chunk.data);
      const double step = box_size / double(std::uint64_t(1) << 32);
      for (std::size_t i = 0; i < count; ++i) positions[i] = double(integers[i]) * step;
    }
    ColumnChunk scaled = chunk;
    scaled.scalar = ScalarType::Float64;
    scaled.data = positions.data();
    visit(scaled);
  };
}

}  // namespace haloscope::io
