# What the scripts share. Sourced, with the repository's root as working folder.
# shellcheck shell=bash

script=${0##*/}
say() { echo "$script: $*" >&2; }
warn() { echo "$script: warning: $*" >&2; }

# Ends the script with one line and an exit code, 1 unless given.
die() {
  echo "$script: error: $1" >&2
  exit "${2:-1}"
}

# Runs a command as root: as it is, or through sudo.
as_root() {
  if ((EUID == 0)); then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    die "needs root to run: $* (run as root, or install sudo)"
  fi
}

# Configures and builds a preset: build <preset> [arguments of cmake --build...].
build() {
  local preset=$1
  shift
  cmake --preset "$preset" >"$(log_of "$preset-configure")" 2>&1 || {
    grep -A 8 'CMake Error' "$(log_of "$preset-configure")" >&2
    die "configuring the preset $preset failed (all of it: $(log_of "$preset-configure"))"
  }
  grep '^Parallax:' "$(log_of "$preset-configure")" >&2 || true
  say "building the preset $preset"
  cmake --build --preset "$preset" "$@" >"$(log_of "$preset-build")" 2>&1 || {
    grep -m 1 -A 20 'FAILED:' "$(log_of "$preset-build")" >&2 || tail -n 20 "$(log_of "$preset-build")" >&2
    die "building the preset $preset failed (all of it: $(log_of "$preset-build"))"
  }
}

# Where a step's output goes.
log_of() {
  mkdir -p build/logs
  echo "build/logs/$1.log"
}
