#include "io/bytes/numbered_files.h"

#include "core/error.h"
#include "core/input_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <unordered_set>

namespace haloscope::io {

namespace fs = std::filesystem;

std::string NumberedName::with(std::uint64_t n) const {
  return before + std::to_string(n) + after;
}

std::string NumberedName::padded(std::uint64_t n) const {
  const std::string plain = std::to_string(n);
  const std::size_t zeros = digits > plain.size() ? digits - plain.size() : 0;
  return before + std::string(zeros, '0') + plain + after;
}

std::optional<NumberedName> split_number(const std::string& name) {
  std::size_t end = name.size();
  while (end > 0) {
    const std::size_t dot = name.rfind('.', end - 1);
    if (dot == std::string::npos) return {};
    const std::string part = name.substr(dot + 1, end - dot - 1);
    const bool number = !part.empty() && part.size() < 10 &&
                        part.find_first_not_of("0123456789") == std::string::npos;
    if (number)
      return NumberedName{name.substr(0, dot + 1), std::stoull(part), part.size(),
                          name.substr(end)};
    end = dot;
  }
  return {};
}

std::string set_name(const std::string& name) {
  const auto numbered = split_number(name);
  return numbered ? numbered->before + "N" + numbered->after : name;
}

namespace {

// The names in a folder, read at once: a header may promise any number of files, and to ask for
// each takes long, above all over a network.
class FolderNames {
 public:
  explicit FolderNames(const fs::path& folder) : folder_(folder) {
    std::error_code failed;
    fs::directory_iterator entry(folder.empty() ? fs::path(".") : folder, failed);
    for (; !failed && entry != fs::directory_iterator(); entry.increment(failed))
      names_.insert(entry->path().filename().string());
    listed_ = !failed;
  }
  bool has(const std::string& name) const {
    std::error_code ignored;
    if (listed_ && !names_.contains(name)) return false;
    return fs::exists(folder_ / name, ignored);
  }

 private:
  fs::path folder_;
  std::unordered_set<std::string> names_;
  bool listed_ = false;
};

}  // namespace

std::vector<std::string> member_paths(const std::string& path, std::uint64_t count) {
  const fs::path as_path(path), folder = as_path.parent_path();
  const auto numbered = split_number(as_path.filename().string());
  std::vector<std::string> members;
  if (!numbered || numbered->number >= count) return members;
  const FolderNames names(folder);
  auto there = [&](const std::string& name) { return names.has(name); };
  // Most codes count without leading zeros; where this name has none, its width and file 0 may
  // tell otherwise.
  const bool zeros = numbered->with(numbered->number) != as_path.filename().string() ||
                     (!there(numbered->with(0)) && there(numbered->padded(0)));
  // Joined as text: a header may promise a hundred thousand files.
  const std::string before = (folder / "").string();
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::string usual = zeros ? numbered->padded(i) : numbered->with(i);
    const std::string other = zeros ? numbered->with(i) : numbered->padded(i);
    const bool odd = other != usual && !there(usual) && there(other);
    members.push_back(before + (odd ? other : usual));
  }
  return members;
}

SetMembers find_members(const std::string& path, std::uint64_t count, const SetWords& words,
                        bool allow_missing_files) {
  SetMembers members;
  if (count <= 1) {
    members.there = {path};
    return members;
  }
  const auto paths = member_paths(path, count);
  if (paths.empty()) {
    if (!allow_missing_files)
      throw MissingFiles(fmt::format("this is one of the {} files of a {}, but its name lacks the "
                                     "number that would lead to the others",
                                     count, words.whole),
                         path, fmt::format("give the files back their names ({})", words.naming));
    members.assumed.push_back(
        fmt::format("Only one of the {}'s {} files is read: its name does not lead to the others.",
                    words.whole, count));
    members.there = {path};
    return members;
  }
  const FolderNames names(fs::path(path).parent_path());
  for (const auto& one : paths)
    (names.has(one.substr(one.rfind('/') + 1)) ? members.there : members.missing).push_back(one);
  if (members.missing.empty()) return members;
  const std::string what = fmt::format(
      "{} {} missing ({} of the {}'s {} files are there)", list_some(members.missing),
      members.missing.size() > 1 ? "are" : "is", members.there.size(), words.whole, count);
  if (!allow_missing_files)
    throw MissingFiles(what, fs::path(path).parent_path().string(), "fetch what is missing");
  members.assumed.push_back(fmt::format("Files of the {} are left out: {}.", words.whole, what));
  return members;
}

std::string complete_path(const std::string& path) {
  if (path.empty())
    throw Error("the name of a file or folder is empty", {}, "name a file or folder");
  std::error_code ignored;
  const auto there = [&](const std::string& name) {
    if (!fs::exists(name, ignored)) return false;
    if (!fs::is_directory(name, ignored)) require_input(name);
    return true;
  };
  if (there(path)) return path;
  for (const char* ending : {".hdf5", ".0.hdf5", ".h5", ".0.h5"})
    if (there(path + ending)) return path + ending;
  const fs::path whole(path);
  fs::path first = whole;
  first.replace_filename(whole.stem().string() + ".0" + whole.extension().string());
  if (!whole.extension().empty() && there(first.string())) return first.string();
  throw Error("there is no such file or folder", path, "check the path");
}

std::vector<std::string> files_in(const std::string& folder) {
  std::error_code ignored, failed;
  const fs::directory_iterator entries(folder, failed);
  if (failed)
    throw Error("the folder cannot be read: " + failed.message(), folder, "check its permissions");
  std::vector<std::string> paths;
  for (const auto& entry : entries)
    if (entry.is_regular_file(ignored)) paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::string list_some(const std::vector<std::string>& paths, std::size_t most) {
  std::string text;
  const std::size_t shown = std::min(paths.size(), most);
  for (std::size_t i = 0; i < shown; ++i)
    text += (i ? ", " : "") + fs::path(paths[i]).filename().string();
  if (paths.size() > shown) text += fmt::format(" and {} more", paths.size() - shown);
  return text;
}

std::string only_output(const std::string& folder,
                        const std::map<std::string, std::string>& path_by_name,
                        const std::string& kind, const std::string& none) {
  if (path_by_name.empty())
    throw NotThisFormat(none, folder, "name a " + kind + ", or the folder that holds one");
  if (path_by_name.size() == 1) return path_by_name.begin()->second;
  std::vector<std::string> names;
  for (const auto& [name, path] : path_by_name) names.push_back(name);
  throw Error("the folder holds several " + kind + "s (" + list_some(names, 8) + ")", folder,
              "name one of the files");
}

}  // namespace haloscope::io
