# `make` lists what there is to do. Everything is made in this folder: .venv*/, .tools/, target/ and dist/.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:

PYTHON ?= python3
# The newest patch of each minor version. The default is that of the Spark that the JAR for Scala 2.13 is compiled for.
PYSPARK_MATRIX ?= 3.5.9 4.0.5 4.1.4 4.2.1 4.3.0
DEFAULT_PYSPARK := 4.2.1
OTHER_PYSPARKS = $(filter-out $(DEFAULT_PYSPARK),$(PYSPARK_MATRIX))
PYSPARK ?= $(DEFAULT_PYSPARK)
# The one that has a JAR of its own.
SPARK35 := $(filter 3.5.%,$(PYSPARK_MATRIX))
# The newest Spark that Iceberg supports, and older versions of Iceberg, with Sparks that they are published for.
ICEBERG_PYSPARK := 4.1.4
OLD_ICEBERG_PYSPARK := 4.0.5
OLD_ICEBERG := 1.10.2
MIDDLE_ICEBERG := 1.11.0
# The newest Spark that Comet has a JAR for.
COMET_PYSPARK := 4.1.4
# An archive of the classes that sessions load, with which JVMs of tests start in two thirds of the time.
CLASSES = $(VENV)/spark-classes.jsa
# A class with which tests write files without a process for the permissions of each.
LOCAL_FILES = $(VENV)/local-files.jar
# Processes of pytest, each with a Spark of its own.
WORKERS ?= 2
# If not empty, test-delta and test-iceberg run a core, in one order of the extensions: LIMITs, deleted rows, and the
# classes that the JAR refers to.
FEW ?=
FEW_TABLES = $(if $(FEW),-m core -k "binary_surface or ours")
IS_DEFAULT := $(filter $(DEFAULT_PYSPARK),$(PYSPARK))

VENV := .venv$(if $(IS_DEFAULT),,-$(PYSPARK))
PY := $(VENV)/bin/python
PYTEST := $(PY) -m pytest --numprocesses=$(WORKERS) --dist=loadfile
# These folders have sessions of their own, which need other JARs.
WITHOUT_FORMATS := --ignore=tests/comet --ignore=tests/delta --ignore=tests/iceberg
VERSION := $(shell sed -n 's/^__version__ = "\(.*\)"/\1/p' python/limit_pruning/_version.py)
# One JAR for each version of Scala that a supported Spark has, and that of this PySpark.
JARS := $(foreach scala,2.12 2.13,target/spark-limit-pruning_$(scala)-$(VERSION).jar)
JAR := $(filter target/spark-limit-pruning_$(if $(filter 3.%,$(PYSPARK)),2.12,2.13)-%,$(JARS))
TESTS_JAR := $(JAR:.jar=-tests.jar)
# Folders are listed too: a file that is added or removed changes its folder's time.
JAR_SOURCES := $(shell find jvm/src/main) $(wildcard build.sbt .jvmopts project/*.sbt project/build.properties) \
  python/limit_pruning/_version.py LICENSE
SBT := bin/sbt </dev/null
LINT_JVM := scalafmtCheckAll scalafmtSbtCheck "scalafixAll --check" benchmarks/scalafmtCheckAll "benchmarks/scalafixAll --check"

# Extras with a lock file, beside `dev`. `iceberg` needs another Spark; `bench` has fixed versions, not all for Python 3.10.
LOCKED := delta docs

export PYTHON
export SPARK_LOCAL_IP := 127.0.0.1
export ICEBERG

.PHONY: help
help: ## List the targets
	@echo "PySpark is $(PYSPARK); another one: make <target> PYSPARK=<version>, in an environment of its own."
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: setup
setup: tools $(VENV)/.stamp ## Make the Python environment, with this package and the tools in it

.PHONY: jar
jar: $(JARS) ## Build the JARs, one for each version of Scala

.PHONY: demo
demo: setup $(JAR) ## Show what pruning saves, on real Parquet
	@$(PY) examples/demo.py

.PHONY: pictures
pictures: setup $(JAR) ## Draw the row-group map of the README anew, from a real query (make browser)
	@$(PY) examples/row_group_map.py

.PHONY: bench
bench: setup $(JAR) $(VENV)/.stamp-bench ## Measure against plain Spark, DataFusion and DuckDB; sizes: BENCH_GB=5 BENCH_SMALL_FILES=2000
	@$(PY) -m benchmarks

.PHONY: bench-scale
bench-scale: setup $(JAR) $(TESTS_JAR) ## Measure planning as tables and latency grow (minutes); sizes: SCALE_FILES=100,1000 SCALE_LATENCIES=0,30
	@$(PY) -m benchmarks.scale

.PHONY: bench-pairs
bench-pairs: setup $(JAR) $(TESTS_JAR) $(VENV)/.stamp-bench ## Measure plain Spark and ours in turns, with new literals; fails if a kind is slower; a part: PAIRS_KINDS="web int96" PAIRS_PAIRS=30
	@$(PY) -m benchmarks.pairs

.PHONY: bench-rows
bench-rows: setup $(JAR) $(VENV)/.stamp-bench ## Measure queries about which metadata prove nothing, beside DataFusion and DuckDB; a part: ROWS_QUERIES="needle" ROWS_RUNS=2
	@$(PY) -m benchmarks.rows

.PHONY: bench-delta
bench-delta: setup $(JAR) $(VENV)/.stamp-bench ## Measure against Delta Lake alone, over the events of make bench and the tables of make bench-rows; size: BENCH_GB=5
	@$(PY) -m benchmarks.delta
	@$(PY) -m benchmarks.rows delta

.PHONY: bench-iceberg
bench-iceberg: ## Measure against Apache Iceberg alone, over the events of make bench and the tables of make bench-rows; size: BENCH_GB=5
	@$(MAKE) --no-print-directory setup jar .venv-$(ICEBERG_PYSPARK)/.stamp-bench PYSPARK=$(ICEBERG_PYSPARK)
	@.venv-$(ICEBERG_PYSPARK)/bin/python -m benchmarks.iceberg
	@.venv-$(ICEBERG_PYSPARK)/bin/python -m benchmarks.rows iceberg

.PHONY: bench-s3
bench-s3: setup $(JAR) $(VENV)/.stamp-bench ## Measure on an object store with 30 ms a request, over the events of make bench; size: BENCH_GB=5
	@$(PY) -m benchmarks.s3

.PHONY: bench-clean
bench-clean: ## Remove the tables of make bench
	rm -rf $(or $(BENCH_DATA),.bench-data)

.PHONY: test
test: setup $(if $(IS_DEFAULT),lint-python build-jvm,$(JAR)) pytest ## Lint, Scala suites, pytest (with PYSPARK=<other>: pytest alone)

.PHONY: pytest
pytest: $(CLASSES) $(LOCAL_FILES)
	$(PYTEST) --no-loadscope-reorder --durations=25 $(WITHOUT_FORMATS)

.PHONY: test-delta
test-delta: setup $(JAR) $(LOCAL_FILES) $(VENV)/.stamp-delta ## Test tables of Delta Lake (Spark 3.5, 4.0, 4.1 and 4.2)
	$(PYTEST) --no-loadscope-reorder --durations=10 $(FEW_TABLES) tests/delta

.PHONY: test-iceberg
test-iceberg: setup $(JAR) $(LOCAL_FILES) $(VENV)/.stamp-iceberg ## Test tables of Apache Iceberg (PYSPARK=4.1.4, or PYSPARK=3.5.9, or PYSPARK=4.0.5 and ICEBERG=1.10.2)
	$(PYTEST) --no-loadscope-reorder --durations=10 $(FEW_TABLES) tests/iceberg

.PHONY: test-comet
test-comet: setup $(JAR) $(LOCAL_FILES) ## Test LIMITs that Apache DataFusion Comet runs (PYSPARK=4.1.4)
	$(PYTEST) --no-loadscope-reorder --durations=10 tests/comet

.PHONY: test-fast
test-fast: $(VENV)/.stamp ## The inner loop, with the JAR that is there: Python lint, tests without Spark, a few with it
	@test -f $(JAR) || { echo "there is no $(JAR): run 'make jar'" >&2; exit 1; }
	@test -z "$$(find $(JAR_SOURCES) -newer $(JAR) -print -quit)" || echo "$(JAR) is older than its sources: 'make jar' builds it anew"
	$(VENV)/bin/ruff check
	$(VENV)/bin/ruff format --check
	$(VENV)/bin/mypy
	$(PYTEST) -m "core or not (spark or slow or browser)" $(WITHOUT_FORMATS)

.PHONY: test-core
test-core: setup $(JAR) $(LOCAL_FILES) ## A core of the tests, in minutes: what the JAR refers to is there, and LIMITs are pruned (PYSPARK=3.5.9)
	$(PYTEST) -m core $(WITHOUT_FORMATS)

.PHONY: test-matrix
test-matrix: ## make test on every supported minor version of Spark
	@for version in $(PYSPARK_MATRIX); do $(MAKE) --no-print-directory test PYSPARK=$$version; done

# With SPARKS_OPTIONS="--mode plain subqueries", a part of it.
SPARKS_SUITES := PYTHONPATH=tests $(PY) -m spark_suites

.PHONY: test-spark
test-spark: setup $(JAR) $(TESTS_JAR) ## Run suites of Spark's own tests with and without the extension (long)
	$(SPARKS_SUITES) $(SPARKS_OPTIONS)

.PHONY: test-spark-quick
test-spark-quick: setup $(JAR) $(TESTS_JAR) ## The few of them that find most (minutes)
	$(SPARKS_SUITES) --quick

.PHONY: browser
browser: ## Install the Chromium in which make test looks at row-group maps (Debian, as root)
	@bin/install-browser

.PHONY: test-skipping
test-skipping: setup $(JAR) ## Read rows from anywhere in pages of each encoding, type, kind of nulls and shape (minutes)
	ROW_SKIPPING=all $(PYTEST) --durations=10 tests/scan/test_row_skipping.py

.PHONY: fuzz
fuzz: setup $(JAR) ## Try random tables and queries for MINUTES=10, two processes; failures go to target/fuzz-failures/
	FUZZ_WORKERS=$(WORKERS) PYTHONPATH=tests:. $(PY) -m support.fuzz $(or $(MINUTES),10) benchmarks/results/fuzz.json

.PHONY: soak
soak: setup $(JAR) ## Query a table that keeps changing for MINUTES=10; check answers, heap, threads and open files
	PYTHONPATH=tests $(PY) -m support.soak $(or $(MINUTES),10) benchmarks/results/soak.json

.PHONY: soak-iceberg
soak-iceberg: setup $(JAR) ## The same over an Iceberg table that changes while queries run: make soak-iceberg PYSPARK=4.1.4 MINUTES=2
	PYTHONPATH=tests:. $(PY) -m support.iceberg.soak $(or $(MINUTES),2)

.PHONY: faults
faults: setup $(JAR) $(VENV)/.stamp-delta ## Plant known faults in a copy, one at a time, and see which random test finds each (two hours); a part: FAULTS="groups iceberg"
	@$(MAKE) --no-print-directory setup .venv-$(ICEBERG_PYSPARK)/.stamp-iceberg PYSPARK=$(ICEBERG_PYSPARK)
	FAULTS_ICEBERG_PYTHON=$(CURDIR)/.venv-$(ICEBERG_PYSPARK)/bin/python PYTHONPATH=tests:. \
	  $(PY) -m faults benchmarks/results/faults.json $(FAULTS)

# The floor of the JVM's lines, in percent; that of Python is in pyproject.toml.
JVM_COVERAGE := 87
COVERED_TESTS := -m "core or not (spark or slow or browser)" tests/reports tests/install tests/limits
COVERAGE := target/coverage
AGENT = -javaagent:$(shell bin/jacoco)/agent.jar=includes=limitpruning.*,destfile=$(CURDIR)/$(COVERAGE)

.PHONY: coverage
coverage: setup .tools/coverage/.stamp ## Measure which lines the Scala suites and a part of pytest run (minutes); the reports go to target/coverage/
	@rm -rf $(COVERAGE) && mkdir -p $(COVERAGE)
	$(SBT) package makePom packageSrc 'set Test / javaOptions += "$(AGENT)/scala.exec"' test
	@touch $(JAR)
	JAVA_TOOL_OPTIONS='$(AGENT)/python.exec' PYTHONPATH=.tools/coverage $(PY) -m coverage run -m pytest -q $(COVERED_TESTS)
	java -jar $(shell bin/jacoco)/cli.jar report $(COVERAGE)/*.exec --quiet --classfiles $(JAR) --sourcefiles jvm/src/main/scala \
	  --csv $(COVERAGE)/jvm.csv --html $(COVERAGE)/jvm
	PYTHONPATH=.tools/coverage $(PY) -m coverage html --quiet --fail-under=0
	PYTHONPATH=tests $(PY) -m support.jvm_coverage $(COVERAGE)/jvm.csv $(JVM_COVERAGE)
	PYTHONPATH=.tools/coverage $(PY) -m coverage report

.PHONY: mutants
mutants: setup ## Change the code of predicates and of the contract in small ways, and see that unit suites notice; a part: MINUTES=30 MUTANTS=Comparisons
	MUTANTS_MINUTES=$(MINUTES) PYTHONPATH=tests:. $(PY) -m mutants benchmarks/results/mutants.json $(MUTANTS)

.PHONY: bench-jvm
bench-jvm: setup ## Measure how fast row groups are classified, and what that allocates (JMH, minutes)
	@mkdir -p target
	$(SBT) "benchmarks/Jmh/run -prof gc -rf json -rff $(CURDIR)/target/jmh.json"
	@$(PY) -m benchmarks.jvm target/jmh.json

.PHONY: check
check: prepare pytest check-others ## What CI runs: make test, in a browser too, Delta Lake, Iceberg, some of Spark's own suites, the site, a core on each Spark

# Two targets at the same time, on two cores. They take about as long, and make different environments.
PART := $(MAKE) --no-print-directory WORKERS=1
both = $(PART) $(1) & one=$$!; $(PART) $(2) || other=$$?; wait $$one && exit $${other:-0}

.PHONY: prepare
prepare: tools
	@$(call both,build-jvm,prepare-python)

.PHONY: prepare-python
prepare-python: setup lint-python $(CLASSES) $(LOCAL_FILES) $(VENV)/.stamp-delta docs $(if $(filter true,$(CI)),browser)
	@$(PART) PYSPARK=$(ICEBERG_PYSPARK) setup $(addprefix .venv-$(ICEBERG_PYSPARK)/,local-files.jar .stamp-iceberg)

.PHONY: check-others
check-others:
	@$(call both,test-delta,check-versions)
	@$(MAKE) --no-print-directory test-iceberg PYSPARK=$(ICEBERG_PYSPARK)

.PHONY: check-versions
check-versions: test-jvm test-spark-quick
	@for version in $(OTHER_PYSPARKS); do $(PART) test-core PYSPARK=$$version; done
	@$(PART) test-comet PYSPARK=$(COMET_PYSPARK)
	@$(PART) test-delta FEW=1 PYSPARK=$(SPARK35)
	@$(PART) test-iceberg FEW=1 PYSPARK=$(SPARK35) ICEBERG=$(MIDDLE_ICEBERG)
	@$(PART) test-iceberg FEW=1 PYSPARK=$(OLD_ICEBERG_PYSPARK) ICEBERG=$(OLD_ICEBERG)

.PHONY: lint
lint: lint-python ## Formatters and linters of both languages, changing nothing
	$(SBT) $(LINT_JVM)

.PHONY: format
format: setup ## Formatters and linters of both languages, repairing what they can
	$(VENV)/bin/ruff check --fix
	$(VENV)/bin/ruff format
	$(SBT) scalafixAll scalafmtAll scalafmtSbt benchmarks/scalafixAll benchmarks/scalafmtAll

.PHONY: golden
golden: setup $(JAR) ## Write the golden EXPLAIN files and the generated parts of docs/ anew
	$(PY) -m pytest --snapshot-update tests/reports/test_explain.py tests/docs/test_docs_settings.py tests/docs/test_docs_benchmarks.py

.PHONY: docs
# Not with --quiet: MkDocs would count no warnings, and --strict would have no effect.
docs: $(VENV)/.stamp-docs ## Build the site into target/site, and check its links
	NO_MKDOCS_2_WARNING=1 $(PY) -m mkdocs build --strict
	@echo "$(CURDIR)/target/site/index.html"

.PHONY: wheel
wheel: setup $(JARS) ## Build the wheel, with the JARs inside, into dist/
	rm -f dist/spark_limit_pruning-*.whl
	$(PY) -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist .
	@ls dist/spark_limit_pruning-*.whl

.PHONY: lock
lock: tools ## Choose the newest versions of what development needs, and write requirements/ anew
	$(PYTHON) -m venv .tools/lock
	.tools/lock/bin/pip install --quiet --disable-pip-version-check uv==0.13.9
	echo "pyspark==$(DEFAULT_PYSPARK)" >.tools/lock/spark.txt
	for extra in dev $(LOCKED); do .tools/lock/bin/uv pip compile --quiet --upgrade --universal --python-version 3.10 \
	  --generate-hashes --no-annotate --no-emit-index-url --custom-compile-command "make lock" \
	  --constraint .tools/lock/spark.txt $$([[ $$extra = dev ]] || echo --constraint requirements/dev.txt) \
	  --extra dev --extra $$extra --output-file requirements/$$extra.txt pyproject.toml; done

.PHONY: sdist
sdist: setup ## Build the source distribution into dist/; pip builds the JAR from it
	rm -f dist/spark_limit_pruning-*.tar.gz
	$(PY) -m hatchling build --target sdist --directory dist

.PHONY: release-check
release-check: wheel sdist ## Build all files of a release, and check that it can be made (docs/releasing.md)
	$(SBT) +makePom +packageSrc +packageDoc
	rm -rf target/from-sdist
	$(PY) -m pip wheel --quiet --no-deps --no-build-isolation --no-cache-dir --wheel-dir target/from-sdist dist/*.tar.gz
	@PYTHONPATH=project:python $(PY) -m release

.PHONY: clean
clean: ## Remove what was built
	rm -rf dist target benchmarks/target project/target project/project .mypy_cache .pytest_cache .ruff_cache

.PHONY: distclean
distclean: clean ## Remove the environments and the downloaded tools, too
	rm -rf .venv .venv-* .tools

.PHONY: tools
tools:
	@bin/check-tools

.PHONY: lint-python
lint-python: setup
	$(VENV)/bin/ruff check
	$(VENV)/bin/ruff format --check
	$(VENV)/bin/mypy

# One start of sbt for both JARs, all linters and, in `make test`, the suites. `package` comes first: scalafix compiles
# without -Werror.
test: SUITES := test
.PHONY: build-jvm
build-jvm: tools
	$(SBT) package makePom packageSrc packageDoc Test/packageBin $(SUITES) benchmarks/compile $(LINT_JVM) "++2.12.x" package makePom packageSrc
	@touch $(JARS) $(TESTS_JAR)

.PHONY: test-jvm
test-jvm: tools
	$(SBT) test

# With the default PySpark, the locked packages, by their hashes; each version of PySpark asks for another gRPC, so with
# another one, what pip chooses. $(call install,<extra>): that extra; `dev` comes first.
# `pyspark[connect]` names the version too, or pip would download each newer one to see what it asks for.
PIP := $(PY) -m pip --quiet --disable-pip-version-check install --no-compile
install = $(if $(and $(IS_DEFAULT),$(filter dev $(LOCKED),$(1))),$(locked),$(if $(filter dev,$(1)),$(newest_dev),$(newest)))
locked = $(PIP) --require-hashes --requirement requirements/$(1).txt && $(PIP) --no-deps --no-build-isolation --editable .
newest = $(PIP) --editable '.[$(1)]' pyspark==$(PYSPARK)
newest_dev = $(PIP) --editable '.[dev]' 'pyspark[connect]==$(PYSPARK)' $(if $(filter 3.%,$(PYSPARK)),&& \
  $(PIP) --no-deps $(NEW_ARROW))

# The extra `connect` of PySpark 3.5 asks for NumPy 1. PyArrow that writes bloom filters, which tests need, asks for NumPy 2.
NEW_ARROW := 'numpy>=2,<3' 'pyarrow>=26'

$(VENV)/.stamp: pyproject.toml requirements/dev.txt
	$(PYTHON) -m venv $(VENV)
	$(call install,dev)
	@touch $@

# Beside the environment, as the tests do not need it.
.tools/coverage/.stamp: Makefile
	$(PIP) --upgrade --target $(@D) coverage==7.17.3
	@touch $@

$(CLASSES): $(VENV)/.stamp tests/support/class_archive.py
	rm -f $@
	PYTHONPATH=tests $(PY) -m support.class_archive $@

$(LOCAL_FILES): $(VENV)/.stamp $(wildcard tests/support/local_files/*)
	PYTHONPATH=tests $(PY) -m support.local_files
	@touch $@

$(VENV)/.stamp-bench: $(VENV)/.stamp
	$(call install,bench)
	@touch $@

$(VENV)/.stamp-delta: $(VENV)/.stamp requirements/delta.txt
	$(call install,delta)
	@touch $@

$(VENV)/.stamp-iceberg: $(VENV)/.stamp
	$(call install,iceberg)
	@touch $@

$(VENV)/.stamp-docs: $(VENV)/.stamp requirements/docs.txt
	$(call install,docs)
	@touch $@

$(JARS): target/spark-limit-pruning_%-$(VERSION).jar: $(JAR_SOURCES) | tools
	$(SBT) "++$*.x" package makePom packageSrc
	@touch $@

$(TESTS_JAR): $(JAR) $(shell find jvm/src/test) | tools
	$(SBT) Test/packageBin
	@touch $@
