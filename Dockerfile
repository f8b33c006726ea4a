# SPDX-License-Identifier: Apache-2.0
#
# An image with nothing but the program, certificates, and a user without rights:
#
#   docker build -t agentic-sandbox-conformance .
#   docker run --rm -v "$PWD/reports:/reports" -e AGENTIC_SANDBOX_CONFORMANCE_TOKEN agentic-sandbox-conformance https://your-deployment/
#
# Without a network it takes the modules from the cache of this machine (`go mod download` fills it):
#
#   docker build --network none --build-context modules="$(go env GOMODCACHE)/cache/download" -t agentic-sandbox-conformance .
#
# The reports go to /reports, which the user 65532 has to be able to write. docs/releases.md says more.

# What --build-context modules=FOLDER puts in the place of this: modules as a proxy serves them.
FROM scratch AS modules

FROM golang:1.26 AS build
ARG TARGETOS TARGETARCH VERSION COMMIT
ENV CGO_ENABLED=0 GOFLAGS=-mod=readonly
WORKDIR /src
COPY . .
RUN --mount=type=bind,from=modules,target=/modules \
    GOPROXY="file:///modules,$(go env GOPROXY)" GOOS=$TARGETOS GOARCH=$TARGETARCH \
    go build -trimpath -buildvcs=false \
      -ldflags "-s -w -buildid= ${VERSION:+-X main.version=$VERSION} ${COMMIT:+-X main.commit=$COMMIT}" \
      -o /image/agentic-sandbox-conformance ./cmd/agentic-sandbox-conformance
RUN install -d -m 1777 /image/folders/tmp /image/folders/reports

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /src/cmd/release/image/passwd /etc/passwd
COPY --from=build /src/cmd/release/image/group /etc/group
COPY --from=build /image/folders/ /
COPY --from=build /image/agentic-sandbox-conformance /usr/bin/agentic-sandbox-conformance
ENV HOME=/reports
WORKDIR /reports
USER 65532:65532
ENTRYPOINT ["/usr/bin/agentic-sandbox-conformance"]
