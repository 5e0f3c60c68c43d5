#pragma once

#include <fstream>
#include <string>

namespace haloscope {

// A pipe that the shell opened for this process (/dev/stdin, <(...)) can be read once, from its
// beginning to its end.
enum class Pipes { Refused, OfShell };

// Opens a regular file (links are followed) for reading in binary. Throws Error where it cannot be
// opened, and for folders, devices and pipes: a pipe that nobody writes to would never open, and a
// device has no end. `what` names the file in that sentence.
std::ifstream open_input(const std::string& path, const std::string& what = "file",
                         Pipes pipes = Pipes::Refused);

// The same without opening: for libraries that open files by their name.
void require_input(const std::string& path, const std::string& what = "file",
                   Pipes pipes = Pipes::Refused);

// The descriptor of such a file, which the caller closes.
int open_input_descriptor(const std::string& path, const std::string& what = "file",
                          Pipes pipes = Pipes::Refused);

// Whether a pipe at `path` is held by this process and has no name of its own in a folder.
bool is_pipe_of_shell(const std::string& path);

}  // namespace haloscope
