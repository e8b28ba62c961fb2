"""The engines' own classes, in Java. `make test-engines` runs these; plain `make test` leaves the folder alone."""

from __future__ import annotations

import os

collect_ignore_glob = [] if os.environ.get("LEANRANK_ENGINES") else ["test_*.py"]
