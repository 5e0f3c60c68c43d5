#pragma once

#include "app/cli/render.h"
#include "compute/exec/device.h"
#include "tests/output_folder.h"
#include "tests/test_paths.h"

#include <functional>
#include <string>
#include <vector>

namespace haloscope::test {

// What `haloscope render` wrote and said.
struct Drawn {
  std::string picture;             // bytes
  std::vector<std::string> lines;  // without times
  int ranks = 0;
};

// The sample, small and to the last bit, by one rank on each device, or without devices by one
// process on the processor.
inline Drawn picture_on(const std::vector<compute::Device>& devices, const std::string& output,
                        const std::function<void(render::RenderRequest&)>& more = {}) {
  render::RenderRequest request;
  request.snapshot = sample_file();
  request.output = output;
  request.size = PixelSize{96, 61};
  request.keep_lengths = io::KeepLengths::Nowhere;
  request.compute.device = "cpu";
  request.compute.deterministic = true;
  if (more) more(request);
  Drawn drawn;
  Progress progress;
  analysis::RunContext context{progress,
                               [&](const std::string& line) {
                                 if (line.find("milliseconds on") == std::string::npos)
                                   drawn.lines.push_back(line);
                               },
                               "haloscope render"};
  drawn.ranks = app::cli::run_render_on(devices, request, context).ranks;
  drawn.picture = file_bytes(output);
  return drawn;
}

}  // namespace haloscope::test
