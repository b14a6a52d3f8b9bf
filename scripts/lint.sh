#!/usr/bin/env bash
# Everything that can be said about the files without running them: scripts/lint.sh [--fix] [--tidy-all]
#   --fix        format in place instead of complaining
#   --tidy-all   clang-tidy on every C++ file (about 10 s a file), not only on the changed ones
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$KILN_ROOT"

fix=0 tidy_all=0
for argument in "$@"; do
  case "$argument" in
    --fix) fix=1 ;;
    --tidy-all) tidy_all=1 ;;
    *) fail "unknown argument '$argument', expected --fix or --tidy-all" ;;
  esac
done

failures=0
# check TITLE COMMAND...: runs it, shows its output only if it fails.
check() {
  local title="$1" output
  shift
  if output="$("$@" 2>&1)"; then
    note "ok      $title"
  else
    note "FAILED  $title"
    sed 's/^/          /' <<<"$output" | head -60 || true
    failures=$((failures + 1))
  fi
}

mapfile -t cpp < <(git ls-files '*.cpp' '*.h')
mapfile -t python < <(git ls-files '*.py')
mapfile -t text < <(git grep -Il '')

clang_format() {
  if ((fix)); then clang-format-22 -i "${cpp[@]}"; fi
  clang-format-22 --dry-run -Werror "${cpp[@]}"
}

ruff_format() {
  if ((fix)); then "$KILN_VENV/bin/ruff" format -q --force-exclude "${python[@]}"; fi
  "$KILN_VENV/bin/ruff" format --check --force-exclude "${python[@]}"
}

# Kernels that are wrong on purpose misspell names.
spelling() {
  printf '%s\n' "${text[@]}" | grep -vE '^test/Frontend/' |
    xargs codespell --ignore-words=scripts/spelling-allow.txt
}

whitespace() {
  local bad=0 file
  git grep -nI -E '[[:blank:]]+$' -- . && bad=1
  git grep -lI $'\r' -- . && bad=1
  for file in "${text[@]}"; do
    if [[ -s "$file" && -n "$(tail -c1 "$file")" ]]; then echo "$file: no newline at the end" && bad=1; fi
  done
  return "$bad"
}

# Sources only: what is built, downloaded or applied as a patch does not belong in the tree.
no_binaries() {
  local binaries
  binaries="$(comm -23 <(git ls-files | sort) <(git grep -Il '' | sort) | while read -r f; do
    if [[ -s "$f" ]]; then echo "$f"; fi; done)"
  binaries+="$(git ls-files '*.patch' '*.diff' '*.so' '*.o' '*.a' '*.whl' '*.zip' '*.tar*')"
  [[ -z "$binaries" ]] || { echo "$binaries"; return 1; }
}

license_headers() {
  local missing
  missing="$(git ls-files '*.cpp' '*.h' '*.td' | xargs grep -L 'SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception' || true)"
  [[ -z "$missing" ]] || { echo "no licence header:"; echo "$missing"; return 1; }
}

# A file is read whole: past 800 lines it is two things. Tables, tests and .td files may be longer.
file_lengths() {
  local long
  long="$(git ls-files '*.cpp' '*.h' '*.py' '*.sh' | grep -vE '^(test|unittests)/|Table' | xargs wc -l |
    awk '$2 != "total" && $1 > 800 {print $2 ": " $1 " lines, expected at most 800"}')"
  [[ -z "$long" ]] || { echo "$long"; return 1; }
}

# Files that differ from the base: the upstream branch, or the commit before where there is no difference.
changed_cpp() {
  local base="${KILN_LINT_BASE:-origin/main}"
  git rev-parse -q --verify "$base" >/dev/null || base=HEAD
  if git diff --quiet "$base" -- && git rev-parse -q --verify HEAD~1 >/dev/null; then base=HEAD~1; fi
  git diff --name-only --diff-filter=d "$base" -- '*.cpp'
}

clang_tidy() {
  local files="$1"
  [[ -z "$files" ]] && return
  # Only files that this build compiles have a command to check them with.
  local known
  known="$(grep -o '"file": "[^"]*"' build/dev/compile_commands.json | sed "s|.*\"$KILN_ROOT/||; s|\"||" | sort -u)"
  comm -12 <(sort -u <<<"$files") <(echo "$known") |
    xargs -r -P "$KILN_JOBS" -n 2 clang-tidy-22 --quiet --warnings-as-errors='*' -p build/dev
}

size_table() {
  printf '   %-34s %6s %7s %8s\n' folder files lines longest
  git ls-files '*.cpp' '*.h' '*.td' '*.py' '*.sh' '*.mlir' '*.txt' '*.cmake' | xargs wc -l | awk '
    $2 == "total" {next}
    { n = split($2, part, "/"); key = n > 2 ? part[1] "/" part[2] : (n > 1 ? part[1] : ".")
      files[key]++; lines[key] += $1; if ($1 > longest[key]) longest[key] = $1 }
    END { for (key in files) printf "   %-34s %6d %7d %8d\n", key, files[key], lines[key], longest[key] }' | sort
}

step "lint"
check "clang-format" clang_format
check "ruff" "$KILN_VENV/bin/ruff" check -q --force-exclude "${python[@]}"
check "ruff format" ruff_format
check "codespell" spelling
check "whitespace" whitespace
check "no binaries, no patches" no_binaries
check "licence headers" license_headers
check "file lengths" file_lengths
check "generated docs" scripts/gen-docs.sh --check
if ((tidy_all)); then
  check "clang-tidy, every file" clang_tidy "$(git ls-files '*.cpp')"
else
  check "clang-tidy, changed files" clang_tidy "$(changed_cpp)"
fi
size_table
if ((failures)); then fail "lint: $failures checks failed"; fi
note "lint: all checks passed"
