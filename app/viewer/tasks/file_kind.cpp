#include "app/viewer/tasks/file_kind.h"

#include "analysis/snapshot/open_snapshot.h"
#include "analysis/snapshot/snapshot_interval.h"
#include "app/session/state_file.h"
#include "io/catalogs/catalog_reader.h"
#include "io/catalogs/text_table.h"
#include "io/snapshots/unread_formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <filesystem>

namespace haloscope::app::viewer {

namespace {

// Only reading a table of text whole tells whether it is one: of more bytes it is "text", which may
// be opened all the same.
constexpr std::uintmax_t kLongestText = 1 << 20;

bool is_long(const std::string& path) {
  std::error_code failed;
  const auto bytes = std::filesystem::file_size(path, failed);
  return !failed && bytes > kLongestText;
}

}  // namespace

bool is_text_file(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  try {
    return io::read_text_head(path).text;
  } catch (const std::exception&) {
    return false;
  }
}

std::string moment_words(const SnapshotInfo& info) {
  // Snapshots at redshift 0 carry rounding such as -2e-16.
  if (const auto& z = info.cosmology.redshift) return fmt::format("z = {:.2f}", std::max(0.0, *z));
  return analysis::moment_in_words(info);
}

FileKind kind_of_file(const std::string& path) {
  using What = FileKind::What;
  if (const auto catalog = io::catalog_kind(path)) return {What::Catalog, *catalog, {}, 1};
  if (is_text_file(path)) {
    if (is_long(path)) return {What::Snapshot, "text", {}, 1};
    if (session::is_state_file(path)) return {What::State, "saved state", {}, 1};
  }
  try {
    if (const auto unread = io::unread_format(path)) return {What::Other, *unread, {}, 1};
    const auto reader = analysis::open_snapshot(path, {});
    const SnapshotInfo& info = reader->info();
    return {What::Snapshot, info.format, moment_words(info),
            std::max<std::size_t>(1, info.files.size())};
  } catch (const std::exception&) {
    return {};
  }
}

}  // namespace haloscope::app::viewer
