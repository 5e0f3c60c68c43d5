#include "io/hdf5/hdf5_virtual.h"

#include "core/error.h"
#include "io/bytes/saturating.h"
#include "io/hdf5/hdf5_handle.h"

#include <filesystem>
#include <set>

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

}  // namespace

std::vector<VirtualSource> virtual_sources(hid_t dataset, const std::string& file) {
  Hdf5Lock lock;
  const Hdf5Handle plist(H5Dget_create_plist(dataset), H5Pclose);
  if (!plist || H5Pget_layout(plist.id()) != H5D_VIRTUAL) return {};
  std::size_t count = 0;
  if (H5Pget_virtual_count(plist.id(), &count) < 0) return {};
  const fs::path folder = fs::path(file).parent_path();
  std::vector<VirtualSource> sources;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < count; ++i) {
    VirtualSource source;
    source.name = text_of([&](char* text, std::size_t size) {
      return H5Pget_virtual_filename(plist.id(), i, text, size);
    });
    // "." is the file itself; a percent sign starts a pattern for an unlimited number of files.
    if (source.name.empty() || source.name == "." || source.name.find('%') != std::string::npos)
      continue;
    if (!seen.insert(source.name).second) continue;
    source.dataset = text_of([&](char* text, std::size_t size) {
      return H5Pget_virtual_dsetname(plist.id(), i, text, size);
    });
    std::error_code ignored;
    source.path = (folder / source.name).string();
    if (!fs::exists(source.path, ignored) && fs::exists(source.name, ignored))
      source.path = source.name;
    source.there = fs::exists(source.path, ignored);
    sources.push_back(std::move(source));
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

std::optional<std::string> missing_virtual_source(hid_t dataset, const std::string& file) {
  for (const auto& source : virtual_sources(dataset, file)) {
    if (!source.there) return source.name;
    try {
      const Hdf5Handle other = open_hdf5_file(source.path);
      if (source.dataset.empty() || !open_hdf5_dataset(other.id(), source.dataset))
        return source.name;
    } catch (const Error&) {
      return source.name;
    }
  }
  return {};
}

}  // namespace haloscope::io
