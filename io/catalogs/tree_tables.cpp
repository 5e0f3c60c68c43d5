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
  add("Pairs", "birth", "pairs");
  add("Tree", "VertexId", "nodes");
  add("Tree", "upNodeId", "arcs");
  add("Tree", "weight", "edges");
  add("Dendrogram", "Z", "merges");
  const auto groups_in = [&](const std::string& group) {
    if (!hdf5_exists(file.id(), group)) return std::vector<std::string>{};
    const Hdf5Handle opened = open_hdf5_group(file.id(), group);
    return opened ? group_names(opened.id()) : std::vector<std::string>{};
  };
  const auto add_labels = [&](const std::string& group) {
    add(group, "Label", "labels");
    for (const std::string& type : groups_in(group)) add(group + "/" + type, "Label", "labels");
  };
  add("Condensed", "child", "rows");
  add_labels("Labels");
  add("SizeRanges", "Persistence", "ranges of sizes");
  add("Resolutions", "Size", "sizes");
  for (const std::string& resolution : groups_in("Resolutions"))
    add_labels("Resolutions/" + resolution);
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
