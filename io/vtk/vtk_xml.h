#pragma once

#include <string>

// Words that VTK's files of XML have in common (VTK File Formats).
namespace haloscope::io {

// The first lines of a file of this type, by which it is known for ours.
std::string vtk_head(const std::string& type);

// As an attribute's value.
std::string vtk_escaped(const std::string& text);

// A text of VTK's field data: the codes of its bytes, ended by a 0.
std::string vtk_text_array(const std::string& name, const std::string& text);

}  // namespace haloscope::io
