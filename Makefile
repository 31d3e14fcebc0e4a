# Two commands do it all: `make run` and `make test`.

CARGO ?= cargo

.PHONY: help run test test-quick test-long check sbom test-api bench

# What `make test-quick` leaves out, by parts of names. First what starts PostgreSQL, NATS, mosquitto,
# Node, Python or curl; then what takes long: kills, faults, damaged and full disks, 68,000 messages.
NOT_QUICK := postgres nats many_nodes:: database_faults:: realtime::two_nodes:: on_two_nodes \
	two_nodes_count of_one_node another_node_knows realtime::sdk:: real_clients:: \
	the_programs_on_the_page can_be_pasted \
	delivery_faults:: sigkill:: realtime::faults:: realtime::too_many:: attacks::bit_rot:: \
	attacks::full_disk:: many_messages::

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## Build and start the server on 127.0.0.1:8787, data in ./data
	@$(CARGO) build --release --quiet --package confab-server
	@exec target/release/confab serve

test: ## Run every test (installs what they need, as root); ONLY=part runs those so named
ifneq ($(ONLY),)
	@# Nothing is installed: a test that misses a program says which.
	@$(CARGO) test --workspace -- $(ONLY)
else
	@scripts/install-test-tools
	@$(CARGO) test --workspace
	@echo "The server's tests again, on PostgreSQL:"
	@CONFAB_TEST_ENGINE=postgres $(CARGO) test --package confab-server --test it -- \
		--skip many_nodes:: --skip database_faults:: --skip tidy:: \
		--skip realtime::two_nodes:: --skip over_two_nodes
endif

test-quick: ## Run the tests that need nothing but Rust: no database, no long faults
	@CONFAB_TEST_ENGINE=sqlite $(CARGO) test --lib --bins --tests -- \
		$(foreach name,$(NOT_QUICK),--skip $(name))

test-long: ## Run the tests that take minutes: 200 kills, 1,000 hung receivers (optimised)
	@scripts/install-test-tools
	@$(CARGO) test --release --package confab-server --test it -- \
		--ignored --nocapture --test-threads 1 delivery_faults::
	@$(CARGO) test --release --package confab-verify -- --ignored --nocapture

check: ## Check format, lints and dependencies (installs cargo-deny)
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings
	@scripts/check-dependencies

sbom: ## Write the bill of materials of the binary (installs cargo-cyclonedx)
	@scripts/write-sbom

test-api: ## Throw generated requests at the API (needs Python 3; installs schemathesis)
	@$(CARGO) build --quiet --package confab-server
	@scripts/test-api

bench: ## Measure, against ceilings taken in the same run (needs wrk, mosquitto, nats-server)
	@$(CARGO) build --release --quiet --package confab-server --package confab-bench
	@target/release/confab-bench run target/release/confab
