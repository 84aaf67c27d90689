/** The memory of uploads: at most three times their size while they are stored, and none of it a while later. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { startPostgres } from '../support/postgres.js';
import { startService } from '../support/service.js';

const SIZE = 64 << 20;
/** What a process may need besides, and what malloc may keep (bytes). */
const SLACK = 16 << 20;
/** Until a process that idles has returned its memory, at most (ms). */
const LONGEST = 20_000;

const postgres = await startPostgres(t);
const service = await startService(t, {
  database: postgres.url,
  config: {
    'http.max_body': 2 * SIZE,
    'http.processes': 1,
    'pool.threads': 1,
    'queries.proof': 'off',
  },
  scripts: {
    'files/whole.write.sql': `SELECT length({{sqlVal "request.body"}}::bytea) AS bytes`,
    'files/file.write.sql': `SELECT length({{sqlVal "body.file"}}::bytea) AS bytes`,
    'files/text.write.sql': `SELECT length({{sqlVal "body.text"}}::text) AS bytes`,
  },
});

/** The HTTP process, the only child that renders. */
const [pid] = readdirSync(`/proc/${service.pid}/task`)
  .flatMap((task) => readFileSync(`/proc/${service.pid}/task/${task}/children`, 'utf8').split(' '))
  .filter((one) => one !== '');

/** A figure of /proc/pid/status, bytes. */
function memory(name: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)![1]) * 1024;
}

function multipart(bytes: Buffer): Buffer {
  const head = '--edge\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n';
  return Buffer.concat([Buffer.from(head), bytes, Buffer.from('\r\n--edge--\r\n')]);
}

const bytes = Buffer.alloc(
  SIZE,
  Uint8Array.from({ length: 251 }, (_, i) => i),
);
const KINDS: [name: string, script: string, type: string, body: Buffer][] = [
  ['bytes', 'whole', 'application/octet-stream', bytes],
  ['a file', 'file', 'multipart/form-data; boundary=edge', multipart(bytes)],
  ['a text in JSON', 'text', 'application/json', Buffer.from(`{"text": "${'x'.repeat(SIZE)}"}`)],
];

async function upload(script: string, type: string, body: Buffer): Promise<unknown> {
  const headers = { 'content-type': type };
  const response = await fetch(`${service.url}/_QUERIES/files/${script}`, {
    method: 'POST',
    headers,
    body,
  });
  return response.json();
}

for (const [, script, type] of KINDS)
  await upload(
    script,
    type,
    script === 'text' ? Buffer.from('{"text": "x"}') : multipart(Buffer.from('x')),
  );

for (const [name, script, type, body] of KINDS)
  t.test(name, async (t) => {
    const before = memory('VmRSS');
    writeFileSync(`/proc/${pid}/clear_refs`, '5'); // VmHWM begins anew
    t.strictSame(await upload(script, type, body), { rows_affected: 1, rows: [{ bytes: SIZE }] });
    const times = (memory('VmHWM') - before) / SIZE;
    t.comment(`${times.toFixed(2)} times its size`);
    t.ok(times <= 3 + SLACK / SIZE, 'at most three times');
    let after = memory('VmRSS');
    for (let waited = 0; waited < LONGEST && after - before > SLACK; waited += 100) {
      await sleep(100);
      after = memory('VmRSS');
    }
    t.ok(after - before <= SLACK, `${((after - before) / SIZE).toFixed(2)} times is kept`);
  });
