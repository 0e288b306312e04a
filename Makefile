# Everything a newcomer needs: `make play` and `make test` set up what is missing by themselves.
PYTHON ?= python3
BIN := .venv/bin
# One process a core; the last line is pytest's own.
WORKERS ?= auto

.PHONY: help setup play test check format screens test-board release clean

help:
	@echo "make play        play in a window, or in this terminal where there is none"
	@echo "make test        checks, then all tests"
	@echo "make check       format, lint and types"
	@echo "make format      put the sources into the house format"
	@echo "make screens     renew the golden screens (look at them afterwards)"
	@echo "make test-board  the tests on real firmware; needs PITCH_FIRMWARE=image.uf2"
	@echo "make release     a zip for a board; MPY_CROSS=program compiles it"

setup: .venv/ready

.venv/ready: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[all]'
	@touch $@

play: setup
	$(BIN)/python -m host_sim

test: check
	$(BIN)/python -m pytest -n $(WORKERS)

check: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: setup
	$(BIN)/ruff check --fix --exit-zero .
	$(BIN)/ruff format .

screens: setup
	$(BIN)/python tests/test_screens.py

test-board: setup
	$(BIN)/python -m pytest tests/test_board.py -s

release: setup
	$(BIN)/python -m host_sim release $(if $(MPY_CROSS),--mpy-cross $(MPY_CROSS))

clean:
	rm -rf .venv build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
