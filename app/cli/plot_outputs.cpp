#include "app/cli/plot_outputs.h"

#include "analysis/plot_csv.h"
#include "core/atomic_file.h"
#include "core/error.h"
#include "core/text_values.h"
#include "render/plots/plot_svg.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

namespace haloscope::app::cli {

namespace {

// By name, what each plot is written to.
std::map<std::string, std::string> plot_files(const std::vector<std::string>& words) {
  std::map<std::string, std::string> files;
  for (const std::string& word : words) {
    const auto equals = word.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == word.size())
      throw Error(fmt::format("'{}' names no plot and file", word), "--plot",
                  "write NAME=FILE.csv or NAME=FILE.svg");
    if (!files.emplace(word.substr(0, equals), word.substr(equals + 1)).second)
      throw Error(fmt::format("plot '{}' is asked for twice", word.substr(0, equals)), "--plot");
  }
  return files;
}

analysis::OutputFormat plot_format(const std::string& path) {
  const std::string name = lower_case(path);
  if (name.ends_with(".csv")) return analysis::OutputFormat::Csv;
  if (name.ends_with(".svg")) return analysis::OutputFormat::Svg;
  throw Error("a plot cannot be written as this", path, "name it .csv or .svg");
}

void write_plot(const analysis::Finding& finding, const std::string& name, const std::string& path,
                const std::string& command_line) {
  analysis::Plot plot = analysis::require_plot(finding, name, "--plot");
  plot.notes.push_back(command_line);
  const std::string text = plot_format(path) == analysis::OutputFormat::Csv
                               ? analysis::plot_csv(plot)
                               : render::plot_svg(plot);
  AtomicFile file(path);
  file.write(text.data(), text.size());
  file.commit();
}

}  // namespace

void PlotOutputs::add_option(CLI::App& command) {
  command.add_option("--plot", words_, "Write a plot: its numbers (.csv) or .svg")
      ->type_name("NAME=FILE");
}

std::vector<std::string> PlotOutputs::names() const {
  std::vector<std::string> names;
  for (const auto& [name, path] : plot_files(words_)) names.push_back(name);
  return names;
}

std::vector<std::string> PlotOutputs::require_targets(
    const analysis::Overwriting& overwriting) const {
  std::vector<std::string> paths;
  for (const auto& [name, path] : plot_files(words_)) {
    analysis::require_target(path, plot_format(path), overwriting);
    paths.push_back(path);
  }
  return paths;
}

void PlotOutputs::require_plots(const analysis::Finding& finding) const {
  for (const auto& [name, path] : plot_files(words_))
    if (!analysis::find_plot(finding, name)) analysis::require_plot(finding, name, "--plot");
}

EmptyPlots PlotOutputs::write(const analysis::Finding& finding,
                              const std::string& command_line) const {
  EmptyPlots empty;
  for (const auto& [name, path] : plot_files(words_)) {
    const analysis::Plot* const plot = analysis::find_plot(finding, name);
    if (plot && plot->is_empty()) {
      empty.files.push_back(path);
      empty.why = plot->why_empty;
      continue;
    }
    write_plot(finding, name, path, command_line);
  }
  return empty;
}

std::vector<std::string> EmptyPlots::without(const std::vector<std::string>& outputs) const {
  std::vector<std::string> written;
  for (const std::string& path : outputs)
    if (std::find(files.begin(), files.end(), path) == files.end()) written.push_back(path);
  return written;
}

void EmptyPlots::refuse() const {
  if (files.empty()) return;
  throw Error("this plot is not written, because it would be empty: " + why,
              fmt::format("{}", fmt::join(files, ", ")),
              "leave out this --plot; all other files are written");
}

}  // namespace haloscope::app::cli
