# Everything a developer needs. A machine with Python 3.11+, git and make is enough.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# pip's progress is noise in a log; its errors are not.
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
JOBS ?= 2
# Without a GPU the CUDA tests run the same code on CPU tensors, given a torch. It is installed where the package index
# offers a build for the processor, never with CUDA's libraries; without torch those tests skip.
TORCH ?= torch==2.13.0

.PHONY: demo test dist oldest test-browser test-engines fuzz lint bench reproduce quality docs linkcheck clean setup setup-browser setup-docs cpu-torch

# The package alone is enough to use it; the tests bring every library they compare with.
$(VENV)/.ready: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "leanrank needs Python 3.11 or newer")'
	@echo "Setting up $(VENV): about a minute, once"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(PIP) -e .
	@touch $@

$(VENV)/.installed: $(VENV)/.ready
	$(PIP) -e '.[test,lint]'
	@touch $@

$(VENV)/.installed-bench: $(VENV)/.installed
	$(PIP) -e '.[bench]'
	@touch $@

$(VENV)/.installed-browser: $(VENV)/.installed
	$(PIP) -e '.[browser]'
	command -v chromium >/dev/null || { test "$$(id -u)" = 0 && apt-get -qq update && apt-get -qq install -y --no-install-recommends chromium; }
	@touch $@

setup: $(VENV)/.installed
setup-browser: $(VENV)/.installed-browser
setup-docs: $(VENV)/.installed-docs

cpu-torch: $(VENV)/.installed
	@$(BIN)/python .ci/cpu_torch.py '$(TORCH)'

demo: $(VENV)/.ready  ## the main job on an embedded data set
	$(BIN)/leanrank demo

test: $(VENV)/.installed  ## all tests
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal

test-browser: $(VENV)/.installed-browser  ## the report in a real browser
	LEANRANK_BROWSER=1 $(BIN)/python -m pytest tests/browser

# Java 17 and Maven; skipped, with a reason, where one is absent.
test-engines: $(VENV)/.installed  ## exports in the search engines' own classes
	LEANRANK_ENGINES=1 $(BIN)/python -m pytest tests/engines_jvm

# The seed is fixed, so that whoever changes nothing here finds nothing new; longer runs draw one: make fuzz FUZZ='--minutes 60'.
FUZZ ?= --seconds 60 --seed 1

fuzz: $(VENV)/.installed  ## bad files of every format: no crash, no hang, no more than 2 GB, no raw traceback
	$(BIN)/python -m benchmarks.fuzz $(FUZZ)

lint: $(VENV)/.installed  ## style, types, import contract
	$(BIN)/ruff check src tests benchmarks docs
	$(BIN)/ruff format --check src tests benchmarks docs
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/.installed-bench  ## ratios against named peers, one run
	$(BIN)/python -m benchmarks

# An interrupted run goes on from its journal; a finished one, whatever it found, leaves none.
DATA ?= $(or $(LEANRANK_DATA),$(or $(LEANRANK_SHARED),../shared)/data)
REPRODUCED := build/reproduce.db

reproduce: $(VENV)/.installed  ## the papers' experiments, beside their published figures
	@mkdir -p $(dir $(REPRODUCED))
	$(BIN)/leanrank reproduce all --data $(DATA) --journal $(REPRODUCED) -o docs/reproduction.md; \
	found=$$?; test $$found -gt 1 || rm -f $(REPRODUCED)*; exit $$found

quality: $(VENV)/.installed  ## what the chosen features are worth, beside the selectors people use
	$(BIN)/python -m benchmarks.quality --k 5 8 15
	$(BIN)/python -m benchmarks.quality --elsewhere --k 5 8 15
	$(BIN)/python -m benchmarks.recommended
	$(BIN)/python -m benchmarks.methods_alone
	$(BIN)/python -m benchmarks.method_defaults
	$(BIN)/python -m benchmarks.copies
	$(BIN)/python -m benchmarks.queries_needed

$(VENV)/.installed-docs: $(VENV)/.installed
	$(PIP) -e '.[docs]'
	@touch $@

docs: $(VENV)/.installed-docs  ## the documentation, into docs/_build
	OMP_NUM_THREADS=1 $(BIN)/python -m sphinx -q -W --keep-going -b html docs docs/_build
	@echo "open docs/_build/index.html"

linkcheck: $(VENV)/.installed-docs  ## every link to other sites; needs the network
	$(BIN)/python -m sphinx -q -b linkcheck -D plot_gallery=0 docs docs/_build/linkcheck

# Python to try the wheel with, in an environment that holds nothing else.
DIST_PYTHON ?= $(PYTHON)

dist:  ## sdist and wheel, checked, installed and tried away from the repository
	rm -rf build/dist-env build/wheel-env dist
	$(PYTHON) -m venv build/dist-env
	build/dist-env/bin/python -m pip install --quiet --disable-pip-version-check build
	build/dist-env/bin/python -m build --outdir dist .
	$(PYTHON) .ci/dist_contents.py dist
	$(DIST_PYTHON) -m venv build/wheel-env
	build/wheel-env/bin/python -m pip install --quiet --disable-pip-version-check dist/*.whl
	build/wheel-env/bin/python .ci/wheel_smoke.py

OLDEST := build/oldest-env

oldest:  ## the tests with the oldest versions that are allowed
	test -x $(OLDEST)/bin/python || $(PYTHON) -m venv $(OLDEST)
	$(OLDEST)/bin/python -m pip install --quiet --disable-pip-version-check -c constraints/oldest.txt -e '.[test]'
	$(OLDEST)/bin/python -m pytest -n $(JOBS) --dist worksteal

clean:
	rm -rf $(VENV) docs/_build docs/generated docs/gallery .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
