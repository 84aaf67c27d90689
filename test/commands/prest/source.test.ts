/** Reading the source: files that cannot be read, where it is found, secrets. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { writeOutcome } from '#app/commands/prest/outcome.js';
import { openSource } from '#app/commands/prest/source.js';
import { makeConverter } from './converter.js';

const { folder, convert } = makeConverter(t);

t.test('files that cannot be read', (t) => {
  for (const [toml, problem] of [
    ['[pg]\npass = "geheim', /prest\.toml:2:/],
    ['[pg]\npass = "geheim"\npass = "geheim"', /prest\.toml:3:/],
    [Buffer.from([0xff, 0xfe]), /it is not UTF-8/],
    [undefined, /there is no prest\.toml here/],
  ] as const) {
    const { problems } = convert(toml);
    t.match(problems, [problem]);
    t.notMatch(problems.join(), 'geheim');
  }
  t.end();
});

t.test('where the file is found', (t) => {
  convert('context = "/here"');
  mkdirSync(join(folder, 'other'));
  const other = join(folder, 'other', 'prest.toml');
  writeFileSync(other, 'context = "/there"');
  const open = (from: string | undefined, env = {}): [string, string] | string => {
    const issues = { errors: [] as string[], warnings: [] };
    const source = openSource(from, env, folder, issues);
    return source === undefined
      ? issues.errors.join()
      : [source.get('context')!.written as string, source.base];
  };
  t.strictSame(open(undefined), ['/here', folder]);
  t.strictSame(open(undefined, { PREST_CONF: '' }), ['/here', folder]);
  t.strictSame(open(undefined, { PREST_CONF: 'other/prest.toml' }), ['/there', folder]);
  t.strictSame(open('other/prest.toml'), ['/there', join(folder, 'other')]);
  t.match(open('nowhere.toml'), /ENOENT/);
  t.match(open(undefined, { PREST_CONF: 'nowhere.toml' }), /ENOENT/);
  t.end();
});

t.test('variables alone are enough', (t) => {
  const { settings, problems } = convert(undefined, { PREST_HTTP_PORT: '1234' });
  t.strictSame(problems, []);
  t.equal(settings['http.port'], 1234);
  t.end();
});

t.test('no finding contains a secret', (t) => {
  const secrets = ['in-the-pass', 'in-the-url', 'in-the-entry', 'k'.repeat(40), 'in-the-variable'];
  const [pass, url, entry, key, variable] = secrets as [string, string, string, string, string];
  const { findings, problems, variables, text } = convert(
    `[pg]
pass = "${pass}"
[jwt]
key = "${key}"
jwks = "{${key}"
default = true
[[databases]]
alias = "a"
pass = "${entry}"
[[databases]]
alias = "b"
url = "postgres://ann:${url}@h/d?x=y"`,
    { DATABASE_URL: `postgres://ann:${variable}@h/d` },
  );
  const outcome = {
    ok: false,
    from: null,
    to: 'service.toml',
    dryRun: false,
    written: false,
    warnings: [],
    copied: {},
    ...{ findings, problems, variables },
  };
  const shown = writeOutcome(outcome) + JSON.stringify(outcome);
  for (const secret of secrets) t.notMatch(shown, secret);
  t.notMatch(text, variable);
  t.end();
});
