// The sound files that the hostile ones start from.

#include "fuzz/hostile_hdf5.h"
#include "tests/made/catalog_files.h"
#include "tests/made/snapshot_files.h"

namespace haloscope::fuzz {

namespace {

using snapshot_files::FileWriter;
using snapshot_files::some_positions;
using snapshot_files::write_header;

constexpr std::size_t kRows = 4;

std::vector<float> some_numbers() {
  return {0.5F, 1, 2, 3};
}

void write_type(FileWriter& file, int type, double box, const snapshot_files::Storage& storage) {
  const std::string group = "PartType" + std::to_string(type);
  file.group(group);
  file.dataset(group + "/Coordinates", {kRows, 3}, some_positions(kRows, box), storage);
  file.dataset(group + "/Velocities", {kRows, 3}, some_positions(kRows, 100));
  file.dataset<std::uint64_t>(group + "/ParticleIDs", {kRows}, {1, 2, 1ULL << 60, 4});
}

void write_gadget(const std::string& path) {
  FileWriter file(path);
  write_header(file, {kRows, kRows, 0, 0, 0, 0}, 10);
  write_type(file, 0, 10, {{2, 3}, true, true, 6});
  write_type(file, 1, 12, {});
  for (const char* name : {"Masses", "InternalEnergy", "Density", "SmoothingLength"})
    file.dataset(std::string("PartType0/") + name, {kRows}, some_numbers());
}

void write_swift(const std::string& path) {
  FileWriter file(path);
  for (const char* group :
       {"Header", "Cosmology", "Units", "HydroScheme", "Cells", "Cells/Meta-data", "Cells/Counts",
        "Cells/OffsetsInFile", "Cells/Files", "Cells/MinPositions", "Cells/MaxPositions"})
    file.group(group);
  file.text("Header", "Code", "SWIFT").text("HydroScheme", "Kernel function", "Wendland C2");
  file.attribute<std::int64_t>("Header", "NumPart_ThisFile", {0, kRows});
  file.attribute<std::uint32_t>("Header", "NumPart_Total", {0, kRows});
  file.attribute<std::uint32_t>("Header", "NumPart_Total_HighWord", {0, 0});
  file.attribute<double>("Header", "MassTable", {0, 0.5});
  file.attribute<std::int32_t>("Header", "NumFilesPerSnapshot", {1});
  file.attribute<double>("Header", "BoxSize", {8, 8, 8});
  file.attribute<double>("Header", "Scale-factor", {0.5}).attribute<double>("Header", "Time", {1});
  file.attribute<double>("Cosmology", "h", {0.68}).attribute<double>("Cosmology", "Omega_m", {0.3});
  file.attribute<std::int32_t>("Cosmology", "Cosmological run", {1});
  file.attribute<double>("Units", "Unit length in cgs (U_L)", {3e24});
  file.attribute<double>("Units", "Unit mass in cgs (U_M)", {2e43});
  file.attribute<double>("Units", "Unit time in cgs (U_t)", {3e19});
  write_type(file, 1, 8, {});
  file.attribute<double>("PartType1/Coordinates", "a-scale exponent", {1});
  file.attribute<double>("Cells/Meta-data", "size", {8, 8, 4});
  file.dataset<double>("Cells/Centres", {2, 3}, {4, 4, 2, 4, 4, 6});
  file.dataset<std::int64_t>("Cells/Counts/PartType1", {2}, {1, 3});
  file.dataset<std::int64_t>("Cells/OffsetsInFile/PartType1", {2}, {0, 1});
  file.dataset<std::int64_t>("Cells/Files/PartType1", {2}, {0, 0});
  file.dataset<double>("Cells/MinPositions/PartType1", {2, 3}, {0, 0, 0, 0, 0, 0});
  file.dataset<double>("Cells/MaxPositions/PartType1", {2, 3}, {8, 8, 8, 8, 8, 8});
}

void write_gadget4(const std::string& path) {
  FileWriter file(path);
  write_header(file, {0, kRows, 0, 0, 0, 0}, 10);
  file.group("Parameters").number("Parameters", "BoxSize", 10).group("Config").group("PartType1");
  file.number("Parameters", "HubbleParam", 0.7);
  file.dataset<std::uint32_t>("PartType1/IntCoordinates", {kRows, 3},
                              std::vector<std::uint32_t>(3 * kRows, 1U << 31));
  file.number("PartType1/IntCoordinates", "to_cgs", 3e24);
  file.number("PartType1/IntCoordinates", "a_scaling", 1);
}

void write_arepo(const std::string& path) {
  FileWriter file(path);
  write_header(file, {kRows, 0, 0, kRows, kRows, 0}, 20);
  file.group("Config").text("Config", "VORONOI", "");
  for (const int type : {0, 4}) write_type(file, type, 20, {});
  for (const char* name : {"Masses", "Density", "InternalEnergy", "ElectronAbundance"})
    file.dataset(std::string("PartType0/") + name, {kRows}, some_numbers());
  file.dataset<float>("PartType4/GFM_StellarFormationTime", {kRows}, {-1, 0, 0.5, 0.75});
  file.group("PartType3").dataset<std::uint64_t>("PartType3/TracerID", {kRows}, {1, 2, 3, 4});
}

void write_eagle(const std::string& path) {
  FileWriter file(path);
  write_header(file, {kRows, 0, 0, 0, 0, 0}, 8.5);
  file.group("Units").group("HashTable").number("Units", "UnitLength_in_cm", 3e24);
  write_type(file, 0, 8.5, {});
  file.dataset("PartType0/Mass", {kRows}, some_numbers());
  file.number("PartType0/Mass", "CGSConversionFactor", 2e43);
  file.number("PartType0/Mass", "aexp-scale-exponent", 0);
  file.number("PartType0/Mass", "h-scale-exponent", -1);
  file.group("PartType0/ElementAbundance");
  file.dataset("PartType0/ElementAbundance/Iron", {kRows}, some_numbers());
}

void write_catalog(const std::string& path) {
  catalog_files::write_subhalo_tab(path, catalog_files::some_halos(3), 0, 3);
}

// "folder/name.0.hdf5" of two; the other is beside it.
void write_pair(const std::string& path) {
  for (const int index : {1, 0}) {
    const std::string number = std::to_string(index);
    FileWriter file(path.substr(0, path.size() - 6) + number + ".hdf5");
    write_header(file, {kRows, 0, 0, 0, 0, 0}, 10, {2 * kRows, 0, 0, 0, 0, 0}, 2);
    write_type(file, 0, 10, {});
  }
}

void write_bare(const std::string& path) {
  FileWriter(path).dataset("xyz", {kRows, 3}, some_positions(kRows, 5));
}

}  // namespace

void write_sample(const std::string& path, std::size_t number) {
  static void (*const samples[kSampleCount])(const std::string&) = {
      write_gadget, write_swift,   write_gadget4, write_arepo,
      write_eagle,  write_catalog, write_pair,    write_bare};
  samples[number % kSampleCount](path);
}

}  // namespace haloscope::fuzz
