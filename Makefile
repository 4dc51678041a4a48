# The commands of the house. `make help` lists them.
BUILD := build
PLUGIN := $(BUILD)/lib/pjrt_c_api_treadle_plugin.so
PYTHON := .venv/bin/python
# On a terminal ninja shows its progress in one line; elsewhere it keeps quiet.
NINJA := ninja $(shell [ -t 1 ] || echo --quiet)

.PHONY: help build setup demo test test-corpus wheel bench format lint asan ubsan tsan fuzz clean

build: $(BUILD)/build.ninja ## Set up what is missing and build everything (default)
	@[ -e $(PLUGIN) ] || echo 'Building; from nothing this takes 10 to 20 minutes on two cores'
	@$(NINJA) -C $(BUILD)
	@$(PYTHON) python/install_dev.py $(PYTHON) $(PLUGIN)

help: ## Show this list
	@sed -n 's/^\([a-z -]*\):.*## /  make \1\t/p' Makefile | expand -t 22

setup: ## Install Debian packages and Python environments that are missing
	@setup/install.sh debian python

$(BUILD)/build.ninja: CMakeLists.txt CMakePresets.json | setup
	@cmake --preset release --log-level=WARNING >/dev/null

demo: build ## Train on scikit-learn's digits and embed sentences with MiniLM, on Treadle and on jaxlib's CPU backend
	@$(PYTHON) examples/digits_mlp.py
	@echo
	@$(PYTHON) examples/minilm.py

test: build ## Run every test: unit, lit, Python
	@setup/install.sh python-new
	@[ ! -x .venv-new/bin/python ] || $(PYTHON) python/install_dev.py .venv-new/bin/python $(PLUGIN)
	@$(PYTHON) tests/run.py --build $(BUILD)

test-corpus: build ## Run the conformance programs of TREADLE_SHARED, compiled and on the reference interpreter
	@$(PYTHON) tests/corpus.py --build $(BUILD)

wheel: build ## Build dist/jax_treadle-*.whl
	@$(PYTHON) python/build_wheel.py --plugin $(PLUGIN) --out dist

bench: build ## Kernels against the machine's peak, JAX programs against jaxlib's CPU backend
	@$(PYTHON) benchmarks/run.py --build $(BUILD)

format: setup ## Format the C++ sources
	@git ls-files '*.h' '*.cc' | xargs clang-format-22 -i

lint: build ## clang-format and clang-tidy without changing anything, layers
	@git ls-files '*.h' '*.cc' | xargs clang-format-22 --dry-run --Werror
	@$(PYTHON) tests/layers_test.py
	@git ls-files '*.cc' | xargs -n 8 -P 2 clang-tidy-22 -p $(BUILD) --quiet

asan ubsan tsan: | setup ## Build with a sanitizer, apart, and run unit and lit tests
	@cmake --preset $@ --log-level=WARNING >/dev/null
	@$(NINJA) -C build-$@
	@$(PYTHON) tests/run.py --build build-$@ --only unit,lit

fuzz: | setup ## Build the fuzzers, apart, and run each for FUZZ_SECONDS (1800)
	@cmake --preset fuzz --log-level=WARNING >/dev/null
	@$(NINJA) -C build-fuzz treadle_artifact_fuzz treadle_text_fuzz treadle_compile_fuzz
	@$(PYTHON) tests/fuzz/run.py --build build-fuzz

clean: ## Remove what was built (not the Python environments)
	rm -rf build build-* dist
