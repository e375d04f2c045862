# Every target sets itself up in .venv; a fresh machine needs only Python 3.11+, git and make.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
JOBS   ?= 2
# Tests write thousands of run folders, and every file is synced: in memory that costs nothing.
SCRATCH := $(shell [ -w /dev/shm ] && echo /dev/shm || echo $${TMPDIR:-/tmp})

.PHONY: demo test offline fuzz spark faults cover mutate check bench docs clean

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	# Twice more if it fails: a download may arrive damaged, which pip tells by its digest.
	for attempt in 1 2 3; do \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]' \
		&& exit 0; done; exit 1
	# As pip does with packages: nobody's first command waits for it, nor every one where Python may
	# not write beside its sources.
	$(BIN)/python -m compileall -q src
	touch $@

demo: $(STAMP)  ## the whole study on made-up data
	$(BIN)/reident demo --force

# The report is tested in a real Chromium, and runs under other locales: where these are missing and
# may be installed, they are.
LOCALES := /usr/share/i18n/locales/tr_TR
.PHONY: browser
browser:
	@command -v chromium >/dev/null && command -v pdftotext >/dev/null && [ -e $(LOCALES) ] || \
		{ [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && \
		DEBIAN_FRONTEND=noninteractive timeout 240 sh -c \
		'apt-get update -qq; apt-get install -y -qq chromium poppler-utils locales' >/dev/null 2>&1; } || \
		echo "No Chromium, pdftotext or locales here, and none could be installed: their tests skip."

# A study on Spark is tested on a real cluster: where Java is missing and may be installed, it is.
.PHONY: java
java:
	@command -v java >/dev/null || \
		{ [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && \
		DEBIAN_FRONTEND=noninteractive timeout 240 sh -c \
		'apt-get update -qq; apt-get install -y -qq openjdk-17-jre-headless' >/dev/null 2>&1; } || \
		echo "No Java here, and none could be installed: tests of Spark skip."

test: $(STAMP) browser java  ## every test; EXAMPLES=2000 draws four times as many studies
	TMPDIR=$(SCRATCH) REIDENT_EXAMPLES=$(or $(EXAMPLES),500) $(BIN)/python -m pytest -n $(JOBS) \
		--dist loadgroup

# No network at all, not even the machine's own: whoever asks for one fails.
CORE := tests/papers tests/laws tests/oracle tests/cli tests/bad_input tests/faults tests/unit
offline: $(STAMP)  ## the core of the suite where there is no network
	TMPDIR=$(SCRATCH) REIDENT_EXAMPLES=$(or $(EXAMPLES),50) unshare --map-root-user --net \
		$(BIN)/python -m pytest -n $(JOBS) --dist loadgroup $(CORE)

fuzz: $(STAMP)  ## the drawn tests again, on many examples not seen before
	TMPDIR=$(SCRATCH) REIDENT_EXAMPLES=$(or $(EXAMPLES),20000) $(BIN)/python -m pytest -n $(JOBS) \
		--dist loadgroup --hypothesis-profile new tests/fuzz tests/oracle tests/laws

spark: $(STAMP) java  ## a hundred random studies and two real ones on a cluster; STUDIES=10 for fewer
	TMPDIR=$(SCRATCH) PYTHONPATH=tests $(BIN)/python -m spark.evidence $(or $(STUDIES),100)

faults: $(STAMP)  ## fifty kills of every attack, resumed and compared; KILLS=5 for fewer
	TMPDIR=$(SCRATCH) PYTHONPATH=tests $(BIN)/python -m faults.killing $(or $(KILLS),50)

# Kernels run as plain Python here: those of tests that meet few records, and not the slow ones.
PLAIN_TESTS := tests/unit/kernels tests/unit/attacks tests/unit/model/test_rates.py \
	tests/unit/remedies/test_microaggregation.py tests/laws/test_ranks.py tests/laws/test_unicity.py \
	tests/oracle/test_index.py tests/oracle/test_uniques.py tests/papers/test_winkler.py
SLOW_PLAIN := many_rounds or larger_studies or huge_cell or claim
COVERAGE := $(BIN)/python -m coverage
cover: $(STAMP)  ## branches that the tests run: all of kernels, ranks and rates, 95 % of everything
	rm -f .coverage .coverage.*
	TMPDIR=$(SCRATCH) NUMBA_DISABLE_JIT=1 REIDENT_EXAMPLES=150 $(COVERAGE) run \
		--data-file=.coverage.plain -m pytest -q $(PLAIN_TESTS) -k "not ($(SLOW_PLAIN))"
	# registers tells the compiler what to do, which no plain run calls for.
	$(COVERAGE) report --data-file=.coverage.plain -m --skip-covered --fail-under=100 \
		--include='*/kernels/*,*/model/rates.py,*/attacks/verify.py' --omit='*/kernels/registers.py'
	TMPDIR=$(SCRATCH) REIDENT_EXAMPLES=50 $(COVERAGE) run --data-file=.coverage.rest -m pytest -q
	$(COVERAGE) combine --keep
	$(COVERAGE) report --skip-covered --fail-under=95

mutate: $(STAMP)  ## small changes of kernels, ranks and rates; N=0 for all, SEED=3 FILE=kernels/keys
	TMPDIR=$(SCRATCH) $(BIN)/python tests/laws/sweep.py $(or $(N),60) $(or $(SEED),0) $(FILE)

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
