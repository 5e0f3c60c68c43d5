#pragma once

#include "compute/exec/cpu.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <cstddef>

namespace haloscope::compute {

// parallel_for where calls take long or differ much: any few of them may go to another core.
template <class F>
void parallel_uneven(Cpu& exec, const char* /*name*/, std::size_t n, const F& f) {
  ::tbb::parallel_for(::tbb::blocked_range<std::size_t>(0, n, 1),
                      [&exec, &f](const ::tbb::blocked_range<std::size_t>& range) {
                        exec.check_cancelled();
                        for (std::size_t i = range.begin(); i != range.end(); ++i) f(i);
                      });
}

}  // namespace haloscope::compute
