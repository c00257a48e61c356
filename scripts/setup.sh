#!/usr/bin/env bash
# Installs what Parallax needs to build, run and test: packages of the distribution, and Python
# tools in .venv. Safe to run again: when nothing is missing it changes nothing, asks for no
# password and uses no network.
#
# Debian 12 and 13 are tried in CI or by hand; Ubuntu 24.04 has the same package names but is
# untried in CI.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

usage() {
  cat <<'TEXT'
Usage: scripts/setup.sh [--dev] [--stock-mesa] [--retry]
Installs the packages and Python tools that Parallax needs (Debian 12 or 13; Ubuntu 24.04 is
untried in CI), as root or with sudo.
  --dev         also the tools of the checks: clang-tidy, shellcheck
  --stock-mesa  keep the distribution's Mesa, even where its backports have a newer one
  --retry       try again what an earlier run could not get (Mesa from backports)
  --help        this text
TEXT
}

BUILD_PACKAGES=(g++ cmake ninja-build git ca-certificates python3-venv xz-utils)
LIBRARY_PACKAGES=(libbenchmark-dev libcli11-dev libfmt-dev libgmock-dev libgtest-dev
  libvalijson-dev nlohmann-json3-dev)
API_PACKAGES=(glslang-tools libegl1 libvulkan-dev mesa-vulkan-drivers ocl-icd-opencl-dev opencl-headers
  pocl-opencl-icd spirv-tools vulkan-validationlayers)
DEV_PACKAGES=(clang-tidy-19 shellcheck)  # one version of clang-tidy everywhere
MESA_WANTED=25        # Vulkan 1.4 in lavapipe; Debian 12 itself has 22.3
PYTHON_MINIMUM="3, 11"
MESA_STAMP=.venv/mesa-from-backports-failed

# Sets the machine's package lists up to date, once a run.
lists_updated=''
update_lists() {
  [[ -z $lists_updated ]] || return 0
  say "updating the package lists"
  as_root apt-get -qq -o DPkg::Lock::Timeout=300 update >&2 ||
    warn "apt-get update failed; going on with the lists there are"
  lists_updated=yes
}

apt_install() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o DPkg::Lock::Timeout=300 \
    -o Dpkg::Use-Pty=0 install --no-install-recommends "$@" >"$scratch/apt.log" 2>&1 || {
    tail -n 15 "$scratch/apt.log" >&2
    return 1
  }
}

version_of() { dpkg-query -W -f '${db:Status-Status} ${Version}' "$1" 2>/dev/null | sed -n 's/^installed //p'; }

install_packages() {
  local wanted=("$@") missing=() installed package
  installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "${wanted[@]}" 2>/dev/null || true)
  for package in "${wanted[@]}"; do
    grep -qxF "installed $package" <<<"$installed" || missing+=("$package")
  done
  if ((${#missing[@]} == 0)); then
    say "packages: all ${#wanted[@]} are installed"
    return
  fi
  update_lists
  say "installing ${missing[*]}"
  apt_install "${missing[@]}" || die "apt-get could not install these packages (its output is above)"
}

# Writes a private package source into the folder $2: the machine's own entry for the suite $1,
# widened to that suite's backports. Reads both formats of apt; edits nothing.
write_backports_source() {
  local suite=$1 folder=$2 file
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [[ -r $file ]] || continue
    awk -v suite="$suite" '
      $1 == "deb" {
        i = 2
        if ($i ~ /^\[/) { while (i < NF && $i !~ /\]$/) i++; i++ }
        if ($(i + 1) != suite) next
        head = ""
        for (j = 1; j <= i; j++) head = head $j " "
        print head suite " main"
        print head suite "-backports main"
        exit
      }' "$file" >"$folder/private.list"
    [[ ! -s $folder/private.list ]] || return 0
  done
  rm -f "$folder/private.list"
  for file in /etc/apt/sources.list.d/*.sources; do
    [[ -r $file ]] || continue
    # A stanza is a paragraph; its other fields, such as a key, are kept as they are.
    awk -v suite="$suite" '
      BEGIN { RS = ""; FS = "\n" }
      {
        named = 0; disabled = 0; text = ""
        for (i = 1; i <= NF; i++) {
          line = $i
          key = tolower(line); sub(/:.*/, "", key)
          if (key == "suites") {
            count = split(substr(line, 8), words, " ")
            for (j = 1; j <= count; j++) if (words[j] == suite) named = 1
            line = "Suites: " suite " " suite "-backports"
          } else if (key == "types") line = "Types: deb"
          else if (key == "components") line = "Components: main"
          else if (key == "enabled" && tolower(line) ~ /no|false|0/) disabled = 1
          text = text line "\n"
        }
        if (named && !disabled) { printf "%s", text; exit }
      }' "$file" >"$folder/private.sources"
    [[ ! -s $folder/private.sources ]] || return 0
  done
  return 1
}

# Installs Mesa from the distribution's backports, for these calls of apt-get only: its sources,
# lists and caches are private ones. apt brings along what the newer Mesa needs (libdrm and the
# other Mesa libraries that are installed); the rest stays at the stock version.
install_backported_mesa() {
  local suite=$1 private=$scratch/apt source
  mkdir -p "$private/parts" "$private/lists/partial"
  write_backports_source "$suite" "$private/parts" || return 1
  chmod -R a+rX "$scratch"  # apt reads as its own user
  source=$(echo "$private"/parts/*)
  local options=(-o Dir::Etc::SourceList="$source" -o Dir::Etc::SourceParts=-
    -o Dir::State::Lists="$private/lists" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache=
    -o Acquire::Retries=1 -o APT::Update::Error-Mode=any)
  as_root apt-get -qq "${options[@]}" update >"$scratch/apt.log" 2>&1 || {
    tail -n 3 "$scratch/apt.log" >&2
    return 1
  }
  apt_install "${options[@]}" -t "$suite-backports" mesa-vulkan-drivers
}

choose_mesa() {
  local have suite
  have=$(version_of mesa-vulkan-drivers)
  # shellcheck source=/dev/null
  suite=$(. /etc/os-release && echo "${ID:-}:${VERSION_CODENAME:-}")
  if dpkg --compare-versions "$have" ge "$MESA_WANTED" || [[ $suite != debian:bookworm ]]; then
    say "Mesa $have"
  elif [[ -n $stock_mesa ]]; then
    say "Mesa $have, kept (--stock-mesa)"
  elif [[ -e $MESA_STAMP && -z $retry ]]; then
    say "Mesa $have: backports were out of reach in an earlier run (--retry tries again)"
  else
    say "installing Mesa $MESA_WANTED from ${suite#*:}-backports, through a private source list"
    if install_backported_mesa "${suite#*:}"; then
      rm -f "$MESA_STAMP"
    else
      mkdir -p .venv && touch "$MESA_STAMP"
      warn "no Mesa from backports; going on with $have (lavapipe stays at an older Vulkan)"
    fi
    say "Mesa $(version_of mesa-vulkan-drivers)"
  fi
}

# Prints a Python that is new enough and can make virtual environments.
find_python() {
  local candidate
  for candidate in python3 /usr/bin/python3 python3.13 python3.12 python3.11; do
    if "$candidate" -c "import sys, venv, ensurepip; sys.exit(sys.version_info < ($PYTHON_MINIMUM))" \
      2>/dev/null; then
      echo "$candidate"
      return
    fi
  done
  die "no Python ${PYTHON_MINIMUM/, /.} or newer with the venv module was found"
}

make_venv() {
  local hash python
  hash=$(sha256sum scripts/requirements.txt | cut -d ' ' -f 1)
  if [[ $(cat .venv/requirements.sha256 2>/dev/null) == "$hash" ]] &&
    .venv/bin/python -c 'pass' 2>/dev/null; then
    say "Python tools: as scripts/requirements.txt asks"
    return
  fi
  python=$(find_python)
  say "installing the Python tools into .venv, with $("$python" --version)"
  "$python" -m venv --clear .venv || die "$python could not make .venv"
  .venv/bin/python -m pip install -q --disable-pip-version-check -r scripts/requirements.txt ||
    die "pip could not install scripts/requirements.txt (its output is above)"
  echo "$hash" >.venv/requirements.sha256
}

tell_about_nvcc() {
  local nvcc
  if nvcc=$(PATH="${CUDA_HOME:-/nowhere}/bin:$PATH:/usr/local/cuda/bin" command -v nvcc); then
    say "CUDA: nvcc $("$nvcc" --version | sed -n 's/.*, V//p') ($nvcc)"
  else
    say "CUDA: no nvcc, so Parallax is built without CUDA. It is never installed here: get the" \
      "toolkit, 12.8 or newer, from NVIDIA"
  fi
}

dev='' stock_mesa='' retry=''
for argument in "$@"; do
  case $argument in
    --dev) dev=yes ;;
    --stock-mesa) stock_mesa=yes ;;
    --retry) retry=yes ;;
    -h | --help) usage && exit 0 ;;
    *) die "unknown option $argument (--help lists them)" 2 ;;
  esac
done

command -v apt-get >/dev/null ||
  die "this system has no apt-get: install by hand ${BUILD_PACKAGES[*]} ${LIBRARY_PACKAGES[*]} ${API_PACKAGES[*]}"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch" 2>/dev/null || as_root rm -rf "$scratch"' EXIT

[[ -z $dev ]] || BUILD_PACKAGES+=("${DEV_PACKAGES[@]}")
install_packages "${BUILD_PACKAGES[@]}" "${LIBRARY_PACKAGES[@]}" "${API_PACKAGES[@]}"
make_venv
choose_mesa
tell_about_nvcc
