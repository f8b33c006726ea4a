# SPDX-License-Identifier: Apache-2.0

program := bin/agentic-sandbox-conformance
version ?= $(shell git describe --tags --always --dirty 2>/dev/null)
commit ?= $(shell git rev-parse HEAD 2>/dev/null)
fuzztime ?= 1m
ldflags := -s -w $(if $(version),-X main.version=$(version)) $(if $(commit),-X main.commit=$(commit))

# Without cgo the program needs no library of the system, and starts on every Linux. Only the race detector needs cgo.
export CGO_ENABLED ?= 0

.DEFAULT_GOAL := help
.PHONY: help demo test check fuzz prove mutants peers kubernetes lint bench robustness systems generate build site release release-check

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1	/p' $(MAKEFILE_LIST) | while IFS="$$(printf '\t')" read -r name what; do printf '  make %-13s %s\n' "$$name" "$$what"; done

demo: build ## run the suites against the bundled reference executor; reports go to demo-report/
	$(program) demo

test: ## run all tests, a narrow self-test of the suites included
	go test -timeout 30m ./...

check: ## what CI runs
	bash .ci/run

fuzz: ## play every fuzz target for a minute (fuzztime=10s is less); an input that fails is kept in testdata/fuzz beside it
	bash .ci/fuzz $(fuzztime)

prove: build ## the whole self-test of all profiles: every fault, what else it changes, and many faults at once; takes two hours
	$(program) self-test --profile agentic-sandbox-v2 --many 50 --out self-test-report
	$(program) self-test --profile a2a-1.0 --many 50 --out self-test-report/a2a-1.0
	$(program) self-test --profile sac --workers 20 --many 50 --out self-test-report/sac
	$(program) self-test --profile openhands-v1 --workers 6 --many 50 --out self-test-report/openhands-v1

mutants: build ## play 3,000 mutants of each profile and every lawful variation, and write docs/mutants.md; takes an hour
	$(program) self-test --quiet --mutants --profile agentic-sandbox-v2 --out self-test-report --mutants-page docs/mutants.md
	$(program) self-test --quiet --mutants --profile a2a-1.0 --out self-test-report --mutants-page docs/mutants.md
	$(program) self-test --quiet --mutants --profile sac --out self-test-report --mutants-page docs/mutants.md
	$(program) self-test --quiet --mutants --profile openhands-v1 --out self-test-report --mutants-page docs/mutants.md

peers: build ## build the second, independent A2A server and play profile a2a-1.0 against it; downloads its SDK
	bash fixtures/peers/play $(program)

kubernetes: ## hold the manifests of docs/kubernetes against the types that Kubernetes publishes; downloads them and kustomize, 60 MB
	cd fixtures/kubernetes && go vet ./... && go test ./...

lint: build ## check the bundled suites, the formatting, and go vet
	@for folder in suites/*/; do ls $$folder*.yaml >/dev/null 2>&1 || continue; $(program) lint --profile $$(basename $$folder) $$folder || exit 1; done
	@test -z "$$(gofmt -l .)" || { gofmt -l .; exit 1; }
	go vet ./...

bench: build ## measure what the harness costs, and write docs/performance.md; takes five minutes on a quiet machine; k6=PATH compares with k6
	go run ./cmd/bench -page docs/performance.md $(if $(k6),-k6 $(k6)) $(program)

robustness: build ## play the program against every hostile server and write docs/robustness.md; takes half an hour and more
	go run ./cmd/gauntlet -out docs/robustness.md $(program)

systems: ## check that everything compiles for Windows and macOS too; nothing is run there
	GOOS=windows go vet ./...
	GOOS=darwin go vet ./...

site: ## make the site of the documentation into site/, which is opened in a browser; version=v1.2.3 names its version
	go run ./cmd/site $(if $(filter command line,$(origin version)),-version $(version))

release: ## make everything that a release consists of, into dist/; version=v1.2.3 names it, key=FILE signs it
	go run ./cmd/release $(if $(filter command line,$(origin version)),-version $(version)) $(if $(key),-key $(key))

release-check: ## make a release, build every program of it twice, install all that can be installed here, and start it; some minutes
	go test ./cmd/release -count=1 -timeout 40m -v -run 'TestWholeRelease|TestImage' -args -whole

generate: ## write the generated files anew: suite schema, vocabulary, the page of requirements
	go generate ./...

build: ## build the program into bin/; TAGS=nogrpc leaves out what drives A2A over gRPC
	go build -trimpath $(if $(TAGS),-tags $(TAGS)) -ldflags "$(ldflags)" -o $(program) ./cmd/agentic-sandbox-conformance
