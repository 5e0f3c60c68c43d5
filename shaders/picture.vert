#version 450 core
// One triangle that covers the viewport. The frame's row 0 is on top, OpenGL's is below.
out vec2 place;

void main() {
  vec2 corner = vec2((gl_VertexID << 1) & 2, gl_VertexID & 2);
  place = vec2(corner.x, 1.0 - corner.y);
  gl_Position = vec4(2.0 * corner - 1.0, 0.0, 1.0);
}
