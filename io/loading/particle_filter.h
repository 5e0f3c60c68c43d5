#pragma once

#include "core/progress.h"
#include "io/loading/outline.h"
#include "io/loading/row_map.h"
#include "io/snapshot_reader.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::io {

// Closer to the center than the radius, in a periodic box to any of its copies.
struct Sphere {
  std::array<double, 3> center{};
  double radius = 0;  // the file's own lengths
  double inner = 0;   // particles that are nearer to the center are left out
};

// low <= value < high, so that ranges side by side share no particle.
struct ValueRange {
  std::string field;  // stored or derived, of one value per particle
  double low = 0, high = 0;
};

// IDs by particle type, ascending and distinct. Types may share a list: stars keep the ID of the
// gas that they were made of.
using IdLists = std::map<int, std::shared_ptr<const std::vector<std::uint64_t>>>;

// How many they are, lists that types share counted once.
std::uint64_t ids_in(const IdLists& lists);

// Which particles are wanted beside those of a region: all that is given must hold.
struct ParticleFilter {
  std::optional<Sphere> sphere;
  std::optional<Outline> outline = {};
  std::vector<ValueRange> values;
  std::optional<IdLists> ids;  // types without a list have no particle that is wanted

  bool any() const { return sphere || outline || !values.empty() || ids; }
};

// Takes the particles that a filter wants, type after type.
class FilteredRows {
 public:
  // Throws Error for a sphere without a radius, a range that holds nothing, or a field that none of
  // the types has or that has several values per particle.
  FilteredRows(const SnapshotReader& reader, const std::vector<int>& types,
               const ParticleFilter& filter);

  // Where the sphere may reach; nothing: anywhere.
  std::optional<Region> reach() const;

  // Keeps of `rows` those that are wanted; reads the columns that tell. Adds to `not_finite` the
  // rows that have no place to be in a sphere.
  void keep(int type, RowMap& rows, std::uint64_t& not_finite, Progress& progress);

  // How many of the IDs have been met; each once, however many particles share it.
  std::uint64_t ids_found() const;

 private:
  void keep_in_sphere(int type, RowMap& rows, std::uint64_t& not_finite, Progress& progress) const;
  void keep_in_outline(int type, RowMap& rows, std::uint64_t& not_finite, Progress& progress) const;
  void keep_in_range(int type, const ValueRange& range, RowMap& rows, Progress& progress) const;
  void keep_ids(int type, RowMap& rows, Progress& progress);

  const SnapshotReader& reader_;
  const ParticleFilter& filter_;
  std::map<const std::vector<std::uint64_t>*, RowMarks> met_;  // one bit per ID
};

// Ascending and distinct.
std::shared_ptr<const std::vector<std::uint64_t>> id_list(std::vector<std::uint64_t> ids);

}  // namespace haloscope::io
