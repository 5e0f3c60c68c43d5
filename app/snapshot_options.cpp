#include "app/snapshot_options.h"

#include "app/add_option.h"
#include "app/text_values.h"
#include "core/error.h"
#include "io/loading/override_words.h"
#include "io/loading/replicate.h"
#include "io/loading/sidecar.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

namespace haloscope::app {

namespace {

constexpr const char* kAllowMissing = "allow-missing";
constexpr const char* kRaw = "raw";
// Said of its own it comes after the unit of length, whose word may say it as well.
constexpr std::string_view kComoving = "comoving";

bool parse_flag(const std::string& text, const std::string& where) {
  if (text != "yes" && text != "no") throw Error("'" + text + "' is not yes or no", where);
  return text == "yes";
}

// A folder's sidecar may have been written long ago, of another output.
std::string said_by_folder(const io::SidecarChoice& sidecar,
                           const std::vector<io::SidecarEntry>& entries) {
  std::vector<std::string> words;
  for (const auto& entry : entries) words.push_back(entry.word);
  return fmt::format("The folder's {} gives {}.", sidecar.path, fmt::join(words, ", "));
}

}  // namespace

std::vector<std::pair<std::string, std::string>> SnapshotOptions::entries() const {
  std::vector<std::pair<std::string, std::string>> all(words.begin(), words.end());
  if (allow_missing) all.emplace_back(kAllowMissing, "yes");
  if (!raw.empty()) all.emplace_back(kRaw, raw);
  return all;
}

void add_snapshot_options(CLI::App& command, SnapshotOptions& options) {
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

void add_selection_options(CLI::App& command, io::Selection& selection) {
  add_text(command, "--region", "x0,y0,z0,x1,y1,z1",
           "Only particles in this box, in the file's lengths; in a periodic one it may reach over "
           "the edge",
           [&selection](const std::string& text) {
             const auto v = parse_numbers("--region", text, 6);
             selection.region = io::Region{{v[0], v[1], v[2]}, {v[3], v[4], v[5]}};
           })
      ->group(kWhichParticles);
  add_count(command, "--every", "N", "One random particle of each N, with N times its mass",
            selection.every, 1)
      ->group(kWhichParticles);
  add_count(command, "--max-particles", "COUNT",
            "The same with the smallest N that leaves at most this many of all types together",
            selection.max_particles, 1)
      ->group(kWhichParticles);
}

std::vector<std::string> sidecar_words() {
  std::vector<std::string> words{kAllowMissing, kRaw};
  for (const auto& word : io::override_words()) words.emplace_back(word.word);
  return words;
}

io::OpenOptions merge_sidecar(const std::string& snapshot, const SnapshotOptions& options) {
  io::OpenOptions open;
  const io::SidecarChoice sidecar = io::choose_sidecar(snapshot);
  auto entries = io::read_sidecar(sidecar.path, sidecar_words());
  if (sidecar.of_folder && !entries.empty())
    open.overrides.source = said_by_folder(sidecar, entries);
  std::stable_partition(entries.begin(), entries.end(),
                        [](const auto& entry) { return entry.word != kComoving; });
  for (const auto& entry : entries) {
    if (const auto* word = io::find_override_word(entry.word))
      word->set(open.overrides, entry.text, entry.where);
    else if (entry.word == kAllowMissing)
      open.allow_missing_files = parse_flag(entry.text, entry.where);
    else
      open.raw = io::parse_raw_description(entry.text, entry.where);
  }
  for (const bool last : {false, true})
    for (const auto& [word, text] : options.words)
      if (last == (word == kComoving))
        io::find_override_word(word)->set(open.overrides, text, "--" + word);
  open.allow_missing_files = open.allow_missing_files || options.allow_missing;
  if (!options.raw.empty()) open.raw = io::parse_raw_description(options.raw, "--raw");
  open.replicate = options.replicate;
  return open;
}

}  // namespace haloscope::app
