// Speed and memory of reading snapshots. `make` writes a test file; `read` loads one and compares
// with what the machine can do with the same bytes: `cat`, a parallel copy, decompression alone.
// The files should be in the page cache: a warm-up precedes, and all measures take turns.

#include "benchmarks/read_bench_files.h"
#include "benchmarks/read_bench_limits.h"
#include "core/error.h"
#include "io/loading/particle_loader.h"
#include "io/loading/selection.h"

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <hdf5.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

namespace {

using namespace haloscope;

struct Samples {
  std::vector<double> seconds;

  double median() const {
    auto sorted = seconds;
    std::sort(sorted.begin(), sorted.end());
    return sorted[sorted.size() / 2];
  }
  void print(const char* what, double bytes, double cat_seconds = 0) const {
    const auto [low, high] = std::minmax_element(seconds.begin(), seconds.end());
    fmt::print("{:22} {:8.1f} ms ({:.1f} to {:.1f})  {:6.2f} GB/s", what, 1e3 * median(),
               1e3 * *low, 1e3 * *high, bytes / median() / 1e9);
    if (cat_seconds > 0) fmt::print("  {:5.0f} % of cat", 100 * cat_seconds / median());
    fmt::print("\n");
  }
};

struct ReadSetup {
  std::string file;
  std::vector<int> types;
  std::vector<std::string> fields;
  std::vector<double> region;
  std::uint64_t every = 1, max_particles = 0;
  int repeats = 7, threads = 0;
  bool no_mass = false, no_limits = false;
};

std::uint64_t scalar_bytes(ScalarType scalar) {
  const bool four =
      scalar == ScalarType::Float32 || scalar == ScalarType::Int32 || scalar == ScalarType::UInt32;
  return four ? 4 : 8;
}

// Fields whose bytes in the file a load takes.
std::vector<std::pair<int, FieldInfo>> columns_read(const SnapshotInfo& info,
                                                    const io::LoadRequest& request) {
  std::vector<std::pair<int, FieldInfo>> columns;
  for (const auto& one : request.types) {
    const TypeInfo& type = info.types.at(one.type);
    columns.emplace_back(one.type, *type.find(Role::Position));
    if (const FieldInfo* mass = type.find(Role::Mass); mass && one.mass)
      columns.emplace_back(one.type, *mass);
    for (const auto& name : one.fields)
      if (const FieldInfo* field = type.find(name)) columns.emplace_back(one.type, *field);
  }
  return columns;
}

std::uint64_t kept_bytes(const ParticleSet& set) {
  std::uint64_t bytes = 0;
  for (const auto& type : set.types) {
    for (const auto& axis : type.position) bytes += 4 * axis.size();
    bytes += 4 * (type.support_radius.size() + type.mass.size());
    for (const auto& [name, components] : type.fields)
      for (const auto& component : components) bytes += 4 * component.size();
  }
  return bytes;
}

io::LoadRequest request_of(const ReadSetup& setup, const SnapshotInfo& info) {
  io::LoadRequest request;
  for (const auto& [number, type] : info.types) {
    if (!type.find(Role::Position)) continue;
    if (!setup.types.empty() && std::count(setup.types.begin(), setup.types.end(), number) == 0)
      continue;
    request.types.push_back({number, setup.fields, false, !setup.no_mass});
  }
  request.selection.every = setup.every;
  request.selection.max_particles = setup.max_particles;
  if (setup.region.size() == 6) {
    const auto& r = setup.region;
    request.selection.region = io::Region{{r[0], r[1], r[2]}, {r[3], r[4], r[5]}};
  }
  return request;
}

CompressedChunks compressed_chunks(const SnapshotInfo& info,
                                   const std::vector<std::pair<int, FieldInfo>>& columns) {
  CompressedChunks all;
  for (const auto& file : info.files) {
    if (H5Fis_hdf5(file.c_str()) <= 0) return all;
    for (const auto& [type, field] : columns)
      all.add(file, "PartType" + std::to_string(type) + "/" + field.name);
  }
  return all;
}

void bench_read(const ReadSetup& setup) {
  const int threads = setup.threads > 0 ? setup.threads : tbb::this_task_arena::max_concurrency();
  tbb::global_control limit(tbb::global_control::max_allowed_parallelism, std::size_t(threads));
  const auto reader = io::open_snapshot(setup.file);
  const SnapshotInfo& info = reader->info();
  const io::LoadRequest request = request_of(setup, info);
  const auto columns = columns_read(info, request);
  double file_bytes = 0, column_bytes = 0;
  for (const auto& file : info.files) file_bytes += double(std::filesystem::file_size(file));
  for (const auto& [type, field] : columns)
    column_bytes +=
        double(info.types.at(type).count * scalar_bytes(field.scalar)) * double(field.components);
  const CompressedChunks chunks =
      setup.no_limits ? CompressedChunks{} : compressed_chunks(info, columns);
  fmt::print(
      "{}: {} particles, {} file(s) of together {:.3f} GB, columns of {:.3f} GB, {} "
      "threads, {} repeats\n",
      setup.file, info.particle_count(), info.files.size(), file_bytes / 1e9, column_bytes / 1e9,
      threads, setup.repeats);

  Samples cat, copy, zlib, fast, fresh, load;
  std::uint64_t kept = 0, extra = 0, particles = 0;
  for (int k = -1; k < setup.repeats; ++k) {
    const bool counts = k >= 0;  // the first turn is the warm-up
    auto take = [&](Samples& to, double time) {
      if (counts) to.seconds.push_back(time);
    };
    if (!setup.no_limits) {
      take(cat, time_cat(info.files));
      take(copy, time_parallel_copy(info.files));
    }
    if (!chunks.chunks.empty()) {
      take(zlib, time_inflate(chunks, false));
      take(fast, time_inflate(chunks, true));
    }
    // Last before the load, which then finds the same memory free.
    if (kept > 0 && !setup.no_limits) take(fresh, time_fresh_memory(kept));
    const std::uint64_t before = resident_memory();
    reset_peak_memory();
    const auto start = std::chrono::steady_clock::now();
    Progress progress;
    const ParticleSet set = io::load_particles(*reader, request, progress);
    const auto end = std::chrono::steady_clock::now();
    take(load, std::chrono::duration<double>(end - start).count());
    kept = kept_bytes(set);
    particles = set.count();
    const std::uint64_t peak = peak_memory() - before;
    extra = std::max(extra, peak > kept ? peak - kept : 0);
  }
  if (!setup.no_limits) {
    cat.print("cat", file_bytes);
    copy.print("parallel copy", file_bytes);
  }
  if (!chunks.chunks.empty()) {
    zlib.print("inflate, zlib", column_bytes);
    fast.print("inflate, libdeflate", column_bytes);
  }
  if (!fresh.seconds.empty()) fresh.print("fresh memory", double(kept));
  load.print("load", column_bytes, setup.no_limits ? 0 : cat.median());
  if (!chunks.chunks.empty())
    fmt::print("{:22} {:.0f} % of zlib's, {:.0f} % of libdeflate's\n", "of decompression",
               100 * zlib.median() / load.median(), 100 * fast.median() / load.median());
  fmt::print("{:22} {} particles in {:.1f} MB, at most {:.1f} MB beside them ({:.1f} %)\n",
             "memory", particles, double(kept) / 1e6, double(extra) / 1e6,
             100 * double(extra) / double(kept));
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"haloscope_bench_read: speed and memory of reading"};
  app.require_subcommand(1);
  auto* make = app.add_subcommand("make", "write a snapshot of positions and masses");
  TestFile file;
  make->add_option("N", file.particles, "particles")->required();
  make->add_option("FILE", file.path, "its name")->required();
  make->add_option("--files", file.files, "over so many files");
  make->add_option("--gzip", file.gzip, "level of compression");
  make->add_option("--chunk", file.chunk, "rows per compressed chunk");
  make->add_option("--box", file.box, "side of the periodic box; 0: not periodic");
  make->add_flag("--double", file.wide, "positions in float64");
  make->add_flag("--gadget", file.gadget_binary, "Gadget's binary format 2 instead of HDF5");
  auto* read = app.add_subcommand("read", "load a snapshot");
  ReadSetup setup;
  read->add_option("FILE", setup.file, "any snapshot")->required();
  read->add_option("--types", setup.types, "type numbers")->delimiter(',');
  read->add_option("--fields", setup.fields, "beside positions and masses")->delimiter(',');
  read->add_option("--region", setup.region, "x0,y0,z0,x1,y1,z1")->delimiter(',')->expected(6);
  read->add_option("--every", setup.every, "one of so many");
  read->add_option("--max-particles", setup.max_particles, "at most so many");
  read->add_option("--repeat", setup.repeats, "loads measured");
  read->add_option("--threads", setup.threads, "CPU threads");
  read->add_flag("--no-mass", setup.no_mass, "positions alone");
  read->add_flag("--no-limits", setup.no_limits, "without cat, copy and decompression");
  CLI11_PARSE(app, argc, argv);
  try {
    if (*make) write_test_file(file);
    if (*read) bench_read(setup);
  } catch (const std::exception& e) {
    fmt::print(stderr, "haloscope_bench_read: error: {}\n", e.what());
    return 2;
  }
}
