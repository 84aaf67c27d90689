/** What a script uses of a body, from its text and its head. */
import t from 'tap';
import { ServiceError } from '#app/base/errors.js';
import { compileText } from '#app/script/script-text.js';
import type { Verb } from '#app/script/verb.js';

const CASES: readonly (readonly [text: string, wanted: string, verb?: Verb])[] = [
  ['SELECT 1', 'none'],
  ['SELECT {{sqlVal "name"}}, {{.body}}', 'none'],
  ['SELECT {{sqlVal "name"}} -- body.name and request.body', 'none'],
  ['SELECT body.name FROM body', 'none'],
  ['SELECT {{sqlVal .name}}', 'none'],
  ['SELECT {{sqlVal "bodyguard.x"}}', 'none'],
  ['SELECT {{sqlVal "body.name"}}', 'members'],
  ['SELECT {{index . "body.name"}}', 'members'],
  ['{{if isSet "body.name"}}SELECT 1{{else}}SELECT 2{{end}}', 'members'],
  ['SELECT 1 {{range index . "body.a"}}{{.}}{{end}}', 'members'],
  ['SELECT {{defaultOrValue "body.a" "1"}}', 'members'],
  ['{{define "t"}}{{sqlVal "body.a"}}{{end}}SELECT {{template "t" .}}', 'members'],
  ['SELECT {{sqlVal (print "body." .field)}}', 'members'],
  ['SELECT {{sqlVal "request.body"}}', 'text'],
  ['SELECT {{index . "request.body"}}', 'text'],
  ['SELECT {{sqlVal "request.body"}}, {{sqlVal "body.a"}}', 'members'],
  ['-- @param body.name text\nSELECT 1', 'members'],
  ['SELECT {{sqlVal "body.name"}}', 'none', 'read'],
];

for (const [text, wanted, verb = 'write'] of CASES)
  t.test(`${verb}: ${text}`, (t) => {
    const compiled = compileText(text, 'a/b', verb);
    if (compiled instanceof ServiceError) throw compiled;
    t.equal(compiled.body, wanted);
    t.end();
  });

const MEMBERS: readonly (readonly [text: string, wanted: readonly string[] | undefined])[] = [
  ['SELECT 1', []],
  ['SELECT {{sqlVal "request.body"}}', []],
  [
    'SELECT {{sqlVal "body.a"}}, {{sqlVal "a"}}, {{sqlList "body.b.c.d"}}',
    ['a', 'b', 'b.c', 'b.c.d'],
  ],
  ['-- @param body.x.y text\nSELECT {{index . "body."}}', ['', 'x', 'x.y']],
  ['{{range index . "body.a"}}{{.}}{{end}}{{if isSet "body.n"}}1{{end}}', ['a', 'n']],
  ['SELECT {{sqlVal "body.a"}}, {{sqlVal .name}}', undefined],
  ['SELECT {{sqlVal (print "body." .field)}}', undefined],
  ['-- @param body.a text\nSELECT {{sqlVal .name}}', undefined],
];

for (const [text, wanted] of MEMBERS)
  t.test(`members: ${text}`, (t) => {
    const compiled = compileText(text, 'a/b', 'write');
    if (compiled instanceof ServiceError) throw compiled;
    t.same(compiled.members && [...compiled.members].sort(), wanted);
    t.end();
  });
