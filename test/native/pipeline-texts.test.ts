/** Statements, names and values of every length and kind pass the pipeline's buffers unchanged. */
import t from 'tap';
import { ROWS, type Detail } from '#app/native/pipeline.js';
import { Pipelined } from '../support/pipelined.js';
import { startPostgres } from '../support/postgres.js';

const server = await startPostgres(t);
const CONNINFO = `host=127.0.0.1 port=${server.port} user=postgres password=${server.password} dbname=postgres`;
const connection = await Pipelined.connect(CONNINFO);
t.teardown(() => connection.pq.finish());

/** One to four bytes of UTF-8, and unpaired surrogates, which become U+FFFD. */
const CHARACTERS = ['x', 'é', '€', '😀', '\ud83d', '\ude00'];

/** A string as PostgreSQL receives it. */
const sent = (text: string) => Buffer.from(text).toString();

/** A text of at least that many bytes; `before` shifts the offsets of the other characters. */
const filled = (bytes: number, character: string, before = '') =>
  before + character.repeat(Math.ceil((bytes - before.length) / Buffer.byteLength(character)));

function* range(from: number, to: number): Generator<number> {
  for (let i = from; i <= to; i++) yield i;
}

/** Runs a statement with new buffers and returns the cells of its first row. */
async function cells(sql: string, values: (string | null)[], name = ''): Promise<unknown> {
  connection.renew();
  const outcome = (await connection.run(sql, values, name)) as Detail;
  return outcome.rows?.[0] ?? outcome;
}

const select = (values: readonly unknown[]) =>
  `SELECT ${values.map((_, i) => `$${i + 1}::text`).join()}`;

t.test('values of lengths around the sizes at which buffers grow', async (t) => {
  const lengths = [...range(0, 70), ...range(950, 1030), ...range(2040, 2055), 5000, 70_000];
  const wrong: string[] = [];
  for (const character of CHARACTERS) {
    for (const length of lengths) {
      const text = filled(length, character, length % 2 === 1 ? 'a' : '');
      const [got] = (await cells('SELECT $1::text', [text])) as [string];
      if (got !== sent(text)) wrong.push(`${length} of ${JSON.stringify(character)}`);
    }
  }
  t.strictSame(wrong, []);
});

t.test('a value after others, with NULLs between', async (t) => {
  const wrong: string[] = [];
  for (const character of CHARACTERS) {
    for (const length of [...range(940, 1030), ...range(1980, 2060)]) {
      const values = [filled(length, 'x'), null, filled(66, character, 'b'), null, '', 'last'];
      const got = await cells(select(values), values);
      const wanted = values.map((value) => value && sent(value));
      if (JSON.stringify(got) !== JSON.stringify(wanted)) wrong.push(`${length} and ${character}`);
    }
  }
  t.strictSame(wrong, []);
});

t.test('statements and names of lengths around the sizes at which buffers grow', async (t) => {
  const wrong: string[] = [];
  let count = 0;
  for (const character of CHARACTERS) {
    for (const length of [...range(1, 3), ...range(225, 260), 1024, 5000, 100_000]) {
      const text = filled(length, character, length % 2 === 1 ? 'a' : '');
      // PostgreSQL truncates names, so only their beginnings distinguish them.
      const name = `${++count}-${filled(length, character)}`;
      for (const each of ['', name]) {
        const [got] = (await cells(`SELECT '${text}'`, [], each)) as [string];
        if (got !== sent(text)) wrong.push(`${each === '' ? 'plain' : 'named'} ${length}`);
      }
    }
  }
  t.strictSame(wrong, []);
});

/** Pseudorandom numbers below `limit`, the same in each run (Park and Miller). */
let state = 20_251;
const random = (limit: number) => (state = (state * 48_271) % 2_147_483_647) % limit;

t.test('random texts in reused buffers', async (t) => {
  const texts = (): string =>
    Array.from({ length: random(4) }, () =>
      CHARACTERS[random(CHARACTERS.length)]!.repeat(random(random(20) === 0 ? 1700 : 90)),
    ).join('');
  for (let round = 0; round < 40; round++) {
    connection.renew();
    const requests = Array.from({ length: 25 }, () =>
      Array.from({ length: random(30) + 1 }, () => (random(5) === 0 ? null : texts())),
    );
    for (const [i, values] of requests.entries()) {
      const name = i % 3 === 0 ? `r${round}-${i}-${texts()}` : '';
      const sql = `${select(values)} /* ${texts()} */`;
      if (name !== '') connection.pipeline.prepare(name, sql);
      connection.pipeline.send(name, sql, values, ROWS);
    }
    const rows = (await connection.outcomes(25)).map((outcome) => (outcome as Detail).rows?.[0]);
    const wanted = requests.map((values) => values.map((value) => value && sent(value)));
    t.strictSame(rows, wanted, `round ${round}`);
  }
});

t.test('the most values that PostgreSQL accepts, and one more', async (t) => {
  const values = Array.from({ length: 65_535 }, (_, i) => String(i));
  const list = values.map((_, i) => `$${i + 1}`).join();
  const sql = `SELECT array_to_string(ARRAY[${list}], ',')`;
  connection.renew();
  t.match(await connection.run(sql, values), { rows: [[values.join()]] });
  t.equal(connection.pipeline.send('', sql, [...values, ''], ROWS), false);
});
