#include "io/loading/replicate.h"

#include "core/error.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace haloscope::io {

namespace {

class Replicated : public SnapshotReader {
 public:
  Replicated(std::unique_ptr<SnapshotReader> reader, int copies)
      : reader_(std::move(reader)), copies_(copies) {
    info_ = reader_->info();
    const auto all = std::uint64_t(copies) * std::uint64_t(copies) * std::uint64_t(copies);
    info_.box_size *= copies;
    for (auto& [number, type] : info_.types) {
      type.count *= all;
      // In one precision for all copies: far from the corner float32 has fewer digits.
      for (auto& field : type.fields)
        if (is_position(type, field.name)) field.scalar = ScalarType::Float64;
    }
    info_.assumed.emplace_back(fmt::format(
        "Repeated {0} x {0} x {0} times as one periodic box; particle IDs repeat.", copies));
  }

  void read(int type, const std::string& field, const ChunkVisitor& visit,
            Progress& progress) const override {
    const bool positions = is_position(reader_->info().types.at(type), field);
    const std::uint64_t count = reader_->info().types.at(type).count;
    reader_->read(
        type, field,
        [&](const ColumnChunk& chunk) {
          if (positions)
            visit_positions(chunk, count, visit);
          else
            for_copies([&](std::uint64_t copy, const std::array<int, 3>&) {
              ColumnChunk one = chunk;
              one.first += copy * count;
              visit(one);
            });
        },
        progress);
  }

 private:
  static bool is_position(const TypeInfo& type, const std::string& field) {
    const auto found = type.roles.find(Role::Position);
    return found != type.roles.end() && found->second == field;
  }

  template <class F>
  void for_copies(const F& f) const {
    std::uint64_t copy = 0;
    for (int z = 0; z < copies_; ++z)
      for (int y = 0; y < copies_; ++y)
        for (int x = 0; x < copies_; ++x) f(copy++, std::array<int, 3>{x, y, z});
  }

  void visit_positions(const ColumnChunk& chunk, std::uint64_t count,
                       const ChunkVisitor& visit) const {
    if (chunk.components != 3)
      throw BadFile(fmt::format("positions have {} components in place of 3", chunk.components),
                    info_.files.front());
    const double side = reader_->info().box_size;
    std::vector<double> moved(std::size_t(chunk.rows) * 3);
    for_copies([&](std::uint64_t copy, const std::array<int, 3>& at) {
      for (std::uint64_t i = 0; i < chunk.rows; ++i)
        for (int axis = 0; axis < 3; ++axis)
          moved[std::size_t(3 * i) + std::size_t(axis)] =
              chunk.value(i, axis) + at[std::size_t(axis)] * side;
      visit({chunk.first + copy * count, chunk.rows, 3, ScalarType::Float64, moved.data()});
    });
  }

  std::unique_ptr<SnapshotReader> reader_;
  int copies_;
};

}  // namespace

std::unique_ptr<SnapshotReader> replicate(std::unique_ptr<SnapshotReader> reader, int copies) {
  const SnapshotInfo& info = reader->info();
  if (copies < 1 || copies > kMostCopies)
    throw Error(fmt::format("{} copies along each axis are asked for", copies), info.files.front(),
                fmt::format("1 to {} work", kMostCopies));
  if (copies == 1) return reader;
  if (!info.periodic || !(info.box_size > 0))
    throw Error("only a periodic box can be repeated", info.files.front(),
                "give --box and --periodic yes where the file does not say that it is one");
  return std::make_unique<Replicated>(std::move(reader), copies);
}

}  // namespace haloscope::io
