#!/usr/bin/env bash
# Makes `import kiln` and the command `kiln` work in the checkout's .venv: scripts/install-python.sh [VENV]
# The package is used where it lies (python/kiln; CMake builds its native module there), so nothing
# has to be installed again after a change. Another environment may be named, such as one with PyTorch.
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
venv="${1:-$root/.venv}"
[[ -x "$venv/bin/python" ]] || { echo "error: found no $venv/bin/python, expected an environment that scripts/setup.sh made" >&2; exit 1; }

packages="$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')"
printf '%s\n' "$root/python" >"$packages/kiln.pth"
cat >"$venv/bin/kiln" <<SCRIPT
#!$venv/bin/python
import sys

from kiln.cli import main

sys.exit(main())
SCRIPT
chmod +x "$venv/bin/kiln"
