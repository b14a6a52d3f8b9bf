#!/usr/bin/env bash
# Measures and writes the figures of the README: scripts/figures.sh   (an idle machine, about five minutes)
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$KILN_ROOT"

results="$(mktemp -d)"
trap 'rm -rf "$results"' EXIT
suites=(cpu compile launch)
for suite in "${suites[@]}"; do
  step "kiln bench $suite"
  "$KILN_VENV/bin/kiln" bench "$suite" --json >"$results/$suite.json"
done
model="$(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | head -1)"
{
  echo "Measured with \`kiln bench cpu\`, \`compile\` and \`launch\` on $(nproc) cores of an $model"
  echo "(\`scripts/figures.sh\` repeats it). Arrays of 64 MiB are bound by the best copy measured in the same run, bytes read and"
  echo "written counted; arrays of 1 MiB by a hand-written kernel with intrinsics (\`benchmarks/cpu/reference\`). NumPy writes into"
  echo "preallocated arrays, on one thread."
  echo
  "$KILN_VENV/bin/python" scripts/figures.py "$results"/{cpu,compile,launch}.json
} >"$results/block.md"
"$KILN_VENV/bin/python" scripts/replace_block.py README.md figures <"$results/block.md"
