/** Refusals of parameters that are the script's fault. */
import t from 'tap';
import { explore } from '#app/proof/branches/exploration.js';
import { neverAccepted } from '#app/proof/branches/refusals.js';
import type { Verb } from '#app/script/verb.js';
import { InvalidParameter } from '#app/template/template.js';
import { BOUNDS, compiled } from '../prove-text.js';

const CASES: [name: string, text: string, wanted: string[], verb?: Verb][] = [
  ['a text that is compared with a number', '{{if eq .n 5}}5{{end}}', ['n']],
  ['in one branch', '{{if isSet "a"}}{{if gt .n 5}}5{{end}}{{end}}', ['n']],
  ['a range over one value', '{{range .ids}}{{.}}{{end}}', ['ids']],
  ['a range over a declared list', '-- @param ids text[]\n{{range .ids}}{{.}}{{end}}', []],
  ['a range over a list in a body', '{{range index . "body.ids"}}{{.}}{{end}}', [], 'write'],
  ['a number that is none', '{{limitOffset .page "10"}}', []],
  ['a name that is none', '{{ident "column"}}', []],
  ['a missing parameter', '{{index .ids 0}}', []],
  ['parts that are missing', '{{index (split .name " ") 1}}', []],
  ['a part that one value has', '{{index (split .name " ") 0}}', []],
  ['another parameter decides', '{{if eq .k "a"}}{{limitOffset .n "1"}}{{else}}{{.n}}{{end}}', []],
  ['no fault of a parameter', '{{index "b" 7}}', []],
]; // prettier-ignore

for (const [name, text, wanted, verb = 'read'] of CASES)
  t.test(name, async (t) => {
    const found = neverAccepted(await explore(compiled(text, verb), BOUNDS));
    const names = found.map(({ error }) =>
      error instanceof InvalidParameter ? error.invalid.parameter : '',
    );
    t.strictSame([...new Set(names)], wanted);
  });
