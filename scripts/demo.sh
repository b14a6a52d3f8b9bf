#!/usr/bin/env bash
# Sets up, builds, and runs the demo kernels on the CPU and on a simulated NPU: scripts/demo.sh
# With arguments (those of examples/demo.py, such as --device ascend910b) one run with them.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

"$KILN_ROOT/scripts/setup.sh"
demo() { "$KILN_VENV/bin/python" "$KILN_ROOT/examples/demo.py" "$@"; }
if [[ $# -gt 0 ]]; then
  step "demo"
  demo "$@"
  exit
fi
step "demo: the CPU"
demo
step "demo: a simulated NPU"
demo --device ascend910b
