/** Documents are there by default only while nobody else can reach the service. */
import t from 'tap';
import { makeLoader } from './load-config.js';

const loader = makeLoader(t);

t.test('docs.openapi', (t) => {
  const key = `jwt.key = "${'k'.repeat(32)}"`;
  const cases: [toml: string, expected: boolean][] = [
    ['', true],
    ['http.host = "127.0.0.2"', true],
    ['http.host = "::1"', true],
    ['http.host = "localhost"', true],
    ['http.host = "0.0.0.0"', false],
    ['http.host = "::"', false],
    ['http.host = "10.0.0.1"', false],
    ['http.host = "127.0.0.1.example"', false],
    [`auth.enabled = true\n${key}`, false],
    [`auth.enabled = true\n${key}\nhttp.host = "127.0.0.1"`, true],
    ['http.host = "0.0.0.0"\ndocs.openapi = true', true],
    ['docs.openapi = false', false],
  ];
  for (const [toml, expected] of cases) {
    const { loaded, problems } = loader.load(toml);
    t.strictSame(problems, [], toml);
    t.equal(loaded?.config['docs.openapi'], expected, toml);
  }
  t.end();
});
