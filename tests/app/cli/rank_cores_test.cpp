#include "app/cli/rank_cores.h"

#include "tests/catch.h"

using namespace haloscope::app::cli;

TEST_CASE("ranks are warned of cores that the launcher keeps from them", "[ranks]") {
  // Two ranks on a core each of 32.
  const auto words = few_cores_in_words({2, 2, 32, 0});
  REQUIRE(words);
  CHECK(*words ==
        "the 2 ranks here compute on 2 of 32 cores, as the launcher binds them: mpirun --bind-to "
        "none, or srun --cpus-per-task, gives them more");
  CHECK(few_cores_in_words({1, 1, 8, 0})->starts_with("the rank here computes on 1 of 8 cores"));
  // Half of them are enough, and small machines have no more to give.
  CHECK(!few_cores_in_words({2, 16, 32, 0}));
  CHECK(!few_cores_in_words({2, 1, 3, 0}));
  // The job has no more of them; or it has.
  CHECK(!few_cores_in_words({2, 2, 32, 2}));
  CHECK(few_cores_in_words({2, 2, 32, 8})->find("on 2 of 8 cores") != std::string::npos);
  CHECK(!few_cores_in_words({2, 6, 128, 8}));
  CHECK(!few_cores_in_words({2, 4, 128, 8}));
  // It is not known.
  CHECK(!few_cores_in_words({2, 0, 32, 0}));
}
