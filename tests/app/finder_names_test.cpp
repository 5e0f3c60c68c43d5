// Names of analyses, their options and their pieces stand beside others in commands, on the command
// line and in saved states: none may be one of those.

#include "analysis/option_parsing/option_names.h"
#include "analysis/run_context.h"
#include "app/cli/find.h"
#include "app/session/command_table.h"
#include "app/session/command_text.h"
#include "app/session/state_fields.h"
#include "tests/catch.h"
#include "tests/command_line.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace haloscope {

// Where the visits of a state are found.
namespace app::session {

// A visitor of a state that lists keys which stand twice in one section.
class KeysTwice {
 public:
  template <class T>
  using Names = std::vector<std::pair<const char*, T>>;

  std::vector<std::string> twice;

  template <class T>
  void flag(const char* name, const T&) {
    add(name);
  }
  template <class T>
  void number(const char* name, const T&) {
    add(name);
  }
  template <class T>
  void positive(const char* name, const T&) {
    add(name);
  }
  void within(const char* name, double, double, double) { add(name); }
  template <class T>
  void count(const char* name, const T&, int = 0) {
    add(name);
  }
  template <class T>
  void text(const char* name, const T&) {
    add(name);
  }
  template <class T>
  void texts(const char* name, const T&) {
    add(name);
  }
  template <class T>
  void text_if_any(const char* name, const T&) {
    add(name);
  }
  template <class T>
  void texts_if_any(const char* name, const T&) {
    add(name);
  }
  template <class T>
  void numbers(const char* name, const T&) {
    add(name);
  }
  template <class T>
  void rotation(const char* name, const T&) {
    add(name);
  }
  template <class T>
  void limits(const char* name, const T&) {
    add(name);
  }
  template <class T>
  void color(const char* name, const T&) {
    add(name);
  }
  template <class T>
  void choice(const char* name, const T&, const Names<T>&) {
    add(name);
  }
  template <class T>
  void optional_choice(const char* name, const std::optional<T>&, const Names<T>&) {
    add(name);
  }
  template <class T>
  void section(const char* name, T& value) {
    add(name);
    KeysTwice inner;
    visit(inner, value);
    twice.insert(twice.end(), inner.twice.begin(), inner.twice.end());
  }
  template <class T>
  void section(const char* name, std::optional<T>&) {
    T value{};
    section(name, value);
  }
  template <class T>
  void numbered_sections(const char* name, std::map<int, T>&) {
    T value{};
    section(name, value);
  }
  template <class T>
  void list(const char* name, std::vector<T>&) {
    T value{};
    section(name, value);
  }

 private:
  void add(const std::string& name) {
    if (!known_.insert(name).second) twice.push_back(name);
  }

  std::set<std::string> known_{"version"};
};

}  // namespace app::session

namespace {

using Words = std::vector<std::string>;

// A word of commands, files and the command line that needs no quotes.
bool is_plain(const std::string& name) {
  return !name.empty() && name[0] >= 'a' && name[0] <= 'z' && !name.ends_with('_') &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
         });
}

bool is_phrase(const std::string& words) {
  return std::all_of(words.begin(), words.end(),
                     [](char c) { return (c >= 'a' && c <= 'z') || c == ' ' || c == '-'; });
}

bool holds(const Words& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

void find_faults_of_name(const std::string& name, Words& faults) {
  if (!is_plain(name)) faults.push_back("no plain word");
  const Words names = analysis::finder_names();
  if (std::count(names.begin(), names.end(), name) != 1) faults.push_back("a finder's twice");
  if (holds(app::session::type_words(), name)) faults.push_back("a type of particles");
  for (const app::session::Command& command : app::session::command_table())
    for (const app::session::Argument& argument : command.arguments)
      if (argument.kind == app::session::ArgumentKind::Finder && holds(argument.choices, name))
        faults.push_back("a word of " + command.name);
}

// Whether the command line can be made of all finders.
bool has_flags_of_its_own() {
  Progress progress;
  analysis::RunContext context{progress, [](const std::string&) {}, {}};
  std::function<void()> run;
  CLI::App program;
  try {
    app::cli::add_find_commands(program, context, run);
  } catch (const CLI::Error&) {
    return false;
  }
  return true;
}

// What a finder of those that are listed would break by its names.
Words faults_of(const analysis::Finder& finder) {
  Words faults;
  const analysis::FinderWords& words = finder.words();
  find_faults_of_name(finder.name(), faults);
  std::set<std::string> options;
  for (const std::string& option : analysis::names_of(finder.options()))
    if (!is_plain(option) || !options.insert(option).second) faults.push_back("option " + option);
  if (words.piece.empty() != words.pieces.empty() || !is_phrase(words.piece) ||
      !is_phrase(words.pieces))
    faults.push_back("words for pieces");
  app::session::State state;
  state.selection.finder = finder.name();
  state.selection.search = finder.options();
  app::session::KeysTwice keys;
  visit(keys, state);
  for (const std::string& key : keys.twice) faults.push_back("a state's key " + key);
  // Its own command of the command line.
  if (!has_flags_of_its_own()) {
    faults.push_back("a flag of its command");
    return faults;
  }
  const auto help = test::run_program({finder.name(), "--help"});
  if (help.code != 0 || !help.says(words.help)) faults.push_back("a command of the program");
  return faults;
}

// One option, of any name.
struct OneOption {
  std::string name = "weight";
  std::uint64_t value = 1;
  bool operator==(const OneOption&) const = default;
};

template <class V>
void visit(V& v, OneOption& o) {
  v.count(o.name.c_str(), o.value, 1, {.help = "An option", .label = "Option"});
}

class NamedFinder final : public analysis::FinderOf<OneOption> {
 public:
  NamedFinder(analysis::FinderWords words, const std::string& option)
      : FinderOf(std::move(words)), option_(option) {}
  analysis::AnyOptions options() const override { return OneOption{option_, 1}; }
  analysis::Finding search(const io::SnapshotReader&, const OneOption&,
                           const analysis::FindRequest&, Progress&) const override {
    return {};
  }

 private:
  std::string option_;
};

Words faults_of(const std::string& name, const std::string& option = "weight",
                const std::string& piece = "knot", const std::string& pieces = "knots") {
  const auto finder = std::make_shared<NamedFinder>(
      analysis::FinderWords{name, piece, pieces, "Finds by a name", "There is none."}, option);
  const analysis::AddedFinder added(finder);
  return faults_of(*finder);
}

}  // namespace

TEST_CASE("no finder's names are those of something else", "[finders]") {
  for (const auto& finder : analysis::finders()) {
    INFO(finder->name());
    if (finder->name() != "halos") CHECK(faults_of(*finder).empty());
  }
  // The command `haloscope halos` is an older one of its own.
  CHECK(faults_of(*analysis::finder_named("halos")) == Words{"a command of the program"});
}

TEST_CASE("names that would break commands, files or the command line are found", "[finders]") {
  CHECK(faults_of("knots").empty());
  CHECK(faults_of("knots", "searched").empty());
  CHECK(faults_of("knots", "limits").empty());
  CHECK(faults_of("knots", "weight", "", "").empty());
  CHECK(holds(faults_of("off"), "a word of color_by"));
  CHECK(holds(faults_of("gas"), "a type of particles"));
  CHECK(holds(faults_of("halos"), "a finder's twice"));
  CHECK(holds(faults_of("Big knots"), "no plain word"));
  CHECK(holds(faults_of("camera"), "a state's key camera"));
  CHECK(holds(faults_of("version"), "a state's key version"));
  CHECK(faults_of("render") == Words{"a command of the program"});
  CHECK(faults_of("knots", "plot") == Words{"a flag of its command"});
  CHECK(holds(faults_of("knots", "two words"), "option two words"));
  CHECK(faults_of("knots", "weight", "knot", "") == Words{"words for pieces"});
}

}  // namespace haloscope
