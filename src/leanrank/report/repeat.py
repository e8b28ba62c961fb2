"""How to repeat a run: the command it came from, or the call."""

from __future__ import annotations

from typing import Any


def how_to_repeat(summary: dict[str, Any]) -> str:
    """The command line, or the call in Python for a selection that was made there."""
    command = summary["source"].get("command")
    if command:
        return f"{command} -o features.json"
    s = summary["settings"]
    arguments = [f"ranker={s['ranker']}", f"metric={s['metric_name']!r}", f"methods={s['methods']!r}"]
    arguments += [f"{name}={s[name]!r}" for name in ("n_features", "budget") if s[name] is not None]
    arguments += [f"{name}={s[name]!r}" for name in ("max_loss", "level", "cv", "random_state")]
    arguments += [f"{name}={s[name]!r}" for name in ("must_keep", "never") if s[name]]
    arguments += [f"{name}=..." for name in ("costs", "groups", "valid") if s[name] is not None]
    return "leanrank.select(\n    data,\n" + "".join(f"    {argument},\n" for argument in arguments) + ")"
