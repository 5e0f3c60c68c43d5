#include "benchmarks/read_bench_limits.h"

#include "core/array.h"
#include "core/error.h"
#include "io/bytes/positioned_file.h"

#include <hdf5.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <libdeflate.h>
#include <zlib.h>

namespace {

using haloscope::Error;

template <class F>
double seconds(F&& f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::uint64_t status_bytes(const std::string& key) {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word)
    if (word == key) {
      std::uint64_t kib = 0;
      status >> kib;
      return kib * 1024;
    }
  return 0;
}

struct Decompressor {
  libdeflate_decompressor* state = libdeflate_alloc_decompressor();
  std::vector<unsigned char> out;
  Decompressor() = default;
  Decompressor(const Decompressor&) = delete;
  Decompressor& operator=(const Decompressor&) = delete;
  ~Decompressor() { libdeflate_free_decompressor(state); }
};

}  // namespace

double time_cat(const std::vector<std::string>& files) {
  std::string command = "cat";
  for (const auto& file : files) command += " '" + file + "'";
  command += " > /dev/null";
  return seconds([&] {
    if (std::system(command.c_str()) != 0) throw Error("cat cannot read it", files.front());
  });
}

double time_parallel_copy(const std::vector<std::string>& files) {
  constexpr std::uint64_t kPiece = 1 << 18;
  return seconds([&] {
    tbb::enumerable_thread_specific<std::vector<char>> buffers;
    for (const auto& path : files) {
      const haloscope::io::PositionedFile file(path);
      tbb::parallel_for(std::uint64_t(0), (file.size() + kPiece - 1) / kPiece,
                        [&](std::uint64_t i) {
                          auto& buffer = buffers.local();
                          buffer.resize(kPiece);
                          file.read(i * kPiece, std::min(kPiece, file.size() - i * kPiece),
                                    buffer.data(), "the file");
                        });
    }
  });
}

double time_fresh_memory(std::uint64_t bytes) {
  constexpr std::uint64_t kPage = 4096, kPiece = 1 << 21;
  double time = 0;
  for (int turn = 0; turn < 2; ++turn) {
    haloscope::Array<char> memory(bytes);
    time = seconds([&] {
      tbb::parallel_for(std::uint64_t(0), (bytes + kPiece - 1) / kPiece, [&](std::uint64_t i) {
        volatile char* data = memory.data();
        const std::uint64_t end = std::min(bytes, (i + 1) * kPiece);
        for (std::uint64_t at = i * kPiece; at < end; at += kPage) data[at] = 1;
      });
    });
  }
  return time;
}

void CompressedChunks::add(const std::string& path, const std::string& name) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t dataset = H5Dopen2(file, name.c_str(), H5P_DEFAULT);
  const hid_t plist = H5Dget_create_plist(dataset);
  const int filters = H5Pget_nfilters(plist);
  unsigned flags = 0;
  std::size_t none = 0;
  const bool deflated = H5Pget_layout(plist) == H5D_CHUNKED && filters > 0 &&
                        H5Pget_filter2(plist, unsigned(filters - 1), &flags, &none, nullptr, 0,
                                       nullptr, nullptr) == H5Z_FILTER_DEFLATE;
  if (deflated) {
    hsize_t shape[2] = {1, 1};
    const int rank = H5Pget_chunk(plist, 2, shape);
    const hid_t type = H5Dget_type(dataset);
    const hid_t space = H5Dget_space(dataset);
    const std::uint64_t whole = shape[0] * (rank > 1 ? shape[1] : 1) * H5Tget_size(type);
    hsize_t count = 0;
    H5Dget_num_chunks(dataset, space, &count);
    for (hsize_t i = 0; i < count; ++i) {
      hsize_t offset[2] = {}, size = 0;
      haddr_t address = 0;
      unsigned mask = 0;
      H5Dget_chunk_info(dataset, space, i, offset, &mask, &address, &size);
      chunks.emplace_back(size);
      H5Dread_chunk(dataset, H5P_DEFAULT, offset, &mask, chunks.back().data());
      decompressed.push_back(whole);
      bytes += size;
    }
    H5Sclose(space);
    H5Tclose(type);
  }
  H5Pclose(plist);
  H5Dclose(dataset);
  H5Fclose(file);
}

double time_inflate(const CompressedChunks& all, bool fast) {
  tbb::enumerable_thread_specific<Decompressor> decompressors;
  std::atomic<std::uint64_t> failed{0};
  const double time = seconds([&] {
    tbb::parallel_for(std::size_t(0), all.chunks.size(), [&](std::size_t i) {
      auto& local = decompressors.local();
      const auto& in = all.chunks[i];
      local.out.resize(all.decompressed[i]);
      auto size = uLongf(local.out.size());
      const bool done =
          fast ? libdeflate_zlib_decompress(local.state, in.data(), in.size(), local.out.data(),
                                            local.out.size(), nullptr) == LIBDEFLATE_SUCCESS
               : uncompress(local.out.data(), &size, in.data(), uLong(in.size())) == Z_OK;
      failed += !done;
    });
  });
  if (failed > 0) throw Error("chunks do not decompress", "the file");
  return time;
}

std::uint64_t resident_memory() {
  return status_bytes("VmRSS:");
}

std::uint64_t peak_memory() {
  return status_bytes("VmHWM:");
}

void reset_peak_memory() {
  std::ofstream("/proc/self/clear_refs") << 5;
}
