/** A large result equals a small one, apart from its size, in every form of a response. */
import t from 'tap';
import { serveDatabase } from './served-database.js';

const { url } = await serveDatabase(t, {
  'big.read.sql': `SELECT repeat({{sqlVal "x"}}, {{sqlVal "n"}}::int) AS x`,
  'rows.read.sql': `SELECT i, 'é' || i AS name FROM generate_series(1, {{sqlVal "n"}}::int) i`,
  'rows.write.sql': `SELECT i, 'é' || i AS name FROM generate_series(1, {{sqlVal "n"}}::int) i`,
});

/** Around the sizes (bytes of JSON) at which another way is taken: 8 KiB and 64 KiB, each in one- and two-byte text. */
const LENGTHS = [8_180, 8_181, 8_182, 8_183, 8_192, 65_524, 65_525, 65_526, 65_527, 200_000];

t.test('GET, HEAD and XML', async (t) => {
  for (const x of ['x', 'é', '😀', '<']) {
    const bytes = Buffer.byteLength(x);
    for (const length of LENGTHS) {
      const n = Math.ceil(length / bytes);
      const query = `x=${encodeURIComponent(x)}&n=${n}`;
      const get = await fetch(url('big', query));
      t.equal(get.headers.get('content-type'), 'application/json');
      t.ok((await get.text()) === `[{"x":"${x.repeat(n)}"}]`, `${x} × ${n}`);
      const head = await fetch(url('big', query), { method: 'HEAD' });
      t.equal(head.status, 200);
      t.equal(head.headers.get('content-length'), String(n * bytes + 10));
      t.equal(head.headers.get('content-type'), 'application/json');
      t.equal(await head.text(), '');
      const xml = await fetch(url('big', `${query}&_renderer=xml`));
      t.equal(xml.headers.get('content-type'), 'application/xml');
      const text = x === '<' ? '&lt;' : x;
      t.ok(
        (await xml.text()) === `<objects><object><x>${text.repeat(n)}</x></object></objects>`,
        `XML of ${x} × ${n}`,
      );
    }
  }
});

t.test('many rows, read and written', async (t) => {
  const n = 30_000;
  const rows = Array.from({ length: n }, (_, i) => ({ i: i + 1, name: `é${i + 1}` }));
  t.strictSame(await (await fetch(url('rows', `n=${n}`))).json(), rows);
  const written = await fetch(url('rows', `n=${n}`), { method: 'POST' });
  t.strictSame(((await written.json()) as { rows: unknown }).rows, rows);
});
