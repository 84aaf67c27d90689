/** What follows Go's message in a parse error: the function, the quotes or the end that the author meant. */
import t from 'tap';
import { compile, TemplateError } from '#app/template/template.js';

/** A template, and the hint; empty for none. */
const CASES: readonly [template: string, hint: string][] = [
  ['{{sqlval "id"}}', 'the nearest is sqlVal'],
  ['{{SqlVal "id"}}', 'the nearest is sqlVal'],
  ['{{sqlVall "id"}}', 'the nearest is sqlVal'],
  ['{{isset "id"}}', 'the nearest is isSet'],
  ['{{if not (isSett "id")}}{{end}}', 'the nearest is isSet'],
  ['{{limitOfset .a .b}}', 'the nearest is limitOffset'],
  ['{{"a" | sqlVl}}', 'the nearest is sqlVal'],
  ['{{sqlvla "id"}}', 'the nearest is sqlVal'],
  ['{{all}}', 'for the value of a parameter write {{sqlVal "all"}}'],
  ['{{sqlVal id}}', 'quotes are missing: write {{sqlVal "id"}}'],
  ['{{ident sort}}', 'quotes are missing: write {{ident "sort"}}'],
  ['{{if isSet name}}{{end}}', 'quotes are missing: write {{isSet "name"}}'],
  ['{{defaultOrValue page 1}}', 'quotes are missing: write {{defaultOrValue "page" …}}'],
  ['{{name}}', 'for the value of a parameter write {{sqlVal "name"}}'],
  ['{{if eq status "x"}}{{end}}', 'for the value of a parameter write .status'],
  ['{{eq "x" status}}', 'for the value of a parameter write .status'],
  ['{{if .a}}', 'the {{if}} of line 1 has no {{end}}'],
  ['a\n{{if .a}}\n{{range .b}}\n{{end}}\n', 'the {{if}} of line 2 has no {{end}}'],
  ['{{if .a}}\n{{range .b}}{{else}}x', 'the {{range}} of line 2 has no {{end}}'],
  ['{{if .a}}{{end}}\n{{with .a}}x{{else}}', 'the {{with}} of line 2 has no {{end}}'],
  ['\n{{define "x"}}x', 'the {{define}} of line 2 has no {{end}}'],
  ['\n\n{{block "x" .}}{{if .a}}{{end}}', 'the {{block}} of line 3 has no {{end}}'],
  ['{{if .a}}{{end}}{{end}}', ''],
  ['{{', ''],
  ['{{if}}', ''],
];

for (const [template, hint] of CASES)
  t.test(template, (t) => {
    try {
      compile(template, 't');
      t.fail('it parses');
    } catch (e) {
      if (!(e instanceof TemplateError)) throw e;
      t.equal(e.hint ?? '', hint);
      t.notMatch(e.message, 'the nearest', "the message is Go's");
      if (hint !== '') t.ok(e.safeMessage.endsWith(`; ${hint}`), e.safeMessage);
    }
    t.end();
  });
