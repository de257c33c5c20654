#!/bin/bash
# fresh_root.sh [--first] [bookworm|noble]...: times the README's commands on fresh machines.
#
# Each machine is a new root of Debian 12 or Ubuntu 24.04 (minimal, made by debootstrap) with this
# tree's files, two processors and the network. Run by hand, as root; not part of CTest. --first
# skips the second command, all tests. Exit code 77: requirements are missing.
set -u
cd "$(dirname "$0")/../.." || exit 1
[ "$(id -u)" = 0 ] || { echo "needs root: debootstrap, chroot, mount"; exit 77; }
command -v debootstrap >/dev/null || { echo "debootstrap is not installed"; exit 77; }

mapfile -t commands < <(grep '^\./tilecast ' README.md | head -n 2)
[ "${#commands[@]}" = 2 ] || { echo "README.md: expected two commands"; exit 1; }
if [ "${1:-}" = --first ]; then
  unset 'commands[1]'
  shift
fi
[ $# -gt 0 ] || set -- bookworm noble

root=
clean_up() {
  [ -n "$root" ] || return 0
  umount --lazy "$root/proc" "$root/dev/pts" "$root/dev" 2>/dev/null
  if grep -qF " $root/" /proc/mounts; then
    echo "$root is still in use"
  else
    rm -rf --one-file-system "$root"
  fi
  root=
}
trap clean_up EXIT
trap 'exit 1' INT TERM

# make_root SUITE: sets root; fails if the suite is not available
make_root() {
  local mirror options=()
  case $1 in
    bookworm) mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian} ;;
    noble)
      mirror=${UBUNTU_MIRROR:-http://archive.ubuntu.com/ubuntu}
      options=(--components=main,universe --keyring=/usr/share/keyrings/ubuntu-archive-keyring.gpg)
      [ -e /usr/share/keyrings/ubuntu-archive-keyring.gpg ] ||
        { echo "noble: the package ubuntu-keyring is not installed" && return 1; }
      ;;
    *) echo "$1: not known" && return 1 ;;
  esac
  local script=/usr/share/debootstrap/scripts/$1
  [ -e "$script" ] || script=/usr/share/debootstrap/scripts/gutsy  # of every later Ubuntu
  root=$(mktemp -d /var/tmp/fresh_root.XXXXXX)
  debootstrap --variant=minbase "${options[@]}" "$1" "$root" "$mirror" "$script" \
    >"$root.log" 2>&1 || { tail -n 3 "$root.log"; echo "$1: no root could be made"; return 1; }
  rm "$root.log"
  apt-config dump | grep -E '^Acquire::(https?::Proxy|Check-)' >"$root/etc/apt/apt.conf.d/outside"
  cp /etc/resolv.conf "$root/etc/resolv.conf"
  mount -t proc proc "$root/proc" && mount --bind /dev "$root/dev" &&
    mount --bind /dev/pts "$root/dev/pts" || return 1
  mkdir "$root/tilecast"
  git -c safe.directory="$PWD" ls-files -z | tar -c --null -T - | tar -x -C "$root/tilecast"
}

# timed COMMAND: runs it in the root on two processors, and prints wall and processor time
timed() {
  TIMEFORMAT="$1: %2R s, of processors %U + %S s"
  time taskset -c 0,1 chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
    sh -c "cd /tilecast && $1" </dev/null
}

failed=0
ran=0
for suite in "$@"; do
  make_root "$suite" || { clean_up && continue; }
  for command in "${commands[@]}" "${commands[0]}"; do
    timed "$command" >"$root/out" || { tail -n 40 "$root/out"; failed=1; }
    head -n 5 "$root/out" | cut -c 1-100
  done
  ran=1
  clean_up
done
[ $ran = 1 ] || exit 77
exit $failed
