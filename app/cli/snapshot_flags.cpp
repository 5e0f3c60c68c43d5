#include "app/cli/snapshot_flags.h"

#include "app/cli/add_option.h"
#include "core/error.h"
#include "core/text_values.h"
#include "io/loading/override_words.h"
#include "io/loading/replicate.h"

namespace haloscope::app::cli {

void add_snapshot_options(CLI::App& command, analysis::SnapshotOptions& options,
                          const std::string& without) {
  const char* group = "What the file does not say, or says wrongly";
  for (const auto& word : io::override_words()) {
    if (word.word == without) continue;
    const std::string name = std::string("--") + word.word;
    add_text(command, name, word.value, word.help,
             [&options, &word, name](const std::string& text) {
               io::Overrides checked;
               word.set(checked, text, name);
               options.words[word.word] = text;
             })
        ->group(group);
  }
  command
      .add_flag("--allow-missing", options.allow_missing,
                "Go on when files of a multi-file snapshot are missing")
      ->group(group);
  command
      .add_flag("--allow-outside", options.allow_outside,
                "Read what an HDF5 file shows of files outside its folder (external links, virtual "
                "datasets)")
      ->group(group);
  command.add_flag("--allow-missing-files", options.allow_missing)->group("");
  add_text(command, "--raw", "DESCRIPTION",
           "How a table without a header lies in the file, e.g. \"Coordinates:f4x3,Masses:f4\"; "
           "one column after the other: \"x:f4,y:f4,z:f4,Masses:f4;layout=columns\" (there f4x3 "
           "is one block of triples)",
           [&options](const std::string& text) {
             io::parse_raw_description(text, "--raw");
             options.raw = text;
           })
      ->group(group);
  add_count(command, "--replicate", "K",
            "Repeat a periodic box K times along each axis, as one box", options.replicate, 1,
            io::kMostCopies);
}

void add_region_option(CLI::App& command, io::Selection& selection) {
  add_text(command, "--region", "x0,y0,z0,x1,y1,z1",
           "Only particles in this box, in the file's lengths; in a periodic one it may reach over "
           "the edge",
           [&selection](const std::string& text) {
             const auto v = parse_numbers("--region", text, 6);
             selection.region = io::Region{{v[0], v[1], v[2]}, {v[3], v[4], v[5]}};
           })
      ->group(kWhichParticles);
}

void add_selection_options(CLI::App& command, io::Selection& selection) {
  add_region_option(command, selection);
  add_count(command, "--every", "N", "One random particle of each N, with N times its mass",
            selection.every, 1)
      ->group(kWhichParticles);
  add_count(command, "--max-particles", "COUNT",
            "The same with the smallest N that leaves at most this many of all types together",
            selection.max_particles, 1)
      ->group(kWhichParticles);
}

}  // namespace haloscope::app::cli
