#include "compute/exec/named_range.h"

#include <nvtx3/nvToolsExt.h>

namespace haloscope::compute {

namespace {

nvtxDomainHandle_t domain() {
  static const nvtxDomainHandle_t ours = nvtxDomainCreateA("haloscope");
  return ours;
}

}  // namespace

NamedRange::NamedRange(const char* name) {
  nvtxEventAttributes_t event{};
  event.version = NVTX_VERSION;
  event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  event.messageType = NVTX_MESSAGE_TYPE_ASCII;
  event.message.ascii = name;
  nvtxDomainRangePushEx(domain(), &event);
}

NamedRange::~NamedRange() {
  nvtxDomainRangePop(domain());
}

}  // namespace haloscope::compute
