/**
 * Every conformance vector: the output and the bound values byte for byte, and for an error its stage.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { boundText } from '#app/template/bound-value.js';
import { compile, TemplateError } from '#app/template/template.js';

interface Vector {
  readonly name: string;
  readonly template: string;
  readonly data: unknown;
  readonly output?: string;
  readonly args?: readonly unknown[];
  readonly error?: { readonly stage: string; readonly go: string };
}

const FOLDER = join(process.cwd(), 'test', 'vectors');

/** The vector's argument in the format of bound values. */
function bound(arg: unknown): string | null {
  if (Array.isArray(arg)) {
    const items = arg.map((item) =>
      item === null ? 'NULL' : `"${String(item).replace(/[\\"]/g, '\\$&')}"`,
    );
    return `{${items.join(',')}}`;
  }
  return boundText(arg);
}

function run(vector: Vector): { text: string; values: readonly (string | null)[] } | TemplateError {
  try {
    return compile(vector.template, 't').render(vector.data);
  } catch (e) {
    if (e instanceof TemplateError) return e;
    throw e;
  }
}

let messages = 0;
let errors = 0;

for (const file of readdirSync(FOLDER).filter((name) => name.startsWith('template-'))) {
  t.test(file, (t) => {
    const lines = readFileSync(join(FOLDER, file), 'utf8').trim().split('\n');
    for (const line of lines) {
      const vector = JSON.parse(line) as Vector;
      const result = run(vector);
      if (vector.error !== undefined) {
        errors++;
        if (!(result instanceof TemplateError)) t.fail(vector.name, { got: result.text });
        else {
          t.equal(result.stage, vector.error.stage, vector.name);
          if (result.message === vector.error.go) messages++;
          else if (process.env['SHOW_MESSAGES'])
            t.comment(`${vector.name}\n  go:   ${vector.error.go}\n  ours: ${result.message}`);
        }
      } else if (result instanceof TemplateError) t.fail(vector.name, { message: result.message });
      else {
        t.equal(result.text, vector.output, vector.name);
        if (vector.args !== undefined) t.same(result.values, vector.args.map(bound), vector.name);
      }
    }
    t.end();
  });
}

t.test('messages are those of Go', (t) => {
  t.comment(`${messages} of ${errors} messages equal`);
  t.equal(messages, errors);
  t.end();
});
