#include "analysis/halos/halo_output.h"

#include "core/error.h"
#include "core/text_values.h"

namespace haloscope::analysis {

bool is_csv(const std::string& path) {
  return lower_case(path).ends_with(".csv");
}

HaloCatalog without_member_lists(HaloCatalog catalog) {
  for (HaloTable& table : catalog.tables)
    std::erase_if(table.columns,
                  [](const CatalogColumn& c) { return c.name.ends_with("FirstIDType"); });
  return catalog;
}

void require_halo_output(const std::string& path, const HaloOptions& options,
                         const Overwriting& overwriting) {
  require_catalog_target(path, overwriting);
  if (options.wants_substructure() && is_csv(path))
    throw Error("a CSV holds one table and has no place for the clusters inside the halos", path,
                "name the output .hdf5");
}

}  // namespace haloscope::analysis
