# Read by the other scripts (source, not run): where the project lies, where CUDA is, which preset.
# Sets: root, nvcc (empty without CUDA toolkit), and leaves the working folder at the root.

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
cd "$root"

# One clear sentence on stderr, then out.
fail() {
  echo "$(basename "$0"): $*" >&2
  exit 1
}

find_nvcc() {
  local candidate
  for candidate in "${CUDACXX:-}" "$(command -v nvcc || true)" /usr/local/cuda/bin/nvcc \
    $(ls -d /usr/local/cuda-*/bin/nvcc 2>/dev/null | sort -rV); do
    if [[ -n "$candidate" && -x "$candidate" ]]; then
      echo "$candidate"
      return
    fi
  done
}
nvcc="$(find_nvcc)"

default_preset() {
  if [[ -n "${HALOSCOPE_PRESET:-}" ]]; then
    echo "$HALOSCOPE_PRESET"
  elif [[ -n "$nvcc" ]]; then
    echo cuda
  else
    echo cpu
  fi
}
