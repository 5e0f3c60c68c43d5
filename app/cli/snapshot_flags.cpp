#include "app/cli/snapshot_flags.h"

#include "app/cli/add_option.h"
#include "core/error.h"
#include "core/text_values.h"
#include "io/loading/override_words.h"

#include <charconv>

namespace haloscope::app::cli {

namespace {

std::uint64_t parse_count(const std::string& option, const std::string& text) {
  std::uint64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error == std::errc() && end == text.data() + text.size() && count > 0) return count;
  // "1e6" is how people write a million.
  const double number = parse_number(option, text);
  if (!(number >= 1 && number < 1e18) || double(std::uint64_t(number)) != number)
    throw Error("'" + text + "' is not a whole number from 1 on", option);
  return std::uint64_t(number);
}

}  // namespace

void add_snapshot_options(CLI::App& command, analysis::SnapshotOptions& options) {
  const char* group = "What the file does not say, or says wrongly";
  for (const auto& word : io::override_words()) {
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
  command
      .add_option("--replicate", options.replicate,
                  "Repeat a periodic box K times along each axis, as one box")
      ->type_name("K");
}

void add_selection_options(CLI::App& command, io::Selection& selection) {
  add_text(command, "--region", "x0,y0,z0,x1,y1,z1",
           "Only particles in this box, in the file's lengths; in a periodic one it may reach over "
           "the edge",
           [&selection](const std::string& text) {
             const auto v = parse_numbers("--region", text, 6);
             selection.region = io::Region{{v[0], v[1], v[2]}, {v[3], v[4], v[5]}};
           })
      ->group(kWhichParticles);
  add_text(
      command, "--every", "N", "One random particle of each N, with N times its mass",
      [&selection](const std::string& text) { selection.every = parse_count("--every", text); })
      ->group(kWhichParticles);
  add_text(command, "--max-particles", "COUNT",
           "The same with the smallest N that leaves at most this many of all types together",
           [&selection](const std::string& text) {
             selection.max_particles = parse_count("--max-particles", text);
           })
      ->group(kWhichParticles);
}

}  // namespace haloscope::app::cli
