#pragma once

#include "analysis/snapshot/resident_points.h"
#include "core/error.h"
#include "io/loading/particle_loader.h"
#include "io/snapshot_reader.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace haloscope::test {

// A snapshot whose positions nobody may read.
class WithoutPositions final : public io::SnapshotReader {
 public:
  explicit WithoutPositions(const io::SnapshotReader& reader) : reader_(reader) {
    info_ = reader.info();
  }
  void read(int type, const std::string& field, const io::ChunkVisitor& visit,
            Progress& progress) const override {
    refuse(type, field);
    reader_.read(type, field, visit, progress);
  }
  void read_rows(int type, const std::string& field, const std::vector<io::RowRange>& rows,
                 const io::ChunkVisitor& visit, Progress& progress) const override {
    refuse(type, field);
    reader_.read_rows(type, field, rows, visit, progress);
  }

 private:
  void refuse(int type, const std::string& field) const {
    if (const FieldInfo* position = info_.types.at(type).find(Role::Position);
        position && position->name == field)
      throw Error("the positions were read again", field);
  }

  const io::SnapshotReader& reader_;
};

// What a picture of some types leaves on a device.
inline std::shared_ptr<const analysis::ResidentPoints> resident_points(
    const io::SnapshotReader& reader, const std::vector<int>& types, compute::Device device) {
  io::LoadRequest load;
  for (const int type : types) load.types.push_back({type, {}, false, false});
  Progress progress;
  const ParticleSet particles = io::load_particles(reader, load, progress);
  auto resident = std::make_shared<analysis::ResidentPoints>();
  resident->domain = particles.domain;
  for (const auto& columns : particles.types)
    resident->types[columns.type] = {
        compute::spatial::place_points(
            device, particles.domain,
            {columns.position[0].data(), columns.position[1].data(), columns.position[2].data()},
            columns.count),
        columns.counts, columns.rejected_rows};
  resident->files = analysis::files_behind(reader.info().files.front(), reader.info());
  resident->stamps = analysis::stamps_of(resident->files);
  return resident;
}

}  // namespace haloscope::test
