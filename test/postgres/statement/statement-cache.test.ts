/** The cache of prepared statements: a text's words and symbols are counted once, not for each request. */
import t from 'tap';
import { StatementCache } from '#app/postgres/statement/statement-cache.js';

const BOUNDS = { statements: 2, weight: 60 };

for (const [what, sql, room] of [
  ['one that is too long', 'SELECT 1 + 1 + 1 + 1 + 1 + 1', false],
  ['one that fits', 'SELECT 1', true],
] as const)
  t.test(what, (t) => {
    let read = 0;
    const statement = {
      recurs: true,
      get sql() {
        read++;
        return sql;
      },
    };
    for (let connection = 0; connection < 3; connection++) {
      const cache = new StatementCache(BOUNDS);
      for (let i = 0; i < 3; i++) t.equal(cache.hasRoom(statement), room);
      cache.add(statement);
    }
    t.equal(read, 1);
    t.end();
  });

const text = (name: string) => ({ sql: `SELECT ${name} + 1 + 1 + 1`, recurs: true });

t.test('removed and evicted statements make room', (t) => {
  const cache = new StatementCache(BOUNDS);
  const [first, second, third] = [text('a'), text('b'), text('c')];
  for (let i = 0; i < 100; i++) {
    for (const statement of [first, second]) t.ok(cache.hasRoom(statement));
    cache.add(first);
    cache.remove(first, 'another name');
    cache.add(second);
    t.equal(cache.find(first), `s${(4 * i + 1).toString(36)}`);
    cache.add(third);
    cache.remove(third);
    cache.add(third);
    t.equal(cache.evict(), `s${(4 * i + 2).toString(36)}`);
    t.equal(cache.evict(), undefined);
    for (const statement of [first, second, third]) cache.remove(statement);
  }
  t.end();
});
