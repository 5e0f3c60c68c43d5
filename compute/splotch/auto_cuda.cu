#include "compute/exec/cpu.h"
#include "compute/exec/side_stream.cuh"
#include "compute/splotch/auto_cuda.cuh"
#include "compute/splotch/large_cpu.h"
#include "compute/splotch/list_writer.cuh"
#include "compute/splotch/phase_timer.cuh"
#include "compute/splotch/plain_runs.cuh"
#include "compute/splotch/run_groups.cuh"

#include <algorithm>
#include <bit>
#include <chrono>
#include <future>
#include <memory>
#include <optional>

namespace haloscope::compute::splotch {

namespace {

// Plain runs are drawn apart where there are so many particles for each pixel: with fewer it takes
// as long (H200: 2 a pixel the same within a tenth, 9 a pixel up to a third less).
constexpr std::uint64_t kPlainPerPixel = 4;
// Runs are sorted by their places on the image where there are so many particles for each pixel
// (H200: 9 a pixel take as long, 54 a pixel a twentieth less).
constexpr std::uint64_t kSortedPerPixel = 16;
// Runs of larger boxes are sparse where they are not sorted: few of them share a window (H200, 9
// particles a pixel).
constexpr int kUnsortedSide = 56;

std::vector<Splat> download_splats(Cuda& exec, const WideSplat* from, std::size_t count) {
  std::vector<WideSplat> wide(count);
  exec.download(wide.data(), from, count * sizeof(WideSplat));
  std::vector<Splat> out;
  out.reserve(count);
  for (const WideSplat& s : wide)
    if (s.radius > 0)  // not one of the places that a warp left over
      out.push_back(
          {s.ix, s.iy, s.fx, s.fy, s.radius, {s.emission[0], s.emission[1], s.emission[2]}, 0.f});
  return out;
}

// Whether all radii are one and the same, so that any number of splats alike may lie at one place,
// where the errors of products add up. Lengths by the distance of neighbors keep them apart.
bool has_one_radius(const Layer& layer, const RunCounters& counters) {
  if (layer.shading.fixed_radius != 0) return true;
  const auto most = std::bit_cast<float>(counters.most_radius);
  return most <= 1.01f * std::bit_cast<float>(~counters.least_radius_inverted);
}

// The level of the widest splat in the lists, of those up to `coarsest`.
int level_of_widest(const RunCounters& counters, int coarsest) {
  // Packed radii are rounded.
  constexpr float kRounded = 1.0001f;
  return level_of(kRounded * std::bit_cast<float>(counters.widest), coarsest);
}

// Copies the counters to the host, and sets them to 0.
__global__ void tell_counters(RunCounters* counters, RunCounters* told) {
  *told = *counters;
  *counters = {};
}

}  // namespace

struct AutoCuda::Timers {
  PhaseTimer runs, lists, wide, large;
  explicit Timers(Cuda& exec) : runs(exec), lists(exec), wide(exec), large(exec) {}
};

AutoCuda::AutoCuda(Cuda& exec)
    : exec_(exec),
      splat_bins_(exec),
      side_(exec),
      counters_(exec, 1, "counters"),
      counted_(exec),
      medium_drawing_(exec),
      large_drawing_(exec) {}
AutoCuda::~AutoCuda() = default;

std::shared_ptr<AutoCuda::Timers> AutoCuda::free_timers() {
  const auto free = std::find_if(timers_.begin(), timers_.end(),
                                 [](const auto& timers) { return timers.use_count() == 1; });
  return free != timers_.end() ? *free : timers_.emplace_back(std::make_shared<Timers>(exec_));
}

template <Mode M>
void AutoCuda::draw(const Layer& layer, const Run* runs, const Projector<Real<M>>& projector,
                    const Options& options, float* image, std::vector<float>& host_image,
                    Levels<Cuda>* levels, Counts& counts, Timings& timings, LaterTimes& later) {
  if (layer.columns.count == 0) return;
  // Room for what each warp may leave unused, which differs from pass to pass, and a quarter more:
  // 32 warps a multiprocessor of draw_runs(), and of each kernel of plain runs.
  const std::size_t spare =
      std::size_t(exec_.multiprocessors()) * 128 * ListWriter::kPlaces * 5 / 4;
  const bool large_apart = !levels && options.large != LargeOn::Gpu;
  const bool packed = M == Mode::Default && !options.exact && !large_apart &&
                      std::max(projector.width, projector.height) <= PackedRange::kWidest;
  const std::size_t words = packed ? 1 : sizeof(WideSplat) / sizeof(PackedSplat);
  wide_.reserve(exec_, spare * words, "splats for the tile pass");
  large_.reserve(exec_, spare, "large splats");
  auto* pixels = reinterpret_cast<float4*>(image);
  const Cells picture{image, projector.width, projector.height, 0};

  RunsTask task{};
  task.runs = runs;
  task.run_count = unsigned((layer.columns.count + kRun - 1) / kRun);
  task.large_radius = kLargeRadius;
  task.large_apart = large_apart;
  groups_.reserve(exec_, bytes_of_groups(task.run_count), "groups of runs");
  task.groups = reinterpret_cast<RunGroup*>(groups_.data());
  const auto pixel_count = std::uint64_t(projector.width) * std::uint64_t(projector.height);
  task.plain_apart = M == Mode::Default && !options.exact && !large_apart &&
                     can_draw_plain(exec_) && has_plain_look(layer) &&
                     layer.columns.count >= kPlainPerPixel * pixel_count;
  if (task.plain_apart && layer.columns.count >= kSortedPerPixel * pixel_count) {
    task.order = order_for(projector.width, projector.height);
    order_.reserve(exec_, task.run_count, "order of runs");
    places_.reserve(exec_, task.run_count, "order of runs");
    order_bins_.reserve(exec_, task.order.bin_count + 1, "order of runs");
    task.order.runs = order_.data();
    task.order.places = places_.data();
    task.order.bins = order_bins_.data();
  }
  if (task.plain_apart)
    task.splat_bins = splat_bins_.bins(projector.width, projector.height, layer.columns.count);
  task.windowed_side = task.order.runs ? kLargeWindowSide : kUnsortedSide;
  task.counters = counters_.data();
  task.image = pixels;
  // Where lists are to be expected, bins are drawn beside them, by a half of the GPU.
  std::optional<SideStream::Fork> beside;
  const auto half_of_bins = [&] {
    draw_bins(exec_, task.splat_bins, projector.width, projector.height, pixels,
              half_of_bin_blocks(exec_));
  };
  auto pass = [&](bool lists_only) {
    task.lists_only = lists_only;
    const auto countable = [](std::size_t n) {
      return unsigned(std::min<std::size_t>(n, 0xffffffffu));
    };
    task.wide = {wide_.data(), countable(wide_.size() / words), packed};
    task.large = {large_.data(), countable(large_.size()), false};
    if (!counters_are_zero_) exec_.zero(counters_.data(), sizeof(RunCounters));
    counters_are_zero_ = false;
    const bool has_bins = task.splat_bins.chunk_count > 0 && !lists_only;
    const bool shares = has_bins && medium_drawing_.expects(runs);
    draw_runs<M>(exec_, projector, layer, task, side_, [&] {
      if (shares) beside.emplace(side_).run(half_of_bins);
    });
    prefer_shared_memory<tell_counters>(exec_);
    tell_counters<<<1, 1, 0, exec_.stream()>>>(counters_.data(), counted_.on_device());
    check_cuda(cudaGetLastError(), "counters");
    counters_are_zero_ = true;
    counted_.mark_written(exec_);
    // The host goes on once there are counters, while bins are drawn.
    if (has_bins && !shares)
      draw_bins(exec_, task.splat_bins, projector.width, projector.height, pixels);
    return counted_.wait();
  };

  // Each of them as it is timed below.
  std::optional<NamedRange> phase("small");
  const auto timers = free_timers();
  timers->runs.restart();
  RunCounters c = pass(false);
  const RunCounters tally = c;
  while (c.wide > task.wide.capacity || c.large_listed > task.large.capacity) {
    // Bins may still be drawn. reserve() waits for them, so that the memory that it gives back can
    // be taken again.
    beside.reset();
    const auto reserve = [&] {
      exec_.synchronize();
      wide_.reserve(exec_, (c.wide + spare) * words, "splats for the tile pass");
      large_.reserve(exec_, c.large_listed + spare, "large splats");
    };
    try {
      reserve();
    } catch (const Error&) {
      // Pictures can be drawn without bins.
      splat_bins_.give_up();
      task.splat_bins = {};
      reserve();
    }
    c = pass(true);
  }
  timers->runs.stop();
  phase.reset();

  const double fraction = large_apart ? share_.cpu_fraction(options.large, tally.large_updates) : 0;
  const auto on_cpu = std::size_t(fraction * double(c.large_listed));
  std::future<double> cpu_work;
  std::size_t drawn_on_cpu = 0;
  double handover_ms = 0;
  if (on_cpu > 0) {
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    auto since = [](Clock::time_point t) {
      return std::chrono::duration<double, std::milli>(Clock::now() - t).count();
    };
    if (host_image.empty())
      host_image.assign(4 * std::size_t(projector.width) * std::size_t(projector.height), 0.f);
    auto splats = download_splats(exec_, large_.data(), on_cpu);
    handover_ms = since(start);
    drawn_on_cpu = splats.size();
    cpu_work = std::async(std::launch::async,
                          [&host_image, &projector, since, splats = std::move(splats)] {
                            const NamedRange range("large");
                            const auto begin = Clock::now();
                            Cpu cpu;
                            splat_on_cpu<M>(cpu, splats.data(), splats.size(), projector.width,
                                            projector.height, host_image.data());
                            return since(begin);
                          });
  }

  phase.emplace("sort");
  timers->lists.restart();
  timers->lists.stop();
  timers->wide.restart();
  const bool exact = options.exact || (M == Mode::Default && has_one_radius(layer, c));
  if (levels) levels->touch_up_to(level_of_widest(c, levels->coarsest()));
  // Its runs tell a layer from others.
  medium_drawing_.begin<M>({task.wide, c.wide, picture, levels, exact}, runs, [&] {
    timers->lists.stop();
    phase.emplace("medium");
  });
  if (beside) {
    half_of_bins();
    beside->join();
  }
  splat_bins_.empty(task.splat_bins);
  timers->wide.stop();
  phase.emplace("large");
  timers->large.restart();
  const SplatList rest{large_.data() + on_cpu, task.large.capacity - unsigned(on_cpu), false};
  large_drawing_.begin<M>({rest, c.large_listed - unsigned(on_cpu), picture, levels, exact}, runs);
  timers->large.stop();
  phase.reset();

  const double medium_again_ms = medium_drawing_.finish(), large_again_ms = large_drawing_.finish();
  double cpu_ms = 0;
  if (large_apart) {
    const double gpu_ms = large_again_ms + timers->large.milliseconds();
    share_.record_gpu(tally.large_updates * (1 - fraction), gpu_ms);
  }
  if (cpu_work.valid()) {
    cpu_ms = cpu_work.get();
    share_.record_cpu(tally.large_updates * fraction, cpu_ms);
    share_.record_overhead(handover_ms + 4e-6 * double(projector.width) * double(projector.height));
    cpu_ms += handover_ms;
  }
  // Projecting, culling, small and narrow medium splats are one pass: reported as "small". Bins
  // that are drawn beside lists have no time of their own.
  later.push_back([&timings, timers, medium_again_ms, large_again_ms, cpu_ms] {
    const double lists = timers->lists.milliseconds();
    timings.add("small", timers->runs.milliseconds());
    timings.add("sort", lists);
    timings.add("medium", timers->wide.milliseconds() - lists + medium_again_ms);
    timings.add("large", std::max(cpu_ms, timers->large.milliseconds() + large_again_ms));
  });

  const auto active_before = counts.small + counts.medium + counts.large;
  const double radius_sum = counts.mean_radius_pixels * double(active_before) + tally.radius_sum;
  counts.small += tally.small;
  counts.medium += tally.medium;
  counts.large += tally.large;
  counts.inactive += layer.columns.count - tally.small - tally.medium - tally.large;
  counts.large_on_cpu += drawn_on_cpu;
  counts.pixel_updates += tally.updates;
  const auto active = counts.small + counts.medium + counts.large;
  counts.mean_radius_pixels = active ? radius_sum / double(active) : 0;
}

#define HALOSCOPE_INSTANTIATE(MODE)                                                         \
  template void AutoCuda::draw<Mode::MODE>(                                                 \
      const Layer&, const Run*, const Projector<Real<Mode::MODE>>&, const Options&, float*, \
      std::vector<float>&, Levels<Cuda>*, Counts&, Timings&, LaterTimes&);
HALOSCOPE_INSTANTIATE(Classic)
HALOSCOPE_INSTANTIATE(Default)
#undef HALOSCOPE_INSTANTIATE

}  // namespace haloscope::compute::splotch
