#include "app/viewer/panels/search_draft.h"

#include "analysis/option_parsing/option_text.h"
#include "analysis/option_parsing/option_values.h"
#include "app/session/command_text.h"
#include "core/error.h"
#include "core/text_values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace haloscope::app::viewer {

namespace {

using analysis::OptionAbout;

void put(std::array<char, 128>& to, const std::string& text) {
  to = {};
  text.copy(to.data(), to.size() - 1);
}

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ","));
}

// "gas, stars" → "gas,stars"; the names themselves may hold blanks.
std::string without_blanks(const std::string& list) {
  if (list.find_first_not_of(" ") == std::string::npos) return {};
  try {
    return joined(parse_list({}, list));
  } catch (const Error&) {
    return list;  // the command tells what is wrong with it
  }
}

// A visitor that does nothing but where it is told otherwise.
struct EveryOption {
  void types(const char*, std::vector<std::string>&, const OptionAbout&) {}
  template <class T>
  void positive(const char*, T&, const OptionAbout&) {}
  void length(const char*, std::optional<double>&, const OptionAbout&) {}
  template <class T>
  void count(const char*, T&, int, const OptionAbout&) {}
  void flag(const char*, bool&, const OptionAbout&) {}
  void text(const char*, std::string&, const OptionAbout&) {}
  template <class T>
  void choice(const char*, T&, const analysis::OptionWords<T>&, const OptionAbout&) {}
};

struct Lists : EveryOption {
  void types(const char* name, std::vector<std::string>& value, const OptionAbout& about) {
    all[name] = {value, about};
  }
  std::map<std::string, std::pair<std::vector<std::string>, OptionAbout>> all;
};

// The options that say another one in other words, by the name of that one.
struct SecondWays : EveryOption {
  void length(const char* name, std::optional<double>& value, const OptionAbout& about) {
    if (*about.instead_of) all[about.instead_of] = {name, value};
  }
  std::map<std::string, std::pair<std::string, std::optional<double>>> all;
};

// Gives the second ways values where they have none.
struct PutSecondWays : EveryOption {
  void length(const char* name, std::optional<double>& value, const OptionAbout&) {
    if (const auto found = values.find(name); !value && found != values.end())
      value = found->second;
  }
  std::map<std::string, std::optional<double>> values;
};

// Of two ways, leaves the one that is meant.
class MeantWays : public EveryOption {
 public:
  explicit MeantWays(const std::map<std::string, bool>& by_second) : by_second_(by_second) {}

  void positive(const char*, double&, const OptionAbout&) {}
  void positive(const char* name, std::optional<double>& value, const OptionAbout&) {
    if (is_second(name)) value.reset();
    may_be_empty_ = name;
  }
  void length(const char*, std::optional<double>& value, const OptionAbout& about) {
    if (!*about.instead_of) return;
    if (!is_second(about.instead_of))
      value.reset();
    else if (!value && may_be_empty_ != about.instead_of)
      value = 0;  // refused
  }

 private:
  bool is_second(const std::string& name) const {
    const auto found = by_second_.find(name);
    return found != by_second_.end() && found->second;
  }
  const std::map<std::string, bool>& by_second_;
  std::string may_be_empty_;
};

// The lists that a search begins with whose user gives none; empty where they cannot be told.
std::map<std::string, std::string> usual_lists(const analysis::Finder& finder,
                                               const SnapshotInfo& info,
                                               const std::map<std::string, std::string>& typed) {
  std::map<std::string, std::string> usual;
  try {
    analysis::AnyOptions options = finder.options();
    for (const auto& [name, text] : typed)
      if (!text.empty() && !finder.completes_option(name)) read_option(options, name, text);
    finder.complete(options, {}, info);
    Lists lists;
    visit(lists, options);
    for (const auto& [name, list] : lists.all)
      if (finder.completes_option(name)) usual[name] = joined(list.first);
  } catch (const Error&) {  // half a word, as it is typed
  }
  return usual;
}

using OptionTexts = std::vector<std::pair<std::string, std::string>>;

// What was typed or chosen, options with their texts.
OptionTexts said_in(const SearchDraft& draft) {
  OptionTexts said;
  for (const auto& [name, typed] : draft.lists)
    if (const std::string text = without_blanks(typed.data()); !text.empty())
      said.emplace_back(name, text);
  for (const analysis::OptionValue& one : analysis::values_of(draft.meant()))
    if (!one.standard && !draft.lists.count(one.name)) said.emplace_back(one.name, one.text());
  return said;
}

OptionTexts texts_of_all(const analysis::AnyOptions& options) {
  OptionTexts texts;
  for (const analysis::OptionValue& one : analysis::values_of(options))
    texts.emplace_back(one.name, one.text());
  return texts;
}

}  // namespace

void SearchDraft::follow(const session::FindingState& state, const analysis::Finder& finder,
                         const SnapshotInfo& info, const analysis::Finding* found) {
  if (of != state.options || (state.searched && !of_searched)) {
    SecondWays former, now;
    visit(former, options);
    of = options = state.options;
    visit(now, options);
    by_second.clear();
    PutSecondWays kept;
    for (const auto& [first, second] : now.all) {
      by_second[first] = second.second.has_value();
      // What was typed of the other way stays.
      kept.values[second.first] = former.all[first].second;
    }
    visit(kept, options);
    Lists asked;
    visit(asked, options);
    std::map<std::string, std::string> texts;
    for (const auto& [name, list] : asked.all) texts[name] = joined(list.first);
    const auto usual = usual_lists(finder, info, texts);
    for (const auto& [name, list] : asked.all) {
      const auto standard = usual.find(name);
      const bool chosen_anew = finder.completes_option(name);
      std::string text = texts[name];
      if (chosen_anew && standard != usual.end() && text == standard->second)
        text.clear();
      else if (chosen_anew && text.empty() && state.searched)
        text = list.second.empty;
      put(lists[name], text);
    }
  }
  of_searched = state.searched;
  if (found) {
    PutSecondWays computed;
    for (const auto& [name, value] : found->computed) computed.values[name] = value;
    visit(computed, options);
  }
  std::map<std::string, std::string> typed;
  for (const auto& [name, text] : lists) typed[name] = text.data();
  const auto usual = usual_lists(finder, info, typed);
  Lists all;
  visit(all, options);
  for (const auto& [name, list] : all.all) {
    const auto standard = usual.find(name);
    const OptionAbout& about = list.second;
    hints[name] = standard != usual.end() && !standard->second.empty() ? standard->second
                  : *about.hint                                        ? about.hint
                                                                       : about.empty;
  }
}

analysis::AnyOptions SearchDraft::meant() const {
  analysis::AnyOptions said = options;
  MeantWays ways(by_second);
  visit(ways, said);
  return said;
}

bool asks_for(const SearchDraft& draft, const analysis::Finder& finder, const SnapshotInfo& info,
              const analysis::AnyOptions& options) {
  try {
    analysis::AnyOptions asked = finder.options();
    std::set<std::string> given;
    for (const auto& [name, text] : said_in(draft)) {
      read_option(asked, name, text);
      given.insert(name);
    }
    finder.complete(asked, given, info);
    return texts_of_all(asked) == texts_of_all(options);
  } catch (const Error&) {
    return false;
  }
}

std::string search_line(const SearchDraft& draft, const std::string& finder) {
  std::string line = "find " + finder;
  for (const auto& [name, text] : said_in(draft)) line += " " + session::as_word(name + "=" + text);
  return line;
}

}  // namespace haloscope::app::viewer
