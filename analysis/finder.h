#pragma once

#include "analysis/finding.h"
#include "analysis/option_parsing/any_options.h"
#include "analysis/snapshot/output_guard.h"
#include "analysis/snapshot/resident_points.h"
#include "analysis/snapshot/snapshot_options.h"
#include "compute/exec/device.h"
#include "compute/exec/ranks.h"
#include "core/progress.h"
#include "core/snapshot_info.h"
#include "core/vector.h"
#include "io/snapshot_reader.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace haloscope::analysis {

// The words by which users meet an analysis.
struct FinderWords {
  std::string name;           // of commands, states and the command line: "halos"
  std::string piece, pieces;  // "halo", "halos"; both empty: it finds fields, and no pieces
  std::string help;           // one line
  // A sentence for the window where there is no piece, and no value of any field.
  std::string none_found;
  // Whether a piece is seen by its place alone: a cross in the picture, not a circle. A peak's
  // cells may reach over half of the box, and no sphere shows which they are.
  bool places_alone = false;
  bool has_grid = false;  // a slice of its grid can be shown (Finding::peaks)

  // The command that finds, where that is not `find NAME`: "load_halos FILE".
  std::string how = {};
  // What is found, where more than one there cannot be: "the whole snapshot".
  std::string only = {};
  // What a button says that finds; empty: "Find halos".
  std::string button = {};

  bool has_pieces() const { return !pieces.empty(); }
  // What is found, amid a sentence: "halos", "the whole snapshot"; where that is no pieces, the
  // name: "nearest neighbor".
  std::string found() const;
  std::string way() const { return how.empty() ? "find " + name : how; }
  std::string button_words() const { return button.empty() ? "Find " + found() : button; }
};

// A name amid a sentence: "mass_function" → "mass function".
std::string spaced(std::string name);

// What so many pieces of what was found are called, amid a sentence: "void" of 1, where the
// finder's word is "peak".
std::string piece_word(const Finding& found, const FinderWords& words, std::uint64_t count);

// At the beginning of a sentence.
std::string capitalized(std::string words);

// Options that are set together for a search that is usual in the field.
struct OptionPreset {
  std::string name;  // "halos (82, 200)"
  std::string help;  // a sentence: where its numbers are from
  std::vector<std::pair<std::string, std::string>>
      values;  // names and texts, as commands have them
};

struct FindRequest {
  compute::Device device;
  // Rows of the search are those of the snapshot's files: not where it is repeated.
  bool rows_of_files = true;
  // Where the snapshot's positions are, if they were loaded before, with the same overrides.
  std::shared_ptr<const ResidentPoints> resident;
  // Only labels and summary are needed: pictures that take nothing but the colors of the pieces.
  bool only_labels = false;
  // What was found before in the same snapshot with options that share_work(); null: nothing.
  std::shared_ptr<const Finding> known = nullptr;
  // That search together, where the finder can: all call it, and rank 0 has what was found. Null:
  // this process alone.
  compute::Ranks* ranks = nullptr;
  // Over ranks, what rank 0 needs: IDs and labels of all members; of a grid the labels of all
  // cells, and their values.
  bool lists_members = true, labels_of_cells = true, values_of_cells = true;
};

// An analysis that finds something in a snapshot. Command line, commands, window, states and files
// know it by this interface alone; finders.cpp lists them.
class Finder {
 public:
  explicit Finder(FinderWords words) : words_(std::move(words)) {}
  virtual ~Finder() = default;
  const FinderWords& words() const { return words_; }
  const std::string& name() const { return words_.name; }

  // The options with their defaults.
  virtual AnyOptions options() const = 0;
  // Throws OptionError for options that no search can be asked for: it looks at each option's own
  // range, then calls check(). `info`: of the snapshot that is searched; null: not known yet.
  void require_options(const AnyOptions& options, const SnapshotInfo* info) const;
  // Chooses options that the user of the window has not given (`given`: their names).
  virtual void complete(AnyOptions& options, const std::set<std::string>& given,
                        const SnapshotInfo& info) const;
  // Whether complete() may choose this option.
  virtual bool completes_option(const std::string& name) const;

  // What the window offers beside single options; the first one is the default options.
  virtual std::vector<OptionPreset> presets() const { return {}; }

  // Searches. `finder`, `options` and `files` of what is found need not be filled in. Throws
  // OptionError, Error and Cancelled.
  virtual Finding find(const io::SnapshotReader& reader, const AnyOptions& options,
                       const FindRequest& request, Progress& progress) const = 0;

  // Whether a search with these options can take the larger part of its work from what was found.
  virtual bool shares_work(const Finding& found, const AnyOptions& options) const;
  // Whether it has to read the snapshot first even so, and take_again() cannot be asked.
  virtual bool needs_reading(const Finding& found, const AnyOptions& options) const;
  // Takes pieces and labels from what was found with options that share_work(), without reading the
  // snapshot: Finding::measured is false. Throws OptionError.
  virtual Finding take_again(const Finding& found, const AnyOptions& options) const;
  // Throws OptionError where take_again() would, in no time.
  virtual void check_again(const Finding& found, const AnyOptions& options) const;
  // The options that cut what was found elsewhere: `where` as the finder writes cuts, with so many
  // members at least (none: as before). Throws OptionError where that is no cut, and where nothing
  // is cut.
  virtual AnyOptions cut_elsewhere(const AnyOptions& options, const std::string& where,
                                   std::optional<std::uint64_t> members) const;

  // The piece that a point of the snapshot, code units, lies in; none: in no piece, or pieces are
  // not known by place, or not until they are measured.
  virtual std::optional<std::uint64_t> piece_at(const Finding& found, const Vec& point) const;

  // The pieces that begin and end at values within these, ends included, as the plot of_pairs shows
  // them; ascending. None where there is no such plot.
  virtual std::vector<std::uint64_t> pieces_within(const Finding& found,
                                                   const std::array<double, 2>& births,
                                                   const std::array<double, 2>& deaths) const;

  // Throws Error unless what such a search finds can be written to `path`.
  virtual void require_output(const std::string& path, const AnyOptions& options,
                              const Overwriting& overwriting) const;
  // Writes the catalog; where there is none, the fields.
  virtual void write(const std::string& path, const Finding& finding,
                     const std::string& command_line, Progress& progress) const;

 protected:
  // Throws OptionError for what an option's own range does not tell; see require_options().
  virtual void check(const AnyOptions& options, const SnapshotInfo* info) const;

 private:
  FinderWords words_;
};

// A finder whose options are the struct O.
template <class O>
class FinderOf : public Finder {
 public:
  using Finder::Finder;
  AnyOptions options() const override { return O{}; }
  Finding find(const io::SnapshotReader& reader, const AnyOptions& options,
               const FindRequest& request, Progress& progress) const final {
    return search(reader, options.as<O>(), request, progress);
  }
  virtual Finding search(const io::SnapshotReader& reader, const O& options,
                         const FindRequest& request, Progress& progress) const = 0;
};

// All of them, the first is the usual one.
const std::vector<std::shared_ptr<const Finder>>& finders();
std::vector<std::string> finder_names();
// Null: there is none of that name.
const Finder* finder_named(const std::string& name);
// The same; throws Error that lists the names.
const Finder& require_finder(const std::string& name);

// Adds one as long as it lives, behind the others; for tests. No other thread may search or read
// the list meanwhile.
class AddedFinder {
 public:
  explicit AddedFinder(std::shared_ptr<const Finder> finder);
  ~AddedFinder();
  AddedFinder(const AddedFinder&) = delete;
  AddedFinder& operator=(const AddedFinder&) = delete;

 private:
  std::shared_ptr<const Finder> finder_;
};

// Opens a snapshot and searches in it. Throws Error, with options as the window writes them, and
// Cancelled.
std::shared_ptr<const Finding> find_in(const std::string& snapshot, const SnapshotOptions& said,
                                       const std::string& finder, const AnyOptions& options,
                                       const FindRequest& request, Progress& progress);
// The same in a snapshot that is open; throws OptionError.
std::shared_ptr<const Finding> find_in(const io::SnapshotReader& reader, const std::string& finder,
                                       const AnyOptions& options, const FindRequest& request,
                                       Progress& progress);

// Finder::take_again() of what found.finder found, with its name, options and files.
std::shared_ptr<const Finding> take_again(const Finding& found, const AnyOptions& options);

}  // namespace haloscope::analysis
