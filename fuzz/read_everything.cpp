#include "fuzz/read_everything.h"

#include "core/error.h"
#include "core/log.h"
#include "io/catalogs/catalog_reader.h"
#include "io/convert/convert_snapshot.h"
#include "io/loading/derived_fields.h"
#include "io/loading/particle_loader.h"
#include "io/loading/position_scan.h"

#include <hdf5.h>
#include <tbb/global_control.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace haloscope::fuzz {

namespace {

// Columns beyond this are not read: a small file may rightly hold a compressed column of zeros, and
// an execution must stay short.
constexpr std::uint64_t kMostValues = 1000000;

// One thread, so that the same input always takes the same way; no warnings on the terminal; and
// libhdf5 keeps what it freed: AddressSanitizer maps and unmaps the megabyte that each open file
// takes, which made nine tenths of the time.
void prepare_process() {
  static const herr_t kept = H5set_free_list_limits(-1, -1, -1, -1, -1, -1);
  if (kept < 0) std::abort();
  static const tbb::global_control control(tbb::global_control::max_allowed_parallelism, 1);
  static const log::Sink former = log::set_sink([](log::Level, const std::string&) {});
}

[[noreturn]] void broken_promise(const char* what) {
  std::fprintf(stderr, "a reader broke its promise: %s\n", what);
  std::abort();
}

// Catches what a user may be told; HALOSCOPE_FUZZ_TELL=1 tells it, to look at one input.
template <class Action>
void attempt(Action&& action) {
  static const bool tell = std::getenv("HALOSCOPE_FUZZ_TELL") != nullptr;
  try {
    action();
  } catch (const Error& error) {
    if (tell) std::fprintf(stderr, "%s\n", error.what());
  }
}

// Looks at every value of the chunks, so that the sanitizers see each access.
class Visitor {
 public:
  Visitor(const TypeInfo& type, const FieldInfo& field) : type_(type), field_(field) {}

  void operator()(const io::ColumnChunk& chunk) {
    if (chunk.components != field_.components) broken_promise("components of a chunk");
    if (chunk.scalar != field_.scalar) broken_promise("the type of a chunk's values");
    if (chunk.rows > type_.count || chunk.first > type_.count - chunk.rows)
      broken_promise("rows of a chunk");
    rows_ += chunk.rows;
    for (std::uint64_t row = 0; row < chunk.rows; ++row)
      for (int component = 0; component < chunk.components; ++component)
        sum_ = sum_ + chunk.value(row, component);
  }
  std::uint64_t rows() const { return rows_; }

 private:
  const TypeInfo& type_;
  const FieldInfo& field_;
  std::uint64_t rows_ = 0;
  volatile double sum_ = 0;
};

bool small(const TypeInfo& type, const FieldInfo& field) {
  if (field.components < 1) broken_promise("a field without components");
  return type.count <= kMostValues / std::uint64_t(field.components);
}

void read_columns(const io::SnapshotReader& reader) {
  for (const auto& [number, type] : reader.info().types) {
    for (const auto& field : type.fields) {
      if (!small(type, field)) continue;
      Progress progress;
      attempt([&, n = number, &info = type] {
        Visitor visitor(info, field);
        reader.read(n, field.name, std::ref(visitor), progress);
        if (visitor.rows() != info.count) broken_promise("a column read whole lacks rows");
      });
      if (type.count < 2) continue;
      attempt([&, n = number, &info = type] {
        Visitor visitor(info, field);
        reader.read_rows(n, field.name, {{0, 1}, {info.count - 1, info.count}}, std::ref(visitor),
                         progress);
      });
    }
  }
}

// The first type with its first fields: derived ones too, where the file allows them.
void load(const io::SnapshotReader& reader, const io::Selection& selection) {
  for (const auto& [number, type] : reader.info().types) {
    if (type.count > kMostValues / 100) continue;
    io::LoadRequest request;
    request.selection = selection;
    request.types.push_back({number, {}, true, true});
    auto& names = request.types.back().fields;
    for (const auto& field : type.fields)
      if (names.size() < 4 && small(type, field)) names.push_back(field.name);
    for (const auto& field : io::derived_fields(reader.info(), number)) names.push_back(field.name);
    Progress progress;
    const ParticleSet set = io::load_particles(reader, request, progress);
    for (const auto& loaded : set.types)
      for (const auto& axis : loaded.position)
        if (axis.size() < loaded.count) broken_promise("positions of loaded particles");
    return;
  }
}

bool all_small(const io::SnapshotReader& reader) {
  for (const auto& [number, type] : reader.info().types) {
    if (type.count > kMostValues / 100) return false;
    for (const auto& field : type.fields)
      if (!small(type, field)) return false;
  }
  return true;
}

void count_and_convert(const io::SnapshotReader& reader, const std::string& output) {
  Progress progress;
  attempt([&] { io::scan_positions(reader, progress); });
  io::ConvertRequest request;
  request.output = output;
  for (const auto& [number, type] : reader.info().types) request.types.push_back(number);
  attempt([&] { io::convert_snapshot(reader, request, progress); });
}

}  // namespace

void read_snapshot(const std::string& path, std::size_t choice, const io::OpenOptions& options) {
  prepare_process();
  attempt([&] {
    const auto reader = io::open_snapshot(path, options);
    read_columns(*reader);
    io::Selection part;
    const SnapshotInfo& info = reader->info();
    const double side = info.box_size > 0 ? info.box_size : 1;
    part.region = io::Region{info.box_origin, info.box_origin};
    for (double& high : part.region->high) high += side * 0.9;
    part.every = 2;
    attempt([&] { load(*reader, {}); });
    if (choice % 4 == 1) attempt([&] { load(*reader, part); });
    if (choice % 8 == 0 && all_small(*reader))
      count_and_convert(*reader,
                        (std::filesystem::path(path).parent_path() / "converted.hdf5").string());
  });
}

void read_catalog(const std::string& path) {
  prepare_process();
  attempt([&] {
    const HaloCatalog catalog = io::open_catalog(path);
    volatile double sum = 0;
    for (const auto& table : catalog.tables) {
      for (const auto& column : table.columns)
        for (std::uint64_t row = 0; row < table.count; ++row)
          for (int component = 0; component < column.components; ++component)
            sum = sum + column.value(row, component);
      for (std::uint64_t row = 0; row < table.count; ++row)
        for (const HaloRole role : {HaloRole::Position, HaloRole::Velocity})
          sum = sum + table.vector(role, row)[2];
    }
  });
}

}  // namespace haloscope::fuzz
