#include "io/loading/selected_snapshot.h"

#include "core/error.h"
#include "io/bytes/scalar_type.h"

#include <utility>

namespace haloscope::io {

namespace {

std::vector<int> types_with_positions(const SnapshotInfo& info) {
  std::vector<int> types;
  for (const auto& [number, type] : info.types)
    if (type.count > 0 && type.find(Role::Position)) types.push_back(number);
  return types;
}

}  // namespace

SelectedSnapshot::SelectedSnapshot(std::unique_ptr<SnapshotReader> whole,
                                   const Selection& selection, const ParticleFilter& filter,
                                   Progress& progress)
    : whole_(std::move(whole)) {
  info_ = whole_->info();
  const std::vector<int> types = types_with_positions(info_);
  selected_ = select_rows(*whole_, types, selection, progress, filter);
  for (const int type : types)
    for (const std::string& sentence :
         describe_selection(whole_->info(), selection, selected_, type, filter))
      info_.assumed.emplace_back(sentence);
  std::erase_if(info_.types, [&](const auto& one) { return !selected_.rows.count(one.first); });
  std::erase_if(info_.smoothing_lengths,
                [&](const auto& one) { return !info_.types.count(one.first); });
  for (auto& [number, type] : info_.types) type.count = selected_.rows.at(number).size();
}

void SelectedSnapshot::read(int type, const std::string& field, const ChunkVisitor& visit,
                            Progress& progress) const {
  const auto found = selected_.rows.find(type);
  if (found == selected_.rows.end()) return;
  const RowMap& rows = found->second;
  rows.read(
      *whole_, type, field,
      [&](const ColumnChunk& chunk) {
        const std::size_t bytes = scalar_bytes(chunk.scalar) * std::size_t(chunk.components);
        const char* const from = static_cast<const char*>(chunk.data);
        // Rows of one chunk follow one another here too.
        std::vector<char> taken;
        ColumnChunk one = chunk;
        one.rows = 0;
        rows.each_run(chunk.first, chunk.rows,
                      [&](std::uint64_t i, std::uint64_t row, std::uint64_t, std::uint64_t length) {
                        if (one.rows == 0) one.first = row;
                        taken.insert(taken.end(), from + i * bytes, from + (i + length) * bytes);
                        one.rows += length;
                      });
        one.data = taken.data();
        if (one.rows > 0) visit(one);
      },
      progress);
}

std::vector<std::uint64_t> SelectedSnapshot::rows_of(int type) const {
  std::vector<std::uint64_t> list;
  const auto found = selected_.rows.find(type);
  if (found == selected_.rows.end()) return list;
  const RowMap& rows = found->second;
  list.reserve(std::size_t(rows.size()));
  rows.each(0, rows.rows_in_file(),
            [&](std::uint64_t offset, std::uint64_t, std::uint64_t) { list.push_back(offset); });
  return list;
}

const SelectedSnapshot* as_selected(const SnapshotReader& reader) {
  return dynamic_cast<const SelectedSnapshot*>(&reader);
}

}  // namespace haloscope::io
