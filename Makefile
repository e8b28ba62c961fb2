# Everything a developer needs. A machine with Python 3.11+, git and make is enough.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# pip's progress is noise in a log; its errors are not.
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
JOBS ?= 2

.PHONY: demo test lint bench docs clean setup

$(VENV)/.installed: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "leanrank needs Python 3.11 or newer")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) -e '.[test,lint]'
	@touch $@

$(VENV)/.installed-bench: $(VENV)/.installed
	$(PIP) -e '.[bench]'
	@touch $@

setup: $(VENV)/.installed

demo: $(VENV)/.installed  ## the main job on an embedded data set
	$(BIN)/leanrank demo

test: $(VENV)/.installed  ## all tests
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal

lint: $(VENV)/.installed  ## style, types, import contract
	$(BIN)/ruff check src tests benchmarks
	$(BIN)/ruff format --check src tests benchmarks
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/.installed-bench  ## ratios against named peers, one run
	$(BIN)/python -m benchmarks

docs: $(VENV)/.installed
	$(BIN)/python -m docs

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
