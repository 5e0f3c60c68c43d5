// SWIFT snapshots: their header, units, smoothing lengths, cells and virtual files.

#include "tests/snapshot_checks.h"

using namespace haloscope;
using namespace haloscope::io;
using namespace snapshot_files;
using namespace snapshot_checks;

namespace {

constexpr double kBox = 8;

// The header of one file of a SWIFT snapshot, in Mpc, 1e10 Msun and km/s.
void write_swift_header(FileWriter& file, const std::vector<std::int64_t>& counts,
                        const std::vector<std::uint32_t>& total, std::int32_t files = 1,
                        const std::string& kernel = "Wendland C2",
                        const std::vector<double>& box = {kBox, kBox, kBox}) {
  file.group("Header").group("Cosmology").group("Units").group("HydroScheme");
  file.text("Header", "Code", "SWIFT");
  file.attribute("Header", "NumPart_ThisFile", counts);
  file.attribute("Header", "NumPart_Total", total);
  file.attribute("Header", "NumPart_Total_HighWord", std::vector<std::uint32_t>(total.size(), 0));
  file.attribute("Header", "MassTable", std::vector<double>(total.size(), 0.5));
  file.attribute<std::int32_t>("Header", "NumFilesPerSnapshot", {files});
  file.attribute<double>("Header", "BoxSize", box);
  file.attribute<double>("Header", "Time", {0.0059}).attribute<double>("Header", "Redshift", {1});
  file.attribute<double>("Header", "Scale-factor", {0.5});
  file.attribute<double>("Cosmology", "h", {0.68}).attribute<double>("Cosmology", "Omega_m", {0.3});
  file.attribute<double>("Cosmology", "Omega_lambda", {0.7});
  file.attribute<std::int32_t>("Cosmology", "Cosmological run", {1});
  file.attribute<double>("Units", "Unit length in cgs (U_L)", {3.085678e24});
  file.attribute<double>("Units", "Unit mass in cgs (U_M)", {1.98841e43});
  file.attribute<double>("Units", "Unit time in cgs (U_t)", {3.085678e19});
  if (!kernel.empty()) file.text("HydroScheme", "Kernel function", kernel);
}

void note(FileWriter& file, const std::string& path, double to_cgs, double a, double length,
          double mass, double time, double temperature = 0) {
  file.attribute<double>(path, "Conversion factor to CGS (not including cosmological corrections)",
                         {to_cgs});
  file.attribute<double>(path, "a-scale exponent", {a});
  file.attribute<double>(path, "h-scale exponent", {0});
  file.attribute<double>(path, "U_L exponent", {length});
  file.attribute<double>(path, "U_M exponent", {mass});
  file.attribute<double>(path, "U_t exponent", {time});
  file.attribute<double>(path, "U_T exponent", {temperature});
}

// Eight cells of side 4, z fastest; cell i holds i + 1 particles of type 1 that lie about its
// center, drifted by up to 0.3 out of it.
struct CellFile {
  std::vector<double> centers;
  std::vector<std::int64_t> counts, offsets, files;
  std::vector<float> positions;
  std::vector<double> lowest, highest;

  CellFile() {
    std::int64_t offset = 0;
    for (int i = 0; i < 8; ++i) {
      const double center[3] = {2.0 + 4 * (i / 4), 2.0 + 4 * (i / 2 % 2), 2.0 + 4 * (i % 2)};
      const auto unit = some_positions(std::size_t(i) + 1, 1, std::uint64_t(i) + 3);
      double low[3] = {1e9, 1e9, 1e9}, high[3] = {-1e9, -1e9, -1e9};
      for (std::size_t k = 0; k < unit.size(); ++k) {
        positions.push_back(float(center[k % 3] + (double(unit[k]) - 0.5) * 4.6));
        low[k % 3] = std::min(low[k % 3], double(positions.back()));
        high[k % 3] = std::max(high[k % 3], double(positions.back()));
      }
      for (int axis = 0; axis < 3; ++axis) {
        centers.push_back(center[axis]);
        lowest.push_back(low[axis]);
        highest.push_back(high[axis]);
      }
      counts.push_back(i + 1);
      offsets.push_back(offset);
      files.push_back(0);
      offset += i + 1;
    }
  }

  void write_cells(FileWriter& file, bool extremes) const {
    for (const char* group : {"Cells", "Cells/Meta-data", "Cells/Counts", "Cells/OffsetsInFile",
                              "Cells/Files", "Cells/MinPositions", "Cells/MaxPositions"})
      file.group(group);
    file.attribute<double>("Cells/Meta-data", "size", {4, 4, 4});
    file.dataset("Cells/Centres", {8, 3}, centers);
    file.dataset("Cells/Counts/PartType1", {8}, counts);
    file.dataset("Cells/OffsetsInFile/PartType1", {8}, offsets);
    file.dataset("Cells/Files/PartType1", {8}, files);
    if (!extremes) return;
    file.dataset("Cells/MinPositions/PartType1", {8, 3}, lowest);
    file.dataset("Cells/MaxPositions/PartType1", {8, 3}, highest);
  }

  bool inside(std::size_t row, const Region& region) const {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      double low = region.low[axis], high = region.high[axis];
      if (low > high) high += kBox;
      bool meets = false;
      for (int k = -2; k <= 2; ++k) {
        const double x = double(positions[3 * row + axis]) + k * kBox;
        meets = meets || (x >= low && x <= high);
      }
      if (!meets) return false;
    }
    return true;
  }
};

// Rows in the ranges, of 36, after checking that no particle of the region is missing.
std::size_t check_region(const SnapshotReader& reader, const CellFile& cells,
                         const Region& region) {
  std::vector<bool> covered(36, false);
  std::uint64_t last = 0;
  for (const RowRange& range : reader.rows_in(1, region)) {
    CHECK(range.begin >= last);
    REQUIRE(range.end <= 36);
    last = range.end;
    for (auto row = range.begin; row < range.end; ++row) covered[row] = true;
  }
  for (std::size_t row = 0; row < 36; ++row)
    if (cells.inside(row, region)) CHECK(covered[row]);
  return std::size_t(std::count(covered.begin(), covered.end(), true));
}

}  // namespace

TEST_CASE("SWIFT: plural names, no h, peculiar velocities, aliases counted once") {
  const TemporaryFolder folder;
  const auto gas = some_positions(3, kBox, 5), neutrinos = some_positions(2, kBox, 6);
  const std::vector<std::uint64_t> ids{(1ULL << 53) + 1, (1ULL << 62) + 1, 3};
  {
    FileWriter file(folder / "swift.hdf5");
    write_swift_header(file, {3, 0, 0, 0, 0, 0, 2}, {3, 0, 0, 0, 0, 0, 2});
    file.group("PartType0").group("PartType6").soft_link("/PartType0", "GasParticles");
    file.soft_link("/PartType6", "NeutrinoParticles");
    file.dataset("PartType0/Coordinates", {3, 3}, gas);
    file.dataset("PartType6/Coordinates", {2, 3}, neutrinos);
    file.dataset("PartType0/ParticleIDs", {3}, ids);
    file.dataset("PartType0/Velocities", {3, 3}, gas);
    for (const char* name : {"Masses", "Densities", "SmoothingLengths", "Temperatures"})
      file.dataset<float>(std::string("PartType0/") + name, {3}, {1, 2, 3});
    note(file, "PartType0/Coordinates", 3.085678e24, 1, 1, 0, 0);
    note(file, "PartType0/Velocities", 1e5, 0, 1, 0, -1);
    note(file, "PartType0/Masses", 1.98841e43, 0, 0, 1, 0);
    note(file, "PartType0/Densities", 6.76791e-31, -3, -3, 1, 0);
    note(file, "PartType0/SmoothingLengths", 3.085678e24, 1, 1, 0, 0);
    note(file, "PartType0/Temperatures", 1, 0, 0, 0, 0, 1);
  }
  const auto reader = open_snapshot(folder / "swift.hdf5");
  const SnapshotInfo& info = reader->info();
  CHECK(info.format == "SWIFT");
  CHECK(info.box_size == kBox);
  CHECK(info.periodic);
  CHECK(info.cosmology.scale_factor == 0.5);
  CHECK(info.cosmology.hubble_param == 0.68);
  CHECK(info.cosmology.omega_matter == 0.3);
  CHECK(info.units.comoving);
  CHECK_FALSE(info.units.per_h);
  REQUIRE(info.types.size() == 2);
  CHECK(info.types.at(6).name == "neutrinos");
  const TypeInfo& type = info.types.at(0);
  CHECK(type.uniform_mass == 0);
  CHECK(type.find("Coordinates")->unit == "Mpc");
  CHECK(type.find("Velocities")->unit == "km/s");
  CHECK(type.find("Masses")->unit == "1e10 Msun");
  CHECK(type.find("Densities")->unit == "1e10 Msun/Mpc^3");
  CHECK(type.find("Temperatures")->unit == "K");
  CHECK(type.find(Role::Density)->scaling->a == -3);
  CHECK(info.smoothing_lengths.at(0).support_per_value == 1.936492);
  CHECK_FALSE(says(info, "kernel"));
  CHECK_FALSE(says(info, "Units are not in the file"));
  CHECK_FALSE(says(info, "scale factor"));
  check_round_trip(*reader, 0, gas);
  check_round_trip(*reader, 6, neutrinos);
  CHECK(ids_of(*reader, 0) == ids);
}

TEST_CASE("SWIFT: the kernel tells the support radius, an unknown one is said") {
  const TemporaryFolder folder;
  const std::vector<std::pair<std::string, double>> kernels{{"Cubic spline (M4)", 1.825742},
                                                            {"Quartic spline (M5)", 2.018932},
                                                            {"Quintic spline (M6)", 2.195775},
                                                            {"Wendland C2", 1.936492},
                                                            {"Boxcar", 1.825742},
                                                            {"", 1.825742}};
  for (const auto& [kernel, support] : kernels) {
    {
      FileWriter file(folder / "s.hdf5");
      write_swift_header(file, {1}, {1}, 1, kernel);
      file.group("PartType0").dataset<float>("PartType0/Coordinates", {1, 3}, {1, 2, 3});
      file.dataset<float>("PartType0/SmoothingLengths", {1}, {1});
    }
    const auto reader = open_snapshot(folder / "s.hdf5");
    CHECK(reader->info().smoothing_lengths.at(0).support_per_value == support);
    // Without notes beside the datasets SWIFT's custom holds: no h.
    CHECK(reader->info().types.at(0).find("Coordinates")->unit == "Mpc");
    CHECK(reader->info().types.at(0).find("Coordinates")->scaling->h == 0);
    CHECK(says(reader->info(), "took the cubic spline's") ==
          (kernel.empty() || kernel == "Boxcar"));
  }
}

TEST_CASE("SWIFT: a region reads only the rows of its cells") {
  const TemporaryFolder folder;
  const CellFile cells;
  for (const bool extremes : {true, false}) {
    {
      FileWriter file(folder / "s.hdf5");
      write_swift_header(file, {0, 36}, {0, 36});
      file.group("PartType1").dataset("PartType1/Coordinates", {36, 3}, cells.positions);
      cells.write_cells(file, extremes);
    }
    const auto reader = open_snapshot(folder / "s.hdf5");
    CHECK_FALSE(says(reader->info(), "/Cells"));
    const std::size_t one = check_region(*reader, cells, {{5.5, 5.5, 5.5}, {6.5, 6.5, 6.5}});
    if (extremes) {
      CHECK(one >= 8);
      CHECK(one < 20);
    }
    // Across the edge, in three ways of saying it, and all of the box.
    check_region(*reader, cells, {{6, 0, 0}, {2, kBox, kBox}});
    check_region(*reader, cells, {{6, 0, 0}, {10, kBox, kBox}});
    check_region(*reader, cells, {{-2, 0, 0}, {2, kBox, kBox}});
    check_region(*reader, cells, {{14, -8, 1}, {18, -1, 3}});
    CHECK(check_region(*reader, cells, {{0, 0, 0}, {kBox, kBox, kBox}}) == 36);
  }
}

TEST_CASE("SWIFT: cells that contradict the counts are not used, and said") {
  const TemporaryFolder folder;
  for (const int fault : {0, 1, 2}) {
    CellFile cells;
    if (fault == 0) cells.counts[3] += 1;
    if (fault == 1) cells.offsets[3] -= 1;
    if (fault == 2) cells.offsets[7] = std::int64_t(1) << 62;
    {
      FileWriter file(folder / "s.hdf5");
      write_swift_header(file, {0, 36}, {0, 36});
      file.group("PartType1").dataset("PartType1/Coordinates", {36, 3}, cells.positions);
      cells.write_cells(file, true);
    }
    const auto reader = open_snapshot(folder / "s.hdf5");
    CHECK(says(reader->info(), "/Cells) contradicts the number of dm particles"));
    const auto rows = reader->rows_in(1, {{1, 1, 1}, {1.1, 1.1, 1.1}});
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].end == 36);
  }
}

TEST_CASE("SWIFT: cells of a set of files, and a virtual file over them") {
  const TemporaryFolder folder;
  CellFile cells;
  // Cells 0 … 4 (15 particles) in file 0, the others (21) in file 1.
  for (std::size_t i = 5; i < 8; ++i) {
    cells.files[i] = 1;
    cells.offsets[i] -= 15;
  }
  const std::vector<float> first(cells.positions.begin(), cells.positions.begin() + 45);
  const std::vector<float> second(cells.positions.begin() + 45, cells.positions.end());
  for (const int i : {0, 1}) {
    FileWriter file(folder / ("s." + std::to_string(i) + ".hdf5"));
    const auto& positions = i == 0 ? first : second;
    write_swift_header(file, {0, std::int64_t(positions.size() / 3)}, {0, 36}, 2);
    file.group("PartType1");
    file.dataset("PartType1/Coordinates", {positions.size() / 3, 3}, positions);
    cells.write_cells(file, true);
  }
  {
    FileWriter file(folder / "s.hdf5");
    write_swift_header(file, {0, 36}, {0, 36});
    file.attribute<std::int32_t>("Header", "Virtual", {1});
    file.group("PartType1");
    file.virtual_dataset("PartType1/Coordinates", {{"s.0.hdf5", 15}, {"s.1.hdf5", 21}});
    cells.write_cells(file, true);
  }
  for (const std::string& path : {folder / "s.0.hdf5", folder / "s.hdf5", folder.path()}) {
    const auto reader = open_snapshot(path);
    CHECK(reader->info().types.at(1).count == 36);
    CHECK(reader->info().files.size() == 2);
    CHECK_FALSE(says(reader->info(), "/Cells"));
    check_round_trip(*reader, 1, cells.positions);
    CHECK(check_region(*reader, cells, {{5.5, 5.5, 5.5}, {6.5, 6.5, 6.5}}) < 20);
  }
}

TEST_CASE("trap 15: a virtual file with missing parts is refused, or goes on without them") {
  const TemporaryFolder folder;
  const auto positions = some_positions(4, kBox);
  {
    for (const int i : {0, 2}) {
      FileWriter part(folder / ("s." + std::to_string(i) + ".hdf5"));
      write_swift_header(part, {4}, {12}, 3);
      part.group("PartType0").dataset("PartType0/Coordinates", {4, 3}, positions);
    }
    FileWriter file(folder / "s.hdf5");
    write_swift_header(file, {12}, {12});
    file.attribute<std::int32_t>("Header", "Virtual", {1});
    file.group("PartType0");
    file.virtual_dataset("PartType0/Coordinates",
                         {{"s.0.hdf5", 4}, {"s.1.hdf5", 4}, {"s.2.hdf5", 4}});
  }
  CHECK_THROWS_AS(open_snapshot(folder / "s.hdf5"), MissingFiles);
  CHECK_THAT(failure(folder / "s.hdf5"), Catch::Contains("s.1.hdf5 is missing"));
  OpenOptions options;
  options.allow_missing_files = true;
  const auto reader = open_snapshot(folder / "s.hdf5", options);
  CHECK(reader->info().types.at(0).count == 8);
  CHECK(says(reader->info(), "s.1.hdf5 is missing"));
  CHECK(says(reader->info(), "Of 12 gas particles 8 are in the files that are there."));
  for (const double x : values_of(*reader, 0, "Coordinates")) CHECK(x != 0);
}

TEST_CASE("trap 4: SWIFT's box of three sides, and one that is no cube") {
  const TemporaryFolder folder;
  for (const double z : {kBox, 2 * kBox}) {
    {
      FileWriter file(folder / "s.hdf5");
      write_swift_header(file, {1}, {1}, 1, "Wendland C2", {kBox, kBox, z});
      file.group("PartType0").dataset<float>("PartType0/Coordinates", {1, 3}, {1, 2, 3});
    }
    const auto reader = open_snapshot(folder / "s.hdf5");
    CHECK(reader->info().periodic == (z == kBox));
    CHECK(says(reader->info(), "not a cube") == (z != kBox));
    CHECK(reader->info().cosmology.redshift == Approx(1));
  }
}
