#include "io/loading/particle_filter.h"

#include "core/array.h"
#include "core/error.h"
#include "io/loading/column_dispatch.h"
#include "io/loading/column_reading.h"
#include "io/loading/derived_fields.h"
#include "io/loading/finite_point.h"
#include "io/loading/particle_ids.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <set>
#include <utility>

namespace haloscope::io {

namespace {

class SphereTest {
 public:
  SphereTest(const Sphere& sphere, const SnapshotInfo& info)
      : center_(sphere.center),
        radius2_(sphere.radius * sphere.radius),
        inner2_(sphere.inner * sphere.inner) {
    if (info.periodic && info.box_size > 0) side_ = info.box_size;
  }
  template <class T>
  bool contains(const T* p) const {
    double square = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      double apart = double(p[axis]) - center_[axis];
      if (side_ > 0) apart -= side_ * std::round(apart / side_);
      square += apart * apart;
    }
    return square < radius2_ && square >= inner2_;
  }

 private:
  std::array<double, 3> center_;
  double radius2_, inner2_, side_ = 0;
};

// The plan for a field of a type; nothing: it has none of that name.
std::optional<FieldPlan> find_field(const SnapshotInfo& info, int type, const std::string& field) {
  try {
    return plan_field(info, type, field);
  } catch (const Error&) {
    return {};
  }
}

void require_field(const SnapshotInfo& info, const std::vector<int>& types,
                   const std::string& field) {
  bool known = false;
  for (const int type : types) {
    const auto plan = find_field(info, type, field);
    if (!plan) continue;
    known = true;
    if (plan->components != 1)
      throw Error(fmt::format("{} of {} has {} values per particle", field,
                              info.types.at(type).name, plan->components),
                  info.files.front(), fmt::format("name one of them, as {}[0]", field));
  }
  // Says what there is.
  if (!known && !types.empty()) plan_field(info, types.front(), field);
}

// Keeps the rows whose values in a column, from component `first` on, pass a test.
template <class Test>
void keep_where(const SnapshotReader& reader, int type, const std::string& field, int first,
                RowMap& rows, Progress& progress, const Test& test) {
  require_host_memory(rows.candidates() / 7, "the list of selected particles");
  RowMarks marks(rows.candidates());
  rows.read(
      reader, type, field,
      [&](const ColumnChunk& chunk) {
        RowMarks::Writer writer(marks);
        with_typed_data(chunk, [&](const auto* data) {
          const auto stride = std::uint64_t(chunk.components);
          const auto* from = data + std::size_t(first);
          rows.each(chunk.first, chunk.rows,
                    [&](std::uint64_t i, std::uint64_t, std::uint64_t candidate) {
                      if (test(from + i * stride)) writer.set(candidate);
                    });
        });
      },
      progress);
  rows.keep_marked(std::move(marks));
}

}  // namespace

std::shared_ptr<const std::vector<std::uint64_t>> id_list(std::vector<std::uint64_t> ids) {
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return std::make_shared<const std::vector<std::uint64_t>>(std::move(ids));
}

std::uint64_t ids_in(const IdLists& lists) {
  std::set<const std::vector<std::uint64_t>*> counted;
  std::uint64_t count = 0;
  for (const auto& [type, list] : lists)
    if (counted.insert(list.get()).second) count += list->size();
  return count;
}

FilteredRows::FilteredRows(const SnapshotReader& reader, const std::vector<int>& types,
                           const ParticleFilter& filter)
    : reader_(reader), filter_(filter) {
  if (filter.sphere && !(filter.sphere->radius > 0 && std::isfinite(filter.sphere->radius)))
    throw Error(fmt::format("the sphere holds nothing: its radius is {}", filter.sphere->radius),
                "--sphere", "give x,y,z,radius with a radius above 0");
  for (const ValueRange& range : filter.values) {
    if (!(range.low < range.high))
      throw Error(fmt::format("the range of {} holds nothing: it goes from {} to below {}",
                              range.field, range.low, range.high),
                  "--where", "give the lower limit first");
    require_field(reader.info(), types, range.field);
  }
  if (!filter.ids) return;
  for (const auto& [type, list] : *filter.ids)
    if (!met_.count(list.get())) met_.emplace(list.get(), RowMarks(list->size()));
}

std::optional<Region> FilteredRows::reach() const {
  if (!filter_.sphere) return {};
  Region region{filter_.sphere->center, filter_.sphere->center};
  for (double& low : region.low) low -= filter_.sphere->radius;
  for (double& high : region.high) high += filter_.sphere->radius;
  return region;
}

void FilteredRows::keep(int type, RowMap& rows, std::uint64_t& not_finite, Progress& progress) {
  if (filter_.sphere) keep_in_sphere(type, rows, not_finite, progress);
  if (filter_.outline && rows.size() > 0) keep_in_outline(type, rows, not_finite, progress);
  for (const ValueRange& range : filter_.values)
    if (rows.size() > 0) keep_in_range(type, range, rows, progress);
  if (filter_.ids && rows.size() > 0) keep_ids(type, rows, progress);
}

namespace {

// Keeps the rows whose places pass a test; returns how many have no place.
template <class Test>
std::uint64_t keep_places(const SnapshotReader& reader, int type, const Test& test, RowMap& rows,
                          Progress& progress) {
  std::atomic<std::uint64_t> odd{0};
  keep_where(reader, type, position_field(reader, type), 0, rows, progress, [&](const auto* p) {
    if (finite_point(p)) return test.contains(p);
    odd.fetch_add(1, std::memory_order_relaxed);
    return false;
  });
  return odd;
}

}  // namespace

void FilteredRows::keep_in_sphere(int type, RowMap& rows, std::uint64_t& not_finite,
                                  Progress& progress) const {
  const SphereTest sphere(*filter_.sphere, reader_.info());
  not_finite += keep_places(reader_, type, sphere, rows, progress);
}

void FilteredRows::keep_in_outline(int type, RowMap& rows, std::uint64_t& not_finite,
                                   Progress& progress) const {
  const OutlineTest outline(*filter_.outline, reader_.info());
  not_finite += keep_places(reader_, type, outline, rows, progress);
}

void FilteredRows::keep_in_range(int type, const ValueRange& range, RowMap& rows,
                                 Progress& progress) const {
  const auto plan = find_field(reader_.info(), type, range.field);
  if (!plan) {
    rows.keep_marked(RowMarks(rows.candidates()));
    return;
  }
  const auto inside = [&](double value) { return value >= range.low && value < range.high; };
  if (plan->kind == FieldPlan::Kind::Stored || plan->kind == FieldPlan::Kind::Component) {
    keep_where(reader_, type, plan->source, plan->component, rows, progress,
               [&](const auto* value) { return inside(double(*value)); });
    return;
  }
  // Of two columns, or of all components of one: as the picture is colored by it.
  const std::vector<Array<float>> values = read_field(reader_, type, rows, *plan, progress);
  RowMarks marks(rows.candidates());
  {
    RowMarks::Writer writer(marks);
    rows.each(0, rows.rows_in_file(), [&](std::uint64_t, std::uint64_t row, std::uint64_t at) {
      if (inside(double(values.front()[row]))) writer.set(at);
    });
  }
  rows.keep_marked(std::move(marks));
}

void FilteredRows::keep_ids(int type, RowMap& rows, Progress& progress) {
  const auto list = filter_.ids->find(type);
  const FieldInfo* field = id_field(reader_.info().types.at(type));
  if (list == filter_.ids->end() || list->second->empty() || !field) {
    rows.keep_marked(RowMarks(rows.candidates()));
    return;
  }
  const std::vector<std::uint64_t>& wanted = *list->second;
  RowMarks& met = met_.at(list->second.get());
  keep_where(reader_, type, field->name, 0, rows, progress, [&](const auto* value) {
    const std::uint64_t id = as_id(*value);
    const auto found = std::lower_bound(wanted.begin(), wanted.end(), id);
    if (found == wanted.end() || *found != id) return false;
    RowMarks::Writer(met).set(std::uint64_t(found - wanted.begin()));
    return true;
  });
}

std::uint64_t FilteredRows::ids_found() const {
  std::uint64_t found = 0;
  for (const auto& [list, marks] : met_) {
    RowMap all(list->size());
    all.keep_marked(marks);
    found += all.size();
  }
  return found;
}

}  // namespace haloscope::io
