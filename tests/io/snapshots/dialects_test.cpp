// One small file in every HDF5 dialect but SWIFT's, and what must come of it.

#include "tests/snapshot_checks.h"

using namespace haloscope;
using namespace haloscope::io;
using namespace snapshot_files;
using namespace snapshot_checks;

namespace {

const std::vector<std::uint64_t> kLargeIds{(1ULL << 53) + 1, (1ULL << 63) + 3, 5};
using Kind = SmoothingLengthMeaning::Kind;

// A type with three particles of known positions and IDs.
void write_type(FileWriter& file, int type, double box) {
  const std::string group = "PartType" + std::to_string(type);
  file.group(group);
  file.dataset(group + "/Coordinates", {3, 3}, some_positions(3, box, 7));
  file.dataset(group + "/ParticleIDs", {3}, kLargeIds);
}

void check_type(const SnapshotReader& reader, int type, double box) {
  check_round_trip(reader, type, some_positions(3, box, 7));
  CHECK(ids_of(reader, type) == kLargeIds);
}

}  // namespace

TEST_CASE("dialects: EAGLE has its own names, nested groups and notes of units") {
  const TemporaryFolder folder;
  {
    FileWriter file(folder / "eagle.hdf5");
    write_header(file, {3, 3, 0, 0, 0, 0}, 8.5);
    H5Adelete_by_name(file.id(), "Header", "Time", H5P_DEFAULT);
    file.number("Header", "Time", 0.0083).number("Header", "ExpansionFactor", 0.5);
    file.group("Units").group("HashTable").number("Units", "UnitLength_in_cm", 3.085678e24);
    file.number("Units", "UnitMass_in_g", 1.989e43)
        .number("Units", "UnitVelocity_in_cm_per_s", 1e5);
    for (const int type : {0, 1}) write_type(file, type, 8.5);
    auto field = [&](const std::string& name, hsize_t components, double to_cgs, double a,
                     double h) {
      const std::string path = "PartType0/" + name;
      std::vector<float> values(3 * components, 0.25F);
      if (components == 1)
        file.dataset(path, {3}, values);
      else
        file.dataset(path, {3, components}, values);
      file.number(path, "CGSConversionFactor", to_cgs).number(path, "aexp-scale-exponent", a);
      file.number(path, "h-scale-exponent", h);
    };
    field("Velocity", 3, 1e5, 0.5, 0);
    field("Mass", 1, 1.989e43, 0, -1);
    field("Density", 1, 6.769911178294544e-31, -3, 2);
    field("SmoothingLength", 1, 3.085678e24, 1, -1);
    field("Temperature", 1, 1, 0, 0);
    file.group("PartType0/ElementAbundance");
    field("ElementAbundance/Iron", 1, 1, 0, 0);
    file.dataset<std::int32_t>("PartType0/GroupNumber", {3}, {1, -2, 3});
  }
  const auto reader = open_snapshot(folder / "eagle.hdf5");
  const SnapshotInfo& info = reader->info();
  const TypeInfo& gas = info.types.at(0);
  CHECK(info.format == "EAGLE");
  CHECK(info.cosmology.scale_factor == 0.5);
  CHECK(info.time == 0.0083);
  CHECK_FALSE(says(info, "is not the scale factor"));
  CHECK(gas.roles.at(Role::Mass) == "Mass");
  CHECK(gas.roles.at(Role::Velocity) == "Velocity");
  CHECK(gas.find("Velocity")->unit == "km/s*sqrt(a)");
  CHECK(gas.find("Mass")->unit == "1e10 Msun/h");
  CHECK(gas.find("Mass")->scaling->mass == 1);
  CHECK(gas.find("Density")->unit == "1e10 Msun/h/(Mpc/h)^3");
  CHECK(gas.find("SmoothingLength")->unit == "Mpc/h");
  CHECK(info.smoothing_lengths.at(0).support_per_value == 1);
  REQUIRE(gas.find("ElementAbundance/Iron"));
  CHECK(gas.find("ElementAbundance/Iron")->unit.empty());
  CHECK(values_of(*reader, 0, "ElementAbundance/Iron") == std::vector<double>(3, 0.25));
  CHECK(values_of(*reader, 0, "GroupNumber")[1] == -2);
  for (const int type : {0, 1}) check_type(*reader, type, 8.5);
}

TEST_CASE("dialects: GIZMO spells its units and cosmology in capitals") {
  const TemporaryFolder folder;
  {
    FileWriter file(folder / "gizmo.hdf5");
    write_header(file, {3, 0, 0, 0, 0, 0}, 20);
    for (const char* name : {"Omega0", "OmegaLambda"})
      H5Adelete_by_name(file.id(), "Header", name, H5P_DEFAULT);
    file.number("Header", "GIZMO_version", 2022).number("Header", "Omega_Matter", 0.27);
    file.number("Header", "Omega_Lambda", 0.73).number("Header", "UnitLength_In_CGS", 3.085678e21);
    file.number("Header", "UnitMass_In_CGS", 1.989e43).number("Header", "UnitVelocity_In_CGS", 1e5);
    write_type(file, 0, 20);
    file.dataset("PartType0/Metallicity", {3, 11}, std::vector<float>(33, 0.5F));
    file.dataset<float>("PartType0/SmoothingLength", {3}, {1, 2, 3});
  }
  const auto reader = open_snapshot(folder / "gizmo.hdf5");
  const SnapshotInfo& info = reader->info();
  CHECK(info.format == "GIZMO");
  CHECK(info.cosmology.omega_matter == 0.27);
  CHECK(info.types.at(0).find("Metallicity")->components == 11);
  CHECK(info.smoothing_lengths.at(0).support_per_value == 1);
  CHECK_FALSE(says(info, "Units are not in the file"));
  check_type(*reader, 0, 20);
}

TEST_CASE("dialects: AREPO's cells get their support from volume, or mass and density") {
  const TemporaryFolder folder;
  for (const bool volume : {true, false}) {
    {
      FileWriter file(folder / "arepo.hdf5");
      write_header(file, {3, 0, 0, 2, 0, 0}, 20);
      file.group("Config").text("Config", "VORONOI", "");
      write_type(file, 0, 20);
      file.dataset<float>("PartType0/Masses", {3}, {1, 2, 3});
      file.dataset<float>("PartType0/Density", {3}, {1, 2, 3});
      if (volume) file.dataset<float>("PartType0/Volume", {3}, {1, 1, 1});
      file.dataset<float>("PartType0/SubfindHsml", {3}, {1, 1, 1});
      file.group("PartType3").dataset("PartType3/TracerID", {2}, kLargeIds);
    }
    const auto reader = open_snapshot(folder / "arepo.hdf5");
    const SnapshotInfo& info = reader->info();
    CHECK(info.format == "AREPO");
    const SmoothingLengthMeaning& meaning = info.smoothing_lengths.at(0);
    CHECK(meaning.kind == (volume ? Kind::Volume : Kind::MassOverDensity));
    CHECK(meaning.field == (volume ? "Volume" : "Masses"));
    CHECK(meaning.density == (volume ? "" : "Density"));
    CHECK(meaning.support_per_value == 2);
    CHECK(says(info, "took 2 times the radius of a sphere of their volume"));
    CHECK(says(info, "PartType3 (tracers, 2 particles) is left out: it has no Coordinates"));
    check_type(*reader, 0, 20);
  }
}

TEST_CASE("dialects: a TNG cut-out has no totals and is one file") {
  const TemporaryFolder folder;
  for (const bool counts : {true, false}) {
    {
      FileWriter file(folder / "cutout.hdf5");
      file.group("Header").text("Header", "CutoutType", "Subhalo");
      if (counts) file.attribute<std::int32_t>("Header", "NumPart_ThisFile", {3, 0, 0, 0, 0, 0});
      file.attribute<std::int32_t>("Header", "NumFilesPerSnapshot", {600}, false);
      file.number("Header", "BoxSize", 75000).number("Header", "Time", 0.5);
      file.number("Header", "Redshift", 1).number("Header", "HubbleParam", 0.6774);
      file.number("Header", "Omega0", 0.3).number("Header", "OmegaLambda", 0.7);
      write_type(file, 0, 75000);
      file.dataset<float>("PartType0/Masses", {3}, {1, 2, 3});
      file.dataset<float>("PartType0/Density", {3}, {1, 2, 3});
    }
    const auto reader = open_snapshot(folder / "cutout.hdf5");
    CHECK(reader->info().format == "TNG cutout");
    CHECK(reader->info().types.at(0).count == 3);
    CHECK_FALSE(says(reader->info(), "promises"));
    CHECK(says(reader->info(), "no particle counts") == !counts);
    CHECK(reader->info().smoothing_lengths.at(0).kind == Kind::MassOverDensity);
    check_type(*reader, 0, 75000);
  }
}

TEST_CASE("dialects: GADGET-4's integer coordinates become positions in the box") {
  const TemporaryFolder folder;
  auto write = [&](auto&& positions) {
    FileWriter file(folder / "g4.hdf5");
    file.group("Header").group("Parameters").group("PartType1");
    file.attribute<std::uint64_t>("Header", "NumPart_ThisFile", {0, 2});
    file.attribute<std::uint64_t>("Header", "NumPart_Total", {0, 2});
    file.attribute<double>("Header", "MassTable", {0, 0.25});
    file.number("Header", "BoxSize", 10).number("Header", "Time", 0.5);
    file.number("Parameters", "HubbleParam", 0.6).number("Parameters", "Omega0", 0.3);
    positions(file);
  };
  const std::vector<double> expected{0, 2.5, 5, 7.5, 10 * (1 - 1.0 / 4294967296), 1.25};
  std::vector<std::uint32_t> narrow;
  std::vector<std::uint64_t> wide;
  for (const double x : expected) {
    narrow.push_back(std::uint32_t(x / 10 * 4294967296));
    wide.push_back(std::uint64_t(narrow.back()) << 32 | 0xffffffffU);
  }
  for (const bool is_wide : {false, true}) {
    write([&](FileWriter& file) {
      if (is_wide)
        file.dataset("PartType1/IntCoordinates", {2, 3}, wide);
      else
        file.dataset("PartType1/IntCoordinates", {2, 3}, narrow);
    });
    const auto reader = open_snapshot(folder / "g4.hdf5");
    const TypeInfo& dm = reader->info().types.at(1);
    CHECK(reader->info().format == "GADGET-4");
    CHECK(dm.roles.at(Role::Position) == "IntCoordinates");
    CHECK(dm.find("IntCoordinates")->scalar == ScalarType::Float64);
    CHECK(dm.find("IntCoordinates")->unit == "kpc/h");
    const auto values = values_of(*reader, 1, "IntCoordinates");
    for (std::size_t i = 0; i < expected.size(); ++i)
      CHECK(std::abs(values[i] - expected[i]) <= 10.0 / 4294967296);
    Progress progress;
    const auto set = load_particles(*reader, {{{1, {}}}}, progress);
    for (std::size_t i = 0; i < narrow.size(); ++i)
      CHECK(set.types.at(0).position[i % 3][i / 3] == narrow[i]);
  }
  write([](FileWriter& file) {
    const hid_t type = H5Tcopy(H5T_STD_U64LE);
    H5Tset_size(type, 16);
    H5Tset_precision(type, 128);
    Storage storage;
    storage.file_type = type;
    file.dataset<std::uint64_t>("PartType1/IntCoordinates", {2, 3}, {1, 2, 3, 4, 5, 6}, storage);
    H5Tclose(type);
  });
  CHECK_THAT(failure(folder / "g4.hdf5"), Catch::Contains("integers of more than 64 bits"));
}

TEST_CASE("dialects: units are those beside the positions of any type") {
  const TemporaryFolder folder;
  for (const bool integers : {false, true}) {
    {
      FileWriter file(folder / "s.hdf5");
      write_header(file, {5, 2, 0, 0, 0, 0}, 10);
      file.group("PartType0").dataset("PartType0/Density", {5}, std::vector<float>(5, 1.0F));
      const std::string name = integers ? "PartType1/IntCoordinates" : "PartType1/Coordinates";
      file.group("PartType1");
      if (integers)
        file.dataset<std::uint32_t>(name, {2, 3}, {1, 2, 3, 4, 5, 6})
            .number("Header", "UnitLength_in_cm", 3.0857e24);
      else
        file.dataset(name, {2, 3}, some_positions(2, 10));
      file.number(name, "to_cgs", 3.0857e24).number(name, "a_scaling", 1);
      file.number(name, "h_scaling", 0).number(name, "length_scaling", 1);
    }
    const auto reader = open_snapshot(folder / "s.hdf5");
    const Units& units = reader->info().units;
    CHECK(units.length_cm == 3.0857e24);
    CHECK(units.comoving);
    CHECK_FALSE(units.per_h);
  }
}

TEST_CASE("dialects: a bare table of positions opens as dark matter") {
  const TemporaryFolder folder;
  const auto positions = some_positions(100, 1);
  {
    FileWriter file(folder / "bare.hdf5");
    file.dataset("pos", {100, 3}, positions);
    file.dataset("vel", {100, 3}, positions);
    file.dataset("mass", {100}, std::vector<float>(100, 2.0F));
    file.dataset("other", {7}, std::vector<float>(7, 2.0F));
    FileWriter unclear(folder / "unclear.hdf5");
    unclear.dataset("a", {100, 3}, positions).dataset("b", {100, 3}, positions);
  }
  const auto reader = open_snapshot(folder / "bare.hdf5");
  const SnapshotInfo& info = reader->info();
  CHECK(info.format == "bare positions");
  REQUIRE(info.types.size() == 1);
  CHECK(info.types.at(1).name == "dm");
  CHECK(info.types.at(1).roles.at(Role::Position) == "pos");
  CHECK(info.types.at(1).roles.at(Role::Mass) == "mass");
  CHECK(info.types.at(1).find("other") == nullptr);
  CHECK_FALSE(info.periodic);
  CHECK(says(info, "Units are unknown"));
  check_round_trip(*reader, 1, positions);
  CHECK_THAT(failure(folder / "unclear.hdf5"),
             Catch::Contains("several datasets of three columns (a, b)"));
}

TEST_CASE("dialects: every kind of number is a field, others are passed over") {
  const TemporaryFolder folder;
  {
    FileWriter file(folder / "s.hdf5");
    write_header(file, {3, 0, 0, 0, 0, 0}, 10);
    write_type(file, 0, 10);
    file.dataset<std::int8_t>("PartType0/Small", {3}, {-1, 0, 1});
    const hid_t half = H5Tcopy(H5T_IEEE_F32LE);
    H5Tset_fields(half, 15, 10, 5, 0, 10);
    H5Tset_size(half, 2);
    H5Tset_ebias(half, 15);
    Storage storage;
    storage.file_type = half;
    file.dataset<float>("PartType0/Half", {3}, {0.5F, 1, -2}, storage);
    H5Tclose(half);
    const hid_t truth = H5Tenum_create(H5T_NATIVE_INT8);
    std::int8_t value = 0;
    H5Tenum_insert(truth, "FALSE", &value);
    H5Tenum_insert(truth, "TRUE", &++value);
    const hsize_t three = 3;
    const hid_t space = H5Screate_simple(1, &three, nullptr);
    const hid_t flags = H5Dcreate2(file.id(), "PartType0/Flag", truth, space, H5P_DEFAULT,
                                   H5P_DEFAULT, H5P_DEFAULT);
    const std::int8_t values[3] = {1, 0, 1};
    H5Dwrite(flags, truth, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Dclose(flags);
    const hid_t text = H5Tcopy(H5T_C_S1);
    H5Dclose(H5Dcreate2(file.id(), "PartType0/Text", text, space, H5P_DEFAULT, H5P_DEFAULT,
                        H5P_DEFAULT));
    H5Tclose(text);
    H5Sclose(space);
    H5Tclose(truth);
    // A group that holds itself.
    file.group("PartType0/Inner").dataset<float>("PartType0/Inner/Deep", {3}, {1, 2, 3});
    H5Lcreate_hard(file.id(), "PartType0", file.id(), "PartType0/Inner/Loop", H5P_DEFAULT,
                   H5P_DEFAULT);
  }
  const auto reader = open_snapshot(folder / "s.hdf5");
  const TypeInfo& gas = reader->info().types.at(0);
  CHECK(gas.find("Small")->scalar == ScalarType::Int32);
  CHECK(values_of(*reader, 0, "Small") == std::vector<double>{-1, 0, 1});
  CHECK(gas.find("Half")->scalar == ScalarType::Float32);
  CHECK(values_of(*reader, 0, "Half") == std::vector<double>{0.5, 1, -2});
  CHECK(values_of(*reader, 0, "Flag") == std::vector<double>{1, 0, 1});
  CHECK(values_of(*reader, 0, "Inner/Deep") == std::vector<double>{1, 2, 3});
  CHECK(gas.find("Text") == nullptr);
  CHECK(gas.fields.size() < 40);
}

TEST_CASE("dialects: an HDF5 file may start behind a user block") {
  const TemporaryFolder folder;
  const auto positions = some_positions(50, 10);
  for (const hsize_t block : {512, 2048}) {
    {
      FileWriter file(folder / "s.hdf5", block);
      write_header(file, {50, 0, 0, 0, 0, 0}, 10);
      file.group("PartType0").dataset("PartType0/Coordinates", {50, 3}, positions);
    }
    check_round_trip(*open_snapshot(folder / "s.hdf5"), 0, positions);
  }
}

TEST_CASE("dialects: outputs that lie side by side are separate snapshots") {
  const TemporaryFolder folder;
  for (const char* name : {"cube.00128.hdf5", "cube.00256.hdf5"})
    write_gas(folder / name, some_positions(5, 10), 10);
  CHECK(open_snapshot(folder / "cube.00128.hdf5")->info().files.size() == 1);
  CHECK(open_snapshot(folder / "cube.00128.hdf5")->info().types.at(0).count == 5);
  CHECK_THAT(failure(folder.path()),
             Catch::Contains("several snapshots (cube.00128.hdf5, cube.00256.hdf5)"));
}
