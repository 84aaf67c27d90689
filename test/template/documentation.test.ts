/**
 * docs/templates.md: every example has the result it shows, and every function has a section.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { parseHead } from '#app/script/head/parse-head.js';
import { parseQueryString } from '#app/script/request/query-string.js';
import { RequestData } from '#app/script/request/request-data.js';
import { FUNCTION_NAMES } from '#app/template/functions.js';
import { compile, RefusedValue, TemplateError } from '#app/template/template.js';
import { ScreenedMap } from './screened-map.js';

const DOCUMENT = readFileSync(join(process.cwd(), 'docs', 'templates.md'), 'utf8');

interface Example {
  readonly template: string;
  data: unknown;
  readonly wanted: [kind: string, text: string][];
}

const examples: Example[] = [];
for (const [, kind = '', text = ''] of DOCUMENT.matchAll(/^```(\w+)\n(.*?)\n```$/gms)) {
  const example = examples.at(-1);
  if (kind === 'template') examples.push({ template: text, data: {}, wanted: [] });
  else if (kind === 'js' || kind === 'json') continue;
  else if (example === undefined) throw new Error(`no template before ${kind}`);
  else if (kind === 'data') example.data = JSON.parse(text);
  else if (kind === 'request')
    example.data = new ScreenedMap(JSON.parse(text) as Record<string, string>);
  else if (kind === 'query') {
    const { parameters } = parseHead(example.template, ['GET']);
    example.data = new RequestData(parseQueryString(text), '', '', () => undefined, parameters);
  } else if (kind === 'claims')
    example.data = new RequestData(new Map(), '', text, () => undefined);
  else example.wanted.push([kind, text]);
}

t.test('examples', (t) => {
  t.ok(examples.length > 20);
  for (const { template, data, wanted } of examples) {
    let text: string | undefined;
    let values: readonly (string | null)[] = [];
    let error: unknown;
    try {
      ({ text, values } = compile(template, 'example').render(data));
    } catch (e) {
      error = e;
    }
    t.not(wanted.length, 0, template);
    for (const [kind, shown] of wanted) {
      switch (kind) {
        case 'result':
          t.equal(text, shown, template);
          break;
        case 'values':
          t.same(values, JSON.parse(shown), template);
          break;
        case 'refused':
          t.type(error, RefusedValue, template);
          t.equal((error as RefusedValue).parameter, shown);
          break;
        case 'error':
          t.type(error, TemplateError, template);
          t.ok((error as TemplateError).message.includes(shown), template);
          break;
        default:
          t.fail(`unknown block ${kind}`);
      }
    }
  }
  t.end();
});

t.test('every function has a section', (t) => {
  const headings = DOCUMENT.split('\n').filter((line) => line.startsWith('### '));
  for (const name of FUNCTION_NAMES)
    t.ok(
      headings.some((heading) => heading.includes(`\`${name}\``)),
      name,
    );
  t.end();
});
