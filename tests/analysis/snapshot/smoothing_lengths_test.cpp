// Smoothing lengths that a file lacks: searched for, kept beside the snapshot, and found again.

#include "analysis/snapshot/smoothing_lengths.h"

#include "core/error.h"
#include "tests/catch.h"
#include "tests/command_line.h"
#include "tests/environment.h"
#include "tests/made/fixed_points.h"
#include "tests/made/snapshot_files.h"
#include "tests/output_folder.h"
#include "tests/renderers.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>

using namespace haloscope;
using haloscope::test::file_bytes;
using haloscope::test::OutputFolder;
using haloscope::test::put_bytes;
using haloscope::test::run_program;
using haloscope::test::Variable;

namespace {

// No test leaves a file beside the sample or the shared data but those that want to.
const bool no_litter = setenv("HALOSCOPE_NO_CACHE", "1", 0) == 0;

// As many as are kept.
constexpr std::size_t kMany = 70000;

ParticleColumns columns_of(int type, const ::test::Points& points) {
  ParticleColumns columns;
  columns.type = type;
  columns.name = type_name(type);
  columns.count = points[0].size();
  for (std::size_t a = 0; a < 3; ++a) {
    columns.position[a] = Array<std::uint32_t>(columns.count);
    std::copy(points[a].begin(), points[a].end(), columns.position[a].begin());
  }
  return columns;
}

std::vector<float> lengths_of_all(const ::test::Points& p, std::size_t wanted, double step) {
  const std::size_t n = p[0].size(), k = std::min(wanted, n - 1);
  std::vector<float> lengths;
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<long double> squared;
    for (std::size_t j = 0; j < n; ++j)
      if (j != i) squared.push_back(::test::exact_squared_distance(p, i, j));
    std::nth_element(squared.begin(), squared.begin() + std::ptrdiff_t(k - 1), squared.end());
    lengths.push_back(
        float(double(std::sqrt(squared[k - 1])) * step * std::cbrt(double(wanted) / double(k))));
  }
  return lengths;
}

std::vector<float> values(const Array<float>& array) {
  return {array.begin(), array.end()};
}

// A snapshot that exists in name only, with dark matter and stars.
struct Sample {
  explicit Sample(const OutputFolder& folder, std::uint64_t seed = 1) {
    std::mt19937_64 random(seed);
    info.files = {folder.path("snap.hdf5")};
    set.domain.side = 10;
    set.domain.periodic = true;
    for (const int type : {1, 4})
      set.types.push_back(columns_of(type, ::test::make_points(::test::Kind(0), kMany, random)));
  }
  SnapshotInfo info;
  ParticleSet set;
  Progress progress;

  analysis::SmoothingLengths find(int k = 8) {
    analysis::LengthsChoice choice;
    choice.neighbors = k;
    analysis::SmoothingLengths lengths(choice);
    lengths.find(info, set, progress);
    return lengths;
  }
  std::string kept() const { return info.files[0] + ".haloscope-lengths"; }
};

bool was_read(const analysis::SmoothingLengths& lengths, std::size_t k) {
  return lengths.sentence(k).find("as kept in") != std::string::npos;
}

std::string write_dark_matter(const OutputFolder& folder, std::size_t count) {
  const std::string path = folder.path("box.hdf5");
  snapshot_files::FileWriter file(path);
  snapshot_files::write_header(file, {0, std::uint32_t(count), 0, 0, 0, 0}, 10);
  file.group("PartType1");
  file.dataset("PartType1/Coordinates", {count, 3}, snapshot_files::some_positions(count, 10));
  file.dataset("PartType1/Masses", {count}, std::vector<float>(count, 1));
  return path;
}

}  // namespace

TEST_CASE("missing smoothing lengths are the distances to the k-th neighbor", "[lengths][gpu]") {
  REQUIRE(no_litter);
  std::mt19937_64 random(3);
  for (const auto& device : ::test::devices())
    for (const bool periodic : {true, false})
      for (const std::size_t count : {2, 20, 400})
        for (const int k : {1, 32, 128}) {
          INFO(device << ", periodic " << periodic << ", " << count << " points, k " << k);
          ParticleSet set;
          set.domain.side = 70;
          set.domain.periodic = periodic;
          std::vector<::test::Points> points;
          for (const int type : {1, 4}) {
            points.push_back(::test::make_points(::test::Kind::Clustered, count, random));
            if (!periodic) points.back() = ::test::in_middle_half(points.back());
            set.types.push_back(columns_of(type, points.back()));
          }
          // A type that has its own keeps them.
          set.types.push_back(columns_of(0, points[0]));
          set.types.back().support_radius = Array<float>(count);
          analysis::LengthsChoice choice;
          choice.neighbors = k;
          choice.device = device;
          choice.keep = io::KeepLengths::Nowhere;
          analysis::SmoothingLengths lengths(choice);
          Progress progress;
          lengths.find({}, set, progress);
          for (std::size_t t = 0; t < 2; ++t) {
            const auto expected = lengths_of_all(points[t], std::size_t(k), set.domain.step());
            REQUIRE(lengths.of(t).size() == count);
            for (std::size_t i = 0; i < count; ++i)
              // A few roundings of doubles, and one to float.
              CHECK(double(lengths.of(t)[i]) == Approx(double(expected[i])).epsilon(2e-7));
          }
          CHECK(lengths.of(2).empty());
          CHECK(lengths.sentence(2).empty());
          CHECK_FALSE(lengths.has_unwritten());
        }
}

TEST_CASE("no neighbors asked for, one particle, or no room leave lengths to the renderer",
          "[lengths][gpu]") {
  ParticleSet set;
  std::mt19937_64 random(4);
  set.types.push_back(columns_of(1, ::test::make_points(::test::Kind::Uniform, 1, random)));
  set.types.push_back(columns_of(2, ::test::make_points(::test::Kind::Uniform, 100, random)));
  Progress progress;
  analysis::LengthsChoice choice;
  choice.keep = io::KeepLengths::Nowhere;
  analysis::SmoothingLengths lengths(choice);
  for (const auto& device : ::test::devices()) {
    choice.device = device;
    choice.gpu_memory_bytes = 7999;  // 80 bytes a point
    lengths = analysis::SmoothingLengths(choice);
    lengths.find({}, set, progress);
    CHECK(lengths.of(0).empty());
    CHECK(lengths.sentence(0).empty());
    CHECK(lengths.of(1).size() == (device.is_gpu() ? 0 : 100));
    CHECK((lengths.sentence(1).find("are not searched for: 7.8 KiB") != std::string::npos) ==
          device.is_gpu());
    choice.gpu_memory_bytes = 8000;
    lengths = analysis::SmoothingLengths(choice);
    lengths.find({}, set, progress);
    CHECK(lengths.of(1).size() == 100);
  }
  choice.neighbors = 0;
  lengths = analysis::SmoothingLengths(choice);
  lengths.find({}, set, progress);
  CHECK(lengths.of(1).empty());
  CHECK(lengths.sentence(1).empty());
}

TEST_CASE("copies of a box have the lengths of the box", "[lengths]") {
  std::mt19937_64 random(5);
  const auto points = ::test::make_points(::test::Kind::Clustered, 1100, random);
  for (const std::uint32_t copies : {2u, 3u}) {
    // Copy after copy, in a box that is as many times as wide, rounded down as the loader does.
    ::test::Points all;
    for (std::uint32_t z = 0; z < copies; ++z)
      for (std::uint32_t y = 0; y < copies; ++y)
        for (std::uint32_t x = 0; x < copies; ++x) {
          const std::array<std::uint32_t, 3> at{x, y, z};
          for (std::size_t a = 0; a < 3; ++a)
            for (const std::uint32_t p : points[a])
              all[a].push_back(std::uint32_t(((std::uint64_t(at[a]) << 32) + p) / copies));
        }
    ParticleSet set;
    set.domain.side = 10 * copies;
    set.domain.periodic = true;
    set.types.push_back(columns_of(1, all));
    Progress progress;
    analysis::LengthsChoice choice;
    choice.keep = io::KeepLengths::Nowhere;
    choice.copies = int(copies);
    analysis::SmoothingLengths lengths(choice);
    lengths.find({}, set, progress);
    const auto expected = lengths_of_all(points, 32, 10 / 4294967296.);
    const double rounding = 2 * std::sqrt(3.) * copies * 10 / 4294967296.;
    REQUIRE(lengths.of(0).size() == all[0].size());
    for (std::size_t i = 0; i < all[0].size(); ++i)
      REQUIRE(std::abs(double(lengths.of(0)[i]) - double(expected[i % 1100])) <
              rounding + 2e-7 * double(expected[i % 1100]));
  }
}

TEST_CASE("lengths that were found are kept, and read where nothing has changed", "[lengths]") {
  const OutputFolder folder;
  const Variable cache("XDG_CACHE_HOME", folder.path("cache"));
  Sample sample(folder);
  const auto first = sample.find();
  CHECK_FALSE(was_read(first, 0));
  CHECK(first.keep(sample.progress).find(sample.kept()) != std::string::npos);
  CHECK(folder.files() == std::vector<std::string>{"snap.hdf5.haloscope-lengths"});
  const auto second = sample.find();
  for (std::size_t k = 0; k < 2; ++k) {
    CHECK(was_read(second, k));
    CHECK(values(second.of(k)) == values(first.of(k)));
  }
  CHECK_FALSE(second.has_unwritten());

  SECTION("another number of neighbors") {
    const auto others = sample.find(9);
    CHECK_FALSE(was_read(others, 0));
    CHECK(values(others.of(0)) != values(first.of(0)));
    others.keep(sample.progress);
    CHECK(was_read(sample.find(9), 0));
    // Those before stay beside them, but one: the file does not grow with each K that was tried.
    const auto former = sample.find(8);
    CHECK(was_read(former, 0));
    CHECK(values(former.of(0)) == values(first.of(0)));
    sample.find(10).keep(sample.progress);
    CHECK(was_read(sample.find(10), 1));
    CHECK(was_read(sample.find(9), 1));
    CHECK_FALSE(was_read(sample.find(8), 1));
    CHECK(std::filesystem::file_size(sample.kept()) == 16 + 4 * (72 + 4 * kMany));
    // Of particles that are others now none stay.
    sample.set.types[0].position[0][0] ^= 1;
    sample.find(8).keep(sample.progress);
    CHECK(std::filesystem::file_size(sample.kept()) == 16 + 3 * (72 + 4 * kMany));
  }
  SECTION("one coordinate of one particle, by the smallest step") {
    sample.set.types[0].position[1][kMany - 1] ^= 1;
    const auto moved = sample.find();
    CHECK_FALSE(was_read(moved, 0));
    CHECK(was_read(moved, 1));
    // What was kept of the other type stays.
    moved.keep(sample.progress);
    const auto again = sample.find();
    CHECK(was_read(again, 0));
    CHECK(was_read(again, 1));
    CHECK(values(again.of(1)) == values(first.of(1)));
  }
  SECTION("two particles in each other's place") {
    for (auto& axis : sample.set.types[0].position) std::swap(axis[4], axis[6]);
    CHECK_FALSE(was_read(sample.find(), 0));
  }
  SECTION("one particle less") {
    sample.set.types[0].count -= 1;
    CHECK_FALSE(was_read(sample.find(), 0));
  }
  SECTION("another box") {
    sample.set.domain.side = 11;
    CHECK_FALSE(was_read(sample.find(), 0));
  }
  SECTION("the file is gone") {
    std::filesystem::remove(sample.kept());
    CHECK(values(sample.find().of(0)) == values(first.of(0)));
  }
}

TEST_CASE("lengths are kept in the cache folder where the user wants that", "[lengths]") {
  const OutputFolder folder;
  const Variable cache("XDG_CACHE_HOME", folder.path("cache"));
  Sample sample(folder);
  const auto find = [&](io::KeepLengths keep) {
    analysis::LengthsChoice choice;
    choice.neighbors = 8;
    choice.keep = keep;
    analysis::SmoothingLengths lengths(choice);
    lengths.find(sample.info, sample.set, sample.progress);
    return lengths;
  };
  const auto nowhere = find(io::KeepLengths::Nowhere);
  CHECK_FALSE(nowhere.has_unwritten());
  const auto first = find(io::KeepLengths::Cache);
  CHECK(first.keep(sample.progress).find(folder.path("cache") + "/haloscope/snap.hdf5-") !=
        std::string::npos);
  CHECK_FALSE(std::filesystem::exists(sample.kept()));
  // They are found there, whatever is wanted of the next ones; nowhere reads none.
  CHECK(was_read(find(io::KeepLengths::Cache), 0));
  CHECK(was_read(find(io::KeepLengths::Beside), 0));
  CHECK_FALSE(was_read(find(io::KeepLengths::Nowhere), 0));
  // Where the cache folder takes no file, none is written beside the snapshot.
  const Variable no_folder("XDG_CACHE_HOME", sample.info.files[0]);
  put_bytes(sample.info.files[0], "no folder");
  CHECK(find(io::KeepLengths::Cache).keep(sample.progress).find("are not kept") !=
        std::string::npos);
  CHECK_FALSE(std::filesystem::exists(sample.kept()));
  const Variable no_cache("XDG_CACHE_HOME", ""), no_home("HOME", "");
  CHECK(find(io::KeepLengths::Cache).keep(sample.progress).find("there is no cache folder") !=
        std::string::npos);
}

TEST_CASE("kept lengths that are damaged are searched for again", "[lengths]") {
  const OutputFolder folder;
  const Variable cache("XDG_CACHE_HOME", folder.path("cache"));
  Sample sample(folder);
  sample.set.types.pop_back();
  sample.set.domain.origin = {-5, 3, 1e9};  // zeros would not show their sign
  const auto key = io::lengths_key(sample.set.domain, sample.set.types[0], 8);
  const std::vector<float> lengths(kMany, 0.5f);
  io::write_lengths(sample.kept(), {{key, lengths.data()}}, sample.progress);
  REQUIRE(io::read_lengths(sample.kept(), key));
  const std::string whole = file_bytes(sample.kept());
  REQUIRE(whole.size() == 16 + 72 + 4 * kMany);
  // Every byte of the heads, and some of the lengths.
  std::vector<std::size_t> places{16 + 72, 16 + 72 + 2 * kMany, whole.size() - 1};
  for (std::size_t i = 0; i < 16 + 72; ++i) places.push_back(i);
  for (const std::size_t place : places)
    for (const int bit : {0, 7}) {
      std::string damaged = whole;
      damaged[place] = char(damaged[place] ^ (1 << bit));
      put_bytes(sample.kept(), damaged);
      INFO("bit " << bit << " of byte " << place);
      CHECK_FALSE(io::read_lengths(sample.kept(), key));
    }
  // Nor are they anybody else's then.
  auto other = key;
  other.neighbors ^= 1;
  std::string renamed = whole;
  renamed[16 + 4] = char(renamed[16 + 4] ^ 1);
  put_bytes(sample.kept(), renamed);
  CHECK_FALSE(io::read_lengths(sample.kept(), other));
  for (const std::size_t size : {std::size_t(0), std::size_t(7), std::size_t(16), std::size_t(87),
                                 std::size_t(88), whole.size() - 1}) {
    put_bytes(sample.kept(), whole.substr(0, size));
    INFO(size << " bytes");
    CHECK_FALSE(io::read_lengths(sample.kept(), key));
  }
  put_bytes(sample.kept(), whole + "x");
  CHECK_FALSE(io::read_lengths(sample.kept(), key));
  // What cannot be used is replaced.
  sample.find().keep(sample.progress);
  CHECK(was_read(sample.find(), 0));
  put_bytes(sample.kept(), whole);
  REQUIRE(io::read_lengths(sample.kept(), key));
}

TEST_CASE("a folder that takes no file is no fault", "[lengths]") {
  const OutputFolder folder;
  const Variable cache("XDG_CACHE_HOME", folder.path("cache"));
  Sample sample(folder);
  // In the way, also of those who may write everywhere.
  std::filesystem::create_directory(sample.kept());
  const std::string kept = sample.find().keep(sample.progress);
  CHECK(kept.find(folder.path("cache/haloscope/snap.hdf5-")) != std::string::npos);
  CHECK(was_read(sample.find(), 0));
  CHECK(was_read(sample.find(), 1));
  std::filesystem::remove_all(folder.path("cache"));
  put_bytes(folder.path("cache"), "");
  const std::string said = sample.find().keep(sample.progress);
  CHECK(said.find("not kept for the next run: ") != std::string::npos);
  // The user named no output here.
  CHECK(said.find("add a file name") == std::string::npos);
  CHECK(said.find("--no-cache") != std::string::npos);
  CHECK(folder.files() == std::vector<std::string>{"cache", "snap.hdf5.haloscope-lengths"});
}

TEST_CASE("pictures are the same with kept lengths, and parts of a snapshot keep none",
          "[lengths][app]") {
  const OutputFolder folder;
  const Variable keep("HALOSCOPE_NO_CACHE", "");
  // So many that each part would be worth keeping.
  const std::string snapshot = write_dark_matter(folder, 2 * kMany);
  const std::string kept = snapshot + ".haloscope-lengths", output = folder.path("a.png");
  const auto draw = [&](std::vector<std::string> more, const std::string& path) {
    std::vector<std::string> words{"render", path,    "-o",       output,
                                   "--size", "96x64", "--device", "cpu"};
    words.insert(words.end(), more.begin(), more.end());
    const auto run = run_program(words);
    INFO(run.err);
    REQUIRE(run.code == 0);
    return run;
  };
  const std::vector<std::vector<std::string>> parts{{"--region", "1,1,1,9.9,9.9,9.9"},
                                                    {"--every", "2"},
                                                    {"--replicate", "2"},
                                                    {"--no-cache"},
                                                    {"--neighbors", "0"}};
  for (const auto& part : parts) {
    draw(part, snapshot);
    INFO(part[0]);
    CHECK_FALSE(std::filesystem::exists(kept));
  }
  const auto first = draw({}, snapshot);
  CHECK(
      first.says("assumed: 140000 dm particles have no smoothing length in the file: it is the "
                 "distance to the 32nd nearest other one of them."));
  CHECK(first.says("smoothing lengths "));  // the phase
  CHECK(first.says("Kept the smoothing lengths"));
  CHECK(std::filesystem::exists(kept));
  const std::string picture = file_bytes(output);
  const auto second = draw({}, snapshot);
  CHECK(second.says("as kept in " + kept));
  CHECK_FALSE(second.says("Kept the"));
  CHECK(file_bytes(output) == picture);
  CHECK_FALSE(draw({"--no-cache"}, snapshot).says("as kept"));
  CHECK_FALSE(draw({"--every", "2"}, snapshot).says("as kept"));
  CHECK(draw({"--neighbors", "0"}, snapshot).says("estimated from the local spacing"));
  CHECK(run_program({"render", snapshot, "-o", output, "--neighbors", "129"}).is_fault());
  // The folder still holds one snapshot.
  std::filesystem::remove(output);
  CHECK(draw({}, folder.path()).says("as kept in"));
}

TEST_CASE("the neighbors that were used are told, where there are fewer than asked for",
          "[lengths][app]") {
  const OutputFolder folder;
  const std::string snapshot = write_dark_matter(folder, 9);
  const auto run = run_program({"render", snapshot, "-o", folder.path("a.png"), "--size", "8x8",
                                "--device", "cpu", "--no-cache"});
  INFO(run.out);
  CHECK(
      run.says("it is 1.59 times the distance to the 8th nearest other one of them, for want of "
               "32 others"));
}
