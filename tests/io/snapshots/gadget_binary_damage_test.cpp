// Binary Gadget snapshots: damage, and files that simulations wrote.

#include "tests/catch.h"
#include "tests/made/gadget_binary_sample.h"
#include "tests/test_paths.h"

#include <cmath>
#include <cstring>
#include <numeric>

using namespace gadget_binary_sample;
using haloscope::test::message_of;
using haloscope::test::OutputFolder;

TEST_CASE("a damaged binary Gadget file is told in one sentence") {
  const OutputFolder folder;
  auto damaged = [&](const std::string& bytes) {
    write_bytes(folder.path("s"), bytes);
    return failure(folder.path("s"));
  };
  const Sample sample(GadgetBinary{});
  const std::string good = sample.file.bytes();
  auto with_word = [&](std::size_t offset, std::uint32_t word) {
    std::string bytes = good;
    std::memcpy(bytes.data() + offset, &word, 4);
    return bytes;
  };
  auto has = [](const std::string& text, const std::string& part) {
    INFO(text);
    CHECK(text.find(part) != std::string::npos);
  };
  has(damaged(good.substr(0, 100)), "ends within the header");
  has(damaged(good.substr(0, 600)), "truncated: block 2 needs");
  has(damaged(with_word(264, 0xfffffff0U)), "truncated: block 1 needs 4294967288 bytes");
  has(damaged(with_word(264, 176)), "the lengths before and behind block 1 differ");
  has(damaged(with_word(4, 0x7fffffff)), "promises more particles");
  has(damaged(with_word(4, 6)), "the block of positions has 180 bytes, expected 4 or 8 bytes");
  has(damaged(with_word(260, 255)), "lengths around the header's record differ");
  has(damaged(with_word(4 + 124, 5000)), "its name lacks the number");
  has(damaged(with_word(4 + 124, 0xffffffffU)), "the number of files in the header");
  has(damaged(with_word(4 + 132, 0x7ff80000)), "BoxSize in the header is");

  // Every truncation and many flipped bits: an Error or a snapshot, nothing else.
  for (const int format : {1, 2}) {
    GadgetBinary options;
    options.format = format;
    const std::string whole = Sample(options).file.bytes();
    for (std::size_t length = 0; length < whole.size(); length += 7)
      CHECK_FALSE(damaged(whole.substr(0, length)).empty());
    std::uint64_t state = 1;
    for (int i = 0; i < 3000; ++i) {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      std::string bytes = whole;
      const std::size_t at = std::size_t(state >> 33) % (i % 2 ? bytes.size() : 320);
      bytes[at] = char(bytes[at] ^ (1 << (state >> 29 & 7)));
      write_bytes(folder.path("s"), bytes);
      message_of([&] {
        const auto reader = open_snapshot(folder.path("s"));
        for (const auto& [type, info] : reader->info().types)
          for (const auto& field : info.fields) read_all(*reader, type, field.name);
      });
    }
  }
}

TEST_CASE("GADGET-4's formats 1 and 2 equal its HDF5") {
  const auto hdf5 = test::shared_data("data/gadget4/dm64/snapshot_006.hdf5");
  if (!hdf5) return;
  const auto one = open_snapshot(hdf5->string());
  const auto positions = read_all(*one, 1, "Coordinates");
  const auto velocities = read_all(*one, 1, "Velocities");
  const auto ids = read_all<std::uint64_t>(*one, 1, "ParticleIDs");
  for (const char* name :
       {"snapshot_006.format1", "multi_format2", "multi_format2/snapshot_006.2"}) {
    const auto path = test::shared_data(std::string("data/gadget4/dm64_formats/") + name);
    if (!path) return;
    INFO(name);
    const auto reader = open_snapshot(path->string());
    const SnapshotInfo& info = reader->info();
    CHECK(info.types.size() == 1);
    CHECK(info.types.at(1).count == 262144);
    CHECK(info.types.at(1).uniform_mass == Approx(0.5093952));
    CHECK(info.box_size == 25);
    CHECK(info.periodic);
    CHECK(info.cosmology.hubble_param == Approx(0.678).epsilon(0.05));
    CHECK(*info.cosmology.redshift == Approx(0).margin(1e-9));
    CHECK_FALSE(says(info, "promises"));
    CHECK(read_all(*reader, 1, "Velocities") == velocities);
    CHECK(read_all<std::uint64_t>(*reader, 1, "ParticleIDs") == ids);
    const auto other = read_all(*reader, 1, "Coordinates");
    double worst = 0;
    for (std::size_t i = 0; i < other.size(); ++i) {
      const double d = std::abs(other[i] - positions[i]);
      worst = std::max(worst, std::min(d, 25 - d));
    }
    CHECK(worst < 25 * 1e-7);
  }
}

TEST_CASE("a real format 1 file reads as numpy reads it") {
  const auto path = test::shared_data("data/real/gadget1_binary/snapshot_100");
  if (!path) return;
  const auto reader = open_snapshot(path->string());
  const SnapshotInfo& info = reader->info();
  REQUIRE(info.types.size() == 3);
  CHECK_FALSE(info.periodic);
  CHECK(says(info, "Not cosmological"));
  // Figures of an independent reading with numpy.
  struct Expected {
    int type;
    std::uint64_t count, id_sum;
    double x, velocity_y, mass;
  };
  for (const auto& expected :
       {Expected{1, 20000, 200010000, 1.3977139, -0.3025385, 90.320231393},
        Expected{2, 100000, 7000050000, -1.0467124, -1.7213784, 4.990934031},
        Expected{3, 10000, 1250005000, -1.0953984, -3.8785595, 0.907029462}}) {
    const double n = double(expected.count);
    CHECK(info.types.at(expected.type).count == expected.count);
    CHECK(info.types.at(expected.type).uniform_mass == 0);
    double x = 0, velocity_y = 0, mass = 0;
    const auto positions = read_all(*reader, expected.type, "Coordinates");
    const auto velocities = read_all(*reader, expected.type, "Velocities");
    for (std::size_t i = 0; i < positions.size(); i += 3) {
      x += positions[i];
      velocity_y += velocities[i + 1];
    }
    for (const double m : read_all(*reader, expected.type, "Masses")) mass += m;
    CHECK(x / n == Approx(expected.x).margin(1e-6));
    CHECK(velocity_y / n == Approx(expected.velocity_y).margin(1e-6));
    CHECK(mass == Approx(expected.mass).epsilon(1e-8));
    const auto ids = read_all<std::uint64_t>(*reader, expected.type, "ParticleIDs");
    CHECK(std::accumulate(ids.begin(), ids.end(), std::uint64_t(0)) == expected.id_sum);
  }
}
