# An image of the node: `docker build --tag cambium .`, see docs/install.md.

# Digests of the base images, with a leading @: releases are built with those that packaging/base-images.sh prints.
ARG BUILD_DIGEST=
ARG RUNTIME_DIGEST=

FROM node:22-bookworm-slim${BUILD_DIGEST} AS build
WORKDIR /source
COPY . .
RUN npm ci
RUN npm run build
RUN npm run assemble -- /cambium
RUN mkdir --mode=700 /data

# Node.js and the C library only: no shell, no package manager.
FROM gcr.io/distroless/nodejs22-debian12:nonroot${RUNTIME_DIGEST}
COPY --from=build /cambium /cambium
COPY --from=build --chown=nonroot:nonroot /data /data
USER nonroot
WORKDIR /data
VOLUME /data

# JSON-RPC and WebSocket, metrics, peers of Cambium's wire (main, test), peers of the deployed network's wire (main, test).
EXPOSE 4444 9464 30330 30331 5050/tcp 5050/udp 50505/tcp 50505/udp

HEALTHCHECK --interval=30s --timeout=10s --start-period=2m CMD ["/nodejs/bin/node", "-e", \
  "fetch('http://127.0.0.1:9464/health').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]

# Of every command that runs a node: the health check asks there.
ENV CAMBIUM_METRICS_HOST=0.0.0.0 CAMBIUM_METRICS_PORT=9464

ENTRYPOINT ["/nodejs/bin/node", "/cambium/bin/node-cli"]
CMD ["start", "--network", "main", "--data-dir", "/data", "--http.host", "0.0.0.0"]
