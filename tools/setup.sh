# shellcheck shell=bash
# Sourced by the scripts beside it: everything a fresh Debian 12 or Ubuntu 24.04 lacks, and nothing
# that is there already. With everything there it needs no network.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/build
jobs=$(nproc)
mkdir -p "$build"
cd "$root" || exit
# So that a clone in another folder finds what this one compiled.
export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1

# One line on what is missing, and the exit code that the command line tool uses for it too.
lack() {
    echo "lacking: $*" >&2
    exit 3
}

package_is_there() {
    case $1 in
        g++ | cmake | pkg-config | python3 | ccache) command -v "$1" >/dev/null ;;
        ninja-build) command -v ninja >/dev/null ;;
        clang) command -v clang++ >/dev/null ;;
        clang-format-14 | clang-tidy) command -v "$1" >/dev/null ;;
        python3-pip) python3 -m pip --version >/dev/null 2>&1 ;;
        *) [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ] ;;
    esac
}

# need_packages NAME...: installs those that are missing.
need_packages() {
    local missing=() name sudo=()
    for name in "$@"; do
        package_is_there "$name" || missing+=("$name")
    done
    [ ${#missing[@]} -eq 0 ] && return
    command -v apt-get >/dev/null || lack "${missing[*]} (no apt-get here: install them by hand)"
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || lack "${missing[*]} (as root: apt-get install ${missing[*]})"
        sudo=(sudo)
    fi
    echo "installing ${missing[*]}"
    {
        "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 update &&
            "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 install -y \
                --no-install-recommends "${missing[@]}"
    } >"$build/apt.log" 2>&1 </dev/null ||
        lack "${missing[*]} (apt-get could not install them, see $build/apt.log)"
}

need_build_packages() {
    need_packages g++ cmake ninja-build pkg-config ccache \
        libfmt-dev nlohmann-json3-dev libcli11-dev libxxhash-dev catch2
}

need_check_packages() {
    need_packages clang libclang-rt-dev clang-tidy clang-format-14
}

# Whether a folder holds an NVRTC of CUDA 13, whole.
holds_nvrtc() {
    [ -e "$1/libnvrtc.so.13" ] && compgen -G "$1/libnvrtc-builtins.so.13*" >/dev/null
}

# Sets nvrtc_dir: an installed toolkit's, else from Python wheels under build/cuda.
need_nvrtc() {
    local nvcc wheel wheels=$build/cuda
    nvcc=$(command -v nvcc || true)
    for nvrtc_dir in "${CUDA_HOME:-/usr/local/cuda}/lib64" /usr/local/cuda/lib64 \
        "${nvcc:+$(dirname "$(readlink -f "$nvcc")")/../lib64}" \
        "$(ldconfig -p 2>/dev/null | sed -n 's|.*=> \(.*\)/libnvrtc\.so\.13$|\1|p' | head -n 1)" \
        "$wheels/nvidia/cu13/lib"; do
        if holds_nvrtc "$nvrtc_dir"; then
            nvrtc_dir=$(readlink -f "$nvrtc_dir")
            return
        fi
    done
    need_packages python3 python3-pip ca-certificates
    echo "fetching CUDA's run-time compiler (90 MB) into $wheels"
    rm -rf "$wheels"
    mkdir -p "$wheels"
    python3 -m pip download --quiet --no-deps --only-binary=:all: --dest "$wheels" \
        'nvidia-cuda-nvrtc==13.0.*' 'nvidia-cuda-runtime==13.0.*' >"$build/pip.log" 2>&1 </dev/null ||
        lack "NVRTC 13 (no CUDA toolkit here, and pip could not fetch nvidia-cuda-nvrtc, see $build/pip.log)"
    for wheel in "$wheels"/*.whl; do
        python3 -m zipfile -e "$wheel" "$wheels"
        rm "$wheel"
    done
    holds_nvrtc "$nvrtc_dir" || lack "NVRTC 13 (the wheel nvidia-cuda-nvrtc no longer holds nvidia/cu13/lib)"
}

# Sets python: one that has numpy, which the golden cases' checker needs.
need_numpy() {
    for python in python3 /usr/bin/python3; do
        "$python" -c 'import numpy' 2>/dev/null && return
    done
    need_packages python3-numpy
}

# Whether a CUDA device can be used from here.
has_gpu() {
    nvidia-smi -L 2>/dev/null | grep -q '^GPU' || { [ -e /dev/nvidia0 ] && ldconfig -p | grep -q 'libcuda\.so\.1'; }
}

# build_preset PRESET [TARGET...]
build_preset() {
    local preset=$1 log=$build/$1.configure.log
    shift
    cmake --preset "$preset" "-DTILEJIT_NVRTC_DIR=$nvrtc_dir" >"$log" 2>&1 || {
        cat "$log"
        return 1
    }
    cmake --build --preset "$preset" -j "$jobs" ${1:+--target "$@"}
}
