#include "benchmarks/pictures_over_gpus.h"

#include "benchmarks/over_gpus.h"
#include "benchmarks/universe.h"
#include "benchmarks/wire_named.h"
#include "compute/exec/device_ranks.h"
#include "compute/exec/ranks.h"
#include "compute/splotch/renderer.h"
#include "core/array.h"
#include "core/domain.h"
#include "core/error.h"

#include <fmt/core.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace haloscope::benchmarks {

namespace {

using namespace compute::splotch;
using compute::Device;
using compute::Ranks;

// Clumps, the same ones for all seeds. Made by all threads, a block of random numbers each.
struct MadeParticles {
  Domain domain;
  std::array<Array<std::uint32_t>, 3> position;
  Array<float> radius, color;

  MadeParticles(std::uint64_t count, double radius_of_view, unsigned seed) {
    domain.side = 2;
    domain.origin = {-1, -1, -1};
    for (auto& column : position) column = Array<std::uint32_t>(count);
    radius = Array<float>(count);
    color = Array<float>(count);
    std::mt19937 places(6);
    std::uniform_real_distribution<float> uniform(0, 1);
    for (auto& center : centers_)
      for (auto& x : center) x = uniform(places) - 0.5f;
    constexpr std::uint64_t kBlock = 1 << 20;
    tbb::parallel_for(std::uint64_t(0), (count + kBlock - 1) / kBlock, [&](std::uint64_t block) {
      std::seed_seq seeds{seed, unsigned(block)};
      make(block * kBlock, std::min(count, (block + 1) * kBlock), radius_of_view, seeds);
    });
  }

  TypeInput input() const {
    TypeInput in;
    in.count = radius.size();
    for (std::size_t c = 0; c < 3; ++c) in.position[c] = position[c].data();
    in.radius = radius.data();
    in.color[0] = color.data();
    return in;
  }

 private:
  void make(std::uint64_t begin, std::uint64_t end, double radius_of_view, std::seed_seq& seeds) {
    std::mt19937 random(seeds);
    std::normal_distribution<float> normal;
    std::uniform_real_distribution<float> uniform(0, 1);
    for (std::uint64_t i = begin; i < end; ++i) {
      const auto& center = centers_[random() % centers_.size()];
      for (std::size_t c = 0; c < 3; ++c)
        position[c][i] = domain.to_fixed(
            std::clamp(double(center[c] + 0.15f * normal(random)), -0.98, 0.98), int(c));
      radius[i] = float(radius_of_view) * std::exp(0.5f * normal(random));
      color[i] = uniform(random);
    }
  }

  std::array<std::array<float, 3>, 40> centers_;
};

std::vector<Options> options_of(const std::vector<std::string>& pictures) {
  std::vector<Options> all;
  for (const std::string& name : pictures) {
    Options& options = all.emplace_back();
    if (name == "deterministic")
      options.deterministic = true;
    else if (name == "map")
      options.mode = Mode::Map;
    else if (name != "light")
      throw Error("'" + name + "' is not light, deterministic or map", "--pictures");
  }
  return all;
}

// Milliseconds and bytes of one kind of picture.
struct Row {
  Statistics wall;
  std::map<std::string, double> phases;  // medians, of the slowest rank
  std::uint64_t sent = 0;                // of the rank that sends most
  std::uint64_t device_bytes = 0;        // of the rank that holds most, until this kind was drawn
};

class PicturesRun {
 public:
  PicturesRun(const PicturesOverGpus& setup, std::vector<Device> devices, std::uint64_t each)
      : setup_(setup),
        kinds_(options_of(setup.pictures)),
        devices_(std::move(devices)),
        each_(each) {}

  // One for each kind.
  std::vector<Row> run() {
    rows_.resize(kinds_.size());
    compute::run_thread_ranks(int(devices_.size()), [&](Ranks& ranks) { on_rank(ranks); });
    return rows_;
  }

 private:
  void on_rank(Ranks& ranks) {
    const Device device = devices_[std::size_t(ranks.rank())];
    const auto renderer = device.is_gpu()
                              ? make_cuda_renderer(device, 0, &ranks, wire_named(setup_.wire))
                              : make_cpu_renderer(&ranks);
    const MadeParticles particles(each_, setup_.radius / setup_.size, 7 + unsigned(ranks.rank()));
    Progress progress;
    renderer->set_particles(particles.domain, {particles.input()}, progress);
    for (std::size_t k = 0; k < rows_.size(); ++k) measure(ranks, *renderer, kinds_[k], rows_[k]);
  }

  void measure(Ranks& ranks, Renderer& renderer, const Options& options, Row& row) const {
    View view;
    view.eye = {0, 0, 3};
    view.perspective = false;
    view.ortho_width = 1;
    view.width = view.height = setup_.size;
    Appearance look;
    look.palette = {{0.1f, 0, 0.2f}, {0.7f, 0.1f, 0.1f}, {1, 0.7f, 0.1f}, {1, 1, 1}};
    look.brightness = 1e-3f;
    Progress progress;
    Timings phases;
    std::vector<double> walls;
    std::uint64_t sent = 0;
    for (int repeat = -2; repeat < setup_.repeats; ++repeat) {
      ranks.barrier();
      const auto begin = std::chrono::steady_clock::now();
      const Frame frame = renderer.render(view, {look}, options, progress);
      ranks.barrier();
      if (repeat < 0) continue;
      walls.push_back(milliseconds_since(begin));
      for (const auto& [phase, samples] : frame.timings.samples())
        phases.add(phase, samples.front());
      sent = frame.sent_bytes;
    }
    const auto slowest = [&](const char* phase) {
      const double own = phases.median(phase);
      double most = 0;
      for (const double ms : ranks.all_gather<double>(std::span<const double>(&own, 1)))
        most = std::max(most, ms);
      return most;
    };
    std::map<std::string, double> medians;
    for (const char* phase : {"draw", "wait", "composite", "gather"})
      medians[phase] = slowest(phase);
    const auto largest = [&](std::uint64_t own) {
      const auto all = ranks.all_gather<std::uint64_t>(std::span<const std::uint64_t>(&own, 1));
      return *std::max_element(all.begin(), all.end());
    };
    const std::uint64_t most_sent = largest(sent);
    const std::uint64_t most_held = largest(renderer.peak_device_memory());
    if (ranks.first()) row = {statistics(walls), medians, most_sent, most_held};
  }

  const PicturesOverGpus& setup_;
  const std::vector<Options> kinds_;
  const std::vector<Device> devices_;
  const std::uint64_t each_;  // particles of a rank
  std::vector<Row> rows_;
};

void print_rows(const PicturesOverGpus& setup, const char* name, std::size_t devices,
                std::uint64_t each, const std::vector<Row>& rows, const std::vector<Row>& one) {
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const Row& row = rows[k];
    fmt::print(
        "{:>10} {:>7} {:>11} {:>14} | {:8.3f} ({:7.2f} to {:7.2f}) {:8.3f} {:8.3f} {:9.3f} {:8.3f} "
        "| {:8.1f} {:8.2f} {:7.3f}\n",
        name, devices, each, setup.pictures[k], row.wall.median, row.wall.low, row.wall.high,
        row.phases.at("draw"), row.phases.at("wait"), row.phases.at("composite"),
        row.phases.at("gather"), double(row.sent) / 1e6, double(row.device_bytes) / 1e9,
        row.wall.median / one[k].wall.median);
  }
  std::fflush(stdout);
}

}  // namespace

void bench_pictures_over_gpus(const PicturesOverGpus& setup) {
  const std::vector<Device> devices = devices_named(setup.devices);
  fmt::print(
      "pictures of {}², median radius {} px, over GPUs; of one the composite is the way to "
      "the host\n",
      setup.size, setup.radius);
  fmt::print(
      "{:>10} {:>7} {:>11} {:>14} | {:>8} {:>20} {:>8} {:>8} {:>9} {:>8} | {:>8} {:>8} {:>7}\n", "",
      "devices", "particles", "picture", "total ms", "(min to p95)", "draw", "wait", "composite",
      "gather", "MB sent", "GB", "of one");
  const auto measured = [&](const std::vector<Device>& on, std::uint64_t each) {
    return PicturesRun(setup, on, each).run();
  };
  const std::vector<Row> one = measured({devices.front()}, setup.count);
  print_rows(setup, "one", 1, setup.count, one, one);
  print_rows(setup, "weak", devices.size(), setup.count, measured(devices, setup.count), one);
  const std::uint64_t part = setup.count / devices.size();
  print_rows(setup, "strong", devices.size(), part, measured(devices, part), one);
}

}  // namespace haloscope::benchmarks
