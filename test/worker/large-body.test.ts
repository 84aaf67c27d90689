/** Large files and bodies that are no text: the same values as small ones, whatever the statement makes of them. */
import { createHash } from 'node:crypto';
import t from 'tap';
import { serveDatabase } from '../serve/http/served-database.js';

const { url } = await serveDatabase(
  t,
  {
    'bytes.write.sql': `SELECT md5({{sqlVal "request.body"}}::bytea) AS md5`,
    'unknown.write.sql': `SELECT md5({{sqlVal "request.body"}}) AS md5`,
    'text.write.sql': `SELECT md5({{sqlVal "request.body"}}::text) AS md5`,
    'twice.write.sql': `SELECT md5({{sqlVal "request.body"}}::bytea) = md5({{sqlVal "request.body"}}::bytea) AS md5`,
    'several.write.sql': `CREATE TEMP TABLE files (id int, bytes bytea) ON COMMIT DROP;
      INSERT INTO files VALUES ({{sqlVal "id"}}::int, {{sqlVal "request.body"}}::bytea);
      SELECT md5(bytes) AS md5 FROM files WHERE id = {{sqlVal "id"}}::int`,
    'file.write.sql': `SELECT md5({{sqlVal "body.file"}}::bytea) AS md5`,
    'files.write.sql': `SELECT md5(({{sqlVal "body.file"}}::bytea[])[2]) AS md5`,
    'declared.write.sql': `-- @param body.file text required
SELECT md5({{sqlVal "body.file"}}::bytea) AS md5`,
    'wrong.write.sql': `SELECT {{sqlVal "request.body"}}::int AS md5`,
  },
  { maxBody: 8 << 20 },
);

const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, i) => i % 256));
const hex = `\\x${bytes.toString('hex')}`;

function md5(of: Buffer | string): string {
  return createHash('md5').update(of).digest('hex');
}

async function send(name: string, body: Buffer | FormData, query = ''): Promise<unknown> {
  const type = body instanceof FormData ? {} : { 'content-type': 'application/octet-stream' };
  const response = await fetch(url(name, query), { method: 'POST', body, headers: type });
  const { rows, code } = (await response.json()) as { rows?: [{ md5: unknown }]; code?: string };
  return rows?.[0].md5 ?? `${response.status} ${code}`;
}

function form(...files: Buffer[]): FormData {
  const made = new FormData();
  for (const file of files) made.append('file', new Blob([file]), 'a');
  return made;
}

t.test('a body', async (t) => {
  for (let i = 0; i < 3; i++) t.equal(await send('bytes', bytes), md5(bytes));
  t.equal(await send('unknown', bytes), md5(hex), 'a parameter that PostgreSQL takes for a text');
  t.equal(await send('text', bytes), md5(hex));
  t.equal(await send('twice', bytes), true);
  t.equal(await send('several', bytes, 'id=7'), md5(bytes), 'a table that is not there yet');
  t.equal(await send('wrong', bytes), '400 22P02');
});

t.test('files', async (t) => {
  t.equal(await send('file', form(bytes)), md5(bytes));
  t.equal(await send('declared', form(bytes)), md5(bytes));
  t.equal(await send('files', form(bytes.subarray(1), bytes)), md5(bytes));
});

t.test('many at a time', async (t) => {
  const all = Array.from({ length: 12 }, (_, i) => bytes.subarray(i));
  const found = await Promise.all(all.map((one) => send('bytes', one)));
  t.strictSame(found, all.map(md5));
});

t.test('a connection that has sent a very large one is closed, and others serve', async (t) => {
  const large = Buffer.concat(Array.from({ length: 20 }, () => bytes));
  for (let i = 0; i < 3; i++) t.equal(await send('bytes', large), md5(large));
});
