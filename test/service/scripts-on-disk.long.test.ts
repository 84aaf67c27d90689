/** Scripts as they lie on disk: edits go live, half a file never does, and nothing outside the tree is reached. */
import {
  closeSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { SETTLED } from '#app/script/files/verb-file.js';
import { Load } from '../support/load.js';
import { startPostgres } from '../support/postgres.js';
import { requestBytes, sendRaw } from '../support/raw-http.js';
import { startService } from '../support/service.js';

const postgres = await startPostgres(t);
const service = await startService(t, {
  database: postgres.url,
  config: { 'http.processes': 2, 'pool.threads': 2 },
  scripts: {
    'edit/v.read.sql': 'SELECT 1 AS v',
    'edit/other.read.sql': "SELECT 'untouched' AS v",
    'tree/in.read.sql': "SELECT 'inside' AS v",
    'tree/upper.READ.sql': 'SELECT 1 AS v',
    'tree/plain.sql': 'SELECT 1 AS v',
    'tree/dotted.name.read.sql': 'SELECT 1 AS v',
    'tree/huge.read.sql': `SELECT 1 AS v ${' '.repeat((1 << 20) + 1)}`,
    'top.read.sql': 'SELECT 1 AS v',
  },
});
const file = (name: string): string => path.join(service.folder, 'queries', name);

/** live waits until a script answers like that, twenty times in a row: in every thread. */
async function live(target: string, expected: string): Promise<void> {
  const ask = async (): Promise<string> => {
    const { status, text } = await service.ask(target);
    return `${status} ${text}`;
  };
  for (let same = 0; same < 20;) {
    same = (await ask()).startsWith(expected) ? same + 1 : 0;
    await sleep(5);
  }
}

t.test('outside the tree, and what is no script', async (t) => {
  const outside = path.join(service.folder, 'outside');
  mkdirSync(outside);
  writeFileSync(path.join(outside, 'secret.read.sql'), "SELECT 'outside' AS v");
  symlinkSync(path.join(outside, 'secret.read.sql'), file('tree/linked.read.sql'));
  symlinkSync(outside, file('away'));
  mkdirSync(file('tree/folder.read.sql'));
  symlinkSync('in.read.sql', file('tree/alias.read.sql'));
  const cases: Readonly<Record<string, string>> = {
    'tree/linked': '400 {"error":"invalid script path: tree/linked"',
    'away/secret': '400 {"error":"invalid script path: away/secret"',
    'tree/alias': '200 [{"v":"inside"}]',
    'tree/folder': '404 ',
    'tree/upper': '404 ',
    'tree/plain': '404 ',
    'tree/IN': '404 ',
    'tree/huge': '400 {"error":"could not parse script tree/huge',
    'tree/dotted.name': '400 {"error":"invalid identifier in path"',
    'tree/in.read': '400 {"error":"invalid identifier in path"',
    'tree/in.read.sql': '400 {"error":"invalid identifier in path"',
  };
  for (const [target, expected] of Object.entries(cases)) {
    const { status, text } = await service.ask(target);
    t.ok(`${status} ${text}`.startsWith(expected), `${target}: ${status} ${text.slice(1, -1)}`);
  }
});

t.test('paths that try to climb', async (t) => {
  const targets = [
    '/_QUERIES/../tree/in',
    '/_QUERIES/tree/../tree/in',
    '/_QUERIES/%2e%2e/outside',
    '/_QUERIES/tree/%2e%2e%2foutside%2fsecret',
    '/_QUERIES/tree%2f..%2f..%2foutside/secret',
    '/_QUERIES/..%5coutside/secret',
    '/_QUERIES/tree/in%00',
    '/_QUERIES/tree/%c0%ae%c0%ae',
    '/_QUERIES/tree%2fin/in',
    '/_QUERIES/./top',
  ];
  const send = async (target: string): Promise<void> => {
    const { status, body } = await sendRaw(service.port, requestBytes('GET', target));
    t.equal(status, 400, target);
    t.notMatch(body, /"v"/);
  };
  await Promise.all(targets.map(send));
});

t.test('an edit becomes live, wherever', async (t) => {
  writeFileSync(file('edit/v.read.sql'), 'SELECT 2 AS v');
  await live('edit/v', '200 [{"v":2}]'); // written in place
  writeFileSync(file('edit/.v.tmp'), 'SELECT 3 AS v');
  renameSync(file('edit/.v.tmp'), file('edit/v.read.sql'));
  await live('edit/v', '200 [{"v":3}]'); // renamed
  writeFileSync(file('edit/v.read.sql'), 'SELECT {{if}}');
  const broken = '400 {"error":"could not parse script edit/v, check your service logs"';
  await live('edit/v', broken); // a broken edit
  t.same(await service.rows('edit/other'), [{ v: 'untouched' }]);
  rmSync(file('edit/v.read.sql'));
  await live('edit/v', '404 '); // removed
  service.script('edit/v.read.sql', 'SELECT 4 AS v');
  await live('edit/v', '200 [{"v":4}]'); // made again
  service.script('made/anew.read.sql', 'SELECT 5 AS v');
  await live('made/anew', '200 [{"v":5}]'); // in a folder made since
});

t.test('a script made a moment ago is there for everybody who asks', async (t) => {
  service.script('fresh/v.read.sql', 'SELECT 1 AS v');
  const answers: Promise<string>[] = [];
  for (let i = 0; i < 60; i++) {
    answers.push(service.error('fresh/v'));
    await sleep(10);
  }
  t.same(new Set(await Promise.all(answers)), new Set(['200']));
});

t.test('half a file is never served', async (t) => {
  // Each prefix of it that is a statement says something else.
  const parts = ["SELECT 'whole' AS v", ' WHERE true', " UNION SELECT 'second'", ' ORDER BY 1'];
  const expected = '[{"v":"second"}, \n {"v":"whole"}]';
  let rounds = 0;
  for (let script = 0; rounds < 3; script++) {
    // A script for each round: threads may serve what a discarded round left for as long as it takes to settle.
    const target = `half/v${script}`;
    service.script(`${target}.read.sql`, parts.join(''));
    await live(target, '200 ');
    const load = new Load(t, {
      port: service.port,
      clients: 4,
      target: () => `/_QUERIES/${target}`,
    });
    let longest = 0;
    let began = performance.now();
    const fd = openSync(file(`${target}.read.sql`), 'w');
    for (const part of parts) {
      writeSync(fd, part);
      await sleep(20);
      const now = performance.now();
      longest = Math.max(longest, now - began);
      began = now;
    }
    closeSync(fd);
    await sleep(300);
    await load.more(8);
    await load.stop();
    // Half a file that lies unchanged while this process waits for the machine counts as written.
    if (longest > SETTLED / 2) continue;
    t.same([...load.bodies], [expected]);
    t.same(load.failures, []);
    rounds++;
  }
});
