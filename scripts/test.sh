#!/usr/bin/env bash
# Sets up, builds and tests. With --all, everything that CI checks.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

usage() {
  cat <<'TEXT'
Usage: scripts/test.sh [--all]
Sets up the machine, builds the preset ci and runs the tests (ctest, then pytest).
  --all   also formatting, linters, layering rules, clang-tidy, address and undefined-behaviour
          sanitizers, and Vulkan's validation layers; host, OpenCL and Vulkan must be there
  --help  this text
Exit code: 0 when every step passed, 1 otherwise; each step's output is in build/logs/.
TEXT
}

all=''
for argument in "$@"; do
  case $argument in
    --all) all=yes ;;
    -h | --help) usage && exit 0 ;;
    *) die "unknown option $argument (--help lists them)" 2 ;;
  esac
done

# Runs one step and goes on after a failure, so that one run shows every fault.
failed=()
step() {
  local title=$1 start=$SECONDS
  shift
  echo "=== $title"
  if ("$@") 2>&1 | tee "$(log_of "${title// /-}")"; then
    echo "=== $title: passed in $((SECONDS - start)) s"
  else
    echo "=== $title: FAILED after $((SECONDS - start)) s"
    failed+=("$title")
  fi
}

sources() { git ls-files 'backends/*.[ch]pp' 'harness/*.[ch]pp' 'workloads/*.[ch]pp' 'tests/*.[ch]pp'; }

check_format() { sources | xargs .venv/bin/clang-format --dry-run -Werror; }
check_python() { .venv/bin/ruff check . && .venv/bin/ruff format --check .; }
check_spelling() { .venv/bin/typos; }
check_shell() { git ls-files '*.sh' .ci/run | xargs shellcheck -x; }

# Prints the lines of a folder's code, comments aside, that have a word which it must not know.
names() { git grep -niwE "$2" -- "$1" | grep -vE '^[^:]*:[0-9]+: *//'; }

# Backends know no workload and no benchmark library; workloads know no API.
check_layers() {
  local workloads
  workloads=$(find shaders -mindepth 1 -maxdepth 1 -type d ! -name spin ! -name selftest ! -name probe -printf '%f|')
  ! names backends "${workloads}benchmark::[a-z]+|benchmark\.h" &&
    ! names workloads 'cuda|opencl|vulkan|opengl|vk_?[a-z]+|cl_[a-z]+'
}

# The project's own sources only, not what the build generates.
check_tidy() {
  local units
  units=$(sed -n 's/^ *"file": "\(.*\)",\{0,1\}$/\1/p' build/ci/compile_commands.json |
    grep -E "^$PWD/(backends|harness|workloads)/" | sort -u)
  xargs -P "$(nproc)" -n 1 clang-tidy-19 -p build/ci --quiet --extra-arg=-Wno-error \
    <<<"$units" 2>/dev/null
}

run_ctest() { ctest --preset "$1" "${@:2}"; }
run_pytest() { PARALLAX_BINARY=$PWD/build/ci/parallax .venv/bin/python -m pytest -q -rs tests/scripts; }

# The sanitizers watch host and OpenCL: lavapipe's code, made at run time, is not built for them.
# tests/sanitizers/ holds what is suppressed, by driver, with the reason.
run_sanitized() {
  build asan &&
    ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1:allocator_may_return_null=1 \
      LSAN_OPTIONS=suppressions=$PWD/tests/sanitizers/lsan.supp:print_suppressions=0 \
      UBSAN_OPTIONS=print_stacktrace=1:suppressions=$PWD/tests/sanitizers/ubsan.supp \
      VK_DRIVER_FILES=/dev/null VK_ICD_FILENAMES=/dev/null PARALLAX_REQUIRE=host,opencl \
      run_ctest asan
}

# Runs a command with Vulkan's validation layer, synchronization validation included, and fails on
# any complaint. The layer must have told in its log that it was there: silence proves nothing.
validated() {
  local folder log
  folder=$(mktemp -d "$PWD/build/validation.XXXXXX")
  log=$folder/layer.log
  cat >"$folder/vk_layer_settings.txt" <<SETTINGS
khronos_validation.debug_action = VK_DBG_LAYER_ACTION_LOG_MSG
khronos_validation.log_filename = $log
khronos_validation.report_flags = error,warn,perf,info
khronos_validation.enables = VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT
khronos_validation.validate_sync = true
SETTINGS
  VK_LAYER_SETTINGS_PATH=$folder VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation "$@" || return 1
  if ! grep -qi 'synchronization' "$log"; then
    echo "the validation layer did not run with synchronization validation (log: $log)"
    return 1
  fi
  if grep -E 'Validation (Error|Warning|Performance)|SYNC-HAZARD' "$log"; then
    return 1
  fi
  rm -r "$folder"
}

# Left out: the tests that ask for more memory than Vulkan allows, which the layer rightly reports,
# and those that compare times, which the layer stretches.
check_vulkan() {
  validated build/ci/tests/contract_tests --gtest_brief=1 \
    --gtest_filter='*vulkan*-*OverTheLimit*:*RunsOut*:*GrowWith*' &&
    validated build/ci/parallax run --api vulkan --preset quick --rounds 2 --output - >/dev/null
}

if [[ -n $all ]]; then
  export PARALLAX_REQUIRE=host,opencl,vulkan PARALLAX_ALL=yes
  scripts/setup.sh --dev
  step "format" check_format
  step "python" check_python
  step "spelling" check_spelling
  step "shell" check_shell
  step "layers" check_layers
else
  scripts/setup.sh
fi
build ci
step "tests" run_ctest ci
step "script tests" run_pytest
if [[ -n $all ]]; then
  step "validation layers" check_vulkan
  step "sanitizers" run_sanitized
  step "clang-tidy" check_tidy
fi

if ((${#failed[@]})); then
  die "failed: $(printf '%s, ' "${failed[@]}" | sed 's/, $//')"
fi
say "all steps passed in $SECONDS s"
