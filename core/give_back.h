#pragma once

namespace haloscope {

// Empties a vector and gives its memory back, which `vector = {}` keeps.
template <class Vector>
void give_back(Vector& vector) {
  Vector().swap(vector);
}

}  // namespace haloscope
