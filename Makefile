# Mailroom. On a new machine `make demo` and `make test` need Python, make and the package index.

# uv sets everything up; where the machine has none that works, it comes into the project's folder.
UV := $(shell uv --version >/dev/null 2>&1 && echo uv || echo .uv/bin/uv)
PYTHON3 := $(shell command -v python3.13 || command -v python3)
RUN := $(UV) run --no-sync
export SAM_CLI_TELEMETRY := 0

.DEFAULT_GOAL := help
.PHONY: help demo test check build deploy clean

help: ## say what can be made
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.uv/bin/uv:
	$(PYTHON3) -m venv .uv
	.uv/bin/python -m pip install --quiet --disable-pip-version-check uv

# What runs at the desk, and what the tests need on top of it.
.venv/.desk: pyproject.toml uv.lock $(filter .uv/bin/uv,$(UV))
	$(UV) sync --frozen --no-dev --inexact --quiet
	@touch $@
.venv/.dev: pyproject.toml uv.lock $(filter .uv/bin/uv,$(UV))
	$(UV) sync --frozen --quiet
	@touch .venv/.desk $@

demo: .venv/.desk ## read the sample documents on a local cloud, end to end
	$(RUN) mailroom demo

test: .venv/.dev ## run all tests
	$(RUN) pytest -n 2

check: .venv/.dev ## lint, types, template, docs
	$(RUN) ruff check .
	$(RUN) ruff format --check .
	$(RUN) mypy src desk samples
	$(RUN) cfn-lint template.yaml reactions/orders/template.yaml
	$(RUN) sam validate --lint
	$(RUN) pytest -q tests/docs

build: .venv/.dev ## build the functions for AWS
	$(RUN) sam build

deploy: build ## deploy to AWS, with the settings of samconfig.toml
	$(RUN) sam deploy

clean: ## end the local cloud and remove what was built here
	@test ! -d .mailroom || $(RUN) mailroom down
	rm -rf .mailroom .aws-sam reactions/*/.aws-sam .venv .uv
