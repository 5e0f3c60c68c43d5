#include "io/snapshot_reader.h"
#include "tests/catch.h"
#include "tests/made/binary_files.h"
#include "tests/made/snapshot_files.h"
#include "tests/made/zoom_files.h"

#include <algorithm>

// Which types of a snapshot are dark matter of low resolution.

using namespace haloscope;
using snapshot_files::FileWriter;
using snapshot_files::TemporaryFolder;
using zoom_files::Zoom;

namespace {

bool says(const SnapshotInfo& info, const std::string& words) {
  const auto sentences = sentences_of(info.assumed);
  return std::any_of(sentences.begin(), sentences.end(), [&](const std::string& sentence) {
    return sentence.find(words) != std::string::npos;
  });
}

std::string name_of(const SnapshotInfo& info, int type) {
  const TypeInfo& one = info.types.at(type);
  CHECK(one.low_resolution == (one.name.find("low-res") != std::string::npos));
  return one.name;
}

// The name of type 5 where its masses are these.
std::string name_of_type_5(const std::vector<float>& masses, const std::string& more_field = {}) {
  const TemporaryFolder folder;
  const std::string path = folder / "zoom.hdf5";
  Zoom zoom;
  zoom.mass_blocks = true;
  zoom.mass = {{1, 1}, {5, 1}};
  zoom.count = masses.size();
  {
    FileWriter file(path);
    zoom_files::write(file, zoom);
    H5Ldelete(file.id(), "PartType5/Masses", H5P_DEFAULT);
    file.dataset("PartType5/Masses", {zoom.count}, masses);
    if (!more_field.empty()) file.dataset("PartType5/" + more_field, {zoom.count}, masses);
  }
  return name_of(io::open_snapshot(path)->info(), 5);
}

}  // namespace

TEST_CASE("heavier types of a cosmological run are dark matter of low resolution", "[zoom]") {
  const TemporaryFolder folder;
  for (const bool blocks : {false, true}) {
    Zoom zoom;
    zoom.mass_blocks = blocks;
    const auto info = io::open_snapshot(zoom_files::write(folder / "zoom.hdf5", zoom))->info();
    INFO((blocks ? "masses in blocks" : "masses in the header"));
    CHECK(name_of(info, 1) == "dm");
    CHECK(name_of(info, 2) == "low-res dm 2");
    CHECK(name_of(info, 3) == "low-res dm 3");
    CHECK(says(info,
               "The particles of type 2 (low-res dm 2) are typically 8 times, those of type 3 "
               "(low-res dm 3) are typically 64 times as heavy as those of type 1"));
  }
}

TEST_CASE("disk and bulge are those of isolated galaxies", "[zoom]") {
  const TemporaryFolder folder;
  Zoom isolated;
  isolated.cosmological = false;
  Zoom light;
  light.mass[2] = 0.25;
  light.mass[3] = 1;
  Zoom alone;  // nothing to be heavier than
  alone.mass.erase(1);
  for (const Zoom& zoom : {isolated, light, alone}) {
    const auto info = io::open_snapshot(zoom_files::write(folder / "zoom.hdf5", zoom))->info();
    CHECK(name_of(info, 2) == (zoom.cosmological ? "type 2" : "disk"));
    CHECK(name_of(info, 3) == (zoom.cosmological ? "type 3" : "bulge"));
    CHECK_FALSE(says(info, "low resolution"));
  }
}

TEST_CASE("a few heavy or broken masses do not make a type heavy", "[zoom]") {
  const TemporaryFolder folder;
  const std::string path = folder / "zoom.hdf5";
  Zoom zoom;
  zoom.mass_blocks = true;
  zoom.mass = {{1, 1}, {2, 0.5}, {3, 64}};
  {
    FileWriter file(path);
    zoom_files::write(file, zoom);
    std::vector<float> light(zoom.count, 0.5f), heavy(zoom.count, 64);
    for (std::size_t i = 0; i < zoom.count; i += 10) {
      light[i] = 1e6f;
      heavy[i] = i % 20 == 0 ? NAN : 0;
    }
    for (const char* name : {"PartType2/Masses", "PartType3/Masses"})
      H5Ldelete(file.id(), name, H5P_DEFAULT);
    file.dataset("PartType2/Masses", {zoom.count}, light);
    file.dataset("PartType3/Masses", {zoom.count}, heavy);
  }
  const auto info = io::open_snapshot(path)->info();
  CHECK(name_of(info, 2) == "type 2");
  CHECK(name_of(info, 3) == "low-res dm 3");
}

TEST_CASE("masses that cannot be read make no dark matter and no fault before they are asked for",
          "[zoom]") {
  const TemporaryFolder folder;
  const std::string path = folder / "zoom.hdf5";
  Zoom zoom;
  zoom.mass_blocks = true;
  {
    FileWriter file(path);
    zoom_files::write(file, zoom);
    H5Ldelete(file.id(), "PartType2/Masses", H5P_DEFAULT);
    file.dataset<float>("PartType2/Masses", {3}, {8, 8, 8});
  }
  const auto info = io::open_snapshot(path)->info();
  CHECK(name_of(info, 2) == "type 2");
  CHECK(name_of(info, 3) == "low-res dm 3");
}

TEST_CASE("type 5 is black holes unless it is heavy dark matter", "[zoom]") {
  CHECK(name_of_type_5(std::vector<float>(500, 512)) == "low-res dm 5");
  CHECK(name_of_type_5(std::vector<float>(500, 0.5f)) == "bh");
  CHECK(name_of_type_5(std::vector<float>(500, 512), "BH_Mdot") == "bh");
  // Each has grown to its own mass.
  std::vector<float> grown(500);
  for (std::size_t i = 0; i < grown.size(); ++i) grown[i] = 5 + float(i);
  CHECK(name_of_type_5(grown) == "bh");
  CHECK(name_of_type_5({700}) == "bh");
}

TEST_CASE("a code's own word for a type holds where it has fields that dark matter lacks",
          "[zoom]") {
  const TemporaryFolder folder;
  const std::string path = folder / "zoom.hdf5";
  for (const bool tracers : {true, false}) {
    {
      FileWriter file(path);
      zoom_files::write(file, Zoom{});
      file.group("Config").number("Config", "VORONOI", 1);
      if (tracers)
        file.dataset("PartType3/ParentID", {Zoom{}.count}, std::vector<float>(Zoom{}.count, 1));
    }
    const auto info = io::open_snapshot(path)->info();
    CHECK(info.format == "AREPO");
    CHECK(name_of(info, 2) == "low-res dm 2");
    CHECK(name_of(info, 3) == (tracers ? "tracers" : "low-res dm 3"));
  }
}

TEST_CASE("SWIFT's background is dark matter under its own name", "[zoom]") {
  const TemporaryFolder folder;
  const std::string path = folder / "zoom.hdf5";
  Zoom zoom;
  zoom.mass_blocks = true;
  {
    FileWriter file(path);
    zoom_files::write(file, zoom);
    file.text("Header", "Code", "SWIFT");
    file.dataset("PartType3/AccretionRates", {zoom.count}, std::vector<float>(zoom.count, 1));
  }
  const auto info = io::open_snapshot(path)->info();
  CHECK(info.format == "SWIFT");
  CHECK(info.types.at(2).name == "background dm");
  CHECK(info.types.at(2).low_resolution);
  CHECK(name_of(info, 3) == "sinks");
}

TEST_CASE("binary snapshots tell their low resolution too", "[zoom]") {
  const TemporaryFolder folder;
  for (const bool blocks : {false, true}) {
    binary_files::GadgetBinary file;
    file.count = {0, 200, 100, 0, 0, 50};
    file.box = 10;
    std::vector<double> masses(200, 1);
    if (blocks) {
      masses.insert(masses.end(), 100, 8);
      masses.insert(masses.end(), 50, 64);
    } else {
      file.mass = {0, 1, 8, 0, 0, 64};
    }
    file.reals("POS", binary_files::some_values(3 * 350, 0, 10, 7));
    file.reals("VEL", std::vector<double>(3 * 350, 0));
    file.ids(std::vector<std::uint64_t>(350, 1));
    if (blocks) file.reals("MASS", masses);
    file.write(folder / "zoom");
    const auto info = io::open_snapshot(folder / "zoom")->info();
    CHECK(name_of(info, 2) == "low-res dm 2");
    CHECK(name_of(info, 5) == "low-res dm 5");
  }
}
