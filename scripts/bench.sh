#!/usr/bin/env bash
# Sets up, builds and runs the main job: every API of the best GPU, or without a GPU the CPU
# devices of host, OpenCL and Vulkan. Ends with the table of `parallax run` and the checked file.
set -euo pipefail
caller=$PWD
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

usage() {
  cat <<'TEXT'
Usage: scripts/bench.sh [arguments of parallax run...]
Sets up the machine, builds Parallax, runs it and checks the result file.
Without --preset: default on a machine with a GPU, quick without. Without --output: a new file in
results/. Everything else goes to `parallax run` as it is (build/release/parallax run --help).
  scripts/bench.sh
  scripts/bench.sh --workload vector_add --api cuda,vulkan --output gpu.json
Exit code: that of parallax run, or of parallax validate where only that failed.
TEXT
}

# Prints whether any device is a GPU: yes or no.
gpu_found() {
  "$parallax" devices --json | .venv/bin/python -c '
import json, sys
gpus = json.load(sys.stdin)["gpus"]
print("yes" if any(gpu["type"] == "gpu" for gpu in gpus) else "no")'
}

preset='' output=''
arguments=()
while (($#)); do
  case $1 in
    -h | --help) usage && exit 0 ;;
    --output | -o) (($# > 1)) || die "$1 needs a file" 2; output=$2 && shift ;;
    --output=*) output=${1#*=} ;;
    --preset) (($# > 1)) || die "$1 needs a name" 2; preset=$2 && shift ;;
    --preset=*) preset=${1#*=} ;;
    *) arguments+=("$1") ;;
  esac
  shift
done

scripts/setup.sh
build release --target parallax
parallax=build/release/parallax

if [[ -z $preset ]]; then
  found=$(gpu_found) || die "parallax devices failed"
  [[ $found == yes ]] && preset=default || preset=quick
  say "GPU found: $found; running the preset $preset"
fi
case $output in
  '') mkdir -p results && output=results/$(date -u +%Y-%m-%dT%H%M%SZ).json ;;
  - | /*) ;;
  *) output=$caller/$output ;;
esac

status=0
"$parallax" run --preset "$preset" --output "$output" "${arguments[@]}" || status=$?
[[ $output == - || -e $output ]] || exit "$status"
case $output:$status in
  -:* | *:2 | *:77) exit "$status" ;;  # no file, or none of this run
esac
"$parallax" validate "$output" >&2 || { ((status)) || status=$?; }
echo "$output"
exit "$status"
