"""The directive `command-help`: what `leanrank COMMAND --help` prints, so that the page cannot lag behind the tool."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any, ClassVar

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

WIDTH = 80


class CommandHelp(SphinxDirective):
    """A literal block; without an argument the help of the tool itself."""

    optional_arguments = 1
    option_spec: ClassVar[dict[str, Any]] = {}

    def run(self) -> list[nodes.Node]:
        """Ask the tool, in a pipe of a fixed width."""
        environment = {**os.environ, "COLUMNS": str(WIDTH), "TERMINAL_WIDTH": str(WIDTH), "NO_COLOR": "1"}
        command = [sys.executable, "-c", "from leanrank.cli import main; main()", *self.arguments, "--help"]
        text = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
        lines = [line.rstrip() for line in text.strip("\n").splitlines()]
        block = nodes.literal_block("\n".join(lines), "\n".join(lines), language="none")
        return [block]


def setup(app: Any) -> dict[str, Any]:
    """Called by Sphinx."""
    app.add_directive("command-help", CommandHelp)
    return {"parallel_read_safe": True}
