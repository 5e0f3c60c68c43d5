#include "io/convert/convert_snapshot.h"

#include "core/array.h"
#include "core/error.h"
#include "io/convert/gadget4_file.h"
#include "io/convert/gadget4_layout.h"
#include "io/convert/widest_scalars.h"
#include "io/hdf5/hdf5_dataset.h"
#include "io/loading/column_dispatch.h"
#include "io/loading/column_reading.h"
#include "io/loading/position_columns.h"
#include "io/loading/position_scan.h"
#include "io/loading/select_rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <utility>

namespace haloscope::io {

namespace {

// Headers, groups and the heap of names.
constexpr std::uint64_t kSnapshotMetadataBytes = std::uint64_t(1) << 18;

constexpr std::uint64_t kNumbersAtOnce = std::uint64_t(1) << 20;

// A coordinate measured from the box's low corner, in [0, side); as it is where side is 0.
double in_box(double x, double origin, double side) {
  if (!(side > 0)) return x;
  double above = x - origin;
  if (above < 0 || above >= side) above -= side * std::floor(above / side);
  // A hair below the corner rounds up to the far edge, which is the corner again.
  return above < side ? above : 0;
}

// The kept rows of a chunk, one after the other as the output has them.
class Piece {
 public:
  Piece(const ColumnChunk& chunk, const RowMap& rows, const OutputField& field,
        const SnapshotInfo& info)
      : chunk_(chunk), rows_(rows), field_(field), info_(info) {
    const auto values = std::size_t(chunk.rows) * std::size_t(field.components);
    bytes_.resize(values * scalar_bytes(field.scalar));
    if (field.position)
      gather_positions();
    else if (field.factor != 1)
      gather_scaled();
    else if (field.scalar != chunk.scalar)
      gather_converted();
    else
      gather_as_stored();
  }

  std::uint64_t first() const { return first_; }
  std::uint64_t rows() const { return count_; }
  const void* data() const { return bytes_.data(); }

 private:
  template <class F>
  void each(F&& copy) {
    rows_.each(chunk_.first, chunk_.rows, [&](std::uint64_t i, std::uint64_t row, std::uint64_t) {
      if (count_ == 0) first_ = row;
      copy(i, count_++);
    });
  }

  void gather_as_stored() {
    const std::size_t row_bytes = scalar_bytes(field_.scalar) * std::size_t(field_.components);
    const auto* from = static_cast<const unsigned char*>(chunk_.data);
    each([&](std::uint64_t i, std::uint64_t to) {
      std::memcpy(bytes_.data() + to * row_bytes, from + i * row_bytes, row_bytes);
    });
  }

  void gather_scaled() {
    const auto components = std::uint64_t(field_.components);
    with_typed_data(chunk_, [&](const auto* from) {
      each([&](std::uint64_t i, std::uint64_t to) {
        for (std::uint64_t c = 0; c < components; ++c)
          put(to * components + c, double(from[i * components + c]) * field_.factor);
      });
    });
  }

  // One file of a set may store another type than the rest.
  void gather_converted() {
    const auto components = std::uint64_t(field_.components);
    with_typed_data(chunk_, [&](const auto* from) {
      each([&](std::uint64_t i, std::uint64_t to) {
        for (std::uint64_t c = 0; c < components; ++c)
          put(to * components + c, from[i * components + c]);
      });
    });
  }

  void gather_positions() {
    const double side = info_.periodic ? info_.box_size : 0;
    with_typed_data(chunk_, [&](const auto* from) {
      each([&](std::uint64_t i, std::uint64_t to) {
        for (std::size_t c = 0; c < 3; ++c)
          put(to * 3 + c, in_box(double(from[3 * i + c]), info_.box_origin[c], side));
      });
    });
  }

  // Integers never go through floating point, which would round IDs above 2^53.
  template <class From>
  void put(std::uint64_t at, From value) {
    switch (field_.scalar) {
      case ScalarType::Float32:
        return store<float>(at, value);
      case ScalarType::Float64:
        return store<double>(at, value);
      case ScalarType::Int32:
        return store<std::int32_t>(at, value);
      case ScalarType::UInt32:
        return store<std::uint32_t>(at, value);
      case ScalarType::Int64:
        return store<std::int64_t>(at, value);
      case ScalarType::UInt64:
        return store<std::uint64_t>(at, value);
    }
  }

  template <class To, class From>
  void store(std::uint64_t at, From value) {
    if constexpr (std::is_integral_v<To>) {
      bool fits = false;
      if constexpr (std::is_integral_v<From>) fits = std::in_range<To>(value);
      if (!fits)
        throw BadFile(fmt::format("{} holds {}, which is no {} as the other values are",
                                  field_.source, value, scalar_name(field_.scalar)),
                      info_.files.front(), "the files of the set store it in different types");
    }
    const auto converted = To(value);
    std::memcpy(bytes_.data() + at * sizeof converted, &converted, sizeof converted);
  }

  const ColumnChunk& chunk_;
  const RowMap& rows_;
  const OutputField& field_;
  const SnapshotInfo& info_;
  std::vector<unsigned char> bytes_;
  std::uint64_t first_ = 0, count_ = 0;
};

class Conversion {
 public:
  Conversion(const SnapshotReader& reader, const ConvertRequest& request, Progress& progress)
      : reader_(reader), request_(request), progress_(progress) {}

  ConvertResult run() {
    choose_rows();
    const Gadget4Layout layout =
        plan_gadget4(with_widest_scalars(reader_.info()), weights_, request_.added);
    Gadget4File file(request_.output,
                     request_.compress ? kSnapshotMetadataBytes : bytes_of(layout));
    std::map<int, std::uint64_t> written;
    for (const auto& [type, rows] : selected_.rows) written[type] = rows.size();
    file.write_header(reader_.info(), layout, written);
    for (const auto& [type, fields] : layout.fields)
      for (const auto& field : fields) copy(type, field, file);
    say(layout);
    file.write_provenance(provenance());
    file.commit();
    return std::move(result_);
  }

 private:
  // Only rows with a usable position stay.
  void choose_rows() {
    selected_ =
        select_rows(reader_, request_.types, request_.selection, progress_, request_.filter);
    for (const int type : request_.types)
      for (auto& sentence :
           describe_selection(reader_.info(), request_.selection, selected_, type, request_.filter))
        result_.said.push_back(std::move(sentence));
    if (request_.filter.ids)
      result_.said.push_back(fmt::format("{} of {} IDs were found.", selected_.ids_found,
                                         ids_in(*request_.filter.ids)));
    for (auto& sentence : describe_shared_ids(selected_, request_.filter))
      result_.said.push_back(std::move(sentence));
    const PositionFrame frame = choose_frame(reader_, selected_.rows, progress_);
    for (auto& [type, rows] : selected_.rows) {
      require_host_memory(rows.candidates() / 7, "the list of particles");
      RowMarks usable(rows.candidates());
      LoadCounts counts = check_positions(reader_, type, rows, frame, &usable, progress_);
      if (counts.shown() != rows.size()) rows.keep_marked(std::move(usable));
      counts.wind = count_wind(reader_, type, rows, progress_);
      result_.counts[type] = counts;
    }
    std::erase_if(selected_.rows, [](const auto& one) { return one.second.size() == 0; });
    if (selected_.rows.empty())
      throw Error("no particle with a usable position is left", reader_.info().files.front(),
                  "copy the file again");
    for (const auto& [type, rows] : selected_.rows) weights_[type] = selected_.weights.at(type);
  }

  std::uint64_t bytes_of(const Gadget4Layout& layout) const {
    std::uint64_t bytes = kSnapshotMetadataBytes;
    for (const auto& [type, fields] : layout.fields)
      for (const auto& field : fields)
        bytes += selected_.rows.at(type).size() * scalar_bytes(field.scalar) *
                 std::uint64_t(field.components);
    return bytes;
  }

  void copy(int type, const OutputField& field, Gadget4File& file) {
    const RowMap& rows = selected_.rows.at(type);
    file.begin_field(type, field, rows.size(), request_.compress);
    if (field.first_row_number > 0) return write_row_numbers(rows, field, file);
    if (field.added) return write_added(type, rows, field, file);
    rows.read(
        reader_, type, field.source,
        [&](const ColumnChunk& chunk) {
          if (chunk.components != field.components)
            throw BadFile(fmt::format("{} has {} values per particle where {} were promised",
                                      field.source, chunk.components, field.components),
                          reader_.info().files.front(), "copy the file again");
          const Piece piece(chunk, rows, field, reader_.info());
          file.write_rows(field, piece.first(), piece.rows(), piece.data());
        },
        progress_);
  }

  void write_row_numbers(const RowMap& rows, const OutputField& field, Gadget4File& file) {
    std::vector<std::uint64_t> numbers;
    std::uint64_t written = 0;
    for (std::uint64_t first = 0; first < rows.rows_in_file(); first += kNumbersAtOnce) {
      const std::uint64_t count = std::min(kNumbersAtOnce, rows.rows_in_file() - first);
      progress_.report("numbering particles", double(first) / double(rows.rows_in_file()));
      numbers.clear();
      rows.each(first, count, [&](std::uint64_t offset, std::uint64_t, std::uint64_t) {
        numbers.push_back(field.first_row_number + first + offset);
      });
      file.write_rows(field, written, numbers.size(), numbers.data());
      written += numbers.size();
    }
  }

  void write_added(int type, const RowMap& rows, const OutputField& field, Gadget4File& file) {
    std::vector<Array<float>> values = read_field(reader_, type, rows, *field.added, progress_);
    if (field.factor != 1)
      for (float& value : values.front()) value = float(double(value) * field.factor);
    for (std::uint64_t first = 0; first < rows.size(); first += kNumbersAtOnce)
      file.write_rows(field, first, std::min(kNumbersAtOnce, rows.size() - first),
                      values.front().data() + first);
  }

  // A thinned or cut copy must not pass for a simulation of its own.
  std::map<std::string, std::string> provenance() const {
    auto origin = request_.provenance;
    origin["Snapshot"] = fmt::format("{}", fmt::join(reader_.info().files, " "));
    origin["Notes"] = fmt::format("{}", fmt::join(result_.said, " "));
    return origin;
  }

  void say(const Gadget4Layout& layout) {
    const SnapshotInfo& info = reader_.info();
    result_.said.insert(result_.said.end(), layout.said.begin(), layout.said.end());
    say_units_for_yt(layout);
    const bool moved = std::any_of(info.box_origin.begin(), info.box_origin.end(),
                                   [](double x) { return x != 0; });
    if (info.periodic && moved)
      result_.said.push_back(fmt::format(
          "Positions are measured from the box's low corner, {:g}, {:g}, {:g} in the input.",
          info.box_origin[0], info.box_origin[1], info.box_origin[2]));
  }

  // yt 4 reads no units from files of this layout, AREPO's apart.
  void say_units_for_yt(const Gadget4Layout& layout) {
    const Units custom, &units = layout.units;
    const auto same = [](double a, double b) { return std::abs(a / b - 1) < 1e-3; };
    if (layout.arepo ||
        (same(units.length_cm, custom.length_cm) && same(units.mass_g, custom.mass_g) &&
         same(units.velocity_cm_per_s, custom.velocity_cm_per_s)))
      return;
    result_.said.push_back(
        fmt::format("yt takes kpc, 1e10 Msun and km/s for granted in such files: give yt.load "
                    "unit_base={{'UnitLength_in_cm': {:.10g}, 'UnitMass_in_g': {:.10g}, "
                    "'UnitVelocity_in_cm_per_s': {:.10g}}}.",
                    units.length_cm, units.mass_g, units.velocity_cm_per_s));
  }

  const SnapshotReader& reader_;
  const ConvertRequest& request_;
  Progress& progress_;
  SelectedRows selected_;
  std::map<int, double> weights_;
  ConvertResult result_;
};

}  // namespace

ConvertResult convert_snapshot(const SnapshotReader& reader, const ConvertRequest& request,
                               Progress& progress) {
  return Conversion(reader, request, progress).run();
}

}  // namespace haloscope::io
