// Grids in files: each format, each type, both orders, and what is no grid.

#include "io/grids/grid_file.h"

#include "core/error.h"
#include "tests/catch.h"
#include "tests/made/npy_files.h"
#include "tests/made/snapshot_files.h"
#include "tests/output_folder.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

using namespace haloscope;
using haloscope::test::OutputFolder;

namespace {

// 2 x 3 x 4 cells that hold 100 x + 10 y + z.
template <class T>
std::vector<T> numbered(bool x_fastest = false) {
  std::vector<T> values;
  if (x_fastest) {
    for (int z = 0; z < 4; ++z)
      for (int y = 0; y < 3; ++y)
        for (int x = 0; x < 2; ++x) values.push_back(T(100 * x + 10 * y + z));
  } else {
    for (int x = 0; x < 2; ++x)
      for (int y = 0; y < 3; ++y)
        for (int z = 0; z < 4; ++z) values.push_back(T(100 * x + 10 * y + z));
  }
  return values;
}

template <class T>
void check_numbered(const Grid& grid) {
  CHECK(grid.cells == std::array<std::uint64_t, 3>{2, 3, 4});
  CHECK(grid.scalar == grid_scalar_of<T>());
  REQUIRE(grid.bytes.size() == 24 * sizeof(T));
  const std::vector<T> expected = numbered<T>();
  CHECK(std::memcmp(grid.bytes.data(), expected.data(), grid.bytes.size()) == 0);
}

template <class T>
std::string swapped_bytes(const std::vector<T>& values) {
  std::string bytes = test::raw_bytes(values);
  for (std::size_t i = 0; i < bytes.size(); i += sizeof(T))
    std::reverse(bytes.begin() + std::ptrdiff_t(i), bytes.begin() + std::ptrdiff_t(i + sizeof(T)));
  return bytes;
}

Grid read(const std::string& path, const io::GridOpenOptions& options = {}) {
  Progress progress;
  return io::read_grid(path, options, progress);
}

template <class T>
Grid grid_of(const std::vector<T>& values, const std::array<std::uint64_t, 3>& cells) {
  Grid grid;
  grid.cells = cells;
  grid.scalar = grid_scalar_of<T>();
  grid.name = "density";
  grid.unit = "Msun";
  grid.low = {-1, 2, 0.5};
  grid.spacing = {0.25, 0.5, 3};
  grid.length_unit = "kpc";
  grid.periodic = {true, false, true};
  grid.provenance = {{"Program", "haloscope"}, {"CommandLine", "haloscope grid <a> & \"b\""}};
  grid.bytes = Array<std::byte>(values.size() * sizeof(T));
  std::memcpy(grid.bytes.data(), values.data(), grid.bytes.size());
  return grid;
}

std::string base64(const std::string& bytes) {
  constexpr const char* kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 3; ++k)
      word = word << 8 | (i + k < bytes.size() ? std::uint8_t(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k)
      text += i + k > bytes.size() ? '=' : kLetters[word >> (18 - 6 * k) & 63];
  }
  return text;
}

std::string vti(const std::string& file_attributes, const std::string& array,
                const std::string& rest = "", const char* data = "PointData") {
  const std::string extent = std::string(data) == "PointData" ? "5 6 0 2 0 3" : "5 7 0 3 0 4";
  return "<?xml version='1.0'?>\n<!-- a > comment -->\n<VTKFile type=\"ImageData\" " +
         file_attributes + ">\n<ImageData WholeExtent=\"" + extent +
         "\" Origin=\"1 2 3\" Spacing=\"2 1 1\">\n<Piece Extent=\"" + extent + "\">\n<" + data +
         ">\n" + array + "\n</" + data + ">\n</Piece>\n</ImageData>\n" + rest + "\n</VTKFile>\n";
}

template <class T>
void check_round_trip() {
  const OutputFolder folder;
  Progress progress;
  for (const char* name : {"grid.hdf5", "grid.npy", "grid.vti"}) {
    INFO(name);
    const std::string path = folder.path(name);
    std::vector<T> values = numbered<T>();
    values[5] = std::numeric_limits<T>::max();
    values[7] = std::numeric_limits<T>::lowest();
    const Grid grid = grid_of(values, {2, 3, 4});
    io::write_grid(path, grid, progress);
    const Grid again = read(path);
    CHECK(again.cells == grid.cells);
    CHECK(again.scalar == grid.scalar);
    REQUIRE(again.bytes.size() == grid.bytes.size());
    if (std::string(name) == "grid.npy")
      CHECK(test::file_bytes(path).size() == 128 + grid.bytes.size());
    if (std::string(name) == "grid.vti") CHECK(test::file_bytes(path).ends_with("</VTKFile>\n"));
    CHECK(std::memcmp(again.bytes.data(), grid.bytes.data(), grid.bytes.size()) == 0);
    if (std::string(name) == "grid.npy") continue;
    CHECK(again.name == "density");
    for (std::size_t a = 0; a < 3; ++a) {
      CHECK(again.low[a] == Approx(grid.low[a]));
      CHECK(again.spacing[a] == grid.spacing[a]);
    }
    CHECK(again.unit == "Msun");
    CHECK(again.length_unit == "kpc");
    CHECK(again.periodic == grid.periodic);
  }
}

}  // namespace

TEST_CASE("grids come out of files as they went in", "[io][grids]") {
  check_round_trip<float>();
  check_round_trip<double>();
  check_round_trip<std::int8_t>();
  check_round_trip<std::uint8_t>();
  check_round_trip<std::int16_t>();
  check_round_trip<std::uint16_t>();
  check_round_trip<std::int32_t>();
  check_round_trip<std::uint32_t>();
  check_round_trip<std::int64_t>();
  check_round_trip<std::uint64_t>();
}

TEST_CASE("an image of VTK keeps which of its ends meet, and the unit of its first array",
          "[io][grids]") {
  const OutputFolder folder;
  Progress progress;
  const std::string path = folder.path("grid.vti");
  Grid grid = grid_of(numbered<float>(), {2, 3, 4});
  grid.unit = "Msun/kpc^3 & more";
  Grid labels = grid_of(numbered<float>(), {2, 3, 4});
  labels.name = "labels";
  for (const std::optional<std::array<bool, 3>> periodic :
       {std::optional<std::array<bool, 3>>{}, {{false, false, false}}, {{true, false, true}}}) {
    grid.periodic = periodic;
    io::write_vti_grids(path, {&grid, &labels}, progress);
    io::GridOpenOptions options;
    options.dataset = "density";
    const Grid first = io::read_grid(path, options, progress);
    CHECK(first.periodic == periodic);
    CHECK(first.unit == grid.unit);
    CHECK(first.length_unit == grid.length_unit);
    options.dataset = "labels";
    const Grid second = io::read_grid(path, options, progress);
    CHECK(second.periodic == periodic);
    CHECK(second.unit.empty());
  }
}

TEST_CASE("grids of one plane, one line and one cell", "[io][grids]") {
  const OutputFolder folder;
  Progress progress;
  for (const auto& cells :
       {std::array<std::uint64_t, 3>{1, 1, 1}, {24, 1, 1}, {1, 24, 1}, {1, 1, 24}, {4, 6, 1}})
    for (const char* name : {"grid.hdf5", "grid.npy", "grid.vti"}) {
      std::vector<float> values(cells[0] * cells[1] * cells[2]);
      std::iota(values.begin(), values.end(), 1.f);
      io::write_grid(folder.path(name), grid_of(values, cells), progress);
      const Grid again = read(folder.path(name));
      CHECK(again.cells == cells);
      CHECK(std::memcmp(again.bytes.data(), values.data(), again.bytes.size()) == 0);
    }
}

TEST_CASE("arrays of NumPy in either order, of other machines, of two dimensions", "[io][grids]") {
  const OutputFolder folder;
  const std::string path = folder.path("a.npy");
  const auto write = [&](const std::string& kind, const std::string& shape, const std::string& data,
                         const std::string& fortran = "False") {
    test::put_bytes(path, test::npy_bytes("'" + kind + "'", shape, data, fortran));
  };
  write("<f4", "(2, 3, 4)", test::raw_bytes(numbered<float>(true)), "True");
  check_numbered<float>(read(path));
  write(">i2", "(2, 3, 4)", swapped_bytes(numbered<std::int16_t>()));
  check_numbered<std::int16_t>(read(path));
  write(">f8", "(2, 3, 4)", swapped_bytes(numbered<double>(true)), "True");
  check_numbered<double>(read(path));
  write("<u8", "(6, 4)", test::raw_bytes(numbered<std::uint64_t>()));
  CHECK(read(path).cells == std::array<std::uint64_t, 3>{6, 4, 1});

  write("<f4", "(24,)", test::raw_bytes(numbered<float>()));
  CHECK_THROWS_WITH(read(path), Catch::Contains("has 1 dimension,"));
  write("<c8", "(2, 3)", test::raw_bytes(numbered<float>()));
  CHECK_THROWS_WITH(read(path), Catch::Contains("not numbers that a grid can have"));
  write("<f4", "(2, 3, 5)", test::raw_bytes(numbered<float>()));
  CHECK_THROWS_WITH(read(path), Catch::Contains("ends before"));
  write("<f4", "(2, 0, 5)", "");
  CHECK_THROWS_WITH(read(path), Catch::Contains("has no cells"));
  write("<f4", "(1000000000000, 1000000, 1000000)", "");
  CHECK_THROWS_WITH(read(path), Catch::Contains("does not fit into memory"));
}

TEST_CASE("raw grids by their description", "[io][grids]") {
  const OutputFolder folder;
  const std::string path = folder.path("field.raw");
  test::put_bytes(path, "headhead" + swapped_bytes(numbered<float>(true)));
  check_numbered<float>(read(path, {"", "f4:2x3x4;order=fortran;endian=big;skip=8", false}));
  test::put_bytes(path, test::raw_bytes(numbered<std::uint16_t>()));
  check_numbered<std::uint16_t>(read(path, {"", "u2:2x3x4", false}));
  CHECK(read(path, {"", "u1:6x8", false}).cells == std::array<std::uint64_t, 3>{6, 8, 1});
  test::put_bytes(path + ".haloscope.toml", "raw-grid = \"u2:2x3x4;order=c\"\n");
  check_numbered<std::uint16_t>(read(path));

  const auto fails = [&](const std::string& text, const std::string& why) {
    INFO(text);
    CHECK_THROWS_WITH(read(path, {"", text, false}), Catch::Contains(why));
  };
  fails("u2:2x3x5", "the file has 48 bytes");
  fails("u2:2x3x3", "the file has 48 bytes");
  fails("u3:2x3x4", "at 'u3'");
  fails("u2", "expected TYPE:NXxNYxNZ");
  fails("u2:2x3x4x5", "expected NXxNYxNZ");
  fails("u2:24", "expected NXxNYxNZ");
  fails("u2:2x-3x4", "whole numbers");
  fails("u2:2x3x4;order=z", "at 'order=z'");
  fails("u2:2x3x4;skip=1", "the file has 48 bytes");
}

TEST_CASE("datasets of HDF5 anywhere in the file", "[io][grids]") {
  const OutputFolder folder;
  const std::string path = folder.path("nyx.h5");
  {
    snapshot_files::FileWriter file(path);
    file.group("native_fields");
    snapshot_files::Storage packed;
    packed.chunk = {1, 3, 2};
    packed.deflate = 4;
    packed.shuffle = true;
    file.dataset("native_fields/baryon_density", {2, 3, 4}, numbered<float>(), packed);
    file.dataset("list", {24}, numbered<float>());
  }
  const Grid grid = read(path);
  check_numbered<float>(grid);
  CHECK(grid.name == "baryon_density");
  CHECK(!grid.periodic);
  {
    snapshot_files::FileWriter file(path);
    snapshot_files::Storage big_endian;
    big_endian.file_type = H5T_STD_I64BE;
    file.dataset("a", {2, 3, 4}, numbered<std::int64_t>(), big_endian);
    file.dataset("b", {2, 3, 4}, numbered<double>());
    file.dataset("c", {2, 3}, std::vector<float>(6, 1.f));
  }
  CHECK_THROWS_WITH(read(path), Catch::Contains("holds 2 grids: a, b"));
  check_numbered<std::int64_t>(read(path, {"a", "", false}));
  check_numbered<double>(read(path, {"/b", "", false}));
  CHECK(read(path, {"c", "", false}).cells == std::array<std::uint64_t, 3>{2, 3, 1});
  CHECK_THROWS_WITH(read(path, {"d", "", false}), Catch::Contains("there is no dataset d"));
  {
    snapshot_files::FileWriter file(path);
    file.dataset("list", {24}, numbered<float>());
  }
  CHECK_THROWS_AS(read(path), NotThisFormat);
  CHECK_THROWS_WITH(read(path, {"list", "", false}), Catch::Contains("has three dimensions"));
}

TEST_CASE("images of VTK as others write them", "[io][grids]") {
  const OutputFolder folder;
  const std::string path = folder.path("image.vti");
  const std::string data = test::raw_bytes(numbered<float>(true));
  const auto word = [](std::uint32_t value) { return test::raw_bytes<std::uint32_t>({value}); };

  std::string ascii;
  for (const int value : numbered<int>(true)) ascii += std::to_string(value) + " \n";
  test::put_bytes(path, vti("", "<DataArray type=\"Int32\" Name=\"a &lt; b\" format=\"ascii\">" +
                                    ascii + "</DataArray>"));
  const Grid grid = read(path);
  check_numbered<std::int32_t>(grid);
  CHECK(grid.name == "a < b");
  CHECK(grid.low == std::array<double, 3>{1 + 2 * 4.5, 1.5, 2.5});

  test::put_bytes(path, vti("byte_order=\"LittleEndian\"",
                            "<DataArray type=\"Float32\" Name=\"a\" format=\"binary\">\n  " +
                                base64(word(96) + data) + "\n</DataArray>",
                            "", "CellData"));
  check_numbered<float>(read(path));
  CHECK(read(path).low == std::array<double, 3>{11, 2, 3});
  // The length by itself, as some write it.
  test::put_bytes(path, vti("", "<DataArray type=\"Float32\" Name=\"a\" format=\"binary\">" +
                                    base64(word(96)) + base64(data) + "</DataArray>"));
  check_numbered<float>(read(path));

  const std::string array =
      "<DataArray type=\"Float32\" Name=\"a\" format=\"appended\" offset=\"4\"/>";
  test::put_bytes(
      path, vti("header_type=\"UInt32\"", array,
                "<AppendedData encoding=\"raw\"> _pads" + word(96) + data + "</AppendedData>"));
  check_numbered<float>(read(path));
  test::put_bytes(path, vti("", array,
                            "<AppendedData encoding=\"base64\">_AAAA" + base64(word(96) + data) +
                                "</AppendedData>"));
  check_numbered<float>(read(path));
  test::put_bytes(path,
                  vti("byte_order=\"BigEndian\" header_type=\"UInt64\"", array,
                      "<AppendedData encoding=\"raw\">_pads" + swapped_bytes<std::uint64_t>({96}) +
                          swapped_bytes(numbered<float>(true)) + "</AppendedData>"));
  check_numbered<float>(read(path));
}

TEST_CASE("images of VTK that cannot be read are told in a sentence", "[io][grids]") {
  const OutputFolder folder;
  const std::string path = folder.path("image.vti");
  const auto fails = [&](const std::string& bytes, const std::string& why) {
    INFO(bytes.substr(0, 500));
    test::put_bytes(path, bytes);
    CHECK_THROWS_WITH(read(path), Catch::Contains(why));
  };
  const std::string array =
      "<DataArray type=\"Float32\" Name=\"a\" format=\"appended\" offset=\"0\"/>";
  const std::string nothing = "<AppendedData encoding=\"raw\">_</AppendedData>";
  fails("", "no image of VTK");
  fails("<html></html>", "no image of VTK");
  fails("<VTKFile type=\"PolyData\"></VTKFile>", "holds PolyData");
  fails("<VTKFile type=\"ImageData\"></VTKFile>", "no image of VTK");
  fails("<VTKFile type=\"ImageData", "has no end");
  fails(vti("", ""), "no array of single numbers");
  fails(vti("", array), "appended data are not there");
  fails(vti("compressor=\"vtkLZ4DataCompressor\"", array), "vtkLZ4DataCompressor");
  fails(vti("", array + "<DataArray type=\"Int8\" Name=\"b\" format=\"ascii\">1</DataArray>",
            nothing),
        "holds 2 arrays: a, b");
  fails(vti("", "<DataArray type=\"Int8\" Name=\"b\" format=\"ascii\">1 2 x</DataArray>"),
        "not numbers of its type");
  fails(vti("", "<DataArray type=\"Int8\" Name=\"b\" format=\"binary\">AA*A</DataArray>"),
        "damaged");
  fails(vti("", array, "<AppendedData encoding=\"raw\">_1234ab</AppendedData>"), "ends before");
  fails(vti("", array, "<AppendedData encoding=\"base64\">_AAAA</AppendedData>"), "damaged");
  fails(vti("compressor=\"vtkZLibDataCompressor\"", array,
            "<AppendedData encoding=\"raw\">_" + std::string(200, '\xff') + "</AppendedData>"),
        "damaged");
}

TEST_CASE("what is no grid, and names of none", "[io][grids]") {
  const OutputFolder folder;
  const std::string path = folder.path("notes.txt");
  test::put_bytes(path, "not a grid");
  CHECK_THROWS_AS(read(path), NotThisFormat);
  CHECK_THROWS_AS(read(folder.path("missing.npy")), Error);
  CHECK_THROWS_WITH(io::require_grid_name("grid.txt"), Catch::Contains(".hdf5, .npy or .vti"));
}

TEST_CASE("some planes of a grid are read from every kind of file", "[grids][ranks]") {
  const OutputFolder folder;
  const std::vector<float> values = numbered<float>();
  const Grid whole = grid_of(values, {2, 3, 4});
  Progress progress;
  for (const char* const name : {"grid.hdf5", "grid.npy", "grid.vti"})
    io::write_grid(folder.path(name), whole, progress);
  test::put_bytes(folder.path("grid.bin"), test::raw_bytes(values));
  test::put_bytes(folder.path("turned.bin"), test::raw_bytes(numbered<float>(true)));
  const std::pair<std::uint64_t, std::uint64_t> parts[] = {{0, 1}, {1, 2}, {0, 2}, {1, 1}, {0, 0}};
  std::string text;
  for (const float value : numbered<float>(true)) text += std::to_string(value) + " ";
  test::put_bytes(
      folder.path("text.vti"),
      vti("", "<DataArray type=\"Float32\" Name=\"a\" format=\"ascii\">" + text + "</DataArray>"));
  const std::pair<const char*, const char*> files[] = {
      {"grid.hdf5", ""}, {"grid.npy", ""},         {"grid.vti", ""},
      {"text.vti", ""},  {"grid.bin", "f4:2x3x4"}, {"turned.bin", "f4:2x3x4;order=fortran"}};
  for (const auto& [name, raw] : files)
    for (const auto& part : parts) {
      CAPTURE(name, part);
      io::GridOpenOptions options;
      options.raw = raw;
      options.planes = [&](std::uint64_t planes) {
        CHECK(planes == 2);
        return part;
      };
      const Grid read_part = read(folder.path(name), options);
      CHECK(read_part.cells == whole.cells);
      REQUIRE(read_part.bytes.size() == (part.second - part.first) * 12 * sizeof(float));
      CHECK(std::equal(read_part.bytes.data(), read_part.bytes.data() + read_part.bytes.size(),
                       whole.bytes.data() + part.first * 12 * sizeof(float)));
    }
}

TEST_CASE("planes are read from long lines of x", "[grids][ranks]") {
  const OutputFolder folder;
  // Of doubles more than a disk reads on, so that what lies between is skipped.
  constexpr std::uint64_t kLength = 5000, kY = 3, kZ = 2;
  Grid whole;
  whole.cells = {kLength, kY, kZ};
  whole.scalar = GridScalar::Float64;
  whole.name = "long";
  whole.bytes = Array<std::byte>(std::size_t(whole.count()) * sizeof(double));
  for (std::uint64_t i = 0; i < whole.count(); ++i) whole.values<double>()[i] = double(i);
  Progress progress;
  io::write_grid(folder.path("long.vti"), whole, progress);
  const std::size_t plane = kY * kZ * sizeof(double);
  const std::pair<std::uint64_t, std::uint64_t> parts[] = {{0, 1},    {1700, 3300}, {3300, 5000},
                                                           {0, 4000}, {40, 5000},   {5000, 5000}};
  for (const auto& part : parts) {
    CAPTURE(part);
    io::GridOpenOptions options;
    options.planes = [&](std::uint64_t) { return part; };
    const Grid own = read(folder.path("long.vti"), options);
    REQUIRE(own.bytes.size() == (part.second - part.first) * plane);
    CHECK(std::equal(own.bytes.begin(), own.bytes.end(), whole.bytes.data() + part.first * plane));
  }
}
