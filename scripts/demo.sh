#!/usr/bin/env bash
# Sets up, builds, and runs the demo kernels on the CPU: scripts/demo.sh [arguments of examples/demo.py]
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

"$KILN_ROOT/scripts/setup.sh"
step "demo"
exec "$KILN_VENV/bin/python" "$KILN_ROOT/examples/demo.py" "$@"
