# Every target sets itself up in .venv; a fresh machine needs only Python 3.11+, git and make.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
JOBS   ?= 2
# Tests write thousands of run folders, and every file is synced: in memory that costs nothing.
SCRATCH := $(shell [ -w /dev/shm ] && echo /dev/shm || echo $${TMPDIR:-/tmp})

.PHONY: demo test fuzz faults check bench docs clean

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	# Twice more if it fails: a download may arrive damaged, which pip tells by its digest.
	for attempt in 1 2 3; do \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]' \
		&& exit 0; done; exit 1
	touch $@

demo: $(STAMP)  ## the whole study on made-up data
	$(BIN)/reident demo --force

# The report is tested in a real Chromium: where it is missing and may be installed, it is.
.PHONY: browser
browser:
	@command -v chromium >/dev/null && command -v pdftotext >/dev/null || \
		{ [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && \
		DEBIAN_FRONTEND=noninteractive timeout 240 sh -c \
		'apt-get update -qq; apt-get install -y -qq chromium poppler-utils' >/dev/null 2>&1; } || \
		echo "No Chromium or pdftotext here, and none could be installed: tests of the report skip."

test: $(STAMP) browser  ## every test
	TMPDIR=$(SCRATCH) $(BIN)/python -m pytest -n $(JOBS) --dist loadgroup

fuzz: $(STAMP)  ## the drawn tests again, on many examples not seen before
	TMPDIR=$(SCRATCH) REIDENT_EXAMPLES=$(or $(EXAMPLES),20000) $(BIN)/python -m pytest -n $(JOBS) \
		--dist loadgroup --hypothesis-profile new tests/fuzz tests/oracle tests/laws

faults: $(STAMP)  ## fifty kills of every attack, resumed and compared; KILLS=5 for fewer
	TMPDIR=$(SCRATCH) PYTHONPATH=tests $(BIN)/python -m faults.killing $(or $(KILLS),50)

check: $(STAMP)  ## style, types, direction of dependency
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(STAMP)  ## figures of this machine; ROWS=taxicab for some
	TMPDIR=$(SCRATCH) $(BIN)/python benchmarks/run.py $(ROWS)

docs: $(STAMP)  ## the site, in docs/_build
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[docs]'
	$(BIN)/python -m sphinx -W -q -b html docs docs/_build

clean:
	rm -rf $(VENV) docs/_build .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache \
		benchmarks/.peers
