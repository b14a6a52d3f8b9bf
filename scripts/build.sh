#!/usr/bin/env bash
# Configures and builds: scripts/build.sh [PRESET [TARGET...]]; presets are in CMakePresets.json (default: dev).
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

preset="${1:-dev}"
shift || true
build="$KILN_ROOT/build/$preset"
launcher="$(compiler_launcher)"

# CMake configures again by itself when its files change; only the preset and these arguments it does not watch.
stamp="$build/.configured"
wanted="$(sha256sum <"$KILN_ROOT/CMakePresets.json") $launcher $KILN_VENV"
if [[ ! -f "$build/build.ninja" || "$(cat "$stamp" 2>/dev/null || true)" != "$wanted" ]]; then
  step "configuring $preset"
  (cd "$KILN_ROOT" && cmake --preset "$preset" -DCMAKE_C_COMPILER_LAUNCHER="$launcher" \
    -DCMAKE_CXX_COMPILER_LAUNCHER="$launcher" -DPython_EXECUTABLE="$KILN_VENV/bin/python")
  printf '%s' "$wanted" >"$stamp"
fi
step "building $preset${*:+: $*}"
ninja -C "$build" -j "$KILN_JOBS" "$@"
