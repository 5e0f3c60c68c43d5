#include <tbb/global_control.h>

// ThreadSanitizer does not see how TBB's threads wait for one another (that library is not compiled
// with it), and takes all that they write for races. So that the program's own threads are what it
// looks at, TBB has none.
namespace {

const tbb::global_control kOneThread{tbb::global_control::max_allowed_parallelism, 1};

}  // namespace
