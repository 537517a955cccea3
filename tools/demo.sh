#!/bin/bash
# Builds TileJIT and runs both mHC operators on real tensors, on the GPU if there is one and else on
# the CPU; sets up what the machine lacks first. Every output is checked in fp64.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

need_build_packages
need_nvrtc
need_numpy
echo "building the command line tool (build/release/tilejit)"
if [ -t 1 ]; then
    build_preset release tilejit_cli
else
    build_preset release tilejit_cli >"$build/demo-build.log" 2>&1 || {
        tail -n 40 "$build/demo-build.log"
        exit 1
    }
fi
tilejit=$build/release/tilejit
target=host where="the CPU (target host)"
if has_gpu; then
    target=BUILTIN where="the GPU (target BUILTIN)"
fi

failed=0
echo "random tensors on $where, checked by the tool's own fp64 reference:"
for shape in "1 4 1280" "4 4 2560" "33 3 100"; do
    read -r batch n c_x <<<"$shape"
    for op in MHCPreFwdOp MHCPostFwdOp; do
        echo "  tilejit run $op --batch $batch --n $n --c-x $c_x --target $target"
        "$tilejit" run "$op" --batch "$batch" --n "$n" --c-x "$c_x" --target "$target" | sed 's/^/    /' ||
            failed=$((failed + 1))
    done
done

outputs=$build/demo
mkdir -p "$outputs"
cases=("$root"/tests/golden/*.safetensors)
echo "${#cases[@]} golden cases on $where, checked by an independent fp64 reference:"
for case in "${cases[@]}"; do
    name=$(basename "$case" .safetensors)
    op=MHCPreFwdOp
    [[ $name == post_* ]] && op=MHCPostFwdOp
    verdict=FAILED
    if "$tilejit" run "$op" --inputs "$case" --outputs "$outputs/$name.safetensors" --target "$target" &&
        "$python" "$root/tests/reference/mhc_reference.py" check "$case" "$outputs/$name.safetensors" >"$outputs/$name.txt"; then
        verdict=ok
    else
        failed=$((failed + 1))
    fi
    printf '  %-6s %s\n' "$verdict" "$name"
done

if [ "$failed" -ne 0 ]; then
    echo "demo: $failed of $((6 + ${#cases[@]})) runs are wrong; the golden cases' reports are in $outputs"
    exit 1
fi
echo "demo: both operators agree with fp64 on $where, in all $((6 + ${#cases[@]})) runs"
