#!/bin/bash
# Builds TileJIT and runs its tests; sets up what the machine lacks first.
#
#   tools/test.sh           the release build and its tests; those that need a GPU run where there is one
#   tools/test.sh --full    also: clang, the sanitizers, format and lint, and every kernel of the
#                           manifests compiled for every architecture
set -euo pipefail

full=false
case ${1-} in
    --full) full=true ;;
    '') ;;
    *)
        echo "usage: tools/test.sh [--full]" >&2
        exit 2
        ;;
esac

# ThreadSanitizer cannot map its shadow where addresses are spread over more than 28 random bits.
if $full && [ "$(cat /proc/sys/vm/mmap_rnd_bits 2>/dev/null || echo 0)" -gt 28 ] &&
    [ -z "${TILEJIT_FIXED_ADDRESSES-}" ] && setarch -R true 2>/dev/null; then
    TILEJIT_FIXED_ADDRESSES=1 exec setarch -R "${BASH_SOURCE[0]}" "$@"
fi

. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

passed=0 failed=0 skipped=0
times=() broken=()

# stage NAME COMMAND...: runs it, notes how long it took and whether it held.
stage() {
    local name=$1 start=$SECONDS verdict=ok
    shift
    echo "== $name"
    "$@" || { verdict=FAILED && broken+=("$name"); }
    times+=("$(printf '%6d s  %-6s  %s' $((SECONDS - start)) "$verdict" "$name")")
    [ "$verdict" = ok ]
}

# test_preset PRESET [CTEST ARGUMENT...]
test_preset() {
    local preset=$1 verdict=0 log out
    shift
    log=$build/$preset/tests.log
    ctest --preset "$preset" -j "$jobs" --timeout 600 --no-tests=error "$@" </dev/null 2>&1 | tee "$log" || verdict=$?
    if [[ $(grep 'tests failed out of' "$log") =~ ,\ ([0-9]+)\ tests\ failed\ out\ of\ ([0-9]+) ]]; then
        out=$(grep -cE '^[[:space:]]+[0-9]+ - .*\((Skipped|Disabled)\)$' "$log" || true)
        failed=$((failed + BASH_REMATCH[1])) skipped=$((skipped + out))
        passed=$((passed + BASH_REMATCH[2] - BASH_REMATCH[1] - out))
    fi
    return $verdict
}

# build_and_test PRESET [CTEST ARGUMENT...]
build_and_test() {
    local preset=$1
    shift
    stage "$preset: build" build_preset "$preset" && stage "$preset: tests" test_preset "$preset" "$@"
}

# Every source file of a kind, e.g. `sources '*.cpp' generator runtime`.
sources() {
    local pattern=$1
    shift
    find "$@" -name "$pattern" -type f | sort
}

check_format() {
    { sources '*.h' generator runtime templates tools tests examples &&
        sources '*.cpp' generator runtime tools tests examples; } | xargs clang-format-14 --dry-run --Werror
}

# One file's findings, whole and only if there are any.
lint_one() {
    local findings
    findings=$(clang-tidy --quiet -p build/clang "$1" 2>/dev/null) || {
        echo "$findings"
        return 1
    }
}

check_lint() {
    export -f lint_one
    sources '*.cpp' generator runtime tools examples | xargs -P "$jobs" -I{} bash -c 'lint_one {}'
}

stage "set-up" need_build_packages
need_nvrtc
$full && stage "set-up of the checks" need_check_packages

# A stage that fails does not stop the others: one report shows all that is wrong.
build_and_test release -LE '^matrix$' || true
if $full; then
    stage "format" check_format || true
    build_and_test clang -LE '^(matrix|gpu)$' || true
    stage "lint" check_lint || true
    build_and_test asan -LE '^(matrix|gpu)$' || true
    # Only what runs threads: everything else has none to race.
    { stage "tsan: build" build_preset tsan test_runtime test_fault &&
        stage "tsan: tests" test_preset tsan -L '^(runtime|fault)$'; } || true
    stage "mutants: every synchronisation is needed" build/release/mutants || true
    stage "matrix: every kernel for every architecture" test_preset release -L '^matrix$' --verbose || true
fi

has_gpu || echo "no CUDA device: the tests that need one were skipped"
printf '%s\n' "${times[@]}"
for name in "${broken[@]}"; do
    echo "FAILED: $name"
done
echo "$passed passed, $failed failed, $skipped skipped"
[ ${#broken[@]} -eq 0 ]
