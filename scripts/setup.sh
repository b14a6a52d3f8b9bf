#!/usr/bin/env bash
# Makes a fresh Debian 12 ready to build, test and run Kiln, then builds it: scripts/setup.sh [--torch] [--no-build]
#   Debian packages   scripts/packages.txt (root, or installed beforehand)
#   .venv             Python packages of scripts/requirements.txt, for Debian's own interpreter
#   --torch           an environment with PyTorch outside the checkout, for the tests that need it (CI=true: always)
# What is there already is left alone: a second run takes about a second.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

torch=0 build=1
[[ "${CI:-}" == true ]] && torch=1
for argument in "$@"; do
  case "$argument" in
    --torch) torch=1 ;;
    --no-build) build=0 ;;
    *) fail "unknown argument '$argument', expected --torch or --no-build" ;;
  esac
done

# Prints the packages of the table that are missing or too old, as "name found minimum".
missing_packages() {
  declare -A installed
  local name version minimum
  while read -r name version; do installed[$name]=$version; done < <(
    dpkg-query -W -f '${db:Status-Status} ${Package} ${Version}\n' 2>/dev/null |
      sed -n 's/^installed //p')
  while read -r name minimum; do
    [[ -z "$name" || "$name" == \#* ]] && continue
    version="${installed[$name]:-none}"
    if [[ "$version" == none ]] || dpkg --compare-versions "$version" lt "$minimum"; then
      echo "$name $version $minimum"
    fi
  done <"$KILN_ROOT/scripts/packages.txt"
}

setup_packages() {
  local missing names
  missing="$(missing_packages)"
  [[ -z "$missing" ]] && return
  names="$(cut -d' ' -f1 <<<"$missing" | tr '\n' ' ')"
  step "installing Debian packages: $names"
  if [[ "$(id -u)" != 0 ]]; then
    fail "packages are missing and this user is not root; run as root: apt-get update && apt-get install $names"
  fi
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  # shellcheck disable=SC2086
  apt-get install -y -q --no-install-recommends $names
  missing="$(missing_packages)"
  if [[ -n "$missing" ]]; then
    while read -r name version minimum; do
      echo "error: package $name: found $version, expected $minimum or later" >&2
    done <<<"$missing"
    fail "the package sources do not offer what Kiln needs: Debian 12 with its security suite"
  fi
}

# setup_venv FOLDER REQUIREMENTS: an environment of Debian's interpreter, made anew when the requirements change.
setup_venv() {
  local folder="$1" requirements="$2"
  if ! cmp -s "$requirements" "$folder/requirements.txt"; then
    step "Python environment $folder"
    rm -rf "$folder"
    mkdir -p "$(dirname "$folder")"
    /usr/bin/python3 -m venv "$folder"
    "$folder/bin/python" -m pip install --quiet --disable-pip-version-check -r "$requirements"
    cp "$requirements" "$folder/requirements.txt"
  fi
}

setup_packages
[[ -x /usr/bin/python3 ]] || fail "found no /usr/bin/python3, expected Debian's Python 3.11"
setup_venv "$KILN_VENV" "$KILN_ROOT/scripts/requirements.txt"
if ((torch)); then
  setup_venv "$KILN_TORCH_VENV" "$KILN_ROOT/scripts/requirements-torch.txt"
fi
if ((build)); then
  "$KILN_ROOT/scripts/build.sh" dev
  "$KILN_ROOT/scripts/install-python.sh"
fi
