# shellcheck shell=bash disable=SC2034
# Sourced by the other scripts: folders, messages, and the settings of the compiler cache.

set -euo pipefail

KILN_ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
KILN_VENV="$KILN_ROOT/.venv"
KILN_LLVM_BIN=/usr/lib/llvm-22/bin
# What several checkouts share (compiler cache, PyTorch) lives outside all of them.
KILN_DEV_CACHE="${KILN_DEV_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/kiln-dev}"
KILN_TORCH_VENV="$KILN_DEV_CACHE/torch-venv"
KILN_JOBS="${KILN_JOBS:-$(nproc)}"

step() { printf '\n== %s (%s)\n' "$*" "$(date +%T)"; }
note() { printf '   %s\n' "$*"; }
fail() { printf 'error: %s\n' "$*" >&2; exit 1; }

# The compiler with ccache before it, as one CMake list: paths below the checkout are hashed relative to it, so a
# clone in another folder finds the same entries.
compiler_launcher() {
  command -v ccache >/dev/null || return 0
  local cache="${CCACHE_DIR:-$KILN_DEV_CACHE/ccache}"
  printf '%s;' /usr/bin/env "CCACHE_DIR=$cache" "CCACHE_BASEDIR=$KILN_ROOT" CCACHE_NOHASHDIR=1 \
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime CCACHE_MAXSIZE=5G
  printf 'ccache'
}
