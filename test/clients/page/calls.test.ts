/** A request from the values of a form: its URL, the curl line that a shell runs, the TypeScript that fetch runs. */
import { spawnSync } from 'node:child_process';
import { runInNewContext } from 'node:vm';
import t from 'tap';
import ts from 'typescript';
import { curlLine } from '#app/clients/page/curl-line.js';
import { readDocument, type Operation } from '#app/clients/page/operations.js';
import { prepare, type PreparedRequest } from '#app/clients/page/prepared-request.js';
import { typeScriptCall } from '#app/clients/page/typescript-call.js';

const ODD = `a'b"c $HOME \`id\` \\ & #%/?é\n`;

const DOCUMENT = readDocument(
  JSON.stringify({
    openapi: '3.1.0',
    paths: {
      '/v1/t/{id}': {
        post: {
          tags: ['t'],
          parameters: [
            { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
            { name: 'q', in: 'query', schema: { type: 'array', items: { type: 'string' } } },
            { name: 'X-Tenant', in: 'header', schema: { type: 'string' } },
          ],
          requestBody: { content: { 'application/json': { schema: { type: 'object' } } } },
          responses: {
            200: {
              description: '',
              content: {
                'application/json': {
                  schema: {
                    type: 'array',
                    items: {
                      type: 'object',
                      properties: { 'a b': { type: ['integer', 'null'] }, c: { enum: ['x', 'y'] } },
                      required: ['a b'],
                    },
                  },
                },
              },
            },
          },
        },
      },
    },
  }),
);
const OPERATION: Operation = DOCUMENT.operations[0]!;

function prepared(content: string): PreparedRequest {
  const values = new Map([
    ['path id', [ODD]],
    ['query q', ['1,2', ODD]],
    ['header X-Tenant', ["o'hara"]],
  ]);
  const body = { type: 'application/json', content };
  return prepare(OPERATION, values, body, 'http://127.0.0.1:3000/api/');
}

t.test('the request', (t) => {
  const { url, headers, method } = prepared('{}');
  const { origin, pathname, searchParams } = new URL(url);
  t.strictSame([origin, method], ['http://127.0.0.1:3000', 'POST']);
  t.strictSame(pathname.split('/').map(decodeURIComponent), ['', 'api', 'v1', 't', ODD]);
  t.strictSame(searchParams.getAll('q'), ['1,2', ODD]);
  t.strictSame(headers, [['X-Tenant', "o'hara"], ['Content-Type', 'application/json']]); // prettier-ignore
  const none = prepare(OPERATION, new Map(), undefined, 'http://h/');
  t.strictSame([none.url, none.headers], ['http://h/v1/t/', []]);
  t.end();
});

t.test('a shell passes everything on to curl', (t) => {
  const content = JSON.stringify({ text: ODD });
  const request = prepared(content);
  const line = curlLine(request, true);
  const shell = spawnSync('sh', ['-c', `curl() { printf '%s\\0' "$@"; }\n${line}`], {
    env: { TOKEN: 'secret' },
    encoding: 'utf8',
  });
  t.strictSame(shell.stdout.split('\0').slice(0, -1), [
    '-X', 'POST', request.url, '-H', 'Authorization: Bearer secret', '-H', "X-Tenant: o'hara",
    '-H', 'Content-Type: application/json', '--data-raw', content,
  ]); // prettier-ignore
  t.end();
});

t.test('the TypeScript compiles and sends the same', async (t) => {
  for (const content of [
    '{"n": 9007199254740993}',
    '{ "a": [1, "x  y"], "b": null }',
    'not JSON',
  ]) {
    const request = prepared(content);
    const text = typeScriptCall(OPERATION, DOCUMENT.schemas, request, true);
    t.match(text, /as Array<\{ "a b": number \| null; c\?: "x" \| "y" \}>;\n$/);
    const { outputText, diagnostics } = ts.transpileModule(text, {
      compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ES2022 },
      reportDiagnostics: true,
    });
    t.strictSame(diagnostics, []);
    const calls: unknown[][] = [];
    const fetch = (...call: unknown[]): unknown => {
      calls.push(call);
      return { ok: true, json: () => [] };
    };
    await runInNewContext(`(async () => {${outputText}})()`, { fetch, token: 'secret' });
    const [[url, init]] = calls as [[string, { method: string; headers: object; body: string }]];
    t.strictSame([url, init.method], [request.url, 'POST']);
    t.match(init.headers, { 'X-Tenant': "o'hara", Authorization: 'Bearer secret' });
    if (content.startsWith('{ ')) t.strictSame(JSON.parse(init.body), JSON.parse(content));
    else t.equal(init.body, content);
  }
});
