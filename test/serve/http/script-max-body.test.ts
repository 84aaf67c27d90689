/** `@max_body` takes the place of http.max_body for its script, up or down, within the total of all bodies. */
import { gzipSync } from 'node:zlib';
import t from 'tap';
import { serveDatabase } from './served-database.js';

const MAX_BODY = 200_000;
const MiB = 1 << 20;

const bytes = `SELECT length({{sqlVal "request.body"}}::bytea) AS bytes`;
const { url } = await serveDatabase(
  t,
  {
    'usual.write.sql': bytes,
    'more.write.sql': `-- @max_body 2MiB\n${bytes}`,
    'most.write.sql': `-- @max_body 1 GiB\n${bytes}`,
    'less.write.sql': `-- @max_body 1KiB\n${bytes}`,
    'less.update.sql': bytes,
    'none.write.sql': `-- @max_body 0\n${bytes}`,
    'unused.write.sql': `-- @max_body 1KiB\nSELECT 1 AS bytes`,
    'wrong.write.sql': `-- @max_body 2MB\n${bytes}`,
    'huge.write.sql': `-- @max_body 1025MiB\n${bytes}`,
  },
  { maxBody: MAX_BODY },
);

async function send(
  name: string,
  size: number,
  { method = 'POST', coding = '' }: { method?: string; coding?: string } = {},
): Promise<unknown> {
  const body = Buffer.alloc(size, 'x');
  const response = await fetch(url(name, ''), {
    method,
    body: coding === '' ? body : gzipSync(body),
    headers: {
      'content-type': 'application/octet-stream',
      ...(coding === '' ? {} : { 'content-encoding': coding }),
    },
  });
  const { rows, code } = (await response.json()) as { rows?: [{ bytes: number }]; code?: string };
  return rows?.[0].bytes ?? `${response.status} ${code}`;
}

const TOO_LARGE = '413 body_too_large';

t.test('up', async (t) => {
  t.equal(await send('usual', MAX_BODY), MAX_BODY);
  t.equal(await send('usual', MAX_BODY + 1), TOO_LARGE);
  t.equal(await send('more', MAX_BODY + 1), MAX_BODY + 1);
  t.equal(await send('more', 2 * MiB), 2 * MiB);
  t.equal(await send('more', 2 * MiB + 1), TOO_LARGE);
  t.equal(await send('most', 3 * MiB), 3 * MiB);
});

t.test('down', async (t) => {
  t.equal(await send('less', 1024), 1024);
  t.equal(await send('less', 1025), TOO_LARGE);
  t.equal(await send('less', 1025, { method: 'PUT' }), 1025, 'another text of the script');
  t.equal(await send('none', 1), TOO_LARGE);
  t.equal(await send('unused', 1024), 1, 'a body that is discarded');
  t.equal(await send('unused', 1025), TOO_LARGE);
});

t.test('decoded', async (t) => {
  t.equal(await send('more', 2 * MiB, { coding: 'gzip' }), 2 * MiB);
  t.equal(await send('more', 2 * MiB + 1, { coding: 'gzip' }), TOO_LARGE);
  t.equal(await send('less', 1025, { coding: 'gzip' }), TOO_LARGE);
});

t.test('beyond the total of all bodies', async (t) => {
  t.equal(await send('most', 40 * MiB), '503 busy');
  t.equal(await send('most', 3 * MiB), 3 * MiB, 'its memory is free again');
});

t.test('what is no size', async (t) => {
  for (const name of ['wrong', 'huge']) t.equal(await send(name, 1), '400 script_not_usable', name);
});
