#include "io/map_file.h"

#include "tests/catch.h"
#include "tests/output_folder.h"

#include <hdf5.h>

#include <cmath>
#include <limits>

using namespace haloscope;
using namespace haloscope::io;
using namespace haloscope::test;
using Catch::Matchers::Contains;

namespace {

ProjectedMap make_map(int width, int height) {
  ProjectedMap map;
  map.width = width;
  map.height = height;
  map.values.resize(std::size_t(width) * std::size_t(height));
  for (std::size_t i = 0; i < map.values.size(); ++i) map.values[i] = std::sqrt(float(i)) * 1e-9f;
  map.quantity = "surface_density";
  map.unit = "Msun/kpc²";
  map.extent = {-1.5, 1e4 / 3, 0, 7};
  map.pixel_size = {0.1, 0.2};
  map.length_unit = "kpc";
  map.provenance = {{"snapshot", "/data/snap 003.hdf5"}, {"scene", std::string(100000, 's')}};
  return map;
}

// The plainest possible reader, through the C library alone.
struct OpenFile {
  explicit OpenFile(const std::string& path)
      : id(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT)) {}
  ~OpenFile() { H5Fclose(id); }
  hid_t id;
};

std::string text(hid_t file, const char* object, const char* name) {
  const hid_t attribute = H5Aopen_by_name(file, object, name, H5P_DEFAULT, H5P_DEFAULT);
  if (attribute < 0) return "(none)";
  const hid_t type = H5Aget_type(attribute);
  char* value = nullptr;
  std::string result;
  if (H5Tis_variable_str(type) > 0 && H5Tget_cset(type) == H5T_CSET_UTF8 &&
      H5Aread(attribute, type, &value) >= 0 && value) {
    result = value;
    H5free_memory(value);
  }
  H5Tclose(type);
  H5Aclose(attribute);
  return result;
}

template <std::size_t N>
std::array<double, N> numbers(hid_t file, const char* name) {
  std::array<double, N> values{};
  const hid_t attribute = H5Aopen_by_name(file, "map", name, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t space = H5Aget_space(attribute);
  REQUIRE(H5Sget_simple_extent_npoints(space) == hssize_t(N));
  H5Aread(attribute, H5T_NATIVE_DOUBLE, values.data());
  H5Sclose(space);
  H5Aclose(attribute);
  return values;
}

}  // namespace

TEST_CASE("map files hold the values, their units and how they were made") {
  OutputFolder folder;
  for (const auto& size : {std::pair{1, 1}, std::pair{3, 5}, std::pair{5000, 3}}) {
    ProjectedMap map = make_map(size.first, size.second);
    map.values.back() = std::numeric_limits<float>::quiet_NaN();
    write_map_hdf5(folder.path("a.hdf5"), map);
    CHECK(folder.files() == std::vector<std::string>{"a.hdf5"});

    OpenFile file(folder.path("a.hdf5"));
    REQUIRE(file.id >= 0);
    const hid_t dataset = H5Dopen2(file.id, "map", H5P_DEFAULT);
    REQUIRE(dataset >= 0);
    const hid_t space = H5Dget_space(dataset);
    const hid_t type = H5Dget_type(dataset);
    hsize_t shape[2] = {};
    REQUIRE(H5Sget_simple_extent_ndims(space) == 2);
    H5Sget_simple_extent_dims(space, shape, nullptr);
    CHECK(shape[0] == hsize_t(map.height));
    CHECK(shape[1] == hsize_t(map.width));
    CHECK(H5Tequal(type, H5T_IEEE_F32LE) > 0);
    std::vector<float> values(map.values.size());
    H5Dread(dataset, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    CHECK(std::isnan(values.back()));
    values.pop_back();
    map.values.pop_back();
    CHECK(values == map.values);
    H5Tclose(type);
    H5Sclose(space);
    H5Dclose(dataset);

    CHECK(text(file.id, "map", "quantity") == "surface_density");
    CHECK(text(file.id, "map", "units") == "Msun/kpc²");
    CHECK(text(file.id, "map", "extent_unit") == "kpc");
    CHECK_THAT(text(file.id, "map", "row_order"), Contains("row 0 is the top"));
    CHECK(numbers<4>(file.id, "extent") == map.extent);
    CHECK(numbers<2>(file.id, "pixel_size") == map.pixel_size);
    CHECK(text(file.id, "provenance", "snapshot") == "/data/snap 003.hdf5");
    CHECK(text(file.id, "provenance", "scene").size() == 100000);
  }
}

TEST_CASE("a map that cannot be written leaves the old one, and the next one is fine") {
  OutputFolder folder;
  const std::string path = folder.path("a.hdf5");
  put_bytes(path, "old");
  for (const std::uint64_t limit : {0, 1000, 70000, 200000}) {
    const std::string message =
        message_with_file_limit(limit, [&] { write_map_hdf5(path, make_map(300, 300)); });
    CHECK_THAT(message, Contains("a.hdf5: cannot write: the file would be larger than allowed"));
    CHECK(file_bytes(path) == "old");
    CHECK(folder.files().size() == 1);
  }
  CHECK_THAT(message_of([&] { write_map_hdf5(folder.path("no/a.hdf5"), make_map(3, 3)); }),
             Contains("does not exist"));
  write_map_hdf5(path, make_map(300, 300));
  CHECK(OpenFile(path).id >= 0);
}
