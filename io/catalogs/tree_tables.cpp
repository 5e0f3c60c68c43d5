#include "io/catalogs/tree_tables.h"

#include "core/error.h"
#include "io/hdf5/hdf5_dataset.h"
#include "io/hdf5/hdf5_handle.h"
#include "io/hdf5/own_mark.h"

namespace haloscope::io {

namespace {

std::vector<TreeTable> tables_of(const std::string& path) {
  std::vector<TreeTable> tables;
  if (!has_own_mark(path)) return tables;
  const Hdf5Lock lock;
  const Hdf5Handle file = open_if_hdf5(path);
  if (!file) return tables;
  const auto add = [&](const std::string& group, const char* column, const char* what) {
    const std::string name = group + "/" + column;
    if (!hdf5_exists(file.id(), name)) return;
    if (const Hdf5Handle dataset = open_hdf5_dataset(file.id(), name))
      tables.push_back({group, what, dataset_layout(dataset.id()).rows()});
  };
  add("Tree", "weight", "edges");
  add("Dendrogram", "Z", "merges");
  add("Condensed", "child", "rows");
  add("Labels", "Label", "labels");
  if (hdf5_exists(file.id(), "Labels"))
    if (const Hdf5Handle labels = open_hdf5_group(file.id(), "Labels"))
      for (const std::string& type : group_names(labels.id()))
        add("Labels/" + type, "Label", "labels");
  return tables;
}

}  // namespace

std::vector<TreeTable> list_tree_tables(const std::string& path) {
  try {
    return tables_of(path);
  } catch (const Error&) {
    return {};
  }
}

}  // namespace haloscope::io
