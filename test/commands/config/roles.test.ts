/** Names that PostgreSQL would not take as a role. */
import t from 'tap';
import { makeLoader } from './load-config.js';

const loader = makeLoader(t);
const ON = `auth.enabled = true\njwt.key = "${'k'.repeat(32)}"\nauth.db_role = "role"\n`;

t.test('refused', (t) => {
  const cases: [toml: string, key: string | undefined][] = [
    ['auth.db_roles = ["web", "none"]', 'auth.db_roles'],
    ['auth.db_roles = ["web\\u0000"]', 'auth.db_roles'],
    ['auth.db_roles = ["web"]\nauth.anonymous_role = "none"', 'auth.anonymous_role'],
    ['auth.db_roles = ["web", "None", "nones"]\nauth.anonymous_role = "NONE"', undefined],
  ];
  for (const [toml, key] of cases) {
    const { problems } = loader.load(ON + toml);
    if (key === undefined) t.strictSame(problems, [], toml);
    else t.match(problems, [`${key}: "none", PostgreSQL's word`], toml);
  }
  t.end();
});
