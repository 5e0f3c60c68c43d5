#include "app/viewer/panels/path_draft.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace haloscope::app::viewer {

void PathDraft::set(const std::string& text) {
  was_set = true;
  // In the field "//" begins a whole path.
  std::string single;
  for (const char c : text)
    if (c != '/' || !single.ends_with('/')) single += c;
  const std::size_t size = std::min(single.size(), typed.size() - 1);
  std::memcpy(typed.data(), single.data(), size);
  typed[size] = 0;
}

std::string PathDraft::folder_of(const std::string& text) {
  const auto slash = text.find_last_of('/');
  if (slash == std::string::npos) return "./";
  const std::string folder = text.substr(0, slash + 1);
  const char* const home = std::getenv("HOME");
  if (home && folder.starts_with("~/")) return home + folder.substr(1);
  return folder;
}

std::string PathDraft::leaf_of(const std::string& text) {
  const auto slash = text.find_last_of('/');
  return slash == std::string::npos ? text : text.substr(slash + 1);
}

std::string PathDraft::path() const {
  std::string path = leaf();
  if (const std::string where = folder(); where != "./") path = where + path;
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

}  // namespace haloscope::app::viewer
