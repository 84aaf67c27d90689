/** The names that the text of a script knows, which refuses others. */
import t from 'tap';
import { ServiceError } from '#app/base/errors.js';
import { compileText } from '#app/script/script-text.js';

const OF_ANY_SCRIPT = ['_page', '_page_size', '_renderer'];

const CASES: readonly (readonly [text: string, wanted: readonly string[] | undefined])[] = [
  ['SELECT {{sqlVal "a"}}', undefined],
  ['-- @strict\nSELECT 1', OF_ANY_SCRIPT],
  [
    '-- @strict\n-- @param b text\n-- @path /v1/{c}\nSELECT {{sqlVal "a"}}, {{sqlVal .name}}',
    [...OF_ANY_SCRIPT, 'a', 'b', 'c', 'name'],
  ],
  // Members of the body, too.
  [
    `-- @strict
-- @param body.b text
-- @param header.X-B text
SELECT {{sqlVal "body.a"}}, {{sqlVal "request.body"}}, {{sqlVal "header.X-A"}}, {{.header}}, {{sqlVal "bodyguard"}}`,
    [
      ...OF_ANY_SCRIPT,
      'body.a',
      'body.b',
      'bodyguard',
      'header',
      'header.X-A',
      'header.X-B',
      'request.body',
    ],
  ],
  // And the objects that they are in.
  [
    '-- @strict\nSELECT {{sqlVal "body.a.b.c"}}',
    [...OF_ANY_SCRIPT, 'body.a', 'body.a.b', 'body.a.b.c'],
  ],
];

for (const [text, wanted] of CASES)
  t.test(text, (t) => {
    const compiled = compileText(text, 'a/b', 'write');
    if (compiled instanceof ServiceError) throw compiled;
    t.same(compiled.known && [...compiled.known.keys()].sort(), wanted);
    t.end();
  });
