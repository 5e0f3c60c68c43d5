#include "app/cli/measure_outputs.h"

#include "core/error.h"
#include "core/version.h"
#include "io/tables/hdf5_datasets.h"
#include "render/plots/plot_svg.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace haloscope::app::cli {

namespace {

using analysis::OutputFormat;

}  // namespace

void MeasureOutputs::require_targets() const {
  for (const std::string& path : paths)
    analysis::require_target(path, analysis::measured_format(path), {overwrite});
}

void write_measurement(const MeasureOutputs& outputs, const MeasureContent& content,
                       Progress& progress) {
  for (const std::string& path : outputs.paths)
    if (analysis::measured_format(path) == OutputFormat::Svg && content.plot.is_empty())
      throw Error(content.plot.why_empty, path, "write .csv or .hdf5");
  for (const std::string& path : outputs.paths) switch (analysis::measured_format(path)) {
      case OutputFormat::Csv:
        analysis::write_text(path, content.csv);
        break;
      case OutputFormat::Svg:
        analysis::write_text(path, render::plot_svg(content.plot));
        break;
      default:
        io::write_hdf5_datasets(path, content.datasets.all(), content.provenance, progress);
    }
}

std::map<std::string, std::string> origin_texts(const std::vector<std::string>& files,
                                                const std::string& command_line,
                                                const std::vector<std::string>& said) {
  return {{"Program", "haloscope"},
          {"Version", version()},
          {"Snapshot", analysis::names_of_files(files)},
          {"CommandLine", command_line},
          {"Said", fmt::format("{}", fmt::join(said, " "))}};
}

}  // namespace haloscope::app::cli
