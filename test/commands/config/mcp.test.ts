/** The keys of MCP: errors, and the settings derived from them. */
import t from 'tap';
import { settingsOf } from '#app/commands/config/settings.js';
import { makeLoader } from './load-config.js';

const loader = makeLoader(t);

t.test('refused', (t) => {
  const cases: [what: string, toml: string, problem: RegExp][] = [
    ['an origin with a path', 'mcp.origins = ["https://a.example/x"]', /^mcp\.origins: /],
    ['an origin no browser sends', 'mcp.origins = ["https://A.example"]', /^mcp\.origins: /],
    ['its usual port', 'mcp.origins = ["https://a.example:443"]', /^mcp\.origins: /],
    ['any origin', 'mcp.origins = ["*"]', /^mcp\.origins: /],
    ['another form of names', 'mcp.tool_names = "short"', /^mcp\.tool_names: /],
    ['a table without a schema', 'mcp.tables = ["products"]', /^mcp\.tables: /],
    ['four names', 'mcp.tables = ["a.b.c.d"]', /^mcp\.tables: /],
    ['fewer tools than none', 'mcp.max_tools = -1', /^mcp\.max_tools: /],
    ['no time', 'mcp.timeout = "0s"', /^mcp\.timeout: /],
    ['no result', 'mcp.max_result = 0', /^mcp\.max_result: /],
  ];
  for (const [what, toml, problem] of cases) {
    const { problems } = loader.load(toml);
    t.match(problems[0], problem, what);
    t.equal(problems.length, 1, what);
  }
  t.end();
});

t.test('settings', (t) => {
  const told = (toml: string) => {
    const { loaded, problems } = loader.load(`http.processes = 1\n${toml}`);
    t.strictSame(problems, []);
    const [{ worker, mcpOrigins }] = settingsOf(loaded!.config, false) as [
      ReturnType<typeof settingsOf>[number],
    ];
    const { mcp } = worker;
    return {
      origins: mcpOrigins,
      path: mcp?.path,
      maxResult: mcp?.maxResult,
      timeout: mcp?.databases[0]!.statementTimeout,
      scripts: worker.databases[0]!.statementTimeout,
    };
  };
  t.match(told(''), { path: '/_mcp', maxResult: 100 << 10, timeout: 30_000, scripts: 60_000 });
  t.match(told('context = "/api/"'), { path: '/api/_mcp' });
  t.match(told('mcp.enabled = false'), { path: undefined });
  t.match(told('pg.max_result = "50KiB"'), { maxResult: 50 << 10 }, 'no more than that of scripts');
  t.match(told('pg.statement_timeout = "5s"'), { timeout: 5_000, scripts: 5_000 });
  t.match(told('pg.statement_timeout = "5s"\nmcp.timeout = "20s"'), { timeout: 5_000 });
  t.match(told('mcp.timeout = "50s"'), { timeout: 50_000, scripts: 60_000 });
  t.strictSame(told('mcp.origins = ["vscode-webview://x1"]').origins, ['vscode-webview://x1']);
  t.strictSame(
    told('mcp.origins = ["https://a.example"]\ncors.alloworigin = ["*"]').origins,
    ['https://a.example'],
    'any origin of CORS is none of MCP',
  );
  t.end();
});
