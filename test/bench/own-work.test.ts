/** What the service has PostgreSQL do without requests: the scripts that are proved, and the limits. */
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { ownWorkTable } from '../../bench/own-work/own-work.js';
import { SCRIPTS, writeScripts } from '../../bench/own-work/scripts.js';

t.test('the scripts have different texts', (t) => {
  const folder = t.testdir({});
  writeScripts(folder);
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const texts = names
    .filter((name) => name.endsWith('.sql'))
    .map((name) => readFileSync(path.join(folder, name), 'utf8'));
  t.equal(texts.length, SCRIPTS);
  t.equal(new Set(texts).size, SCRIPTS);
  t.end();
});

const GOOD = { proof: 0.5, proved: SCRIPTS, idle: 0.015, sessions: 0.005 };

t.test('figures within the limits', (t) => {
  const { met, text } = ownWorkTable({ ...GOOD, proof: 1, idle: 0.03 });
  t.ok(met, text);
  t.match(text, /^idle for 30 s, ms +<= 30 +30 +met$/m);
  t.match(text, /^in the service's sessions, ms +5\.00$/m);
  t.end();
});

const BAD: readonly [string, object, RegExp][] = [
  ['a script that was not proved', { proved: SCRIPTS - 1 }, /^scripts proved .* 99 +missed$/m],
  ['a proof that takes long', { proof: 1.2 }, /^proof of 100 scripts, s +<= 1 +1\.2 +missed$/m],
  ['a service that does not rest', { idle: 0.04 }, /^idle for 30 s, ms +<= 30 +40 +missed$/m],
];
for (const [name, figures, line] of BAD) {
  t.test(name, (t) => {
    const { met, text } = ownWorkTable({ ...GOOD, ...figures });
    t.notOk(met);
    t.match(text, line);
    t.end();
  });
}
