/**
 * The arrows of docs/architecture.md: which folder may import which, and which one folder imports a third-party package.
 * `npm run check:arrows` holds the code to them. Imports of the built code (`#app/…`) resolve into dist/, which mirrors
 * src/ and workers/.
 */
const LEAVES = [
  'backoff',
  'batch',
  'errors',
  'excerpt',
  'header-list',
  'header-name',
  'identifier',
  'json',
  'ipc',
  'log',
  'log-once',
  'nearest',
  'news-pieces',
  'pieces',
  'poller',
  'position',
  'proof-book',
  'proofs',
  'quote',
  'recent',
  'refresh',
  'settings',
  'single-flight',
  'slot-table',
  'tasks',
  'text',
  'version',
];

/** Folder of src/ (or of a worker) to the folders it may import, besides itself and the leaves. */
const ARROWS = {
  main: ['cli'],
  cli: [
    'supervisor',
    'config',
    'script',
    'pg',
    'auth',
    'access',
    'users',
    'registry',
    'prest',
    'plugin',
    'proof',
    'prover',
    'contract',
    'openapi',
    'client',
  ],
  config: ['auth'],
  supervisor: ['http', 'native', 'pg'],
  http: ['pool', 'plugin', 'native', 'auth', 'access'],
  auth: ['access'],
  access: [],
  pool: ['native'],
  plugin: ['native'],
  query: [
    'script',
    'head',
    'body',
    'template',
    'pg',
    'native',
    'catalog',
    'users',
    'registry',
    'mcp',
    'openapi',
    'client',
  ],
  mcp: ['access', 'pg', 'script', 'head', 'template'],
  catalog: ['access', 'pg'],
  users: ['pg'],
  registry: ['proof', 'contract', 'script', 'head', 'template', 'pg'],
  proof: ['script', 'head', 'body', 'template', 'analysis', 'native', 'pg'],
  prover: ['proof', 'registry', 'script', 'head', 'template', 'native', 'pg'],
  contract: ['proof', 'script', 'head'],
  openapi: ['access', 'contract', 'script', 'head', 'body', 'template'],
  client: ['openapi'],
  analysis: ['pg'],
  prest: ['config', 'auth', 'script', 'template', 'pg', 'users', 'registry'],
  script: ['template', 'head', 'body', 'native', 'access'],
  page: [],
  head: [],
  body: [],
  template: [],
  adapter: [],
  pg: ['native'],
  native: [],
  workers: ['query', 'prover', 'native'],
};

/** Third-party package to the one place that imports it. */
const OWNERS = {
  'uWebSockets.js': '(src/http|bench)/',
  piscina: 'src/pool/',
  'pg-native': 'src/pg/',
  libpq: 'src/pg/',
  jose: '(src/auth|test)/',
  bcrypt: '(src/auth|test)/',
  'smol-toml': 'src/config/',
  'fastest-levenshtein': 'src/nearest[.]ts$',
  re2js: 'src/head/',
  'jsonc-parser': 'src/body/',
  '@fastify/busboy': 'src/body/',
  pino: 'src/log[.]ts$',
  'pino-pretty': 'src/log[.]ts$',
  ajv: '(src/registry|test)/',
  diff: 'src/cli/',
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

const arrows = Object.entries(ARROWS).map(([folder, allowed]) => ({
  name: `arrow-${folder}`,
  severity: 'error',
  from: { path: `^${place(folder)}` },
  to: {
    path: '^(src|dist|workers|test|bench|scripts)/',
    pathNot: [folder, ...allowed, ...LEAVES].map((name) => `^${place(name)}`),
  },
}));

const owners = Object.entries(OWNERS).map(([name, owner]) => ({
  name: `owner-${name}`,
  severity: 'error',
  from: { pathNot: `^${owner}` },
  to: { path: `(^|node_modules/)${escape(name)}(/|$)`, dependencyTypesNot: ['local'] },
}));

module.exports = {
  forbidden: [
    ...arrows,
    ...owners,
    {
      name: 'known-folder',
      comment: 'A new folder of src/ gets its arrows above.',
      severity: 'error',
      from: { pathNot: '^(test|bench|scripts)/' },
      to: {
        path: '^src/',
        pathNot: [...Object.keys(ARROWS), ...LEAVES].map((name) => `^${place(name)}`),
      },
    },
    {
      name: 'leaf',
      severity: 'error',
      from: {
        path: '^src/(backoff|batch|errors|excerpt|header-list|header-name|identifier|json|log-once|pieces|position|proofs|recent|settings|slot-table|text)[.]ts$',
      },
      to: { path: '.' },
    },
    {
      name: 'leaf-single-flight',
      severity: 'error',
      from: { path: '^src/(poller|refresh|single-flight)[.]ts$' },
      to: { path: '^src/', pathNot: '^src/single-flight[.]ts$' },
    },
    {
      name: 'leaf-messages',
      severity: 'error',
      from: { path: '^src/(ipc|news-pieces|proof-book|tasks)[.]ts$' },
      to: { path: '.', pathNot: '^(src/(proofs|settings)[.]ts|crypto)$' },
    },
    {
      name: 'leaf-log',
      severity: 'error',
      from: { path: '^src/(log|version)[.]ts$' },
      to: { path: '^src/', pathNot: '^src/(settings|text|native/log-writer)[.]ts$' },
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
