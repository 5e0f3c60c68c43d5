#include "app/session/completion.h"

#include "analysis/measuring/phase_options.h"
#include "analysis/measuring/profile_options.h"
#include "app/session/command_table.h"
#include "app/session/command_text.h"
#include "core/error.h"
#include "core/text_values.h"
#include "render/colors/palette.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>

namespace haloscope::app::session {

namespace {

constexpr std::size_t kMostNumbers = 12;  // of pieces: nobody reads a list of thousands
constexpr const char* kOverwriteWord = "overwrite";

// A line as it is typed: what comes before its last word, and that word, which may be empty.
struct TypedLine {
  std::vector<std::string> words;  // whole ones
  std::string head;                // up to the last word
  std::string last;
};

std::optional<TypedLine> read_typed(const std::string& line) {
  TypedLine typed;
  std::vector<Word> words;
  try {
    words = split_unfinished(line);
  } catch (const Error&) {  // half of an escape
    return {};
  }
  typed.head = line;
  const std::size_t end = words.empty() ? 0 : words.back().end;
  // Behind the last word stand blanks, or a comment.
  if (line.find_first_not_of(" \t", end) != std::string::npos) return {};
  if (!words.empty() && end == line.size()) {
    typed.head = line.substr(0, words.back().begin);
    typed.last = words.back().text;
    words.pop_back();
  }
  for (const Word& word : words) typed.words.push_back(word.text);
  return typed;
}

// The argument that the last word is; null: the command's name, or one too many.
const Argument* argument_of(const TypedLine& typed) {
  const Command* const command = typed.words.empty() ? nullptr : find_command(typed.words[0]);
  if (!command || command->arguments.empty()) return nullptr;
  const std::size_t place = typed.words.size() - 1;
  if (place < command->arguments.size()) return &command->arguments[place];
  return command->arguments.back().many ? &command->arguments.back() : nullptr;
}

struct Candidate {
  std::string word, help = {};
};
using Candidates = std::vector<Candidate>;

Candidates plain(const std::vector<std::string>& words) {
  Candidates all;
  for (const std::string& word : words) all.push_back({word});
  return all;
}

// Types that the snapshot lacks are no use.
Candidates types_of(const SceneFacts& scene, const std::vector<std::string>& words) {
  if (!scene.open) return plain(words);
  Candidates all;
  const auto& known = type_words();
  for (const std::string& word : words) {
    const bool is_type =
        word != "all" && std::find(known.begin(), known.end(), word) != known.end();
    const bool there = std::any_of(scene.types.begin(), scene.types.end(),
                                   [&](int type) { return type_name(type) == word; });
    if (!is_type || there) all.push_back({word});
  }
  return all;
}

// Of what stands before the last word: the finder, the particle type.
struct Before {
  const analysis::Finder* finder = nullptr;
  std::optional<std::string> type;
};

Before before_last(const Command& command, const TypedLine& typed) {
  Before before;
  for (std::size_t k = 0; k < command.arguments.size() && k + 1 < typed.words.size(); ++k) {
    const ArgumentKind kind = command.arguments[k].kind;
    if (kind == ArgumentKind::Finder) before.finder = analysis::finder_named(typed.words[k + 1]);
    if (kind == ArgumentKind::Type) before.type = lower_case(typed.words[k + 1]);
  }
  return before;
}

// Of the snapshot's particles of that type; where the command names a finder before it, of what
// that has found.
Candidates fields_of(const Command& command, const Before& before, const SceneFacts& scene) {
  std::set<std::string> fields;
  if (command.arguments.front().kind == ArgumentKind::Finder) {
    const auto found = scene.finding_fields.find(before.finder ? before.finder->name() : "");
    if (found != scene.finding_fields.end())
      for (const auto& [field, scale] : found->second) fields.insert(field);
  } else {
    for (const auto& [type, names] : scene.fields)
      if (!before.type || *before.type == "all" || *before.type == type_name(type) ||
          *before.type == std::to_string(type))
        fields.insert(names.begin(), names.end());
  }
  return plain({fields.begin(), fields.end()});
}

Candidates option_words(const std::vector<std::string>& names) {
  Candidates all;
  for (const std::string& name : names) all.push_back({name + "="});
  return all;
}

// What may stand behind the "=" of an option: the words of a choice, on and off, types.
class OptionValues {
 public:
  explicit OptionValues(std::string name) : name_(std::move(name)) {}
  template <class T>
  void types(const char* name, const T&, const analysis::OptionAbout& about) {
    if (name != name_) return;
    is_types = true;
    add(about.empty);
  }
  template <class T>
  void positive(const char*, const T&, const analysis::OptionAbout&) {}
  template <class T>
  void length(const char*, const T&, const analysis::OptionAbout&) {}
  template <class T>
  void count(const char* name, const T&, int, const analysis::OptionAbout& about) {
    if (name == name_) add(about.zero);
  }
  void flag(const char* name, bool, const analysis::OptionAbout&) {
    if (name == name_) values = switch_words();
  }
  void text(const char* name, const std::string&, const analysis::OptionAbout& about) {
    if (name == name_) add(about.empty);
  }
  template <class T>
  void choice(const char* name, const T&, const analysis::OptionWords<T>& words,
              const analysis::OptionAbout&) {
    if (name != name_) return;
    for (const auto& [word, value] : words) values.emplace_back(word);
  }

  std::vector<std::string> values;
  bool is_types = false;

 private:
  void add(const char* word) {
    if (*word) values.emplace_back(word);
  }
  std::string name_;
};

template <class O>
OptionValues values_of(const std::string& name, O options) {
  OptionValues values(name);
  visit(values, options);
  return values;
}

// Behind "KEY=", and of a list behind its last comma.
Candidates option_values(const Command& command, const Before& before, const TypedLine& typed,
                         const SceneFacts& scene) {
  const std::string key = typed.last.substr(0, typed.last.find('='));
  OptionValues values(key);
  if (command.name == "profile")
    values = values_of(key, analysis::ProfileOptions{});
  else if (command.name == "phase")
    values = values_of(key, analysis::PhaseOptions{});
  else if (before.finder)
    values = values_of(key, before.finder->options());
  Candidates all = plain(values.values);
  if (values.is_types)
    for (const auto& one : types_of(scene, type_words()))
      if (one.word != "all" && !one.word.empty() && !std::isdigit(one.word.front()))
        all.push_back(one);
  const bool is_field = command.name == "phase" && (key == "x" || key == "y" || key == "weight");
  if (is_field)
    for (const auto& one : fields_of(command, before, scene)) all.push_back(one);
  const auto behind = typed.last.find_last_of(values.is_types ? "=," : "=");
  for (Candidate& one : all) one.word = typed.last.substr(0, behind + 1) + one.word;
  return all;
}

// `profile` takes a structure first, `phase` fields, `find` what its finder takes.
Candidates option_words(const Command& command, const Before& before, const TypedLine& typed,
                        const SceneFacts& scene) {
  if (typed.last.find('=') != std::string::npos)
    return option_values(command, before, typed, scene);
  Candidates all;
  if (command.name == "profile") {
    Argument structures;
    structures.of_pieces = true;
    if (typed.words.size() == 1) all = plain(offered_finders(structures));
    for (const auto& option : option_words(analysis::names_of(analysis::ProfileOptions{})))
      all.push_back(option);
  } else if (command.name == "phase") {
    if (typed.words.size() < 3) all = fields_of(command, before, scene);
    for (const auto& option : option_words(analysis::names_of(analysis::PhaseOptions{})))
      all.push_back(option);
  } else if (before.finder) {
    all = option_words(analysis::names_of(before.finder->options()));
  }
  return all;
}

// The selected one first.
Candidates pieces_of(const Before& before, const SceneFacts& scene, const State& state) {
  const std::string finder = before.finder ? before.finder->name() : state.shown_finder;
  const auto count = scene.piece_counts.find(finder);
  if (count == scene.piece_counts.end()) return {};
  Candidates all;
  const auto selected = state.finding(finder).selected;
  if (selected) all.push_back({std::to_string(*selected), "selected"});
  for (std::uint64_t k = 0; k < count->second && all.size() < kMostNumbers; ++k)
    if (k != selected) all.push_back({std::to_string(k), k == 0 ? "the first of the table" : ""});
  return all;
}

Candidates keys_of(const State& state) {
  Candidates all;
  for (std::size_t k = 0; k < state.path.size(); ++k)
    all.push_back({std::to_string(k + 1), fmt::format("at {:g} s", state.path[k].seconds)});
  return all;
}

Candidates snapshots_of(const State& state) {
  Candidates all;
  for (std::size_t k = 0; k < state.snapshots.size(); ++k)
    all.push_back(
        {std::to_string(k), std::filesystem::path(state.snapshots[k]).filename().string()});
  return all;
}

Candidates colors_of_sets() {
  Candidates all;
  for (const auto& color : analysis::set_colors()) all.push_back({color.name});
  all.push_back({"own", "the particles' own colors"});
  return all;
}

Candidates things_named(const Command& command, const Argument& argument, const TypedLine& typed,
                        const SceneFacts& scene, const State& state) {
  const Before before = before_last(command, typed);
  Candidates all;
  switch (argument.named) {
    case Named::Field:
      return fields_of(command, before, scene);
    case Named::ColorMap:
      return plain(render::palette_names());
    case Named::Color:
      return colors_of_sets();
    case Named::Set:
      for (const auto& set : state.sets) all.push_back({set.name});
      return all;
    case Named::Bookmark:
      for (const auto& bookmark : state.bookmarks) all.push_back({bookmark.name});
      return all;
    case Named::Plot:
      return plain(scene.plots);
    case Named::Option:
      return option_words(command, before, typed, scene);
    case Named::Piece:
      return pieces_of(before, scene, state);
    case Named::Key:
      return keys_of(state);
    case Named::Snapshot:
      return snapshots_of(state);
    case Named::Nothing:
    case Named::File:
      return {};
  }
  return {};
}

Candidates candidates(const Command& command, const Argument& argument, const TypedLine& typed,
                      const SceneFacts& scene, const State& state) {
  if (argument.kind == ArgumentKind::Finder) return plain(offered_finders(argument));
  if (argument.kind == ArgumentKind::OnOff) return plain(switch_words());
  if (argument.kind == ArgumentKind::Type) return types_of(scene, type_words());
  if (argument.kind == ArgumentKind::Colored) return types_of(scene, colored_words());
  if (argument.kind == ArgumentKind::Choice) return plain(argument.choices);
  Candidates all = things_named(command, argument, typed, scene, state);
  // Of many words the fixed ones stand first in the line.
  if (!argument.many || typed.words.size() == 1)
    for (const std::string& word : argument.choices) all.push_back({word});
  return all;
}

// 0: begins so; 1: a later word of the name begins so; 2: holds it; 3: no match.
int rank(const std::string& name, const std::string& typed) {
  const auto at = lower_case(name).find(lower_case(typed));
  if (at == std::string::npos) return 3;
  if (at == 0) return 0;
  return name[at - 1] == '_' ? 1 : 2;
}

std::vector<Completion> ranked(const Candidates& all, const TypedLine& typed, bool more) {
  std::vector<Completion> found;
  for (const int wanted : {0, 1, 2})
    for (const auto& one : all)
      if (rank(one.word, typed.last) == wanted)
        found.push_back({typed.head + as_word(one.word), one.word, one.help, wanted == 0,
                         more && !one.word.ends_with('=') && !one.word.ends_with(':')});
  return found;
}

std::vector<Completion> commands_with(const TypedLine& typed) {
  Candidates all;
  for (const auto& command : command_table()) all.push_back({command.name, command.help});
  auto found = ranked(all, typed, false);
  for (Completion& one : found) {
    const Command& command = *find_command(one.word);
    one.more = !command.arguments.empty();
  }
  return found;
}

// The folder has sorted out by itself which of its names fit; ~ stands for the home folder.
std::vector<Completion> files_with(const TypedLine& typed, const std::vector<std::string>& files,
                                   bool more) {
  std::vector<Completion> found;
  for (const std::string& file : files)
    found.push_back({typed.head + as_word(file), file, {}, true, more && !file.ends_with('/')});
  return found;
}

}  // namespace

std::vector<Completion> complete(const std::string& typed, const SceneFacts& scene,
                                 const State& state, const std::vector<std::string>& files) {
  const auto line = read_typed(typed);
  if (!line) return {};
  if (line->words.empty()) return commands_with(*line);
  const Command* const command = find_command(line->words[0]);
  if (!command) return {};
  const std::size_t place = line->words.size();  // from 1
  const bool more = place < command->arguments.size() || command->writes ||
                    (!command->arguments.empty() && command->arguments.back().many);
  Candidates all;
  std::vector<Completion> found;
  if (const Argument* const argument = argument_of(*line)) {
    if (argument->named == Named::File) found = files_with(*line, files, more);
    all = candidates(*command, *argument, *line, scene, state);
  }
  if (command->writes && place > 1 && !line->last.empty())
    all.push_back({kOverwriteWord, "replace a file of others"});
  for (Completion& one : ranked(all, *line, more)) {
    if (one.word == kOverwriteWord) one.more = false;
    found.push_back(std::move(one));
  }
  return found;
}

std::optional<std::string> path_in(const std::string& typed) {
  const auto line = read_typed(typed);
  if (!line || line->words.empty()) return {};
  const Argument* const argument = argument_of(*line);
  if (!argument || argument->named != Named::File) return {};
  return line->last;
}

std::string usage_in(const std::string& typed) {
  const auto line = read_typed(typed);
  const Command* const command =
      line && !line->words.empty() ? find_command(line->words[0]) : nullptr;
  return command ? usage(*command) + "\n" + command->help : std::string();
}

}  // namespace haloscope::app::session
