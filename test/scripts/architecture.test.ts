/** The map of the code in docs/architecture.md is the code's. */
import { readdirSync, readFileSync } from 'node:fs';
import t from 'tap';
import { picture, WINGS, withPicture } from '#scripts/wings-picture.mjs';

const document = readFileSync('docs/architecture.md', 'utf8');

t.test('the picture is made from the rules of imports', (t) => {
  t.equal(document, withPicture(document), 'made anew with npm run docs:architecture');
  const allowed = { a: [], b: ['a'], c: ['a', 'b'] };
  t.equal(picture(allowed), '```mermaid\nflowchart TD\n  c --> b\n  b --> a\n```\n');
  t.end();
});

t.test('every wing has a row in the table', (t) => {
  const wings = readdirSync('src', { withFileTypes: true }).filter((one) => one.isDirectory());
  t.strictSame(
    wings.map(({ name }) => name).sort(),
    Object.keys(WINGS)
      .filter((name) => name !== 'main' && name !== 'workers')
      .sort(),
  );
  for (const { name } of wings) t.match(document, new RegExp(`^\\| \`${name}\` +\\| \\S`, 'm'));
  t.end();
});
