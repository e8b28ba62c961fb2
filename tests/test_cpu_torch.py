"""CI takes a torch for the processor, and none that brings CUDA's libraries."""

from __future__ import annotations

import subprocess
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import SimpleNamespace

import pytest

PLACE = Path(__file__).parent.parent / ".ci" / "cpu_torch.py"
SPEC = spec_from_file_location("cpu_torch", PLACE)
cpu_torch = module_from_spec(SPEC)
SPEC.loader.exec_module(cpu_torch)


def plan(version, *needs):
    return {"install": [{"metadata": {"name": "torch", "version": version, "requires_dist": list(needs)}}]}


@pytest.mark.parametrize("given", [plan("2.13.0", "sympy>=1.13.3", "filelock"), plan("2.13.0+cpu"), plan("2.13.0")])
def test_a_build_for_the_processor_is_taken(given):
    assert cpu_torch.objection(given) is None


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (plan("2.13.0", "sympy", 'nvidia-nccl-cu13==2.29.7; os_name == "posix"'), "(nvidia-nccl-cu13==2.29.7, ...)"),
        (plan("2.13.0", "cuda-toolkit[cublas]==13.0.3"), "(cuda-toolkit[cublas]==13.0.3, ...)"),
        (plan("2.13.0", "triton==3.7.1"), "(triton==3.7.1, ...)"),
        (plan("2.0.1+cu118"), "it is a build for cu118"),
    ],
)
def test_a_build_with_cuda_is_not(given, why):
    assert why in cpu_torch.objection(given)


def test_what_pip_cannot_resolve_is_one_line(monkeypatch, capsys):
    calls = []

    def fails(command, **_):
        calls.append(command)
        return SimpleNamespace(returncode=1, stdout="", stderr="Looking in places\nERROR: No matching distribution\n")

    monkeypatch.setattr(cpu_torch, "find_spec", lambda name: None)
    monkeypatch.setattr(subprocess, "run", fails)
    assert cpu_torch.main("torch==0") == 0
    assert capsys.readouterr().out.count("\n") == 1
    assert len(calls) == 1
    assert "--dry-run" in calls[0]
