#include "app/cli/named_files.h"

#include "core/leftovers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <exception>
#include <filesystem>
#include <set>
#include <sys/stat.h>
#include <system_error>

namespace haloscope::app::cli {

namespace fs = std::filesystem;

namespace {

// A word may be a name, or hold one: --output=NAME, -oNAME.
std::string name_in(const std::string& word) {
  if (word.starts_with("--")) {
    const std::size_t equals = word.find('=');
    return equals == std::string::npos ? std::string() : word.substr(equals + 1);
  }
  return word.starts_with("-o") ? word.substr(2) : word;
}

}  // namespace

NamedFiles::File NamedFiles::look_at(const std::string& name) {
  struct stat now {};
  if (::stat(name.c_str(), &now) != 0) return {name};
  return {name, now.st_dev, now.st_ino};
}

NamedFiles::NamedFiles(const std::vector<std::string>& words) {
  std::set<std::string> folders;
  for (const std::string& word : words) {
    const std::string name = name_in(word);
    if (name.empty()) continue;
    files_.push_back(look_at(name));
    // Links are followed: a hidden file lies beside what the link means.
    std::error_code failed;
    const fs::path folder = fs::weakly_canonical(fs::absolute(name), failed).parent_path();
    if (!failed && fs::is_directory(folder, failed)) folders.insert(folder.string());
  }
  folders_.assign(folders.begin(), folders.end());
}

std::string NamedFiles::written_in_words() const {
  std::vector<std::string> written;
  for (const File& file : files_) {
    const File now = look_at(file.name);
    const bool is_new = now.device != file.device || now.number != file.number;
    if (is_new && now.number != 0) written.push_back(file.name);
  }
  if (written.empty()) return "nothing was written";
  return fmt::format("{} {} written, nothing else", fmt::join(written, " and "),
                     written.size() == 1 ? "was" : "were");
}

void NamedFiles::remove_unfinished() const noexcept {
  try {
    const std::string prefix = temporary_prefix();
    for (const std::string& folder : folders_) {
      std::error_code failed;
      for (fs::directory_iterator at(folder, failed), end; !failed && at != end;
           at.increment(failed))
        if (at->path().filename().string().starts_with(prefix)) {
          std::error_code ignored;
          fs::remove(at->path(), ignored);
        }
    }
  } catch (const std::exception&) {
    // The next run that writes there removes them.
  }
}

}  // namespace haloscope::app::cli
