#include "analysis/grids/particle_grid.h"
#include "analysis/snapshot/density_sentence.h"
#include "analysis/snapshot/json_text.h"
#include "analysis/snapshot/open_snapshot.h"
#include "analysis/snapshot/output_guard.h"
#include "analysis/snapshot/statistics.h"
#include "analysis/snapshot/tell_sentences.h"
#include "compute/exec/named_range.h"
#include "compute/exec/rank_devices.h"
#include "compute/exec/ranks.h"
#include "core/atomic_file.h"
#include "core/error.h"
#include "core/text_values.h"
#include "core/version.h"
#include "io/grids/grid_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <memory>
#include <optional>

namespace haloscope::analysis {

namespace {

OutputFormat grid_format(const std::string& path) {
  const std::string ending = lower_case(std::filesystem::path(path).extension().string());
  return ending == ".npy"   ? OutputFormat::Npy
         : ending == ".vti" ? OutputFormat::Vti
                            : OutputFormat::Hdf5;
}

class GridRun {
 public:
  GridRun(const GridCommand& request, RunContext& context, std::optional<compute::Device> device)
      : request_(request), context_(context), given_device_(device) {}

  void run() {
    if (ranks_.first()) check_outputs({request_.snapshot});
    check_grid(request_.choice);
    SnapshotOptions said = request_.said;
    if (several()) check_room();
    // A device that is known by now makes the fields too; else the file is looked at first.
    const bool known = several() || given_device_;
    if (known) {
      choose_device();
      said.device = device_.word();
    }
    reader_ = open_snapshot(request_.snapshot, said);
    if (ranks_.first()) check_outputs(reader_->info().files);
    if (!known) choose_device();
    made_ = make_particle_grid(*reader_, request_.choice, device_, context_.progress, ranks_);
    gather_planes(made_.grid, ranks_);
    if (!ranks_.first()) return;
    odd_density_ = check_density(*reader_, true, context_.progress);
    tell_assumed();
    made_.grid.provenance = provenance();
    {
      const compute::TimedRange timer(made_.timings, "write");
      io::write_grid(request_.output, made_.grid, context_.progress);
    }
    if (!request_.stats.empty()) write_report();
    if (!request_.quiet) say();
  }

 private:
  bool several() const { return ranks_.size() > 1; }

  // With several ranks all call it.
  void choose_device() {
    device_ = given_device_
                  ? *given_device_
                  : compute::choose_device_of_rank(request_.device, ranks_, compute::host_name());
  }

  // The first rank holds the whole grid in the end.
  void check_room() const {
    const auto& cells = request_.choice.cells;
    if (ranks_.first())
      require_room_for_cells(double(cells[0]) * cells[1] * cells[2], sizeof(float), "--size",
                             "choose fewer cells");
  }

  void check_outputs(const std::vector<std::string>& inputs) const {
    const Overwriting overwriting{request_.overwrite};
    io::require_grid_name(request_.output);
    refuse_overwriting({request_.output, request_.stats}, inputs);
    require_target(request_.output, grid_format(request_.output), overwriting);
    if (!request_.stats.empty()) require_target(request_.stats, OutputFormat::Json, overwriting);
  }

  std::vector<std::string> assumed() const {
    std::vector<std::string> all = sentences_of(reader_->info().assumed);
    all.insert(all.end(), made_.said.begin(), made_.said.end());
    if (odd_density_) all.push_back(*odd_density_);
    return all;
  }

  void tell_assumed() const {
    tell_sentences({sentences_of(reader_->info().assumed), made_.said}, request_.quiet, context_);
  }

  std::map<std::string, std::string> provenance() const {
    return {{"Program", "haloscope"},
            {"Version", version()},
            {"Snapshot", fmt::format("{}", fmt::join(reader_->info().files, " "))},
            {"CommandLine", context_.command_line},
            {"Assumed", fmt::format("{}", fmt::join(assumed(), " "))}};
  }

  void write_report() const {
    nlohmann::json milliseconds = nlohmann::json::object();
    const Timings summed = made_.timings.summed();
    for (const auto& [phase, samples] : summed.samples()) milliseconds[phase] = samples.front();
    const Grid& grid = made_.grid;
    const nlohmann::json report = {
        {"device", device_.word()},
        {"ranks", ranks_.size()},
        {"snapshot", request_.snapshot},
        {"grid",
         {{"name", grid.name},
          {"unit", grid.unit},
          {"cells", grid.cells},
          {"low", grid.low},
          {"cell_size", grid.spacing},
          {"length_unit", grid.length_unit},
          {"mean", made_.summary.mean},
          {"empty", made_.summary.empty}}},
        {"counts", {{"particles", made_.particles}, {"left_out", made_.left_out}}},
        {"quantum", made_.quantum},
        {"milliseconds", milliseconds},
        {"memory", {{"host_peak_bytes", peak_host_memory()}}}};
    const std::string text = json_text(report) + "\n";
    AtomicFile file(request_.stats);
    file.write(text.data(), text.size());
    file.commit();
  }

  void say() const {
    const Grid& grid = made_.grid;
    context_.print(fmt::format("{}{}: {}", grid.name,
                               grid.unit.empty() ? "" : " [" + grid.unit + "]",
                               cells_in_words(grid)));
    context_.print(fmt::format("{} particles; from {:.6g} to {:.6g}, mean {}{:.6g}, {} cells {}",
                               made_.particles, made_.summary.lowest, made_.summary.highest,
                               request_.choice.overdensity || request_.choice.log ? "before " : "",
                               made_.summary.mean, made_.summary.empty,
                               request_.choice.log ? "are empty" : "are 0"));
    std::string times = fmt::format("milliseconds on {}{}:", device_.word(),
                                    compute::ranks_in_words(ranks_.size()));
    const Timings summed = made_.timings.summed();
    for (const char* phase :
         {"read", "smoothing lengths", "quanta", "assign", "smooth", "values", "write"})
      if (summed.samples().count(phase))
        times += fmt::format(" {} {:.1f}", phase, summed.median(phase));
    context_.print(times);
    context_.print("wrote " + request_.output);
  }

  const GridCommand& request_;
  RunContext& context_;
  compute::Ranks& ranks_ = compute::ranks_or_alone(context_.ranks);
  std::unique_ptr<io::SnapshotReader> reader_;
  const std::optional<compute::Device> given_device_;
  compute::Device device_;
  std::optional<std::string> odd_density_;  // was told in the log
  ParticleGrid made_;
};

}  // namespace

void run_grid(const GridCommand& request, RunContext& context,
              std::optional<compute::Device> device) {
  GridRun(request, context, device).run();
}

}  // namespace haloscope::analysis
