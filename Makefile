# The front door. `make demo` and `make test` need nothing prepared: scripts/bootstrap installs what
# is missing. Everything else is CMake: see CMakePresets.json. CMAKE_FLAGS are for a build folder that is
# new, such as CMAKE_FLAGS=-DSTOKER_CUDA_ARCHITECTURES=90.

PREFIX ?= /usr/local
export CMAKE_BUILD_PARALLEL_LEVEL ?= $(shell nproc)

.PHONY: all demo test docs-test bench install format asan tsan fuzz matrix torture clean help

all: build/release/build.ninja
	cmake --build --preset release

help:
	@echo 'make demo     install what is missing, build, pack Fashion-MNIST and look at it'
	@echo 'make test     install what is missing, build, run every test'
	@echo 'make docs-test  links, paths, flags and commands of the pages'
	@echo 'make asan     the tests under ASan and UBSan;  make tsan: under TSan'
	@echo 'make fuzz     every fuzz target for FUZZ_SECONDS (default 60) each'
	@echo 'make torture  failing calls, kills, full disks, damaged files for TORTURE_MINUTES (default 60)'
	@echo 'make matrix   every model, precision and backend trained beside float32 (an hour)'
	@echo 'make bench    benchmarks, beside TensorFlow where it is installed'
	@echo 'make install PREFIX=/usr/local'
	@echo 'make format   clang-format over everything'

demo:
	scripts/bootstrap demo
	$(MAKE) build/release/build.ninja
	cmake --build --preset release --target stoker
	scripts/demo build/release

test:
	scripts/bootstrap test
	$(MAKE) all
	ctest --preset release

docs-test: all
	scripts/docs-test build/release

asan tsan:
	scripts/bootstrap test
	cmake --preset $@ $(CMAKE_FLAGS)
	cmake --build --preset $@
	ctest --preset $@

fuzz:
	scripts/bootstrap test
	cmake --preset fuzz $(CMAKE_FLAGS)
	cmake --build --preset fuzz
	scripts/fuzz build/fuzz $${FUZZ_SECONDS:-60}

torture:
	scripts/bootstrap test
	scripts/torture

matrix:
	scripts/bootstrap test
	$(MAKE) all
	scripts/matrix build/release

bench:
	scripts/bootstrap bench
	$(MAKE) all
	scripts/bench build/release

install:
	scripts/bootstrap build
	$(MAKE) all
	cmake --install build/release --prefix $(PREFIX)

format:
	git ls-files -co --exclude-standard '*.c' '*.h' '*.cu' '*.cuh' '*.cpp' '*.hpp' | xargs clang-format -i

clean:
	rm -rf build

build/%/build.ninja:
	cmake --preset $* $(CMAKE_FLAGS)
