#!/usr/bin/env bash
# Makes dist/parallax-<version>-linux-x86_64.tar.xz: unpack it on any x86-64 Linux with glibc 2.36
# or newer and run ./parallax. The same commit on the same system gives the same bytes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

GLIBC_LIMIT=2.36
SIZE_LIMIT_BYTES=20000000

usage() {
  cat <<'TEXT'
Usage: scripts/bundle.sh
Builds the preset release and packs it with the libraries that it needs into
dist/parallax-<version>-linux-x86_64.tar.xz. Build on Debian 12: a newer system's C library would
be asked for on the machines that unpack it. Run scripts/setup.sh first.
TEXT
}

case ${1:-} in
  '') ;;
  -h | --help) usage && exit 0 ;;
  *) die "unknown option $1 (--help lists them)" 2 ;;
esac
[[ $(uname -sm) == "Linux x86_64" ]] || die "bundles are made on x86-64 Linux"

# Prints "soname path" for each library that a file asks the loader for.
libraries_of() { ldd "$1" | awk '$2 == "=>" { print $1, $3 }'; }

# Prints the newest symbol version of a family (GLIBC, GLIBCXX) that files ask for.
newest_version() {
  local family=$1
  shift
  objdump -T "$@" | grep -o "\b${family}_[0-9][0-9.]*" | sort -uV | tail -n 1
}

carry() {  # carry <library file> <folder>: with the licence of its package
  local package document
  mkdir -p "$2"
  install -m 644 "$(readlink -f "$1")" "$2/$(basename "$1")"
  strip --strip-unneeded "$2/$(basename "$1")"
  for document in "$(readlink -f "$1")" "/usr$(readlink -f "$1")" "${1/#\/usr/}"; do
    package=$(dpkg-query -S "$document" 2>/dev/null | head -n 1 | cut -d : -f 1) && break
  done
  [[ -n $package ]] || die "no package owns $1, so its licence is not known"
  mkdir -p "$tree/licenses"
  install -m 644 "/usr/share/doc/$package/copyright" "$tree/licenses/$package"
}

build release --target parallax
version=$(sed -n 's/^CMAKE_PROJECT_VERSION:[A-Z]*=//p' build/release/CMakeCache.txt)
name=parallax-$version-linux-x86_64
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
tree=$stage/$name
cmake --install build/release --prefix "$tree" --strip >/dev/null
binary=$tree/bin/parallax

# Carried for good: what the C++ library and its like are not part of. Carried as a fallback, for
# machines that have none: the C++ library and the loaders of OpenCL and Vulkan, opened at run time.
# The C++ library is not linked statically: the distribution's Google Benchmark and fmt are shared
# and bring the shared one in, as do the drivers, and two copies in one process do not mix.
while read -r soname path; do
  case $soname in
    libc.so.* | libm.so.* | libdl.so.* | libpthread.so.* | librt.so.*) ;;
    libstdc++.so.* | libgcc_s.so.*) carry "$path" "$tree/lib/fallback/$soname" ;;
    *) carry "$path" "$tree/lib" ;;
  esac
done < <(libraries_of "$binary" | sort)
# NVIDIA's Vulkan driver also opens libEGL, which machines made for CUDA alone may lack.
for soname in libvulkan.so.1 libOpenCL.so.1 libEGL.so.1 libGLdispatch.so.0; do
  path=$(ldconfig -p | awk -v so="$soname" '$1 == so && /x86-64/ { print $NF; exit }')
  [[ -n $path ]] || die "$soname is not installed here (scripts/setup.sh installs it)"
  carry "$path" "$tree/lib/fallback/$soname"
done
newest_version GLIBCXX "$binary" "$tree"/lib/*.so* >"$tree/lib/fallback/libstdc++.so.6/needs"

mkdir -p "$tree/results"
cp -r results/schema "$tree/results/"
cp LICENSE README.md "$tree/"
install -m 755 scripts/bundle/parallax "$tree/parallax"

mapfile -t objects < <(find "$tree" -type f \( -name '*.so*' -o -path '*/bin/*' \))
glibc=$(newest_version GLIBC "${objects[@]}")
[[ $(printf '%s\n' "$glibc" "GLIBC_$GLIBC_LIMIT" | sort -V | tail -n 1) == "GLIBC_$GLIBC_LIMIT" ]] ||
  die "this would need glibc ${glibc#*_}, newer than $GLIBC_LIMIT: make the bundle on Debian 12"

mkdir -p dist
archive=dist/$name.tar.xz
tar --sort=name --owner=0 --group=0 --numeric-owner --mode=go=rX,u+rw --format=gnu \
  --mtime="@${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}" -C "$stage" -cf - "$name" |
  xz -9e -T1 >"$archive"

# What was packed must start from where a user unpacks it.
mkdir "$stage/try"
tar -C "$stage/try" -xf "$archive"
"$stage/try/$name/parallax" --version >&2 || die "the unpacked bundle does not start"
size_bytes=$(stat -c %s "$archive")
((size_bytes < SIZE_LIMIT_BYTES)) || die "$archive has $size_bytes bytes, over $SIZE_LIMIT_BYTES"
say "$size_bytes bytes, needs ${glibc/_/ } or newer"
echo "$archive"
