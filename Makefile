# The operator's two commands are `make run` and `make test`; every target does its own set-up.
SHELL := /bin/bash
WORKERS ?= 2
BIN := .venv/bin
RUNTIME := .venv/.runtime
DEVELOPMENT := .venv/.development
PYTEST := $(BIN)/pytest -n $(WORKERS) --dist worksteal --durations 25
EXPORT := uv export --quiet --frozen --no-annotate --no-header --no-emit-project --group build

# Python keeps what it compiled, or each of many processes would compile everything again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run wheel test test-full lint lock generated translations pictures clients

# Serve the books of this folder, and a demo organization where there are none yet.
run: $(RUNTIME)
	@$(BIN)/tieout migrate && $(BIN)/tieout demo --if-empty && exec $(BIN)/tieout serve

# Build dist/tieout-*.whl, which needs nothing of this folder.
wheel: $(RUNTIME)
	@rm -rf build && $(BIN)/python -c 'from setuptools import build_meta; build_meta.build_wheel("dist")'

# Every test, each somewhere: the data layer on both databases, what is above it on one of them by turns, the main roads in
# Chromium. The goal is eight minutes on two cores.
test: $(DEVELOPMENT)
	@.ci/system chromium
	@.ci/system hledger
	@.ci/system pgbouncer
	@.ci/system nginx
	@$(PYTEST)

# Everything everywhere: both databases, every screen and road, and the counts that the promises name. Then whatever keeps
# organizations apart once more, where only PostgreSQL's policies do.
test-full: $(DEVELOPMENT)
	@.ci/system chromium
	@.ci/system hledger
	@.ci/system pgbouncer
	@.ci/system nginx
	@.ci/system images
	@$(PYTEST) --full
	@$(PYTEST) --unfiltered

lint: $(DEVELOPMENT)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/djlint --lint --quiet webapp/templates

# Write anew what scripts make of the code: who may do what, the libraries, the tables.
generated: $(DEVELOPMENT)
	@$(BIN)/python -m scripts.permissions
	@$(BIN)/python -m scripts.third_party
	@$(BIN)/python -m scripts.entities

# Find the texts of pages and code for the catalogues of translations, and compile those.
translations: $(DEVELOPMENT)
	@$(BIN)/python -m scripts.translations

# Take the pictures of the README anew.
pictures: $(DEVELOPMENT)
	@.ci/system chromium
	@$(BIN)/python -m scripts.pictures

# Generate clients of the API in Python and TypeScript, compile them and let them call; needs node, npm and registries.
clients: $(DEVELOPMENT)
	@$(BIN)/python -m scripts.clients

# Pin the newest versions that pyproject.toml allows, by hash and without addresses; needs uv.
lock:
	uv lock --upgrade
	$(EXPORT) --no-dev --output-file requirements.lock
	$(EXPORT) --output-file requirements-dev.lock

$(RUNTIME): requirements.lock pyproject.toml .ci/environment
	@.ci/environment requirements.lock
	@touch $@

$(DEVELOPMENT): requirements-dev.lock pyproject.toml .ci/environment
	@.ci/environment requirements-dev.lock
	@touch $@ $(RUNTIME)
