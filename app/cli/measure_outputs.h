#pragma once

#include "analysis/measuring/measured_file.h"
#include "analysis/plot.h"
#include "analysis/snapshot/output_guard.h"
#include "core/progress.h"

#include <map>
#include <string>
#include <vector>

namespace haloscope::app::cli {

// The files of a measurement.
struct MeasureOutputs {
  std::vector<std::string> paths;
  bool overwrite = false;

  // Throws Error where one cannot be written or must not be replaced.
  void require_targets() const;
};

// What is written, each where it is asked for.
struct MeasureContent {
  std::string csv;
  const analysis::MeasuredDatasets& datasets;
  const analysis::Plot& plot;
  std::map<std::string, std::string> provenance;
};

// Throws Error before anything is written where a plot is asked for that has nothing to show.
void write_measurement(const MeasureOutputs& outputs, const MeasureContent& content,
                       Progress& progress);

// What analysis::origin_lines() tell, as provenance.
std::map<std::string, std::string> origin_texts(const std::vector<std::string>& files,
                                                const std::string& command_line,
                                                const std::vector<std::string>& said);

}  // namespace haloscope::app::cli
