#pragma once

#include <string>

// Temporary files whose process was killed before it could remove them.
//
// A process holds a lock on each of its temporary files until the file has its name. A lock says
// more than a process number, which other processes get again and which says nothing about other
// machines and containers. But some network file systems tell locks to the programs of one machine
// only. The name of a temporary file therefore names its machine and its boot: a file of this boot
// is left over where nobody holds its lock (one kernel knows all its locks, on every file system),
// one of this machine's former boots likewise, and one of another machine is never judged.
namespace haloscope {

// The first part of the names of temporary files of this process: ".haloscope-", machine, boot and
// process.
std::string temporary_prefix();

// Locks an open file for as long as it, or a duplicate of its descriptor, is open. False where
// somebody else is about to remove the file. Where the file system has no locks nothing happens:
// then nobody can lock the file to judge it.
bool hold_temporary(int descriptor);

// Removes the leftovers in `folder`, once per process and folder: a film writes thousands of files
// into one. Known weakness: where the file system has no locks they stay.
void remove_leftovers(const std::string& folder) noexcept;

}  // namespace haloscope
