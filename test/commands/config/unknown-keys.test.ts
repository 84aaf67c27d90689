import t from 'tap';
import { makeLoader } from './load-config.js';

const loader = makeLoader(t);

t.test('unknown keys in the file', (t) => {
  const cases: [toml: string, fatal: boolean, nearest: string][] = [
    ['http.prot = 1', false, 'http.port'],
    ['port = 1', false, 'http.port'],
    ['[pg]\nmaxopencon = 1', false, 'pg.maxopenconn'],
    ['[databasess]\nx = 1', false, 'databases'],
    ['cors.aloworigin = 1', false, 'cors.alloworigin'],
    ['auth.enabeld = true', true, 'auth.enabled'],
    ['jwt.keys = "x"', true, 'jwt.key'],
    ['access.strict = true', true, 'access.restrict'],
    ['expose.enable = true', true, 'expose.enabled'],
    ['queries.locatoin = "x"', true, 'queries.location'],
    ['https.certificate = "x"', true, 'https.cert'],
    ['[auth.user]\nname = 1', true, 'auth.username'],
    // A mistyped section must not count as an unimportant one.
    ['[autth]\nenabled = true', true, 'auth.enabled'],
    ['[[acces.tables]]\nname = "a"', true, 'access.tables'],
    ['[http]\nmode = true', true, 'https.mode'],
    ['querys.restrict = true', true, 'queries.restrict'],
  ];
  for (const [toml, fatal, nearest] of cases) {
    const { problems, warnings } = loader.load(toml);
    const [said, other] = fatal ? [problems, warnings] : [warnings, problems];
    t.strictSame(other, [], toml);
    t.equal(said.length, 1, toml);
    t.match(said[0], 'unknown key');
    t.ok(said[0]?.endsWith(` ${nearest}`), said[0] ?? '');
  }
  t.end();
});

t.test('unknown variables', (t) => {
  const cases: [variable: string, fatal: boolean, nearest: string][] = [
    ['SERVICE_HTTP_PROT', false, 'SERVICE_HTTP_PORT'],
    ['SERVICE_AUTH_ENABEL', true, 'SERVICE_AUTH_ENABLED'],
    ['SERVICE_QUERIES_DIR', true, 'SERVICE_QUERIES_TABLE'],
    ['SERVICE_JTW_KEY', true, 'SERVICE_JWT_KEY'],
  ];
  for (const [variable, fatal, nearest] of cases) {
    const { problems, warnings } = loader.load(undefined, { env: { [variable]: 'hidden' } });
    const [said, other] = fatal ? [problems, warnings] : [warnings, problems];
    t.strictSame(other, [], variable);
    t.equal(said.length, 1, variable);
    t.match(said[0], `${variable}: unknown key`);
    t.notMatch(said[0], 'hidden');
    if (variable !== 'SERVICE_QUERIES_DIR') t.ok(said[0]?.endsWith(nearest), said[0] ?? '');
  }
  const others = {
    SERVICE_MCP_URL: 'x',
    SERVICE_MCP_TOKEN: 'x',
    SERVICE_CONF: '',
    HTTP_PORT: '1',
    PGHOST: 'x',
  };
  const { problems, warnings } = loader.load(undefined, { env: others });
  t.strictSame([...problems, ...warnings], [], 'variables that are no overrides');
  t.end();
});

t.test('keys of pREST without effect: one warning for all of them', (t) => {
  const { problems, warnings } = loader.load(
    'version = 2\nmigrations = "m"\npluginmiddlewarelist = []\npg.cache = true\npg.single = false\n[cache]\nenabled = true\n[[cache.endpoints]]\ntime = 1\n[otel]\na = 1\n[studio]\n',
    { env: { SERVICE_CACHE_TIME: '5' } },
  );
  t.strictSame(problems, []);
  t.equal(warnings.length, 1, warnings.join('\n'));
  for (const key of [
    'version',
    'migrations',
    'pluginmiddlewarelist',
    'pg.cache',
    'pg.single',
    'cache.enabled',
    'otel.a',
    'studio',
    'SERVICE_CACHE_TIME',
  ])
    t.match(warnings[0], key);
  t.end();
});

t.test('spellings', (t) => {
  t.equal(loader.load('[PG]\nHost = "a"').loaded?.config['pg.host'], 'a', 'capitals');
  t.match(loader.load('[pg]\nhost = "a"\nHOST = "b"').problems, [/pg\.HOST: written twice/]);
  t.equal(loader.load('[ssl]\nmode = "require"').loaded?.config['pg.ssl.mode'], 'require');
  const both = loader.load('ssl.mode = "disable"\npg.ssl.mode = "require"');
  t.equal(both.loaded?.config['pg.ssl.mode'], 'require');
  t.match(both.warnings, [/ssl\.mode: ignored, pg\.ssl\.mode is set too/]);
  t.equal(
    loader.load('', { env: { SERVICE_SSL_MODE: 'disable' } }).loaded?.config['pg.ssl.mode'],
    'disable',
  );
  t.match(loader.load('pg = 5').problems, [/^pg: found a number; allowed: a table/]);
  t.match(loader.load('http.port.x = 5').problems, [/^http\.port: found a table/]);
  t.match(loader.load('__proto__ = 5\nconstructor.prototype.a = 1').warnings, [
    /__proto__/,
    /constructor/,
  ]);
  t.end();
});

t.test('a file that is not TOML', (t) => {
  const cases: [toml: string, place: string][] = [
    ['[broken', ':1:2: '],
    ['\n[pg]\npass = "hidden\n', ':3:15: '],
    ['pg.pass = hidden', ':1:11: '],
    ['a = 1\na = 2', ':2:1: '],
  ];
  for (const [toml, place] of cases) {
    const { problems } = loader.load(toml);
    t.equal(problems.length, 1, toml);
    t.ok(problems[0]?.includes(`service.toml${place}`), problems[0] ?? '');
    t.notMatch(problems[0], 'hidden');
  }
  t.end();
});
