#include "analysis/made_fields/snapshot_with_fields.h"

#include "analysis/made_fields/field_makers.h"
#include "analysis/snapshot/file_stamps.h"
#include "core/check.h"

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace haloscope::analysis {

namespace {

const std::vector<const FieldMaker*>& makers() {
  static const std::vector<const FieldMaker*> all{&tree_potential_maker(), &local_density_maker()};
  return all;
}

// What tells whether values that were made belong to a snapshot.
using SnapshotKey = std::tuple<std::vector<std::string>, FileStamps, std::string>;

// The values of the last snapshot of which any were made, for all readers of it.
class KeptValues {
 public:
  using Values = std::shared_ptr<const Array<float>>;

  // What is kept, else what `make` makes. Whoever needs values meanwhile waits, in place of making
  // them a second time: they take all cores and much memory.
  template <class Make>
  Values find_or_make(const SnapshotKey& key, const std::string& field, int type,
                      const Make& make) {
    const std::lock_guard lock(mutex_);
    if (key_ == key) {
      const auto found = values_.find({field, type});
      if (found != values_.end()) return found->second;
    }
    // Isolated: a thread that took up another task of TBB's meanwhile might come here again, and
    // wait for itself.
    MadeValues made;
    tbb::this_task_arena::isolate([&] { made = make(); });
    if (key_ != key) values_.clear();
    key_ = key;
    for (auto& [other, values] : made)
      values_[{field, other}] = std::make_shared<const Array<float>>(std::move(values));
    return values_.at({field, type});
  }

 private:
  std::mutex mutex_;
  SnapshotKey key_;
  std::map<std::pair<std::string, int>, Values> values_;
};

KeptValues& kept_values() {
  static KeptValues kept;
  return kept;
}

// All that values depend on beside the files: facts of the snapshot, wherever they come from.
std::string facts_of_snapshot(const SnapshotInfo& info, const std::string& device, int copies) {
  const Units& u = info.units;
  std::string text =
      fmt::format("{} {} {} {} {} {} {} {} {} {} {} {} {} {}", device, copies, u.length_cm,
                  u.mass_g, u.velocity_cm_per_s, u.comoving, u.per_h, info.cosmology.scale_factor,
                  info.cosmology.hubble_param, info.periodic, info.box_size, info.box_origin[0],
                  info.box_origin[1], info.box_origin[2]);
  for (const auto& [number, type] : info.types)
    text += fmt::format(" {}:{} {}", number, type.count, type.uniform_mass);
  for (const auto& [number, meaning] : info.smoothing_lengths)
    text += fmt::format(" {}:{} {} {}", number, meaning.field, meaning.support_per_value,
                        int(meaning.kind));
  return text;
}

class SnapshotWithFields final : public io::SnapshotReader {
 public:
  SnapshotWithFields(std::unique_ptr<io::SnapshotReader> stored, std::string device, int copies,
                     const std::string& identity)
      : stored_(std::move(stored)), device_(std::move(device)), copies_(copies) {
    info_ = stored_->info();
    for (const FieldMaker* maker : makers()) maker->offer(info_);
    key_ = {info_.files, stamps_of(info_.files),
            facts_of_snapshot(info_, device_, copies_) + " " + identity};
  }

  void read(int type, const std::string& field, const io::ChunkVisitor& visit,
            Progress& progress) const override {
    if (const FieldMaker* maker = maker_of(type, field))
      hand_over(*values_of(*maker, type, progress), {{0, info_.types.at(type).count}}, visit);
    else
      stored_->read(type, field, visit, progress);
  }

  void read_rows(int type, const std::string& field, const std::vector<io::RowRange>& rows,
                 const io::ChunkVisitor& visit, Progress& progress) const override {
    if (const FieldMaker* maker = maker_of(type, field))
      hand_over(*values_of(*maker, type, progress), rows, visit);
    else
      stored_->read_rows(type, field, rows, visit, progress);
  }

  std::vector<io::RowRange> rows_in(int type, const io::Region& region) const override {
    return stored_->rows_in(type, region);
  }

 private:
  // Null: the field is stored, or there is none of that name.
  const FieldMaker* maker_of(int type, const std::string& field) const {
    const auto found = info_.types.find(type);
    if (found == info_.types.end() || !found->second.find_made(field)) return nullptr;
    for (const FieldMaker* maker : makers())
      if (field == maker->name) return maker;
    return nullptr;
  }

  KeptValues::Values values_of(const FieldMaker& maker, int type, Progress& progress) const {
    auto values = kept_values().find_or_make(key_, maker.name, type, [&] {
      return maker.make(*stored_, type, {compute::choose_device(device_), copies_}, progress);
    });
    HALOSCOPE_CHECK(values->size(), ==, std::size_t(info_.types.at(type).count));
    return values;
  }

  static void hand_over(const Array<float>& values, const std::vector<io::RowRange>& rows,
                        const io::ChunkVisitor& visit) {
    for (const io::RowRange& range : rows) {
      if (range.end <= range.begin) continue;
      io::ColumnChunk chunk;
      chunk.first = range.begin;
      chunk.rows = range.end - range.begin;
      chunk.data = values.data() + range.begin;
      visit(chunk);
    }
  }

  std::unique_ptr<io::SnapshotReader> stored_;
  std::string device_;
  int copies_;
  SnapshotKey key_;
};

}  // namespace

std::unique_ptr<io::SnapshotReader> with_made_fields(std::unique_ptr<io::SnapshotReader> stored,
                                                     const std::string& device, int copies,
                                                     const std::string& identity) {
  return std::make_unique<SnapshotWithFields>(std::move(stored), device, copies, identity);
}

}  // namespace haloscope::analysis
