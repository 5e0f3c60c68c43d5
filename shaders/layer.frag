#version 450 core
// A picture with transparency as it is, pixel for pixel: premultiplied display values.
in vec2 place;
out vec4 color;

layout(binding = 0) uniform sampler2D layer;

void main() {
  color = texelFetch(layer, ivec2(floor(place * vec2(textureSize(layer, 0)))), 0);
}
