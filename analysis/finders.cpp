#include "analysis/clusters/clusters_finder.h"
#include "analysis/finder.h"
#include "analysis/halos/halo_finder.h"
#include "analysis/loaded_halos/loaded_halos_finder.h"
#include "analysis/topology/peaks_finder.h"
#include "analysis/whole/whole_finder.h"
#include "core/error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace haloscope::analysis {

namespace {

std::vector<std::shared_ptr<const Finder>>& all() {
  static std::vector<std::shared_ptr<const Finder>> finders{
      make_halo_finder(),         make_clusters_finder(), make_peaks_finder(),
      make_loaded_halos_finder(), make_whole_finder(),
  };
  return finders;
}

}  // namespace

const std::vector<std::shared_ptr<const Finder>>& finders() {
  return all();
}

std::vector<std::string> finder_names() {
  std::vector<std::string> names;
  for (const auto& finder : all()) names.push_back(finder->name());
  return names;
}

const Finder* finder_named(const std::string& name) {
  for (const auto& finder : all())
    if (finder->name() == name) return finder.get();
  return nullptr;
}

const Finder& require_finder(const std::string& name) {
  if (const Finder* finder = finder_named(name)) return *finder;
  throw Error(fmt::format("nothing is found by the name '{}'", name), {},
              fmt::format("use {}", fmt::join(finder_names(), ", ")));
}

AddedFinder::AddedFinder(std::shared_ptr<const Finder> finder) : finder_(std::move(finder)) {
  all().push_back(finder_);
}

AddedFinder::~AddedFinder() {
  std::erase(all(), finder_);
}

}  // namespace haloscope::analysis
