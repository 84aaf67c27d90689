# The service without its tests and compilers. Configuration by environment (SERVICE_*, DATABASE_URL, PORT) or a file
# mounted at /etc/sql-rest-service/service.toml with SERVICE_CONF naming it; scripts are mounted at /queries, plugins
# at /plugins.
#
#   docker build -t sql-rest-service .
#   docker run -p 127.0.0.1:3000:3000 -e DATABASE_URL=postgres://user@host/name -v "$PWD/queries:/queries:ro" \
#     sql-rest-service
#
# This publishes the port on this machine only. Without an address, Docker publishes it on all addresses and bypasses
# most firewalls: enable authentication first.

# Node 24 needs glibc 2.38 for uWebSockets.js: trixie, not bookworm.
FROM node:24-trixie-slim AS build
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates cmake g++ libpq-dev make python3 \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY scripts ./scripts
# libpq's addon is built with the headers of the image's Node.
RUN npm_config_nodedir=/usr/local npm ci
COPY tsconfig.base.json CMakeLists.txt binding.gyp ./
COPY src ./src
COPY workers ./workers
COPY native ./native
RUN npm run build \
 && npm prune --omit=dev --ignore-scripts \
 && find node_modules/uWebSockets.js -name 'uws_*.node' \
      ! -name "uws_linux_*_$(node -p process.versions.modules).node" -delete

FROM node:24-trixie-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends libpq5 \
 && rm -rf /var/lib/apt/lists/* \
 && mkdir /queries /plugins
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/build/Release/sql_rest_service.node /app/build/Release/plugin_host ./build/Release/
COPY --from=build /app/dist ./dist
# For the commands plugin header and plugin new.
COPY native/include ./native/include
COPY examples/plugins ./examples/plugins
# All addresses of the container: the published ports decide who can reach it.
ENV NODE_ENV=production SERVICE_HTTP_HOST=0.0.0.0 SERVICE_QUERIES_LOCATION=/queries \
    SERVICE_PLUGINPATH=/plugins
USER node
EXPOSE 3000
STOPSIGNAL SIGTERM
# Any response is healthy: a new container does not fix an unreachable database. The port is read from the environment.
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s CMD ["node", "-e", \
  "process.env.NODE_TLS_REJECT_UNAUTHORIZED = 0; const at = `://127.0.0.1:${process.env.PORT || process.env.SERVICE_HTTP_PORT || 3000}/_health`; fetch('http' + at).catch(() => fetch('https' + at)).then(() => process.exit(0), () => process.exit(1))"]
CMD ["node", "dist/main.js", "serve"]
