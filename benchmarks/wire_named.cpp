#include "benchmarks/wire_named.h"

#include "core/error.h"

#include <map>

namespace haloscope::benchmarks {

compute::Wire wire_named(const std::string& name) {
  const std::map<std::string, compute::Wire> all{{"auto", compute::Wire::Auto},
                                                 {"host", compute::Wire::Host},
                                                 {"peer", compute::Wire::Peer},
                                                 {"nccl", compute::Wire::Nccl}};
  const auto found = all.find(name);
  if (found == all.end())
    throw Error("'" + name + "' is no wire", "--wire", "use auto, host, peer or nccl");
  return found->second;
}

}  // namespace haloscope::benchmarks
