/**
 * The arrows of docs/architecture.md: which wing of src/ may import which, and which one place imports a third-party
 * package. `npm run check:arrows` holds the code to them. Imports of the built code (`#app/…`) resolve into dist/, which
 * mirrors src/ and workers/.
 */

/** Each wing, from the ground up, and the wings that it may import besides itself. */
export const WINGS = {
  base: [],
  native: ['base'],
  messages: ['base'],
  template: ['base'],
  observe: ['base', 'native', 'messages'],
  postgres: ['base', 'native', 'messages', 'observe'],
  access: ['base', 'messages', 'observe'],
  script: ['base', 'native', 'messages', 'template', 'observe', 'access'],
  proof: ['base', 'native', 'messages', 'template', 'observe', 'postgres', 'script'],
  describe: ['base', 'messages', 'template', 'access', 'script'],
  stored: ['base', 'messages', 'template', 'observe', 'postgres', 'script', 'proof', 'describe'],
  mcp: ['base', 'messages', 'template', 'observe', 'postgres', 'access', 'script', 'describe'],
  worker: [
    'base',
    'native',
    'messages',
    'template',
    'observe',
    'postgres',
    'access',
    'script',
    'proof',
    'describe',
    'stored',
    'mcp',
  ],
  serve: ['base', 'native', 'messages', 'observe', 'postgres', 'access'],
  clients: ['base', 'messages', 'observe'],
  commands: [
    'base',
    'messages',
    'template',
    'observe',
    'postgres',
    'access',
    'script',
    'proof',
    'describe',
    'stored',
    'serve',
    'clients',
  ],
  main: ['commands'],
  workers: ['base', 'native', 'messages', 'observe', 'worker'],
};

/** Third-party package to the one place that imports it. */
const OWNERS = {
  'uWebSockets.js': '(src/serve/http|bench)/',
  piscina: 'src/serve/pool/',
  'pg-native': 'src/postgres/',
  libpq: 'src/postgres/',
  jose: '(src/access|test)/',
  bcrypt: '(src/access|test)/',
  'smol-toml': 'src/commands/config/',
  'fastest-levenshtein': 'src/base/nearest[.]ts$',
  re2js: 'src/script/head/',
  'jsonc-parser': 'src/script/body/',
  '@fastify/busboy': 'src/script/body/',
  'lru-cache': 'src/base/recent[.]ts$',
  'ipaddr.js': 'src/access/',
  pino: 'src/observe/log[.]ts$',
  'pino-pretty': 'src/observe/log[.]ts$',
  ajv: '(src/stored/registry|test)/',
  diff: 'src/commands/',
  'cmake-js': 'scripts/',
  esbuild: 'scripts/',
  'playwright-core': 'test/',
  'axe-core': 'test/',
  tap: '(test|scripts/test)/',
  fastify: 'bench/',
  postgres: 'bench/',
  autocannon: 'bench/',
  pg: '(bench|test|scripts)/',
  '@modelcontextprotocol/sdk': '(bench|test)/',
  '@modelcontextprotocol/client': '(bench|test)/',
  '@redocly/openapi-core': 'test/',
  '@seriousme/openapi-schema-validator': 'test/',
};

const escape = (name) => name.replaceAll('.', '[.]');

/** Where a folder lies: its sources and what they are built into. */
const place = (folder) =>
  folder === 'workers' ? '(workers|dist/workers)/' : `(src|dist)/${folder}(/|[.])`;

const arrows = Object.entries(WINGS).map(([folder, allowed]) => ({
  name: `arrow-${folder}`,
  severity: 'error',
  from: { path: `^${place(folder)}` },
  to: {
    path: '^(src|dist|workers|test|bench|scripts)/',
    pathNot: [folder, ...allowed].map((name) => `^${place(name)}`),
  },
}));

const owners = Object.entries(OWNERS).map(([name, owner]) => ({
  name: `owner-${name}`,
  severity: 'error',
  from: { pathNot: `^${owner}` },
  to: { path: `(^|node_modules/)${escape(name)}(/|$)`, dependencyTypesNot: ['local'] },
}));

export default {
  forbidden: [
    ...arrows,
    ...owners,
    {
      name: 'known-wing',
      comment: 'A new wing of src/ gets its arrows above.',
      severity: 'error',
      from: { pathNot: '^(test|bench|scripts)/' },
      to: {
        path: '^src/',
        pathNot: Object.keys(WINGS).map((name) => `^${place(name)}`),
      },
    },
    {
      name: 'no-cycle',
      severity: 'error',
      from: { path: '^(src|workers)/' },
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'resolvable',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'no-development-package',
      comment: 'What is installed with the package must not need what is not.',
      severity: 'error',
      from: { path: '^(src|workers)/' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'] },
    },
  ],
  options: {
    doNotFollow: { path: ['node_modules', '^dist'] },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    combinedDependencies: false,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      extensions: ['.js', '.ts', '.mjs', '.cjs', '.d.mts', '.json'],
    },
  },
};
