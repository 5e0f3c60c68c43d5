#include "app/viewer/kept_findings.h"

#include "core/array.h"

#include <system_error>

namespace haloscope::app::viewer {

namespace {

constexpr std::size_t kMost = 16;

bool is_of(const analysis::Finding& finding, const std::string& finder,
           const analysis::AnyOptions& options) {
  return finding.finder == finder && finding.options == options;
}

}  // namespace

void KeptFindings::keep(const std::string& snapshot, Found finding) {
  entries_.remove_if([&](const Entry& entry) {
    return entry.snapshot == snapshot && is_of(*entry.finding, finding->finder, finding->options);
  });
  analysis::FileStamps stamps = analysis::stamps_of(finding->files);
  entries_.push_front({snapshot, std::move(finding), std::move(stamps), false});
  make_room();
}

KeptFindings::Found KeptFindings::of(const std::string& snapshot, const std::string& finder,
                                     const analysis::AnyOptions& options) const {
  for (const Entry& entry : entries_)
    if (entry.snapshot == snapshot && is_of(*entry.finding, finder, options)) return entry.finding;
  return nullptr;
}

KeptFindings::Found KeptFindings::last_of(const std::string& snapshot, const std::string& finder,
                                          const analysis::AnyOptions& options) const {
  Found last;
  for (const Entry& entry : entries_) {
    if (entry.snapshot != snapshot || entry.finding->finder != finder || entry.withdrawn) continue;
    if (entry.finding->options == options) return entry.finding;
    if (!last) last = entry.finding;
  }
  return last;
}

KeptFindings::Found KeptFindings::before(const std::string& snapshot, const std::string& finder,
                                         const analysis::AnyOptions& options) const {
  for (const Entry& entry : entries_)
    if (entry.snapshot == snapshot && entry.finding->finder == finder &&
        entry.finding->options != options)
      return entry.finding;
  return nullptr;
}

KeptFindings::Found KeptFindings::sharing_work(const std::string& snapshot,
                                               const analysis::Finder& finder,
                                               const analysis::AnyOptions& options) const {
  for (const Entry& entry : entries_)
    if (entry.snapshot == snapshot && entry.finding->finder == finder.name() &&
        finder.shares_work(*entry.finding, options))
      return entry.finding;
  return nullptr;
}

void KeptFindings::withdraw(const analysis::Finding& finding, bool on) {
  for (Entry& entry : entries_)
    if (entry.finding.get() == &finding) entry.withdrawn = on;
}

void KeptFindings::forget_changed(const std::string& snapshot) {
  entries_.remove_if([&](const Entry& entry) {
    return entry.snapshot == snapshot && analysis::stamps_of(entry.finding->files) != entry.stamps;
  });
}

// The newest stay whatever they take; with the others, as much memory is left free as is used.
void KeptFindings::make_room() {
  const auto bytes = [&] {
    std::uint64_t sum = 0;
    for (const Entry& entry : entries_) sum += entry.finding->bytes();
    return sum;
  };
  while (entries_.size() > 1 && (entries_.size() > kMost || !has_host_memory(bytes())))
    entries_.pop_back();
}

}  // namespace haloscope::app::viewer
