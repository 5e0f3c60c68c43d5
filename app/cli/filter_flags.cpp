#include "app/cli/filter_flags.h"

#include "app/cli/add_option.h"
#include "app/cli/snapshot_flags.h"
#include "core/error.h"
#include "core/text_values.h"

namespace haloscope::app::cli {

namespace {

io::ValueRange parse_where(const std::string& text) {
  const auto colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0)
    throw Error("'" + text + "' is not FIELD:LOW,HIGH", "--where",
                "write it as in Temperature:1e5,1e7");
  const auto limits = parse_range("--where", text.substr(colon + 1));
  return {text.substr(0, colon), limits[0], limits[1]};
}

}  // namespace

void add_filter_options(CLI::App& command, io::ParticleFilter& filter) {
  add_text(
      command, "--sphere", "x,y,z,radius",
      "Only particles in this sphere, in the file's lengths; in a periodic box also across its "
      "edges",
      [&filter](const std::string& text) {
        const auto v = parse_numbers("--sphere", text, 4);
        if (!(v[3] > 0)) throw Error("the radius is not above 0", "--sphere");
        filter.sphere = io::Sphere{{v[0], v[1], v[2]}, v[3]};
      })
      ->group(kWhichParticles);
  command
      .add_option_function<std::vector<std::string>>(
          "--where",
          [&filter](const std::vector<std::string>& texts) {
            for (const auto& text : texts) filter.values.push_back(parse_where(text));
          },
          "Only particles with LOW <= FIELD < HIGH, of types that have the field; several times: "
          "all must hold")
      ->type_name("FIELD:LOW,HIGH")
      ->allow_extra_args(false)
      ->group(kWhichParticles);
}

void add_filter_options(CLI::App& command, analysis::FilterOptions& options) {
  add_filter_options(command, options.filter);
  command
      .add_option("--ids-of", options.ids_of,
                  "Only particles with the IDs of those of another snapshot, such as a selection "
                  "that was written before")
      ->type_name("SNAPSHOT")
      ->group(kWhichParticles);
}

}  // namespace haloscope::app::cli
