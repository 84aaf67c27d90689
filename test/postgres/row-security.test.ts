/** Row-level security, and what else depends on the role, with plans made for another role: on one connection. */
import t, { type Test } from 'tap';
import { identityOf, type Identity } from '#app/postgres/statement/identity.js';
import { describe, TestDatabase } from '../support/database.js';
import { startPostgres } from '../support/postgres.js';
import { asAuthenticator, ROLES } from './roles.js';

const server = await startPostgres(t, { setup: ROLES });

const open = (t: Pick<Test, 'teardown'>): TestDatabase =>
  new TestDatabase(t, server, { ...asAuthenticator(server), connections: 1 });

const ann = identityOf('ann', '{"tenant":1}');
const bob = identityOf('bob', '{"tenant":2}');
const annOfTwo = identityOf('ann', '{"tenant":2}');
const unknown = identityOf('ann', '{}');
const noRole = identityOf('', '{"tenant":1}');

type Seen = [identity: Identity | undefined, seen: string][];

/** Reads, and their results by identity. */
const READS: [what: string, sql: string, seen: Seen][] = [
  [
    'rows of the role',
    'SELECT json_agg(text) FROM notes',
    [
      [ann, '["by ann"]'],
      [bob, '["by bob"]'],
      [annOfTwo, '["by ann"]'],
      [noRole, '42501'],
      [undefined, '42501'],
    ],
  ],
  [
    'rows of the claims',
    'SELECT json_agg(text) FROM bills',
    [
      [ann, '["one"]'],
      [bob, '["two"]'],
      [annOfTwo, '["two"]'],
      [unknown, 'affected 0'],
      [noRole, '["one"]'],
    ],
  ],
  [
    'another table by the same name',
    'SELECT text FROM mine',
    [
      [ann, 'of ann'],
      [bob, 'of bob'],
      [noRole, '42P01'],
    ],
  ],
  [
    "another's table",
    'SELECT text FROM ann.mine',
    [
      [ann, 'of ann'],
      [bob, '42501'],
    ],
  ],
];

t.test('reads, each plan run under every identity in turn', async (t) => {
  for (const [what, sql, seen] of READS) {
    for (const [first] of seen) {
      const db = open(t);
      const statement = { sql, recurs: true };
      // Often enough for PostgreSQL to choose a generic plan.
      for (let i = 0; i < 7; i++) await db.read(statement, { identity: first });
      for (let round = 0; round < 3; round++) {
        const outcomes = await Promise.all(
          seen.map(([identity]) => db.read(statement, { identity })),
        );
        t.strictSame(
          outcomes.map(describe),
          seen.map(([, wanted]) => wanted),
          what,
        );
      }
    }
  }
});

t.test('rows whose columns differ from role to role', async (t) => {
  const db = open(t);
  const statement = { sql: 'SELECT * FROM mine', recurs: true };
  for (let round = 0; round < 4; round++) {
    const identities = [ann, bob, bob, ann, ann, bob];
    const outcomes = await Promise.all(
      identities.map((identity) => db.write(statement, { identity })),
    );
    t.strictSame(
      outcomes.map(describe),
      identities.map((identity) => (identity === ann ? '[["of ann"]]' : '[["2","of bob"]]')),
    );
  }
  const count = describe(await db.read('SELECT count(*) FROM pg_prepared_statements'));
  t.ok(Number(count) <= 5, `${count} are left prepared`);
});

/** Writes, one after the other, and their outcomes. */
const WRITES: [sql: string, identity: Identity | undefined, outcome: string][] = [
  [`INSERT INTO notes (text) VALUES ('new') RETURNING owner`, ann, '[["ann"]]'],
  [`INSERT INTO notes (text) VALUES ('new') RETURNING owner`, bob, '[["bob"]]'],
  [`INSERT INTO notes VALUES ('bob', 1, 'forged')`, ann, '42501'],
  [`INSERT INTO notes VALUES ('bob', 1, 'forged')`, undefined, '42501'],
  [`UPDATE notes SET text = text || '!' RETURNING owner, text`, bob, '[["bob","by bob!"],["bob","new!"]]'],
  [`UPDATE notes SET owner = 'bob'`, ann, '42501'],
  [`DELETE FROM notes WHERE text LIKE 'new%' RETURNING owner`, ann, '[["ann"]]'],
  [`INSERT INTO bills VALUES (2, 'more')`, ann, '42501'],
  [`INSERT INTO bills VALUES (2, 'more') RETURNING text`, annOfTwo, '[["more"]]'],
  [`INSERT INTO bills VALUES (2, 'x')`, unknown, '42501'],
  [`DELETE FROM bills RETURNING text`, bob, '[["two"],["more"]]'],
  [`DO $$ BEGIN PERFORM 1 / (SELECT count(*) - 1 FROM notes); END $$`, ann, '22012'],
  [`DELETE FROM notes RETURNING text`, ann, '[["by ann"]]'],
]; // prettier-ignore

t.test('writes, and scripts that fail among them', async (t) => {
  const db = open(t);
  for (const [sql, identity, outcome] of WRITES) {
    const [got, after] = await Promise.all([
      db.write({ sql, recurs: true }, { identity }),
      db.read('SELECT current_user'),
    ]);
    t.strictSame([got, after].map(describe), [outcome, 'authenticator'], sql);
  }
  t.strictSame(await server.sql('SELECT owner, text FROM notes ORDER BY 1'), [
    { owner: 'bob', text: 'by bob!' },
    { owner: 'bob', text: 'new!' },
    { owner: 'stranger', text: 'hidden' },
  ]);
});
