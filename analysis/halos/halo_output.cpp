#include "analysis/halos/halo_output.h"

#include "core/error.h"
#include "core/text_values.h"
#include "io/catalogs/write_catalog.h"

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

void require_halo_output(const std::string& path, const HaloOptions& options) {
  io::require_catalog_output(path);
  if (options.wants_substructure() && is_csv(path))
    throw Error("a CSV holds one table and has no place for the clusters inside the halos", path,
                "name the output .hdf5");
}

}  // namespace haloscope::analysis
