// Splotch's files: parameters, a scene file, a palette, and a raw table read as they say.

#include "core/error.h"
#include "core/log.h"
#include "fuzz/input_files.h"
#include "fuzz/read_everything.h"
#include "io/splotch/splotch_parameters.h"
#include "io/splotch/splotch_scene.h"
#include "render/colors/palette.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace haloscope;
  static const log::Sink former = log::set_sink([](log::Level, const std::string&) {});
  const auto parts = fuzz::split_input(data, size, 4);
  static const char* const names[] = {"demo.par", "demo.scene", "demo.pal", "demo.bin"};
  fuzz::InputFiles files;
  for (std::size_t i = 0; i < parts.size(); ++i) files.add(names[i], parts[i]);
  try {
    if (parts.size() > 2) {
      const render::Palette palette = render::read_palette(files.path("demo.pal"));
      for (const float t : {-1.0F, 0.0F, 0.3F, 1.0F, 2.0F}) render::sample(palette, t);
      render::reversed(palette);
    }
  } catch (const Error&) {
  }
  try {
    io::SplotchParameters parameters = io::read_splotch_parameters(files.path("demo.par"));
    // Only what the input brings is opened, never another file of this machine.
    if (!parameters.scene_file.empty()) parameters.scene_file = files.path("demo.scene");
    for (const auto& frame : io::read_splotch_frames(parameters))
      io::splotch_snapshot_path(frame.parameters);
    const io::OpenOptions::RawTable table = io::splotch_raw_table(parameters);
    io::OpenOptions options;
    options.raw_table = &table;
    if (parts.size() > 3) fuzz::read_snapshot(files.path("demo.bin"), size, options);
  } catch (const Error&) {
  }
  return 0;
}
