#include "io/hdf5/hdf5_virtual.h"

#include "io/bytes/saturating.h"
#include "io/hdf5/hdf5_handle.h"
#include "io/hdf5/hdf5_other_files.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

namespace haloscope::io {

namespace {

namespace fs = std::filesystem;

// The library's two calls of one kind: the length, then the text.
template <class Get>
std::string text_of(Get&& get) {
  const ssize_t length = get(nullptr, 0);
  if (length <= 0) return {};
  std::string text(std::size_t(length) + 1, '\0');
  get(text.data(), text.size());
  text.resize(std::size_t(length));
  return text;
}

VirtualSource mapping(hid_t plist, std::size_t i) {
  VirtualSource source;
  source.name = text_of(
      [&](char* text, std::size_t size) { return H5Pget_virtual_filename(plist, i, text, size); });
  source.dataset = text_of(
      [&](char* text, std::size_t size) { return H5Pget_virtual_dsetname(plist, i, text, size); });
  return source;
}

// A percent sign starts the number of a file, "%%" is one.
bool is_pattern(const std::string& name) {
  for (std::size_t at = name.find('%'); at != std::string::npos; at = name.find('%', at + 2))
    if (name.compare(at, 2, "%%") != 0) return true;
  return false;
}

std::string name_of_block(const std::string& pattern, std::uint64_t block) {
  std::string name;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '%' || i + 1 == pattern.size()) {
      name += pattern[i];
      continue;
    }
    ++i;
    name += pattern[i] == 'b' ? std::to_string(block) : std::string(1, pattern[i]);
  }
  return name;
}

VirtualSource found(const std::string& name, const std::string& dataset, const std::string& file) {
  VirtualSource source{file, name, dataset, true};
  if (name == ".") return source;
  source.path = find_other_file(file, name, "HDF5_VDS_PREFIX");
  std::error_code ignored;
  source.there = fs::is_regular_file(source.path, ignored);
  return source;
}

// Whether a source can show all that is asked of it.
class Sources {
 public:
  explicit Sources(const std::string& file, int depth) : file_(file), depth_(depth) {}

  bool has(const VirtualSource& named) {
    const std::pair key{named.name, named.dataset};
    const auto known = known_.find(key);
    if (known != known_.end()) return known->second;
    return known_[key] = look(named);
  }

 private:
  bool look(const VirtualSource& named) const;

  std::string file_;
  int depth_;
  std::map<std::pair<std::string, std::string>, bool> known_;
};

MissingRows missing_rows_at(hid_t dataset, const std::string& file, int depth);

bool Sources::look(const VirtualSource& named) const {
  constexpr int kDeepest = 8;
  const VirtualSource source = files_of_source(named, file_).front();
  if (!source.there || source.dataset.empty() || depth_ > kDeepest) return false;
  const Hdf5Handle other = open_if_hdf5(source.path);
  const Hdf5Handle held = other ? open_hdf5_dataset(other.id(), source.dataset) : Hdf5Handle();
  return held && missing_rows_at(held.id(), source.path, depth_ + 1).rows.empty();
}

void join(std::vector<RowRange>& rows) {
  std::sort(rows.begin(), rows.end(),
            [](const RowRange& a, const RowRange& b) { return a.begin < b.begin; });
  std::vector<RowRange> joined;
  for (const RowRange& range : rows) {
    if (!joined.empty() && range.begin <= joined.back().end)
      joined.back().end = std::max(joined.back().end, range.end);
    else
      joined.push_back(range);
  }
  rows = std::move(joined);
}

MissingRows missing_rows_at(hid_t dataset, const std::string& file, int depth) {
  MissingRows missing;
  const Hdf5Handle plist(H5Dget_create_plist(dataset), H5Pclose);
  if (!plist || H5Pget_layout(plist.id()) != H5D_VIRTUAL) return missing;
  std::size_t count = 0;
  if (H5Pget_virtual_count(plist.id(), &count) < 0) return missing;
  Sources sources(file, depth);
  for (std::size_t i = 0; i < count; ++i) {
    const VirtualSource source = mapping(plist.id(), i);
    if (source.name.empty() || is_pattern(source.name) || sources.has(source)) continue;
    const Hdf5Handle space(H5Pget_virtual_vspace(plist.id(), i), H5Sclose);
    const int rank = space ? H5Sget_simple_extent_ndims(space.id()) : 0;
    std::vector<hsize_t> low(std::size_t(std::max(rank, 1))), high(low);
    if (rank < 1 || H5Sget_select_bounds(space.id(), low.data(), high.data()) < 0) continue;
    if (missing.rows.empty()) missing.source = source.name;
    missing.rows.push_back({low[0], high[0] + 1});
  }
  join(missing.rows);
  return missing;
}

}  // namespace

std::vector<VirtualSource> virtual_source_names(hid_t dataset) {
  Hdf5Lock lock;
  const Hdf5Handle plist(H5Dget_create_plist(dataset), H5Pclose);
  if (!plist || H5Pget_layout(plist.id()) != H5D_VIRTUAL) return {};
  std::size_t count = 0;
  if (H5Pget_virtual_count(plist.id(), &count) < 0) return {};
  std::vector<VirtualSource> sources;
  std::set<std::pair<std::string, std::string>> seen;
  for (std::size_t i = 0; i < count; ++i) {
    VirtualSource source = mapping(plist.id(), i);
    if (!source.name.empty() && seen.insert({source.name, source.dataset}).second)
      sources.push_back(std::move(source));
  }
  return sources;
}

std::vector<VirtualSource> files_of_source(const VirtualSource& named, const std::string& file) {
  constexpr std::uint64_t kMostBlocks = 100000;
  if (!is_pattern(named.name))
    return {found(named.name == "." ? "." : name_of_block(named.name, 0), named.dataset, file)};
  std::vector<VirtualSource> sources;
  for (std::uint64_t block = 0; block < kMostBlocks; ++block) {
    VirtualSource source =
        found(name_of_block(named.name, block), name_of_block(named.dataset, block), file);
    if (!source.there && block > 0) break;
    sources.push_back(std::move(source));
    if (!sources.back().there) break;
  }
  return sources;
}

std::vector<VirtualSource> virtual_sources(hid_t dataset, const std::string& file,
                                           bool with_itself) {
  std::vector<VirtualSource> sources;
  for (const auto& named : virtual_source_names(dataset)) {
    if (named.name == "." && !with_itself) continue;
    for (auto& source : files_of_source(named, file)) sources.push_back(std::move(source));
  }
  return sources;
}

bool is_virtual(hid_t dataset) {
  Hdf5Lock lock;
  const Hdf5Handle plist(H5Dget_create_plist(dataset), H5Pclose);
  return plist && H5Pget_layout(plist.id()) == H5D_VIRTUAL;
}

std::optional<std::uint64_t> mapped_values(hid_t dataset) {
  Hdf5Lock lock;
  if (!is_virtual(dataset)) return {};
  const Hdf5Handle plist(H5Dget_create_plist(dataset), H5Pclose);
  std::size_t mappings = 0;
  if (H5Pget_virtual_count(plist.id(), &mappings) < 0) return 0;
  std::uint64_t mapped = 0;
  for (std::size_t i = 0; i < mappings; ++i) {
    const Hdf5Handle space(H5Pget_virtual_vspace(plist.id(), i), H5Sclose);
    const hssize_t points = space ? H5Sget_select_npoints(space.id()) : -1;
    if (points < 0) return {};
    mapped = saturating_sum(mapped, std::uint64_t(points));
  }
  return mapped;
}

MissingRows missing_rows(hid_t dataset, const std::string& file) {
  Hdf5Lock lock;
  return missing_rows_at(dataset, file, 0);
}

}  // namespace haloscope::io
