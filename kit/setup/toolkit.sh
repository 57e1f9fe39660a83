# NVIDIA's compiler for a machine that has a GPU but no toolkit. Four wheels hold everything that makes a cubin. They are fetched
# for this clone only, into .tilelab/cuda. Without them kernels run on the CPU executor, so set-up never stops for an error here.
# Sourced by setup.sh.

# All of one release, the first of CUDA 13 whose wheels hold a complete compiler.
toolkit_wheels=(nvidia-cuda-nvcc==13.0.88 nvidia-nvvm==13.0.88 nvidia-cuda-crt==13.0.88 nvidia-cuda-runtime==13.0.88)
oldest_driver=13000

provide_toolkit() {
  local driver
  if ! has_gpu || has_toolkit; then return; fi
  driver=$(driver_version)
  if [ "${driver:-0}" -lt "$oldest_driver" ]; then
    say "there is a GPU, but no CUDA toolkit, and its driver (${driver:-none answers}) is too old for the toolkit that can be fetched: install a toolkit, or kernels run on the CPU executor only"
    return
  fi
  if [ -d "$bundle" ] && ! has_bundled_toolkit; then
    say "there is a GPU, but no CUDA toolkit, and the bundle has none (make bundle OPTIONS=--cuda): kernels run on the CPU executor only"
    return
  fi
  open_bundle
  quietly "fetching NVIDIA's compiler (100 MB)" fetch_toolkit ||
    say "there is a GPU, but no CUDA toolkit, and it cannot be fetched: kernels run on the CPU executor only"
}

# For users who want it without a GPU too, or besides the machine's own toolkit.
take_toolkit() {
  [ ! -x .tilelab/cuda/bin/nvcc ] || return 0
  open_bundle
  quietly "fetching NVIDIA's compiler (100 MB)" fetch_toolkit ||
    { show_log; die "NVIDIA's compiler cannot be fetched; a bundle holds it if it was made with make bundle OPTIONS=--cuda"; }
}

has_gpu() { [ -e /dev/nvidiactl ] || [ -e /dev/dxg ]; }

# grader/engines/gpu_toolchain.py looks in the same place.
has_toolkit() {
  local home
  if command -v nvcc >/dev/null; then return; fi
  for home in "${CUDA_HOME:-}" "${CUDA_PATH:-}" /usr/local/cuda /usr/local/cuda-* /usr/lib/nvidia-cuda-toolkit .tilelab/cuda; do
    if [ -n "$home" ] && [ -x "$home/bin/nvcc" ]; then return; fi
  done
  return 1
}

# Prints 13000 for a driver that can do CUDA 13.0; nothing if no driver answers.
driver_version() { build/bin/gpu-runner --probe 2>/dev/null | grep -oE '"driver":[0-9]+' | cut -d : -f 2; }

# The new folder replaces the old one only when it is complete.
fetch_toolkit() {
  rm -rf .tilelab/cuda .tilelab/cuda.new
  pip_install --no-deps --target .tilelab/cuda.new "${toolkit_wheels[@]}" || return 1
  chmod -R a+rX .tilelab/cuda.new/nvidia/cu13 && chmod a+x .tilelab/cuda.new/nvidia/cu13/{bin,nvvm/bin}/* || return 1
  mv .tilelab/cuda.new/nvidia/cu13 .tilelab/cuda && rm -rf .tilelab/cuda.new
}
