# One command shows the product (make demo), one proves it (make test).
# Everything happens inside .venv and target; nothing else on the machine is touched.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
FRAMES ?= 1500
SECONDS ?= 600
PYTEST ?=

# The same interpreter for every cargo call, so that the bindings are not configured twice.
export PYO3_PYTHON := $(abspath $(BIN)/python)

RUST_SOURCES := $(shell find crates roms -type f \( -name '*.rs' -o -name '*.toml' -o -name '*.json' -o -name '*.bin' \) 2>/dev/null)
TOOLS := $(VENV)/.tools
BUILT := $(VENV)/.built

# Flags of rustc for wheels, so that messages of panics do not tell where the sources were.
SOURCES = $(wildcard $(or $(CARGO_HOME),$(HOME)/.cargo)/registry/src/*)
NEUTRAL = $(foreach path,$(SOURCES),--remap-path-prefix=$(path)=crates) --remap-path-prefix=$(CURDIR)=ale_rs

.DEFAULT_GOAL := help
.PHONY: help build dev demo test quick lint workflow-lint rust-lint python-lint rust-test python-test parity no-jit jit-mutants checked checked-module model fuzz soak coverage bench reproduce reproduce-quick learn crafter-parity \
	wheel docs clean clients peer-suite

help: ## show this list
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  make %-15s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(TOOLS): pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check "maturin>=1.9,<2"
	@touch $@

$(BUILT): $(TOOLS) $(RUST_SOURCES) Cargo.toml Cargo.lock pyproject.toml
	VIRTUAL_ENV=$(abspath $(VENV)) PIP_QUIET=1 $(BIN)/maturin develop --release --quiet --extras dev,roms,play,deep,plot,ray
	@touch $@

build: $(BUILT) ## make .venv, compile the extension with optimisation, install it there

dev: $(TOOLS) ## compile the extension quickly into .venv, without link-time optimisation: for work on the Rust side
	VIRTUAL_ENV=$(abspath $(VENV)) PIP_QUIET=1 $(BIN)/maturin develop --profile quick --quiet

demo: build ## play 16 games at once for 1,000 steps and draw a contact sheet, then let a planner play for ten seconds
	$(BIN)/ale-rs demo
	$(BIN)/ale-rs plan glowdelve --frames 20000 --max-frames 600 --record ale-rs-plan.gif

test: lint rust-test python-test ## all lints and all tests, those against ale-py included

lint: rust-lint python-lint workflow-lint ## rustfmt, clippy, ruff, mypy, stubtest; warnings are errors

rust-lint: $(TOOLS)
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --quiet -- -D warnings
	cargo clippy --workspace --all-targets --quiet --features ale-jit/no-jit -- -D warnings
	$(BIN)/python scripts/licences.py --check

python-lint: build
	$(BIN)/ruff check --quiet .
	$(BIN)/ruff format --quiet --check .
	$(BIN)/mypy
	$(BIN)/python -m mypy.stubtest ale_rs._native

workflow-lint: build
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml

rust-test: $(TOOLS)
	cargo test --workspace --quiet
	LOOM_MAX_PREEMPTIONS=2 $(MAKE) --no-print-directory model

# Two workers: most of the tests keep one core busy.
python-test: build
	$(BIN)/python -m pytest --quiet --numprocesses 2 --dist worksteal $(PYTEST)

quick: build ## the inner loop, under two minutes: unit tests, the API, no oracle
	cargo test --workspace --lib --quiet
	$(BIN)/python -m pytest --quiet --numprocesses 2 --dist worksteal -m "not slow" $(PYTEST) tests/api tests/repo

parity: build ## compare with ale-py over FRAMES frames of every game (FRAMES=20000 for the long run)
	$(BIN)/python -m pytest --quiet tests/parity --frames $(FRAMES) --all-modes --timeout 0 $(PYTEST)

no-jit: build ## golden traces and a sample of the parity tests without the JIT: compiled out, switched off, refused by the system
	cargo test -p ale-jit -p ale-core --features ale-jit/no-jit --quiet --test golden_screens --test game_traces \
		--test instructions --test renderers
	$(BIN)/python scripts/no_executable_pages.py $(BIN)/python -m pytest --quiet --numprocesses 2 \
		tests/api/test_env_golden.py -k "pong or breakout or seaquest or pitfall2 or tetris"
	ALE_RS_JIT=0 $(BIN)/python -m pytest --quiet --numprocesses 2 tests/parity/test_console_parity.py \
		tests/parity/test_env_parity.py --frames 300

jit-mutants: $(TOOLS) ## leave out each bound that the JIT emits: a test must fail for each of them
	$(BIN)/python scripts/jit_mutants.py

crafter-parity: build ## compare Crafter with its package over SEEDS fresh seeds (20) of STEPS steps (2000)
	PYTHONPATH=tests/parity $(BIN)/python tests/parity/crafter_long.py --seeds $(or $(SEEDS),20) --steps $(or $(STEPS),2000)

checked: model ## run the Rust tests optimised as shipped, with overflow checks and debug assertions, and the model
	cargo test --profile checked --workspace --exclude ale-py --quiet

checked-module: $(TOOLS) ## every integer argument at its ends, in an extension module with overflow checks (which stays in .venv)
	VIRTUAL_ENV=$(abspath $(VENV)) PIP_QUIET=1 $(BIN)/maturin develop --profile checked --quiet
	@rm -f $(BUILT)
	$(BIN)/python -m pytest --quiet -W "ignore:ale_rs was built:RuntimeWarning" tests/api/test_integers.py $(PYTEST)

model: ## try the lending of borrowed memory in every order of its threads' steps (LOOM_MAX_PREEMPTIONS=2: some)
	cargo test --quiet --manifest-path crates/ale-lend/model/Cargo.toml --target-dir target/model --test orders

.PHONY: features-exact
features-exact: build ## compare every feature set with its definition on 100 screens of every game
	ALE_ROM_DIR=$$(echo $(abspath $(VENV))/lib/python*/site-packages/ale_py/roms) ALE_FEATURE_SCREENS=100 \
		cargo test -p ale-features --test games -- --nocapture

fuzz: ## throw hostile input at the library for SECONDS seconds (600)
	cargo run --profile checked --quiet -p ale-fuzz -- --seconds $(SECONDS)

.PHONY: fuzz-guided
fuzz-guided: $(TOOLS) ## the same guided by coverage, SECONDS of processor time for each target (cargo install cargo-fuzz; no nightly toolchain needed)
	$(BIN)/python scripts/fuzz_guided.py --seconds $(SECONDS)

soak: build ## play all games with snapshots, branches and resets for MINUTES minutes (60): memory, replay, throughput
	PYTHONPATH=tests $(BIN)/python -m soak.soak --minutes $(or $(MINUTES),60)

coverage: build ## measure what the tests reach (cargo install cargo-llvm-cov; rustup component add llvm-tools)
	cargo llvm-cov test --package ale-core --package ale-fuzz --package ale-lend --package ale-jit --summary-only
	$(BIN)/python -m pip install --quiet --disable-pip-version-check coverage
	$(BIN)/python -m coverage run --branch --source ale_rs -m pytest --quiet tests/api
	$(BIN)/python -m coverage report --skip-covered --show-missing

# What needs a public data set is computed where its variable names one.
COMPUTED := modes significance figures_2013 episodes_2013 $(if $(ALE_RS_CRAFTER_DATA),crafter_human) \
	$(if $(ALE_RS_ATARI5_DATA),atari5 $(addprefix atari5_,estimates algorithms coefficients games5 games10 constants findings))
REPRODUCE = $(BIN)/ale-rs reproduce $$name --workers 2 --out target/reproductions --against docs/reproductions
reproduce: build ## play the papers' tables that fit in a quarter of an hour; fails if a verdict became worse
	for name in $(COMPUTED) const random perturb crafter_random; do $(REPRODUCE) || exit 1; done

reproduce-quick: build ## the two minutes of it that continuous integration runs
	for name in modes significance figures_2013 const; do $(REPRODUCE) || exit 1; done
	name=random; $(REPRODUCE) --games train5 boxing breakout pong

learn: build ## the papers' learning experiments in a short form: SARSA, the Brute, a negative control (hours)
	$(BIN)/python tests/parity/learns.py

bench: build ## measure the speed: the Rust benches, then side by side with ale-py, with a picture of that
	$(BIN)/python -m pip install --quiet --disable-pip-version-check "matplotlib>=3.7"
	ALE_ROM_DIR=$$(echo $(abspath $(VENV))/lib/python*/site-packages/ale_py/roms) cargo bench --workspace
	test ! -f benches/python/compare.py || $(BIN)/python benches/python/compare.py

clients: build ## run the libraries that people use (torch, Ray, JAX, ... are downloaded): all, or CLIENTS="rllib jax"
	$(BIN)/python tests/clients/run.py $(CLIENTS)

peer-suite: build ## run ALE's own tests on ale_rs from a folder that you have: ALE_TESTS=DIR
	$(BIN)/python tests/clients/peer_suite.py "$(ALE_TESTS)" $(PYTEST)

wheel: $(BUILT) ## build wheel and sdist into dist/ and try the wheel in an empty environment
	rm -rf dist $(VENV)/empty
	RUSTFLAGS="$(NEUTRAL)" $(BIN)/maturin build --release --quiet --interpreter $(BIN)/python --out dist \
		--target-dir target/wheel
	$(BIN)/maturin sdist --out dist
	$(PYTHON) -m venv $(VENV)/empty
	$(VENV)/empty/bin/python -m pip install --quiet --disable-pip-version-check dist/*.whl
	$(VENV)/empty/bin/ale-rs --version
	@ls -l dist

docs: build ## write the tables of games and corrections (docs) and the reference of the Rust library (target/doc)
	$(BIN)/python scripts/games_doc.py
	$(BIN)/python scripts/licences.py
	$(BIN)/python scripts/corrections_doc.py
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --quiet

clean: ## remove everything that the other targets made
	rm -rf target dist $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find python tests -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true
	rm -f python/ale_rs/_native*.so ale-rs-demo.png ale-rs-plan.gif
