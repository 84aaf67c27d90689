/** Templates that a limit ends: with which error, and that they end soon. */
import type { Test } from 'tap';
import { compile, TemplateError } from '#app/template/template.js';
import { cpuTime } from '../support/cpu.js';

export type Case = readonly [name: string, message: RegExp, template: string, data?: unknown];

/** failure is the error of a template, or the beginning of its text. */
export function failure(template: string, data: unknown = {}): TemplateError | string {
  try {
    return compile(template, 't').render(data).text.slice(0, 50);
  } catch (e) {
    if (e instanceof TemplateError) return e;
    throw e;
  }
}

/** checkCases makes a test of each case. */
export async function checkCases(t: Test, cases: readonly Case[]): Promise<void> {
  // What all steps take that a template may have, ms.
  const steps = await cpuTime(() => failure('{{range 999000}}a{{end}}'));

  for (const [name, message, template, data] of cases) {
    t.test(name, async (t) => {
      let result: TemplateError | string = '';
      const time = await cpuTime(() => (result = failure(template, data)));
      t.type(result, TemplateError);
      t.match(result, { message });
      t.ok(time < 20 * steps, `${time.toFixed(0)} ms; a million steps take ${steps.toFixed(0)} ms`);
    });
  }
}
