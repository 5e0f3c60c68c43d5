#pragma once

namespace haloscope::app::cli {

// Ends the process with one sentence and exit code 2 where libhdf5 itself crashes: it trusts some
// of what damaged files say of themselves, and nothing outside it can check all of that before.
// Faults of any other code end it as ever. Call once, before any file is opened.
void tell_faults_of_hdf5();

}  // namespace haloscope::app::cli
