# The most important commands: `make run` and `make test`.

CARGO ?= cargo

# Three test threads per core, because tests mostly wait for servers and other processes.
export RUST_TEST_THREADS ?= $(shell expr 3 '*' $$(getconf _NPROCESSORS_ONLN))

.PHONY: help run test test-quick test-long test-hour dist check sbom test-api bench bench-office web web-check web-dev

# The HTTP tests that `make test-quick` runs on SQLite: those of the code that most patches change.
QUICK := messages:: people_and_rooms:: tenancy:: bad_input:: openapi tidy::
# Parts of the names of skipped tests: they start PostgreSQL, NATS or mosquitto.
NOT_QUICK := postgres nats on_two_nodes two_nodes_share across_all_nodes another_node_knows many_messages::

# The tests that `make test` runs again on PostgreSQL: posting, loading, webhooks and realtime. The
# store's own tests cover each statement on PostgreSQL; `make test-long` runs all tests on it.
AGAIN := messages:: webhooks:: tenancy:: clients:: dashboard::live dashboard::inbox \
	dashboard::conversation::conversation dashboard::analytics dashboard::search realtime::plain \
	realtime::event_stream realtime::restarting omnichannel::service sigkill::
# Tests that start PostgreSQL themselves, and so have run on it already.
NOT_AGAIN := many_nodes:: database_faults:: realtime::two_nodes:: over_two_nodes

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## Build and start the server on 127.0.0.1:8787, data in ./data
	@echo "Building Confab; the first build takes some minutes."
	@exec $(CARGO) run --release --package confab-server --bin confab -- serve

test: ## Run all tests (as root, installs missing programs); ONLY=part runs those with it in their name
ifneq ($(ONLY),)
	@# Installs nothing: a test reports a missing program.
	@$(CARGO) test --workspace -- $(ONLY)
else
	@scripts/install-test-tools
	@scripts/web-check
	@$(CARGO) test --workspace -- --skip postgres_sharded::
	@scripts/web-test
	@echo "The server's tests again, on PostgreSQL:"
	@CONFAB_TEST_ENGINE=postgres $(CARGO) test --workspace --test it -- \
		$(AGAIN) $(foreach name,$(NOT_AGAIN),--skip $(name))
endif

test-quick: ## Run the tests that need only Rust, in about a minute after a build
	@$(CARGO) test --workspace --lib --bins -- $(foreach name,$(NOT_QUICK),--skip $(name))
	@CONFAB_TEST_ENGINE=sqlite $(CARGO) test --workspace --test it -- \
		$(QUICK) $(foreach name,$(NOT_QUICK),--skip $(name))

test-long: ## Run the slow tests: 200 kills, 1,000 hung receivers, all on PostgreSQL, all pages
	@scripts/install-test-tools
	@$(CARGO) test --workspace --test conformance -- postgres_sharded::
	@CONFAB_BROWSER_ALL=1 scripts/web-test
	@CONFAB_TEST_ENGINE=postgres $(CARGO) test --release --package confab-server --test it -- \
		$(foreach name,$(NOT_AGAIN),--skip $(name))
	@$(CARGO) test --release --package confab-server --test it -- \
		--ignored --nocapture --test-threads 1 delivery_faults:: channels::
	@$(CARGO) test --release --package confab-verify -- --ignored --nocapture
	@$(CARGO) build --release --quiet --package confab-server
	@scripts/test-package target/release/confab

test-hour: ## Run an hour of mixed load with a kill every 20 s, on both engines at once
	@scripts/install-test-tools
	@$(CARGO) test --release --package confab-server --test it --no-run
	@for engine in sqlite postgres; do \
		CONFAB_TEST_ENGINE=$$engine $(CARGO) test --release --package confab-server --test it -- \
			--ignored --nocapture sigkill::mixed & tests="$$tests $$!"; \
	done; for test in $$tests; do wait $$test || exit 1; done

dist: ## Build a tar and a Debian package into target/packages (slow: link-time optimization)
	@$(CARGO) build --locked --profile dist --package confab-server --bin confab
	@scripts/make-dist target/dist/confab target/packages

check: ## Check format, lints and dependencies (installs cargo-deny)
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings
	@scripts/check-dependencies

sbom: ## Write the bill of materials of the binary (installs cargo-cyclonedx)
	@scripts/write-sbom

test-api: ## Test the API with generated requests (needs Python 3; installs schemathesis)
	@$(CARGO) build --quiet --package confab-server
	@scripts/test-api

bench: ## Run the benchmarks, with ceilings of the same run (needs wrk, mosquitto, nats-server, chromium)
	@$(CARGO) build --release --quiet --package confab-server --package confab-bench
	@target/release/confab-bench run target/release/confab
	@CONFAB_BINARY=$(CURDIR)/target/release/confab scripts/web-bench

bench-office: ## Measure the requests of pages with 1,000,000 conversations (needs 10 GB of disk, minutes)
	@$(CARGO) build --release --quiet --package confab-server --package confab-bench
	@target/release/confab-bench office target/release/confab

web: ## Build the pages into web/dist (installs Node packages)
	@scripts/web-build

web-check: ## Check the pages: types, style, texts, unit tests, sizes, and that web/dist is up to date
	@scripts/web-check

web-dev: ## Serve the pages as they are edited, with the API of a running server
	@cd web && . ../scripts/web-node && npx vite
