# The map of this project: `make help` lists what there is to do.
.DEFAULT_GOAL := help
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CONFIG ?= config/watcher.toml

.PHONY: help setup run test coverage check demo system-deps lock clean bench bench-peers

help: ## show this list
	@grep -hE '^[a-z%-]+:.*##' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  make %-14s %s\n", $$1, $$2}'

setup: $(VENV)/.installed ## create .venv with the locked dependencies and the watcher command

$(VENV)/.installed: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "watcher needs Python 3.11 or newer; run: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

run: setup ## start the daemon on config/watcher.toml (SQLite and blobs under ./var)
	$(BIN)/watcher run --config $(CONFIG)

test: setup ## run every test (skips by name what the system lacks)
	$(BIN)/python -m pytest -n auto --dist worksteal -q $(PYTEST_ARGS)

coverage: setup ## run every test and say which lines none of them reached
	$(BIN)/python -m pytest -n auto --dist worksteal --cov --cov-report=term:skip-covered -q $(PYTEST_ARGS)

check: setup ## lint, types, architecture, dead code, unused dependencies
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/vulture
	$(BIN)/deptry .

demo: setup ## replay real policy histories through the real daemon, offline, in under a minute
	$(BIN)/watcher demo

bench-%: setup ## run benchmarks/NAME: a table, then one JSON object per figure
	$(BIN)/python -m benchmarks.$*

bench-peers: ## install other watchers into .venv-peers: bench-loop then prints them beside ours
	$(PYTHON) -m venv .venv-peers
	.venv-peers/bin/pip install --quiet --disable-pip-version-check webchanges urlwatch changedetection.io edlib diff-match-patch

system-deps: ## install the system packages that the full test suite uses (Debian, as root)
	apt-get update -q
	apt-get install -y -q --no-install-recommends $$(grep -v '^#' .ci/system-packages)

lock: setup ## resolve the dependencies anew into requirements.lock (hashes, no index address)
	$(BIN)/uv pip compile pyproject.toml --all-extras --group dev --universal --python-version 3.11 \
	  --upgrade --generate-hashes --no-header --quiet -o requirements.lock

clean: ## remove the virtual environment and everything generated; what was watched (var/) stays
	rm -rf $(VENV) dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage .coverage.*
