#!/usr/bin/env bash
# Runs the two commands of the README in a Debian 12 that has nothing but the base system and git:
#   scripts/check-fresh.sh [FOLDER [COMMAND...]]   (root; by hand, it downloads about 1 GB and builds everything)
# FOLDER (default: a new temporary one, removed afterwards) becomes the root. The package sources and the settings
# of apt and pip of this machine are passed in. Only what is committed is tested. Commands default to the README's.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

[[ "$(id -u)" == 0 ]] || fail "debootstrap and chroot need root"
command -v debootstrap >/dev/null || fail "found no debootstrap; install the package debootstrap"

root="${1:-}"
commands=("${@:2}")
((${#commands[@]})) || commands=(scripts/demo.sh scripts/test.sh)
if [[ -z "$root" ]]; then root="$(mktemp -d)" temporary=1; else temporary=0; fi

cleanup() {
  for mounted in proc sys; do umount "$root/$mounted" 2>/dev/null || true; done
  if ((temporary)); then rm -rf --one-file-system "$root"; fi
}
trap cleanup EXIT

mirror="$({ cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null || true; } |
  sed -nE 's/^(deb|URIs:) +(\[[^]]*\] +)?(http[^ ]*debian)\/? *(bookworm main.*)?$/\3/p' | head -1)"
[[ -n "$mirror" ]] || fail "found no Debian mirror in /etc/apt"

if [[ ! -f "$root/etc/debian_version" ]]; then
  step "debootstrap into $root"
  debootstrap --variant=minbase --include=git,ca-certificates bookworm "$root" "$mirror"
fi
step "settings of this machine"
rm -rf "$root/etc/apt/sources.list" "$root/etc/apt/sources.list.d"
mkdir -p "$root/etc/apt/sources.list.d"
# Debian's own suites only: other sources have keys that the new root does not.
for file in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
  if grep -q "$mirror" "$file" 2>/dev/null; then cp "$file" "$root/etc/apt/sources.list.d/"; fi
done
if [[ -f "$root/etc/apt/sources.list.d/sources.list" ]]; then
  mv "$root/etc/apt/sources.list.d/sources.list" "$root/etc/apt/sources.list"
fi
mapfile -t apt_settings < <(grep -ls 'Acquire::' /etc/apt/apt.conf /etc/apt/apt.conf.d/* || true)
for file in "${apt_settings[@]}" /etc/pip.conf /etc/resolv.conf /etc/hosts; do
  if [[ -f "$file" ]]; then mkdir -p "$root$(dirname "$file")" && cp -L "$file" "$root$file"; fi
done
if [[ -f /etc/ssl/certs/ca-certificates.crt ]]; then
  cp -L --remove-destination /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
fi
if [[ -n "${PIP_FIND_LINKS:-}" && -d "$PIP_FIND_LINKS" ]]; then
  mkdir -p "$root$PIP_FIND_LINKS" && cp -a "$PIP_FIND_LINKS/." "$root$PIP_FIND_LINKS/"
fi
mount -t proc proc "$root/proc"
mount -t sysfs sys "$root/sys"

step "clone"
rm -rf "$root/root/kiln"
git clone -q --no-local "$KILN_ROOT" "$root/root/kiln"

environment=(HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8)
while IFS= read -r setting; do environment+=("$setting"); done < <(env | grep -iE '^(pip_|https?_proxy|no_proxy)' || true)
for command in "${commands[@]}"; do
  step "fresh root: $command"
  chroot "$root" /usr/bin/env -i "${environment[@]}" bash -c "cd /root/kiln && $command" ||
    fail "$command failed in the fresh root"
done
note "passed on a fresh Debian 12: ${commands[*]}"
