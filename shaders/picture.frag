#version 450 core
// Linear light → display values, as tone_map() in render/tone_map.cpp; change both together (a test
// compares them).
in vec2 place;
out vec4 color;

layout(binding = 0) uniform sampler2D light_of_frame;
uniform float scale;          // exposure / softening
uniform float inverse_white;  // 1 / asinh(white / softening)
uniform float enlarged;       // above 0: the frame has other pixels than the viewport
uniform float gamma;          // display value to this power
uniform float white_ground;   // above 0: as on_white() in render/colors/white_ground.cpp

const float fade_begin = 0.75, fade_end = 1.5;

// Not GLSL's asinh: drivers compute it as log(x + sqrt(x² + 1)), which loses faint light.
float stretch(float x) {
  return x < 0.01 ? x - x * x * x / 6.0 : log(x + sqrt(x * x + 1.0));
}

float to_linear(float v) {
  return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

float to_display(float linear) {
  linear = clamp(linear, 0.0, 1.0);
  return linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1.0 / 2.4) - 0.055;
}

// By its bits: compilers of shaders may take isnan and isinf to be never true.
float usable(float value) {
  bool finite = (floatBitsToUint(value) & 0x7f800000u) != 0x7f800000u;
  return finite && value > 0.0 ? value : 0.0;
}

vec3 light_at(ivec2 pixel) {
  ivec2 last = textureSize(light_of_frame, 0) - 1;
  vec3 stored = texelFetch(light_of_frame, clamp(pixel, ivec2(0), last), 0).rgb;
  return vec3(usable(stored.r), usable(stored.g), usable(stored.b));
}

// Linear between pixels. Not the texture's own filter, which would spread what is not finite.
vec3 light_between(vec2 at) {
  ivec2 corner = ivec2(floor(at));
  vec2 part = at - vec2(corner);
  return mix(mix(light_at(corner), light_at(corner + ivec2(1, 0)), part.x),
             mix(light_at(corner + ivec2(0, 1)), light_at(corner + ivec2(1, 1)), part.x), part.y);
}

void main() {
  vec2 at = place * vec2(textureSize(light_of_frame, 0));
  vec3 rgb = enlarged > 0.0 ? light_between(at - 0.5) : light_at(ivec2(floor(at)));
  float light = max(rgb.r, max(rgb.g, rgb.b));
  if (light <= 0.0) {
    color = vec4(vec3(white_ground > 0.0 ? 1.0 : 0.0), 1.0);
    return;
  }
  float v = stretch(light * scale) * inverse_white;
  float value = to_linear(min(v, 1.0));
  float white = smoothstep(fade_begin, fade_end, v);
  vec3 shown = value * (white + (1.0 - white) * (rgb / light));
  vec3 display = vec3(to_display(shown.r), to_display(shown.g), to_display(shown.b));
  if (gamma != 1.0) display = pow(display, vec3(gamma));
  if (white_ground > 0.0)
    display += 1.0 - max(display.r, max(display.g, display.b)) -
               min(display.r, min(display.g, display.b));
  color = vec4(display, 1.0);
}
