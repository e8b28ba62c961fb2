"""Install torch for the tests of the CUDA code, but only a build for the processor: CUDA's libraries are gigabytes.

    python .ci/cpu_torch.py torch==2.13.0

pip is asked first what it would install and what that needs. Where a package of CUDA would come along nothing is
installed, one line says why, and those tests skip.
"""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from typing import Any

PAYLOAD = ("nvidia-", "cuda-", "triton", "pytorch-triton")
PIP = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]


def objection(plan: dict[str, Any]) -> str | None:
    """Why not to install what pip plans to; None for a build for the processor."""
    about = plan["install"][0]["metadata"]
    payload = sorted({needed for needed in about.get("requires_dist", []) if needed.lower().startswith(PAYLOAD)})
    if payload:
        return f"it brings {len(payload)} packages of CUDA ({payload[0].partition(';')[0].strip()}, ...)"
    local = about["version"].partition("+")[2]
    return f"it is a build for {local}" if local not in ("", "cpu") else None


def main(wanted: str) -> int:
    if find_spec("torch") is not None:
        return 0
    asked = subprocess.run([*PIP, "--dry-run", "--no-deps", "--report", "-", wanted], capture_output=True, text=True)
    if asked.returncode:
        why: str | None = asked.stderr.strip().rpartition("\n")[2] or "pip cannot resolve it"
    else:
        why = objection(json.loads(asked.stdout))
    if why is not None:
        print(f"{wanted} is not installed: {why}. The tests of the CUDA code will skip.")
        return 0
    return subprocess.run([*PIP, wanted]).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
