#pragma once

#include <cstdint>
#include <string>

namespace haloscope {

// As require_host_memory() of core/array.h, with words of its own for what can be done about it.
void require_host_memory(std::uint64_t bytes, const std::string& purpose,
                         const std::string& remedy);

}  // namespace haloscope
