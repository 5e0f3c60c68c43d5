#include "analysis/snapshot/snapshot_options.h"

#include "analysis/snapshot/sidecar_options.h"
#include "core/error.h"
#include "io/loading/override_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

namespace haloscope::analysis {

namespace {

constexpr const char* kAllowMissing = "allow-missing";
constexpr const char* kAllowOutside = "allow-outside";
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

std::vector<std::string> sidecar_words() {
  std::vector<std::string> words{kAllowMissing, kAllowOutside, kRaw};
  for (const auto& word : io::override_words()) words.emplace_back(word.word);
  return words;
}

io::OpenOptions merge_sidecar(const std::string& snapshot, const SnapshotOptions& options) {
  const io::SidecarChoice sidecar = io::choose_sidecar(snapshot);
  const auto entries = io::read_sidecar(sidecar.path, sidecar_words());
  io::OpenOptions open = merge_entries(entries, options);
  if (sidecar.of_folder && !entries.empty())
    open.overrides.source = said_by_folder(sidecar, entries);
  return open;
}

io::OpenOptions merge_entries(std::vector<io::SidecarEntry> entries,
                              const SnapshotOptions& options) {
  io::OpenOptions open;
  std::stable_partition(entries.begin(), entries.end(),
                        [](const auto& entry) { return entry.word != kComoving; });
  for (const auto& entry : entries) {
    if (const auto* word = io::find_override_word(entry.word))
      word->set(open.overrides, entry.text, entry.where);
    else if (entry.word == kAllowMissing)
      open.allow_missing_files = parse_flag(entry.text, entry.where);
    else if (entry.word == kAllowOutside)
      throw Error("a sidecar file cannot allow to read outside the snapshot's folder", entry.where,
                  "say it only on the command line (--allow-outside), and take out this line");
    else
      open.raw = io::parse_raw_description(entry.text, entry.where);
  }
  for (const bool last : {false, true})
    for (const auto& [word, text] : options.words)
      if (last == (word == kComoving))
        io::find_override_word(word)->set(open.overrides, text, "--" + word);
  open.allow_missing_files = open.allow_missing_files || options.allow_missing;
  open.allow_outside_files = options.allow_outside;
  if (!options.raw.empty()) open.raw = io::parse_raw_description(options.raw, "--raw");
  open.replicate = options.replicate;
  return open;
}

}  // namespace haloscope::analysis
