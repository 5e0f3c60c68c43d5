#include "app/viewer/kept_halos.h"

#include "core/array.h"

#include <system_error>

namespace haloscope::app::viewer {

namespace {

constexpr std::size_t kMost = 16;

}  // namespace

void KeptHalos::keep(const std::string& snapshot, Found halos) {
  entries_.remove_if([&](const Entry& entry) {
    return entry.snapshot == snapshot && entry.halos->options == halos->options;
  });
  Stamps stamps = stamps_of(halos->files);
  entries_.push_front({snapshot, std::move(halos), std::move(stamps)});
  make_room();
}

KeptHalos::Found KeptHalos::of(const std::string& snapshot,
                               const analysis::HaloOptions& options) const {
  for (const Entry& entry : entries_)
    if (entry.snapshot == snapshot && entry.halos->options == options) return entry.halos;
  return nullptr;
}

KeptHalos::Found KeptHalos::last_of(const std::string& snapshot) const {
  for (const Entry& entry : entries_)
    if (entry.snapshot == snapshot) return entry.halos;
  return nullptr;
}

void KeptHalos::forget_changed(const std::string& snapshot) {
  entries_.remove_if([&](const Entry& entry) {
    return entry.snapshot == snapshot && stamps_of(entry.halos->files) != entry.stamps;
  });
}

KeptHalos::Stamps KeptHalos::stamps_of(const std::vector<std::string>& files) {
  Stamps stamps;
  for (const std::string& file : files) {
    std::error_code failed;
    const auto time = std::filesystem::last_write_time(file, failed);
    const auto size = std::filesystem::file_size(file, failed);
    stamps.emplace_back(time, size);
  }
  return stamps;
}

// The newest stay whatever they take; with the others, as much memory is left free as is used.
void KeptHalos::make_room() {
  const auto bytes = [&] {
    std::uint64_t sum = 0;
    for (const Entry& entry : entries_) sum += entry.halos->bytes();
    return sum;
  };
  while (entries_.size() > 1 && (entries_.size() > kMost || !has_host_memory(bytes())))
    entries_.pop_back();
}

}  // namespace haloscope::app::viewer
