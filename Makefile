# `make demo` and `make test` work in a fresh clone: they create .venv themselves.
# `make test` takes minutes; `make test-all` also runs the tests marked slow, and all random examples.
PYTHON ?= python3
BIN := .venv/bin
DEMO := out/demo

.PHONY: setup demo test test-all fuzz lint bench docs gallery clean

setup: .venv/installed

# Models are installed from the clone, without a copy of their weights.
MODELS := $(patsubst %/pyproject.toml,%,$(wildcard models/*/pyproject.toml))

# Kernels are compiled; without them `--runtime int8` is slower, and all else is as it is.
KERNELS := kernels/pyproject.toml kernels/hatch_build.py $(wildcard kernels/src/corelax_kernels/*.[ch])

.venv/installed: pyproject.toml constraints.txt $(MODELS:=/pyproject.toml) $(KERNELS)
	@echo "installing into .venv: 2.4 GB, some minutes"
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[dev,docs]" $(MODELS:%=-e ./%)
	if command -v "$${CC:-cc}" > /dev/null; then \
	  $(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e ./kernels; \
	else echo "without kernels: they need a C compiler"; fi
	touch $@

demo: setup
	$(BIN)/corelax score examples/data/gold.conll examples/data/system.conll --per-document --differences
	$(BIN)/python examples/03_own_ranker.py
	rm -rf $(DEMO)
	$(BIN)/corelax reproduce --quick --out $(DEMO)
	$(BIN)/corelax resolve examples/data/curie.txt --html $(DEMO)/curie.html
	$(BIN)/corelax resolve examples/data/curie.txt
	@echo "Pages to open: $(DEMO)/report/report.html and $(DEMO)/curie.html"

# A process for each core; a file's tests stay together, since they share what they have trained.
PARALLEL := -n auto --dist loadfile

test: setup lint
	$(BIN)/pytest $(PARALLEL) -m "not slow" --few-examples

test-all: setup lint
	$(BIN)/pytest $(PARALLEL) -m "not environments"

# Random inputs; what fails is made smaller and kept in tests/fuzz/found, which the tests read.
SECONDS ?= 600
fuzz: setup
	$(BIN)/python -m tests.fuzz --seconds $(SECONDS)

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

.PHONY: wheel install-test oldest release

# Wheels and source distributions of corelax and of every model; kernels are compiled where they are installed.
wheel: setup
	rm -rf dist
	for project in . $(MODELS); do \
	  (cd $$project && $(CURDIR)/$(BIN)/hatchling build --directory $(CURDIR)/dist) || exit 1; done
	cd kernels && $(CURDIR)/$(BIN)/hatchling build --target sdist --directory $(CURDIR)/dist

# Installs the wheels into empty environments, with every Python that is found, and uses them there.
install-test: setup
	$(BIN)/pytest tests/test_install.py

# The same with the oldest versions that pyproject.toml allows.
oldest: setup
	$(BIN)/pytest tests/test_install.py -k oldest

# Everything that is published, built and checked; the last line says what is left to do.
release: setup
	$(BIN)/python scripts/release.py
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[release]"
	$(MAKE) wheel
	$(BIN)/twine check --strict dist/*
	$(BIN)/python scripts/release.py --built

bench: setup
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[bench]"
	$(BIN)/python benchmarks/score.py
	$(BIN)/python benchmarks/readers.py
	$(BIN)/python benchmarks/losses.py
	$(BIN)/python benchmarks/bias.py
	$(BIN)/python benchmarks/train.py
	$(BIN)/python benchmarks/splitting.py
	$(BIN)/python benchmarks/resolve.py

# The site, which needs no network and no server.
docs: setup
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "Page to open: out/site/index.html"

# docs/gallery: after a change of the pages or of the weights. Needs Chromium.
gallery: setup
	$(BIN)/python scripts/gallery.py

clean:
	rm -rf .venv dist .mypy_cache .pytest_cache .ruff_cache out
