/** The command `contract`: when there is no contract, and what is in the file. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t from 'tap';
import { startPostgres } from '../support/postgres.js';
import { makeFolder, run } from './program.js';

const server = await startPostgres(t, {
  setup: `CREATE TABLE authors (id int PRIMARY KEY, name text NOT NULL);
    CREATE TABLE books (id int PRIMARY KEY, author int NOT NULL REFERENCES authors, title text NOT NULL);
    CREATE ROLE reader LOGIN PASSWORD 'reader'; GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader;
    REVOKE TEMPORARY ON DATABASE postgres FROM PUBLIC`,
});
const env = { DATABASE_URL: server.url };

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = makeFolder(t);
  mkdirSync(join(folder, 'queries'));
  for (const [name, text] of Object.entries(files)) {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return folder;
}

const LIST = 'queries/books/list.read.sql';
const GOOD = { [LIST]: 'SELECT id, title FROM books' };
const EMPTY = '{"format": 1, "scripts": []}';

interface Refused {
  readonly about: string;
  readonly files: Readonly<Record<string, string>>;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly message: RegExp;
}

const REFUSED: readonly Refused[] = [
  {
    about: 'a broken script',
    files: { ...GOOD, 'queries/books/bad.read.sql': 'SELECT gone FROM books' },
    args: ['contract', '--out', 'c.json'],
    message: /books\/bad\.read\.sql:1:8: column "gone" does not exist.*\nnothing was written\n$/s,
  },
  {
    about: 'a script that does not parse',
    files: { ...GOOD, 'queries/books/bad.read.sql': 'SELECT {{nope}}' },
    args: ['contract', '--out', 'c.json'],
    message: /^error: books\/bad\.read\.sql:1:\d+: .*\nnothing was written\n$/,
  },
  {
    about: 'a file that is never served',
    files: { ...GOOD, 'queries/lost.read.sql': 'SELECT 1' },
    args: ['contract', '--out', 'c.json'],
    message: /^error: lost\.read\.sql: /,
  },
  {
    about: 'a path that two scripts declare',
    files: {
      'queries/a/one.read.sql': '-- @path /p\nSELECT 1 AS n',
      'queries/a/two.read.sql': '-- @path /p\nSELECT 1 AS n',
    },
    args: ['contract', '--out', 'c.json'],
    message: /^error: GET, HEAD \/p is declared by a\/one \(read\), and by a\/two \(read\)/,
  },
  {
    about: 'no database',
    files: GOOD,
    args: ['contract', '--out', 'c.json'],
    env: { DATABASE_URL: 'postgres://postgres@127.0.0.1:1/postgres' },
    message: /^error: database postgres: .*\nnothing was written\n$/,
  },
  {
    about: 'a wrong configuration',
    files: GOOD,
    args: ['contract', '--http.port', 'x'],
    message: /^error: .*http\.port/,
  },
  {
    about: 'no folder of scripts',
    files: {},
    args: ['contract', '--queries.location', 'gone', '--out', 'c.json'],
    message: /^error: .*gone cannot be read: ENOENT\n/,
  },
  {
    about: 'an unknown script',
    files: GOOD,
    args: ['contract', '--script', 'books/lst'],
    message: /^error: there is no script "books\/lst"; the nearest is "books\/list"\n/,
  },
  {
    about: 'a file that cannot be written',
    files: GOOD,
    args: ['contract', '--out', 'gone/c.json'],
    message: /^error: .*gone\/c\.json cannot be written: ENOENT\nnothing was written\n$/,
  },
  {
    about: 'diff: no file',
    files: GOOD,
    args: ['contract', 'diff', 'gone.json'],
    message: /^error: "gone\.json" cannot be read: ENOENT\n$/,
  },
  {
    about: 'diff: no JSON',
    files: { 'a.json': '{' },
    args: ['contract', 'diff', 'a.json'],
    message: /^error: "a\.json": it is not JSON\n$/,
  },
  {
    about: 'diff: other JSON',
    files: { 'a.json': '[]' },
    args: ['contract', 'diff', 'a.json'],
    message: /^error: "a\.json": it is not a contract/,
  },
  {
    about: 'diff: another format',
    files: { 'a.json': '{"format": 2, "scripts": []}' },
    args: ['contract', 'diff', 'a.json'],
    message: /^error: "a\.json": its format is 2, and this version reads 1/,
  },
  {
    about: 'diff: a script without what it needs',
    files: { 'a.json': '{"format": 1, "scripts": [{"script": "a/b", "verb": "read"}]}' },
    args: ['contract', 'diff', 'a.json', 'a.json'],
    message: /^error: "a\.json": scripts\[0\] has no valid verdict\n$/,
  },
  {
    about: 'diff: scripts that are broken now',
    files: { 'a.json': EMPTY, [LIST]: 'SELECT gone FROM books' },
    args: ['contract', 'diff', 'a.json'],
    message: /column "gone" does not exist/,
  },
];

for (const { about, files, args, env: own = env, message } of REFUSED)
  t.test(about, async (t) => {
    const folder = folderWith(files);
    const { code, stdout, stderr } = await run(folder, args, own);
    t.equal(code, 1);
    t.equal(stdout, '');
    t.match(stderr, message);
    t.notOk(existsSync(join(folder, 'c.json')));
  });

t.test('the file', async (t) => {
  const files = {
    'queries/books/save.write.sql': `-- @path POST /v1/books
-- @status 201
-- @header Location: /v1/books/{id}
-- @param title text required maxlength=80
-- @param tags text[] = a,b
-- @deprecated 2026-03-01
INSERT INTO books VALUES ({{sqlVal "id"}}, {{sqlVal "claims.author"}}, {{sqlVal "title"}}) RETURNING id`,
    [LIST]: `SELECT b.id{{if isSet "full"}}, b.title, a.name{{end}} FROM books b LEFT JOIN authors a ON a.id = b.author AND a.name <> ''
      WHERE true{{if isSet "author"}} AND b.author IN {{sqlList "author"}}{{end}}`,
    'queries/books/clear.delete.sql': 'DELETE FROM books',
  };
  const folder = folderWith(files);
  const { code, stdout, stderr } = await run(folder, ['contract', '--out', 'c.json'], env);
  t.equal(code, 0, stderr);
  t.equal(stdout, 'wrote c.json: 3 scripts\n');
  const text = readFileSync(join(folder, 'c.json'), 'utf8');
  t.equal(text, EXPECTED);
  t.equal((await run(folder, ['contract'], env)).stdout, text, 'the same again');
  const one = await run(folder, ['contract', '--script', 'books/clear'], env);
  t.strictSame(
    (JSON.parse(one.stdout) as { scripts: { script: string }[] }).scripts.map(
      (each) => each.script,
    ),
    ['books/clear'],
  );
});

const EXPECTED = `{
  "format": 1,
  "scripts": [
    {
      "script": "books/clear",
      "verb": "delete",
      "verdict": "proved",
      "deprecated": false,
      "strict": false,
      "paths": [
        { "path": "/_QUERIES/books/clear", "methods": ["DELETE"] }
      ],
      "parameters": [],
      "response": { "shape": "list", "status": 200, "headers": [] },
      "columns": []
    },
    {
      "script": "books/list",
      "verb": "read",
      "verdict": "proved",
      "deprecated": false,
      "strict": false,
      "paths": [
        { "path": "/_QUERIES/books/list", "methods": ["GET", "HEAD"] }
      ],
      "parameters": [
        { "name": "author", "types": ["integer"], "required": false, "list": true },
        { "name": "full", "types": [], "required": false, "list": false }
      ],
      "response": { "shape": "list", "status": 200, "headers": [] },
      "columns": [
        { "name": "id", "types": ["integer"], "nullable": false, "always": true },
        { "name": "name", "types": ["text"], "nullable": true, "always": false },
        { "name": "title", "types": ["text"], "nullable": false, "always": false }
      ]
    },
    {
      "script": "books/save",
      "verb": "write",
      "verdict": "proved",
      "deprecated": "2026-03-01",
      "strict": false,
      "paths": [
        { "path": "/_QUERIES/books/save", "methods": ["POST"] },
        { "path": "/v1/books", "methods": ["POST"] }
      ],
      "parameters": [
        { "name": "claims.author", "types": ["integer"], "required": false, "list": false },
        { "name": "id", "types": ["integer"], "required": false, "list": false },
        { "name": "tags", "types": ["text"], "required": false, "list": true, "default": ["a", "b"] },
        { "name": "title", "types": ["text"], "required": true, "list": false, "maxlength": "80" }
      ],
      "response": { "shape": "list", "status": 201, "headers": ["Location"] },
      "columns": [
        { "name": "id", "types": ["integer"], "nullable": false, "always": true }
      ]
    }
  ]
}
`;

t.test('no right to analyse statements', async (t) => {
  const folder = folderWith(GOOD);
  const url = `postgres://reader:reader@${server.host}:${server.port}/${server.database}`;
  const { code, stdout, stderr } = await run(folder, ['contract'], { DATABASE_URL: url });
  t.equal(code, 0);
  t.match(
    stderr,
    /^warning: which privileges are missing, and which columns can be null, is not known on database/,
  );
  t.match(stdout, '{ "name": "id", "types": ["integer"], "nullable": true, "always": true }');
});

t.test('stored scripts', async (t) => {
  const folder = folderWith(GOOD);
  const stored = { ...env, SERVICE_QUERIES_STORAGE: 'database', SERVICE_QUERIES_IMPORT_ON_STARTUP: 'false' }; // prettier-ignore
  await run(folder, ['migrate', 'up', 'queries'], stored);
  await run(folder, ['scripts', 'import'], stored);
  writeFileSync(join(folder, LIST), 'SELECT gone FROM books');
  const { code, stdout, stderr } = await run(folder, ['contract'], stored);
  t.equal(code, 0, stderr);
  t.match(stdout, '"script": "books/list"');
});
