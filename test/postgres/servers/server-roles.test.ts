/** Which server is the primary, and which replicas serve, by what the servers say about themselves. */
import t from 'tap';
import { RolesFixture } from '../roles-fixture.js';

/** What servers say in turn, and what follows: the primary, and who serves. */
const CASES: Readonly<
  Record<string, readonly (readonly [said: string, primary: number | undefined, serving: string])[]>
> = {
  'another engine: the first server alone': [
    ['1 e0:0', 0, ''],
    ['0 e0:0', 0, ''],
    ['2 e0:0', 0, ''],
    ['0 gone', 0, ''],
    ['1 e0:0', 0, ''],
    ['0 e0:0', 0, ''],
  ],
  'as configured': [
    ['0 p1:500', 0, ''],
    ['1 r1:500', 0, '1'],
    ['2 r1:499', 0, '1 2'],
  ],
  'nothing is known before the first server has answered': [
    ['1 p1:500', 0, ''],
    ['2 r1:500', 0, ''],
    ['0 r1:500', 1, '0 2'],
  ],
  'the first server does not answer': [
    ['0 gone', 0, ''],
    ['1 r2:500', 0, '1'],
    ['2 p2:500', 2, '1'],
  ],
  'a replica is promoted': [
    ['0 p1:500', 0, ''],
    ['1 r1:500', 0, '1'],
    ['2 r1:500', 0, '1 2'],
    ['0 gone', 0, '1 2'],
    ['1 p2:510', 1, ''],
    ['2 r0:505', 1, '2'],
    ['0 p1:505', 1, '2'],
    ['0 r2:510', 1, '0 2'],
  ],
  'the primary is demoted': [
    ['0 p1:500', 0, ''],
    ['0 r1:500', undefined, '0'],
    ['1 p2:501', 1, ''],
    ['0 r2:501', 1, '0'],
  ],
  'the server of the highest timeline was rewound to a lower one': [
    ['0 p1:500', 0, ''],
    ['1 p2:505', 1, ''],
    ['1 gone', 1, ''],
    ['0 p1:510', 1, ''],
    ['1 r1:510', 0, '1'],
    ['0 p1:511', 0, '1'],
  ],
  'behind, and caught up': [
    ['0 p1:500', 0, ''],
    ['1 r1:400', 0, '1'],
    ['0 p1:501', 0, ''],
    ['1 r1:410', 0, ''],
    ['1 r1:451', 0, '1'],
  ],
  'a replica of another timeline': [
    ['0 p2:500', 0, ''],
    ['1 r1:500', 0, ''],
    ['1 r2:500', 0, '1'],
  ],
  'a replica that is ahead': [
    ['0 p1:500', 0, ''],
    ['1 r1:600', 0, '1'],
    ['0 p1:550', 0, ''],
    ['0 p1:700', 0, ''],
    ['1 gone', 0, ''],
    ['1 r1:700', 0, '1'],
  ],
  'a copy on the same timeline': [
    ['0 p1:500', 0, ''],
    ['1 p1:900', 0, ''],
    ['0 gone', 0, ''],
    ['1 p1:901', 0, ''],
    ['0 p1:501', 0, ''],
  ],
};

for (const [name, steps] of Object.entries(CASES))
  t.test(name, (t) => {
    const fixture = new RolesFixture();
    for (const [said, primary, serving] of steps) {
      const [server, text] = said.split(' ');
      fixture.says(Number(server), text!);
      t.equal(fixture.primary, primary, said);
      t.equal(fixture.serving.join(' '), serving, said);
      fixture.servers.forEach(({ isPrimary }, i) => {
        if (fixture.primary !== 0 || i !== 0) t.equal(isPrimary, i === fixture.primary, said);
      });
    }
    t.end();
  });

t.test('another cluster is never used', (t) => {
  const fixture = new RolesFixture();
  fixture.says(0, 'p1:500');
  fixture.says(1, 'p9:900', '8');
  fixture.says(2, 'r1:500', '8');
  t.equal(fixture.primary, 0);
  t.strictSame(fixture.serving, []);
  t.end();
});

t.test('each change is reported once', (t) => {
  const fixture = new RolesFixture();
  for (const said of ['0 p1:500', '1 r1:500', '1 r1:500', '1 gone', '1 gone', '1 r1:500'])
    fixture.says(Number(said[0]), said.slice(2));
  t.strictSame(fixture.reported, [
    '0 primary',
    '1 unknown',
    '2 unknown',
    '1 serving',
    '1 silent',
    '1 serving',
  ]);
  t.end();
});

/** What servers say in turn, and which of them have replaced a primary. */
const REPLACED: readonly (readonly [what: string, said: readonly string[], replaced: string])[] = [
  ['as configured', ['0 p1:500', '1 r1:500', '0 p1:501'], ''],
  ['the first primary that is seen', ['0 gone', '1 p2:500', '0 r2:500'], ''],
  ['a replica is promoted', ['0 p1:500', '1 r1:500', '0 gone', '1 p2:510', '1 p2:511'], '1'],
  ['a primary that is back', ['0 p1:500', '0 gone', '0 p1:510'], ''],
  ['promoted again', ['0 p1:500', '1 p2:500', '0 r2:500', '1 gone', '0 p3:510'], '1 0'],
  ['switched over', ['0 p1:500', '0 r1:500', '1 p2:501', '0 r2:501'], '1'],
];

for (const [what, said, replaced] of REPLACED)
  t.test(`changes of the primary: ${what}`, (t) => {
    const fixture = new RolesFixture();
    for (const one of said) fixture.says(Number(one[0]), one.slice(2));
    t.equal(fixture.replaced.join(' '), replaced);
    t.end();
  });

t.test('standing and lag', (t) => {
  const fixture = new RolesFixture();
  const { roles, servers } = fixture;
  const seen = (index: number): unknown[] => {
    const server = servers[index]!;
    return [roles.standingOf(server), roles.lagOf(server)?.bytes];
  };
  t.strictSame(seen(0), ['unknown', undefined]);
  fixture.says(0, 'p1:500');
  t.strictSame(
    [seen(0), seen(1)],
    [
      ['primary', 0],
      ['unknown', undefined],
    ],
  );
  fixture.says(1, 'r1:450');
  t.strictSame(seen(1), ['serving', 50]);
  fixture.says(0, 'p1:600');
  t.strictSame(seen(1), ['behind', 150]);
  fixture.says(1, 'gone');
  t.strictSame(seen(1), ['silent', undefined]);
  fixture.says(2, 'r9:600', '8');
  t.strictSame(seen(2), ['foreign', undefined]);
  t.end();
});
