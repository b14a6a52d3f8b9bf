#!/usr/bin/env bash
# Sets up, builds and runs every test: scripts/test.sh [--torch] [--quick]
#   --torch   also the tests that need PyTorch (with CI=true always)
#   --quick   no sanitizer builds
# Steps go on after a failure; the exit status is 0 only if all of them passed.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$KILN_ROOT"

torch=0 quick=0 setup_arguments=()
[[ "${CI:-}" == true ]] && torch=1
for argument in "$@"; do
  case "$argument" in
    --torch) torch=1 setup_arguments+=(--torch) ;;
    --quick) quick=1 ;;
    *) fail "unknown argument '$argument', expected --torch or --quick" ;;
  esac
done

results=()
failed=0
# run_step TITLE COMMAND...
run_step() {
  local title="$1" start=$SECONDS verdict=passed
  shift
  step "$title"
  if ! "$@"; then verdict=FAILED failed=$((failed + 1)); fi
  results+=("$(printf '%-44s %s  %d s' "$title" "$verdict" $((SECONDS - start)))")
}

run_ctest() { ctest --test-dir "build/$1" --output-on-failure --no-tests=error "${@:2}"; }

# The compiler is switched off there: runtime/ must build and pass on its own, under the thread sanitizer.
thread_sanitizer() { scripts/build.sh tsan kiln_unittests && run_ctest tsan; }

address_sanitizer() { scripts/build.sh asan kiln_unittests && run_ctest asan; }

# Kernels compiled by tests do not go to the user's cache.
KILN_CACHE_DIR="$(mktemp -d)"
export KILN_CACHE_DIR
trap 'rm -rf "$KILN_CACHE_DIR"' EXIT

# With PyTorch at hand its tests run in its own environment; without, pytest reports them as skipped and why.
run_pytest() {
  if ((torch)); then
    "$KILN_VENV/bin/python" -m pytest -q -m "not torch"
  else
    "$KILN_VENV/bin/python" -m pytest -q
  fi
}
run_pytest_torch() { PYTHONPATH="$KILN_ROOT/python" "$KILN_TORCH_VENV/bin/python" -m pytest -q -m torch; }

scripts/setup.sh "${setup_arguments[@]}"
run_step "lint" scripts/lint.sh
run_step "build unit tests" scripts/build.sh dev kiln_unittests
run_step "lit" "$KILN_LLVM_BIN/lit" -sv build/dev/test
run_step "GoogleTest" run_ctest dev
run_step "pytest" run_pytest
if ((torch)); then run_step "pytest with PyTorch" run_pytest_torch; fi
if ((!quick)); then
  run_step "runtime alone, thread sanitizer" thread_sanitizer
  run_step "address and undefined-behaviour sanitizers" address_sanitizer
fi

step "summary"
printf '   %s\n' "${results[@]}"
if ((failed)); then fail "$failed of ${#results[@]} steps failed"; fi
note "all ${#results[@]} steps passed in $((SECONDS / 60)) min"
