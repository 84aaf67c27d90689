/** The same failure has the same level in the log, whether a request or a tool of MCP ran the script. */
import t from 'tap';
import { callTool } from '../support/mcp.js';
import { startPostgres } from '../support/postgres.js';
import type { LogLine } from '../support/process-group.js';
import { startService, type Service } from '../support/service.js';

const INFO = 30;
const WARN = 40;
const ERROR = 50;

const postgres = await startPostgres(t, {
  setup: `
    CREATE TABLE closed ();
    CREATE ROLE caller LOGIN PASSWORD 'caller';
    CREATE FUNCTION fail(state text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN
      RAISE EXCEPTION 'failed' USING ERRCODE = state; END $$`,
});
const { host, port } = postgres;

const options = {
  database: `postgres://caller:caller@${host}:${port}/postgres`,
  config: { 'http.processes': 1, 'mcp.scripts': true },
  scripts: {
    's/value.read.sql': 'SELECT 1 / {{sqlVal "a"}}::int',
    's/missing.read.sql': 'SELECT * FROM nowhere',
    's/closed.read.sql': 'SELECT * FROM closed',
    's/slow.read.sql': 'SELECT pg_sleep(30)',
    's/fail.read.sql': 'SELECT fail({{sqlVal "a"}})',
    's/gone.read.sql': 'SELECT pg_terminate_backend(pg_backend_pid())',
    's/broken.read.sql': 'SELECT {{index .a "x"}}',
  },
} as const;
const service = await startService(t, options);
/** One whose statements have little time, which on a busy machine may be too little for others than the slow one. */
const brief = await startService(t, {
  ...options,
  config: { ...options.config, 'pg.statement_timeout': '1s', 'mcp.timeout': '1s' },
});

const CASES: readonly [script: string, a: string, state: string | undefined, level: number][] = [
  ['value', '0', '22012', WARN],
  ['missing', '', '42P01', WARN],
  ['closed', '', '42501', WARN],
  ['slow', '', '57014', WARN],
  ['fail', 'P0001', 'P0001', INFO],
  ['fail', '53200', '53200', WARN],
  ['gone', '', '57P01', ERROR],
  ['broken', '1', undefined, WARN],
];

/** levelOf is the level of the line about a request. */
async function levelOf(
  service: Service,
  id: string,
  state: string | undefined,
  run: (options: { headers: Record<string, string> }) => Promise<unknown>,
): Promise<number> {
  await run({ headers: { 'x-request-id': id } });
  const line: LogLine = await service.line((line) => line['requestId'] === id);
  t.equal(line['state'], state, id);
  return Number(line['level']);
}

for (const [script, a, state, level] of CASES) {
  t.test(`${script} ${a}`, async (t) => {
    const id = `${script}-${a}`;
    const asked = script === 'slow' ? brief : service;
    const request = await levelOf(asked, `request-${id}`, state, (options) =>
      asked.ask(`s/${script}?a=${a}`, options),
    );
    const tool = await levelOf(asked, `tool-${id}`, state, (options) =>
      callTool(asked, `service.script.postgres.s.${script}`, a === '' ? {} : { a }, options),
    );
    t.same({ request, tool }, { request: level, tool: level });
  });
}
