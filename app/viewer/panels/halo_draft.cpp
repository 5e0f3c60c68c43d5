#include "app/viewer/panels/halo_draft.h"

#include "analysis/halos/halo_types.h"
#include "analysis/options/option_text.h"
#include "analysis/options/option_values.h"
#include "app/session/command_text.h"
#include "core/error.h"
#include "core/text_values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace haloscope::app::viewer {

namespace {

// Words with commas between them; empty where none can be told.
std::string attached_by_default(const SnapshotInfo& info, const std::string& types) {
  try {
    analysis::HaloOptions linked;
    if (!types.empty()) analysis::read_option(linked, "types", types);
    return fmt::format("{}", fmt::join(analysis::attached_in_window(info, linked.types), ","));
  } catch (const Error&) {
    return {};  // half a word, as it is typed
  }
}

// "gas, stars" → "gas,stars"; the names themselves may hold blanks.
std::string without_blanks(const std::string& list) {
  if (list.find_first_not_of(" ") == std::string::npos) return {};
  try {
    return fmt::format("{}", fmt::join(parse_list({}, list), ","));
  } catch (const Error&) {
    return list;  // the command tells what is wrong with it
  }
}

void put(std::array<char, 128>& to, const std::string& text) {
  to = {};
  text.copy(to.data(), to.size() - 1);
}

}  // namespace

void HaloDraft::follow(const session::HaloState& halos, const SnapshotInfo& info,
                       double found_length) {
  if (of != halos.options() || (halos.searched && !of_searched)) {
    const auto former = options;
    of = options = halos;
    by_second = {{"linking_length", options.epsilon.has_value()},
                 {"sub_linking_length", options.sub_epsilon.has_value()}};
    // What was typed of the other way stays.
    if (!options.epsilon) options.epsilon = former.epsilon;
    if (!options.sub_epsilon) options.sub_epsilon = former.sub_epsilon;
    const std::string types = fmt::format("{}", fmt::join(options.types, ",")),
                      attach = fmt::format("{}", fmt::join(options.attach, ","));
    put(lists["types"], types);
    const bool usual = attach == attached_by_default(info, types);
    put(lists["attach"], usual ? "" : attach.empty() && halos.searched ? "none" : attach);
  }
  of_searched = halos.searched;
  if (!options.epsilon && found_length > 0) options.epsilon = found_length;
  hints["types"] = "dark matter";
  const std::string attached = attached_by_default(info, lists["types"].data());
  hints["attach"] = attached.empty() ? "none" : attached;
}

analysis::HaloOptions HaloDraft::meant() const {
  analysis::HaloOptions said = options;
  const auto second = [&](const char* name) {
    const auto found = by_second.find(name);
    return found != by_second.end() && found->second;
  };
  if (!second("linking_length")) said.epsilon.reset();
  if (second("linking_length") && !said.epsilon) said.epsilon = 0;  // refused
  if (second("sub_linking_length"))
    said.sub_spacings.reset();
  else
    said.sub_epsilon.reset();
  return said;
}

std::string search_line(const HaloDraft& draft) {
  std::string line = "find halos";
  for (const auto& [name, typed] : draft.lists) {
    const std::string text = without_blanks(typed.data());
    if (!text.empty()) line += " " + session::as_word(name + "=" + text);
  }
  for (const analysis::OptionValue& one : analysis::values_of(draft.meant()))
    if (!one.standard && !draft.lists.count(one.name)) line += " " + one.name + "=" + one.text();
  return line;
}

}  // namespace haloscope::app::viewer
