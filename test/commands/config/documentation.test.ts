import { readFileSync } from 'node:fs';
import t from 'tap';
import { withKeys } from '#app/commands/config/documentation.js';
import { SECURE_SECTIONS } from '#app/commands/config/keys-security.js';
import { NAMES } from '#app/commands/config/schema.js';
import { makeLoader } from './load-config.js';

// From dist-test/test/commands/config to the project.
const FILE = new URL('../../../../docs/configuration.md', import.meta.url);
const text = readFileSync(FILE, 'utf8');

t.test('docs/configuration.md is generated from the table of keys', (t) => {
  t.equal(text, withKeys(text), 'made anew with npm run docs:configuration');
  for (const name of NAMES) t.ok(text.includes(`\n| \`${name}\` | `), name);
  const sections = SECURE_SECTIONS.map((section) => `\`${section}\``).join(', ');
  t.ok(text.includes(`Under ${sections} it stops the start`), 'the sections of protections');
  t.end();
});

t.test('its examples are valid', (t) => {
  const loader = makeLoader(t);
  const examples = [...text.matchAll(/```toml\n([^]*?)```/g)];
  const loaded = examples.map(([, example]) => {
    const { loaded: one, problems, warnings } = loader.load(example);
    t.strictSame([...problems, ...warnings], []);
    return one!.config;
  });
  t.equal(loaded[0]!['pg.ssl.mode'], 'verify-full');
  t.strictSame(
    loaded[1]!.databases.map(({ alias }) => alias),
    ['stock', 'archive'],
  );
  t.end();
});
