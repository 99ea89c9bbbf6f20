# `make demo` and `make test` work in a fresh clone: they create .venv themselves.
# `make test` takes minutes; `make test-all` also runs the tests marked slow, and all random examples.
PYTHON ?= python3
BIN := .venv/bin
DEMO := out/demo

.PHONY: setup demo test test-all fuzz lint bench clean

setup: .venv/installed

# Models are installed from the clone, without a copy of their weights.
MODELS := models/small

.venv/installed: pyproject.toml constraints.txt $(MODELS:=/pyproject.toml)
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[dev]" $(MODELS:%=-e ./%)
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
	$(BIN)/pytest $(PARALLEL)

# Random inputs; what fails is made smaller and kept in tests/fuzz/found, which the tests read.
SECONDS ?= 600
fuzz: setup
	$(BIN)/python -m tests.fuzz --seconds $(SECONDS)

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: setup
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[bench]"
	$(BIN)/python benchmarks/score.py
	$(BIN)/python benchmarks/readers.py
	$(BIN)/python benchmarks/losses.py
	$(BIN)/python benchmarks/bias.py
	$(BIN)/python benchmarks/train.py
	$(BIN)/python benchmarks/splitting.py
	$(BIN)/python benchmarks/resolve.py

clean:
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache out
