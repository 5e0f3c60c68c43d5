#include "benchmarks/read_bench_files.h"

#include "core/error.h"

#include <hdf5.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <vector>

namespace {

using haloscope::Error;

constexpr std::uint64_t kSlab = 1 << 20;  // rows written at a time

double uniform(std::uint64_t counter) {
  std::uint64_t x = counter * 0x9e3779b97f4a7c15ULL + 0x2545f4914f6cdd1dULL;
  x = (x ^ x >> 33) * 0xff51afd7ed558ccdULL;
  x = (x ^ x >> 29) * 0xc4ceb9fe1a85ec53ULL;
  return double((x ^ x >> 32) >> 11) * 0x1p-53;
}

// Clumps of 4096 rows with a cusp each: neighbors in the file are neighbors in space, and the low
// bits are noise, as in real snapshots.
double coordinate(std::uint64_t row, std::uint64_t axis, double side) {
  const double center = uniform(row / 4096 * 3 + axis);
  const double u = 2 * uniform((row * 3 + axis) ^ 0x5bd1e995000ULL) - 1;
  const double x = center + 0.03 * u * u * u;
  return std::min((x - std::floor(x)) * side, side * 0.9999999);
}

template <class T>
void fill_positions(std::vector<T>& out, std::uint64_t first, std::uint64_t rows, double side) {
  out.resize(3 * rows);
  tbb::parallel_for(std::uint64_t(0), rows, [&](std::uint64_t i) {
    for (std::uint64_t axis = 0; axis < 3; ++axis)
      out[3 * i + axis] = T(coordinate(first + i, axis, side));
  });
}

void fill_masses(std::vector<float>& out, std::uint64_t first, std::uint64_t rows) {
  out.resize(rows);
  for (std::uint64_t i = 0; i < rows; ++i) out[i] = float(0.5 + uniform(first + i));
}

template <class T>
hid_t hdf5_type() {
  return sizeof(T) == 8 ? H5T_NATIVE_DOUBLE : H5T_NATIVE_FLOAT;
}

template <class T>
void attribute(hid_t group, const char* name, hid_t type, const std::vector<T>& values) {
  const hsize_t size = values.size();
  const hid_t space = size > 1 ? H5Screate_simple(1, &size, nullptr) : H5Screate(H5S_SCALAR);
  const hid_t id = H5Acreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  H5Awrite(id, type, values.data());
  H5Aclose(id);
  H5Sclose(space);
}

// `fill(buffer, first, rows)` makes each slab.
template <class T, class Fill>
void dataset(hid_t group, const char* name, const TestFile& wanted, hsize_t components,
             std::uint64_t first, std::uint64_t rows, Fill&& fill) {
  const int rank = components > 1 ? 2 : 1;
  const hsize_t shape[2] = {rows, components};
  const hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
  if (wanted.gzip > 0) {
    const hsize_t chunk[2] = {std::min<std::uint64_t>(wanted.chunk, rows), components};
    H5Pset_chunk(plist, rank, chunk);
    H5Pset_shuffle(plist);
    H5Pset_deflate(plist, unsigned(wanted.gzip));
  }
  const hid_t space = H5Screate_simple(rank, shape, nullptr);
  const hid_t id = H5Dcreate2(group, name, hdf5_type<T>(), space, H5P_DEFAULT, plist, H5P_DEFAULT);
  bool written = id >= 0;
  std::vector<T> slab;
  for (std::uint64_t row = 0; row < rows && written; row += kSlab) {
    const hsize_t start[2] = {row, 0};
    const hsize_t count[2] = {std::min(kSlab, rows - row), components};
    fill(slab, first + row, count[0]);
    const hid_t memory = H5Screate_simple(rank, count, nullptr);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, nullptr, count, nullptr);
    written = H5Dwrite(id, hdf5_type<T>(), memory, space, H5P_DEFAULT, slab.data()) >= 0;
    H5Sclose(memory);
  }
  H5Dclose(id);
  H5Sclose(space);
  H5Pclose(plist);
  if (!written) throw Error("cannot be written", wanted.path, "is the disk full?");
}

void write_hdf5(const std::string& path, const TestFile& wanted, std::uint64_t first,
                std::uint64_t rows) {
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  if (file < 0) throw Error("cannot be created", path);
  const hid_t header = H5Gcreate2(file, "Header", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  auto counts = [](std::uint64_t n) {
    return std::vector<std::uint32_t>{0, std::uint32_t(n), 0, 0, 0, 0};
  };
  attribute(header, "NumPart_ThisFile", H5T_NATIVE_UINT32, counts(rows));
  attribute(header, "NumPart_Total", H5T_NATIVE_UINT32, counts(wanted.particles));
  attribute(header, "NumPart_Total_HighWord", H5T_NATIVE_UINT32, counts(wanted.particles >> 32));
  attribute(header, "MassTable", H5T_NATIVE_DOUBLE, std::vector<double>(6, 0.0));
  attribute(header, "NumFilesPerSnapshot", H5T_NATIVE_INT32, std::vector<int>{wanted.files});
  attribute(header, "BoxSize", H5T_NATIVE_DOUBLE, std::vector<double>{wanted.box});
  attribute(header, "Time", H5T_NATIVE_DOUBLE, std::vector<double>{1});
  attribute(header, "Redshift", H5T_NATIVE_DOUBLE, std::vector<double>{0});
  attribute(header, "HubbleParam", H5T_NATIVE_DOUBLE, std::vector<double>{0.7});
  attribute(header, "Omega0", H5T_NATIVE_DOUBLE, std::vector<double>{0.3});
  attribute(header, "OmegaLambda", H5T_NATIVE_DOUBLE, std::vector<double>{0.7});
  H5Gclose(header);
  const hid_t group = H5Gcreate2(file, "PartType1", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  const double side = wanted.box > 0 ? wanted.box : 100;
  auto positions = [&](auto& slab, std::uint64_t from, std::uint64_t count) {
    fill_positions(slab, from, count, side);
  };
  if (wanted.wide)
    dataset<double>(group, "Coordinates", wanted, 3, first, rows, positions);
  else
    dataset<float>(group, "Coordinates", wanted, 3, first, rows, positions);
  dataset<float>(group, "Masses", wanted, 1, first, rows, fill_masses);
  H5Gclose(group);
  H5Fclose(file);
}

template <class T>
void put(std::string& bytes, std::size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof(T));
}

// Format 2: each block has a small one with its name before it.
void write_gadget(const std::string& path, const TestFile& wanted, std::uint64_t first,
                  std::uint64_t rows) {
  std::ofstream out(path, std::ios::binary);
  auto word = [&](std::uint64_t value) {
    const auto length = std::uint32_t(value);
    out.write(reinterpret_cast<const char*>(&length), 4);
  };
  auto begin = [&](const char* name, std::uint64_t bytes) {
    if (bytes >> 32) throw Error("a block is longer than 4 GiB", path, "give more --files");
    word(8);
    out.write(name, 4);
    word(bytes + 8);
    word(8);
    word(bytes);
  };
  std::string header(256, '\0');
  put(header, 4, std::uint32_t(rows));
  put(header, 72, 1.0);  // time
  put(header, 100, std::uint32_t(wanted.particles));
  put(header, 124, std::int32_t(wanted.files));
  put(header, 128, wanted.box);
  put(header, 136, 0.3);
  put(header, 144, 0.7);
  put(header, 152, 0.7);
  begin("HEAD", 256);
  out.write(header.data(), 256);
  word(256);
  auto block = [&](const char* name, auto value, std::uint64_t components, auto&& fill) {
    std::vector<decltype(value)> slab;
    const std::uint64_t bytes = rows * components * sizeof(value);
    begin(name, bytes);
    for (std::uint64_t row = 0; row < rows; row += kSlab) {
      fill(slab, first + row, std::min(kSlab, rows - row));
      out.write(reinterpret_cast<const char*>(slab.data()),
                std::streamsize(slab.size() * sizeof(value)));
    }
    word(bytes);
  };
  const double side = wanted.box > 0 ? wanted.box : 100;
  auto positions = [&](auto& slab, std::uint64_t from, std::uint64_t count) {
    fill_positions(slab, from, count, side);
  };
  if (wanted.wide)
    block("POS ", double(), 3, positions);
  else
    block("POS ", float(), 3, positions);
  block("MASS", float(), 1, fill_masses);
  if (!out.flush()) throw Error("cannot be written", path, "is the disk full?");
}

}  // namespace

void write_test_file(const TestFile& wanted) {
  const auto files = std::uint64_t(std::max(1, wanted.files));
  const std::size_t dot = wanted.path.rfind('.');
  for (std::uint64_t k = 0; k < files; ++k) {
    std::string path = wanted.path;
    if (files > 1 && !wanted.gadget_binary && dot != std::string::npos)
      path = path.substr(0, dot) + "." + std::to_string(k) + path.substr(dot);
    else if (files > 1)
      path += "." + std::to_string(k);
    const std::uint64_t first = wanted.particles * k / files;
    const std::uint64_t rows = wanted.particles * (k + 1) / files - first;
    (wanted.gadget_binary ? write_gadget : write_hdf5)(path, wanted, first, rows);
  }
}
