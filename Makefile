# Tertium: `make run` checks an example, `make test` runs all tests. Everything they need besides Rust,
# Python and pip is fetched into target/.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

CARGO ?= cargo
HOST = $(shell rustc -vV | sed -n 's/^host: //p')
PYTHON ?= python3
EXAMPLE ?= examples/door.kmts

# The solver, pinned. A Z3 of your own: set Z3_LIBRARY_PATH_OVERRIDE to its folder and Z3_SYS_Z3_VERSION.
Z3_VERSION := 5.4.0.0
ifdef Z3_LIBRARY_PATH_OVERRIDE
Z3 :=
# Where it is at run time, too.
export TERTIUM_Z3 ?= $(Z3_LIBRARY_PATH_OVERRIDE)
else
Z3 := target/z3/$(Z3_VERSION).stamp
endif

# Fuzzing: seconds per target, and which targets.
FUZZ_SECONDS ?= 60
FUZZ_TARGETS ?= $(notdir $(basename $(wildcard fuzz/fuzz_targets/*.rs)))
FUZZ_FLAGS := --cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
	-Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
	-Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1 \
	-Clink-arg=-Wl,-rpath,$(or $(Z3_LIBRARY_PATH_OVERRIDE),$(abspath target/z3/lib))

# Comparison with Spin: which models, how large they may be, and how long each may take.
MODELS ?= corpus/promela
LIMIT ?= 200000
SECONDS_EACH ?= 60

# Models for bench-spin; a folder stands for all models in it.
BENCH_MODELS ?= $(wildcard ../shared/promela/micro ../shared/promela/third_party)
# Seconds for each search of bench-spin, ours and Spin's.
BENCH_SECONDS ?= 30

# Horn clauses for bench-loop, if they are there.
HORN ?= $(wildcard ../shared/peers/horn)

# Packages are laid here.
DIST := target/dist
Z3_FOLDER = $(or $(Z3_LIBRARY_PATH_OVERRIDE),target/z3/lib)

# Whether what tests compare with may be installed on the system: yes or no.
INSTALL ?= yes

# How much longer the long tests are than the short ones, and with which seed.
CASES ?= 50
SEED ?= $(shell date +%s)

.PHONY: help run build dist wheel test test-python quick test-forged test-completion test-long test-gpu test-horn test-scaling test-spin test-symbolic test-unbounded peers browser pictures agreement bench bench-choice bench-gpu bench-growth bench-limits bench-loop bench-page bench-parity bench-spin bench-symbolic bench-unbounded evidence-table papers fuzz site lint format clean test-million mutants nusmv test-nusmv

help: ## what there is to make
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 20

run: $(Z3) ## build Tertium and check an example (EXAMPLE=FILE for another)
	@$(CARGO) build -p tertium
	@# 10 says that a property is false and 5 that one is unknown: answers, not failures.
	@code=0; $(CARGO) run --quiet -p tertium -- check $(EXAMPLE) || code=$$?; \
	case $$code in 0|5|10) ;; *) exit $$code ;; esac

build: $(Z3) ## the optimised binary, target/release/tertium
	$(CARGO) build --release -p tertium

dist: build wheel ## packages in target/dist: tarball, Debian package, wheel, extension for Visual Studio Code; each is tried where there is neither Rust nor the source tree
	rm -f $(DIST)/*.tar.gz $(DIST)/*.deb $(DIST)/*.vsix
	$(CARGO) run --quiet -p xtask -- vsix $(DIST)
	packaging/build target/release/tertium $(Z3_FOLDER) $(DIST)
	packaging/verify $(DIST)

wheel: $(Z3) # the Python package; skipped where maturin cannot be had
	@code=0; packaging/wheel $(Z3_FOLDER) $(DIST) || code=$$?; [ $$code = 0 ] || [ $$code = 3 ] || exit $$code

test-python: wheel ## the Python package: its promises, the notebook, a client of the Model Context Protocol, the corpus against the command (PYTEST="-k WORD")
	@if ls $(DIST)/tertium-*.whl > /dev/null 2>&1; then packaging/test-python $(DIST) $(PYTEST); else echo "test-python: skipped, there is no wheel"; fi

test: $(Z3) peers browser ## all tests, with fixed seeds; installs cvc5, spin, gcc and chromium where it can (INSTALL=no does not)
	$(CARGO) test --workspace

quick: $(Z3) ## build, and the tests that matter for what was changed since main (BASE=COMMIT for another start): two minutes
	@.ci/quick

# What is installed on the system for tests that compare with others is said first; INSTALL=no leaves it out. Tests say that they are
# skipped where something is not there.
export INSTALL
peers:
	@.ci/packages cvc5 spin gcc

browser:
	@.ci/packages chromium

pictures: $(Z3) browser ## the pictures in docs/pictures, made by the tests of the page
	TERTIUM_PICTURES="$(abspath docs/pictures)" $(CARGO) test -q -p tertium --test page

agreement: $(Z3) ## table of agreement with Spin over a collection (MODELS=DIR with truth.json, LIMIT=states, SECONDS_EACH)
	@code=0; TERTIUM_MODELS="$(abspath $(MODELS))" TERTIUM_LIMIT=$(LIMIT) TERTIUM_SECONDS=$(SECONDS_EACH) \
	TERTIUM_TABLE="$(abspath target/agreement.txt)" $(CARGO) test -q -p tertium-driver --test promela -- --ignored > target/agreement.log 2>&1 || code=$$?; \
	cat target/agreement.txt || cat target/agreement.log; exit $$code

test-long: $(Z3) ## many more random cases (CASES=50 times) with a fresh seed (SEED=N for a given one), then fuzz
	@echo "TERTIUM_SEED=$(SEED) TERTIUM_CASES=$(CASES)"
	TERTIUM_SEED=$(SEED) TERTIUM_CASES=$(CASES) $(CARGO) test --workspace
	$(MAKE) fuzz

# Everything against everything else. Goes on where the last run with the same seed ended: target/million.json.
test-million: CASES = 1000000
test-million: SEED = 20261117
test-million: $(Z3) peers ## 1,000,000 differential cases (CASES=N) over engines, definitions, Spin and kernel, a table by category; goes on where it was stopped (SEED=N, SECONDS=N at most, THREADS=N, ONLY=category:number for one sample)
	@echo "TERTIUM_SEED=$(SEED) TERTIUM_CASES=$(CASES); progress in target/million.json, wrong cases in target/million/"
	@TERTIUM_SEED=$(SEED) TERTIUM_CASES=$(CASES) TERTIUM_SECONDS=$(SECONDS) TERTIUM_THREADS=$(THREADS) TERTIUM_ONLY=$(ONLY) \
	$(CARGO) test --release -q -p tertium-driver --test million -- --ignored --nocapture

test-unbounded: CASES = 1250
test-unbounded: $(Z3) ## 10,000 random integer programs (CASES=1250 times eight; SEED=N) in five logics against running them, with certificates checked; then every program of corpus/gcl/unbounded, with its negations
	@echo "TERTIUM_SEED=$(SEED) TERTIUM_CASES=$(CASES)"
	TERTIUM_SEED=$(SEED) TERTIUM_CASES=$(CASES) $(CARGO) test --release -q -p tertium-driver --test ranked_games random_programs
	TERTIUM_CASES=1 $(CARGO) test --release -q -p tertium-driver --test unbounded_data

# With 150 random models in the short run, 14 times as many are 2,100.
test-completion: CASES = 14
test-completion: $(Z3) ## 2,100 random partial models with one to four properties (CASES=14 times 150; SEED=N): completed exactly if some structure of three states completes them, or the thorough value is not false
	@echo "TERTIUM_SEED=$(SEED) TERTIUM_CASES=$(CASES)"
	TERTIUM_SEED=$(SEED) TERTIUM_CASES=$(CASES) $(CARGO) test --release -q -p tertium-structures --test completion

# With 8 kills, 24 random models, 24 with formulas and 12 with automata in the short run, 13 times as many are 104, 312, 312 and 156.
test-scaling: CASES = 13
test-scaling: $(Z3) ## searches, checks and clusters that are killed some 600 times and gone on with, on disk, and by several processes on 312 random models with and without formulas (CASES=13 times 8 and 24; SEED=N), against one in memory
	@echo "TERTIUM_SEED=$(SEED) TERTIUM_CASES=$(CASES)"
	TERTIUM_SEED=$(SEED) TERTIUM_CASES=$(CASES) $(CARGO) test -q -p tertium --test scaling -- --nocapture
	TERTIUM_SEED=$(SEED) TERTIUM_CASES=$(CASES) $(CARGO) test -q -p tertium-cluster -p tertium-driver -p tertium-explore --test agreement --test checkpoints --test cycles --test cluster --test disk --test parallel_cycles --test threads

# Every model of the corpus, counted on the device; without one, the printed code compiled by a C++ compiler (part of `make test`).
test-gpu: ## searches on a graphics processor against the explorer, over the whole corpus; needs CUDA's driver and run-time compiler
	TERTIUM_GPU=1 $(CARGO) test -p tertium-gpu --features cuda --test agreement --test cycles
	TERTIUM_GPU=1 $(CARGO) test -p tertium-driver --features gpu --test device

test-spin: $(Z3) peers ## random Promela models and formulas against Spin (CASES=50 times six models, fifteen with formulas; SEED=N for a given seed); needs spin and gcc
	@echo "TERTIUM_SEED=$(SEED) TERTIUM_CASES=$(CASES)"
	TERTIUM_SEED=$(SEED) TERTIUM_CASES=$(CASES) $(CARGO) test --test against_spin -p tertium-promela -p tertium-driver

# NuSMV is compiled from the C sources in a package of PyPI. Nothing needs it: without it, tests and measurements say that they leave it out.
nusmv: ## NuSMV 2.5.4 in target/peers, to compare with; needs gcc, flex and bison
	@.ci/packages gcc flex bison
	@packaging/nusmv target/peers || [ $$? = 3 ]

# With 40 random models in the short run, 50 times as many are 2,000.
test-nusmv: CASES = 50
test-nusmv: $(Z3) nusmv ## 2,000 random models in SMV (CASES=50 times 40; SEED=N) with some 14,000 specifications, and those of the corpus, against NuSMV; a table
	@echo "TERTIUM_SEED=$(SEED) TERTIUM_CASES=$(CASES)"
	TERTIUM_SEED=$(SEED) TERTIUM_CASES=$(CASES) $(CARGO) test -q -p tertium-driver --test against_nusmv -- --nocapture

# With 30 random scripts in the short run, 50 times as many are 1,500.
test-horn: CASES = 50
test-horn: $(Z3) ## 1,500 random scripts of Horn clauses (CASES=50 times 30; SEED=N) against Z3, which reads them itself; a table
	@echo "TERTIUM_SEED=$(SEED) TERTIUM_CASES=$(CASES)"
	TERTIUM_SEED=$(SEED) TERTIUM_CASES=$(CASES) $(CARGO) test -q -p tertium-driver --test random_horn_clauses -- --nocapture

# With 40 random models in the short run, 125 times as many are 5,000.
test-symbolic: CASES = 125
test-symbolic: SEED = 20261115
test-symbolic: $(Z3) ## sets against the other engines at every state: vectors, corpus, 40 random models CASES=125 times (SEED=N); a table
	@echo "TERTIUM_SEED=$(SEED) TERTIUM_CASES=$(CASES)"; rm -f target/symbolic.txt
	@code=0; TERTIUM_SEED=$(SEED) TERTIUM_CASES=$(CASES) TERTIUM_TABLE="$(abspath target/symbolic.txt)" \
	$(CARGO) test -q -p tertium-driver --test symbolic_agreement -- --test-threads=1 > target/symbolic.log 2>&1 || code=$$?; \
	[ $$code = 0 ] || tail -60 target/symbolic.log; cat target/symbolic.txt; exit $$code

# 3,260 certificates about random models are forged in the short run; 40 times as many are 130,400.
test-forged: CASES = 40
test-forged: $(Z3) ## forge certificates about random models (CASES=40 times 3,260; SEED=N for a given seed): none of what is false is accepted
	@echo "TERTIUM_SEED=$(SEED) TERTIUM_CASES=$(CASES)"
	TERTIUM_SEED=$(SEED) TERTIUM_CASES=$(CASES) $(CARGO) test -p tertium-certify --test forging -- --nocapture

bench: $(Z3) peers ## measurements, as ratios; with Spin beside us where a spin and a gcc are on the path
	$(CARGO) build --release --quiet -p tertium-bench
	$(CARGO) run --release --quiet -p tertium-bench --bin bench-game
	$(CARGO) run --release --quiet -p tertium-bench --bin bench-explore
	$(CARGO) run --release --quiet -p tertium-bench --bin bench-partial
	$(CARGO) run --release --quiet -p tertium-bench --bin bench-thorough
	$(CARGO) run --release --quiet -p tertium-bench --bin bench-abstraction
	$(CARGO) run --release --quiet -p tertium-bench --bin bench-spotlight
	$(CARGO) run --release --quiet -p tertium-bench --bin bench-growth

bench-choice: $(Z3) ## the automatic choice against the best single engine, CPU time property by property (CASES_OF="words of names")
	$(CARGO) build --release --quiet -p tertium -p tertium-bench --bin tertium --bin bench-choice
	target/release/bench-choice $(CASES_OF)

bench-growth: $(Z3) peers ## two protocols by abstraction, by running them and by Spin, over growing bounds (BOUNDS="8 64 …")
	$(CARGO) build --release --quiet -p tertium-bench --bin bench-growth
	$(CARGO) run --release --quiet -p tertium-bench --bin bench-growth -- $(BOUNDS)

bench-limits: $(Z3) ## runs that explode, within limits on time and memory: asked and used, and whether there was a report (CASES_OF="words of their names")
	$(CARGO) build --release --quiet -p tertium -p tertium-bench --bin tertium --bin bench-limits
	target/release/bench-limits $(CASES_OF)

papers: $(Z3) ## the tables and examples of the papers, with their figures beside ours; fails where a value contradicts (ROWS="words of names")
	$(CARGO) build --release --quiet -p tertium -p tertium-bench --bin tertium --bin papers
	target/release/papers $(ROWS)

evidence-table: $(Z3) ## what shows each definite answer over the whole corpus: runs, certificates, exceptions with their reasons
	TERTIUM_EVIDENCE_TABLE=1 $(CARGO) test -p tertium --test evidence_table -- --nocapture

bench-loop: $(Z3) ## refinement without options against Z3's Spacer (HORN=FOLDER with clauses) and the table of Saïdi
	$(CARGO) build --release --quiet -p tertium-bench --bin bench-loop
	$(CARGO) run --release --quiet -p tertium-bench --bin bench-loop -- $(HORN)

bench-unbounded: $(Z3) ## temporal properties of unbounded data, corpus/gcl/unbounded: solved, open and wrong by logic, with times; Spacer beside; growth (CASES_OF="names of programs, --jobs N, --negations, --corpus FOLDER")
	$(CARGO) build --release --quiet -p tertium-bench --bin bench-unbounded
	target/release/bench-unbounded $(CASES_OF)

bench-page: $(Z3) browser ## frame times of the page in Chromium, for a counterexample of 30 processes and 5,000 steps
	TERTIUM_FRAMES=1 $(CARGO) test -q -p tertium --test page frames -- --nocapture

bench-gpu: $(Z3) ## state spaces on a graphics processor, beside one thread, all threads, and a compiled pan where there is one; counts compared (BENCH_MODELS="FILE …", GPU_OPTIONS="--seconds=N --only-device")
	$(CARGO) build --release --quiet -p tertium -p tertium-bench --bin tertium --bin bench-gpu
	target/release/bench-gpu $(GPU_OPTIONS) $(or $(filter %.pml %.gcl,$(BENCH_MODELS)),$(wildcard examples/*.gcl corpus/gcl/bounded/*.gcl))

bench-parity: $(Z3) ## parity games of a million positions: random, cliques, ladders, with their solutions checked (CASES_OF="words of their names")
	$(CARGO) build --release --quiet -p tertium-bench --bin bench-parity
	target/release/bench-parity $(CASES_OF)

bench-symbolic: $(Z3) ## sets of states: families of programs up to 10^20 states and beyond, and whole commands on synchronous ones; with NuSMV beside us where it is on the path or in target/peers (make nusmv)
	$(CARGO) build --release --quiet -p tertium -p tertium-bench --bin tertium --bin bench-symbolic
	PATH="$$PATH:$(abspath target/peers)" $(CARGO) run --release --quiet -p tertium-bench --bin bench-symbolic

bench-spin: $(Z3) peers ## Promela models against Spin (BENCH_MODELS="FILE FOLDER FILE:NAME=10 …"; none: our own families; BENCH_SECONDS=30 for each search)
	$(CARGO) build --release --quiet -p tertium-bench --bin bench-spin
	$(CARGO) run --release --quiet -p tertium-bench --bin bench-spin -- --assert --seconds=$(BENCH_SECONDS) $(BENCH_MODELS)

fuzz: $(Z3) ## feed every parser, stored runs, certificates and checks within tiny limits with mutated input (FUZZ_SECONDS=60 each, FUZZ_TARGETS="formula …" for some)
	cd fuzz && CARGO_TARGET_DIR=target RUSTFLAGS="$(FUZZ_FLAGS)" $(CARGO) build --release --target $(HOST)
	@for target in $(FUZZ_TARGETS); do \
		mkdir -p fuzz/corpus/$$target fuzz/artifacts/$$target; \
		log=fuzz/artifacts/$$target.log; \
		if fuzz/target/$(HOST)/release/$$target -max_total_time=$(FUZZ_SECONDS) -timeout=10 -rss_limit_mb=4096 \
			-print_final_stats=1 -verbosity=0 -dict=fuzz/dictionary.txt -artifact_prefix=fuzz/artifacts/$$target/ \
			fuzz/corpus/$$target $(wildcard fuzz/seeds/*) > $$log 2>&1; \
		then echo "$$target: $$(sed -n 's/^stat::number_of_executed_units: *//p' $$log) inputs, nothing found"; \
		else tail -40 $$log; echo "$$target: the input is in fuzz/artifacts/$$target/"; exit 1; fi; \
	done

# Bugs that are seeded on purpose, in a copy of the sources (docs/mutants.md).
mutants: $(Z3) ## seed soundness bugs and count how many tests, certificates and replay catch (MUTANTS="--only WORD --threads N …")
	$(CARGO) run --quiet -p xtask -- mutants $(MUTANTS)

site: ## the documentation as a site with search, target/site/index.html
	$(CARGO) run --quiet -p xtask -- site

lint: $(Z3) ## format, lints and documentation, all warnings denied
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps

format: ## put the sources into the project's format
	$(CARGO) fmt --all

clean: ## remove everything that was built or fetched
	rm -rf target

# The wheel holds the library; nothing of Python is used at run time.
target/z3/$(Z3_VERSION).stamp:
	@echo "going to fetch z3-solver $(Z3_VERSION) with pip into target/z3; nothing is installed on the system"
	rm -rf target/z3
	mkdir -p target/z3
	$(PYTHON) -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: \
		--dest target/z3 z3-solver==$(Z3_VERSION)
	$(PYTHON) -m zipfile -e target/z3/z3_solver-*.whl target/z3/wheel
	mv target/z3/wheel/z3/lib target/z3/wheel/z3/include target/z3/
	rm -rf target/z3/wheel target/z3/z3_solver-*.whl
	ln -sf "$$(basename target/z3/lib/libz3.so.*)" target/z3/lib/libz3.so
	touch $@
