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
