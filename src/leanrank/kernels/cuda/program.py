"""CUDA C++ compiled when first needed, by the compiler library that comes with torch; nothing else to install.

NVRTC and the driver are called through their C interfaces, which are stable, and not through torch's private ones.
"""

from __future__ import annotations

import ctypes
import sys
from functools import cache
from importlib.resources import files
from threading import Lock
from typing import Any

import torch

_MAX_DYNAMIC_SHARED = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
_FIRST_WITH_BIT_PRODUCTS = (8, 0)
_lock = Lock()


class GpuError(RuntimeError):
    """The GPU, its driver or its compiler refused."""


class Kernel:
    """A compiled kernel; call it with tensors, ints (32 bits, or `ctypes` values) and None for a null pointer."""

    def __init__(self, function: ctypes.c_void_p, driver: Any) -> None:
        self._function, self._driver, self._shared = function, driver, 0

    def __call__(self, grid: tuple[int, int], threads: int, *args: Any, shared: int = 0) -> None:
        """Start `grid` blocks of `threads` on torch's current stream."""
        if min(grid) == 0:
            return
        if shared > max(self._shared, 48 << 10):
            _check(self._driver.cuFuncSetAttribute(self._function, _MAX_DYNAMIC_SHARED, shared), "shared memory")
            self._shared = shared
        values = [_as_c(arg) for arg in args]
        pointers = (ctypes.c_void_p * len(values))(*(ctypes.addressof(value) for value in values))
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        shape = (*grid, 1, threads, 1, 1, shared, stream)
        _check(self._driver.cuLaunchKernel(self._function, *shape, pointers, None), "starting a kernel")


def available(device: torch.device) -> bool:
    """Whether kernels can be compiled for this device; otherwise torch's own operations do the work."""
    if device.type != "cuda" or torch.version.cuda is None:
        return False
    return torch.cuda.get_device_capability(device) >= _FIRST_WITH_BIT_PRODUCTS and _nvrtc() is not None


def kernel(source: str, name: str, **constants: object) -> Kernel:
    """Kernel `name` of the file `source` beside this one, with `constants` as macros; compiled once a process."""
    with _lock:
        return _kernel(source, name, tuple(sorted(constants.items())), torch.cuda.current_device())


@cache
def _kernel(source: str, name: str, constants: tuple[tuple[str, object], ...], device: int) -> Kernel:
    major, minor = torch.cuda.get_device_capability(device)
    text = (files("leanrank.kernels.cuda") / source).read_text(encoding="utf-8")
    options = [f"--gpu-architecture=sm_{major}{minor}", "--std=c++17", "--fmad=false"]  # round as the CPU does
    options += [f"-D{macro}={value}" for macro, value in constants]
    image = _compile(text, source, options)
    driver = _driver()
    torch.zeros(1, device="cuda")  # the driver's calls need torch's context on this thread
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    _check(driver.cuModuleLoadData(ctypes.byref(module), image), f"loading {source}")
    _check(driver.cuModuleGetFunction(ctypes.byref(function), module, name.encode()), f"finding {name}")
    return Kernel(function, driver)


def _compile(text: str, source: str, options: list[str]) -> Any:
    nvrtc, program = _nvrtc(), ctypes.c_void_p()
    given = (ctypes.c_char_p * len(options))(*(option.encode() for option in options))
    _check(nvrtc.nvrtcCreateProgram(ctypes.byref(program), text.encode(), source.encode(), 0, None, None), source)
    failed = nvrtc.nvrtcCompileProgram(program, len(options), given)
    size = ctypes.c_size_t()
    if failed:
        nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value)
        nvrtc.nvrtcGetProgramLog(program, log)
        raise GpuError(f"The GPU kernels of {source} do not compile here: {log.value.decode()}")
    _check(nvrtc.nvrtcGetCUBINSize(program, ctypes.byref(size)), source)
    image = ctypes.create_string_buffer(size.value)
    _check(nvrtc.nvrtcGetCUBIN(program, image), source)
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    return image


@cache
def _nvrtc() -> Any:
    major = str(torch.version.cuda).partition(".")[0]
    windows = sys.platform == "win32"
    for name in (f"nvrtc64_{major}0_0.dll",) if windows else (f"libnvrtc.so.{major}", "libnvrtc.so"):
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    return None


@cache
def _driver() -> Any:
    return ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")


def _check(code: int, what: str) -> None:
    if code:
        raise GpuError(f"The GPU refused (error {code}): {what}. Look at the driver.")


def _as_c(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return ctypes.c_void_p(value.data_ptr())
    return ctypes.c_void_p(None) if value is None else ctypes.c_int(value) if isinstance(value, int) else value
