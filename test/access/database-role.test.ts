import t from 'tap';
import type { Caller } from '#app/access/caller.js';
import { DatabaseRole } from '#app/access/database-role.js';
import { ServiceError } from '#app/base/errors.js';

const CASES: readonly [
  what: string,
  claim: string,
  payload: string | undefined,
  anonymous: string | undefined,
  role: string | undefined,
][] = [
  ['nobody', 'role', undefined, undefined, undefined],
  ['no claim', 'role', '{}', undefined, undefined],
  ['a role that is not listed', 'role', '{"role":"postgres"}', 'anon', undefined],
  ['a role in another case', 'role', '{"role":"WEB"}', 'anon', undefined],
  ['an empty role', 'role', '{"role":""}', 'anon', undefined],
  ['an empty list', 'role', '{"role":[]}', 'anon', undefined],
  ['a list with no role', 'role', '{"role":["admin",1,null,["web"],{"web":1}]}', 'anon', undefined],
  ['a list with several roles', 'role', '{"role":["web","staff"]}', 'anon', undefined],
  ['a list with one of the roles', 'a.roles', '{"a":{"roles":["x","web"]}}', 'anon', 'web'],
  ['a list with one of them twice', 'role', '{"role":["web","x","web"]}', undefined, 'web'],
  ['null', 'role', '{"role":null}', 'anon', undefined],
  ['a number', 'role', '{"role":1}', 'anon', undefined],
  ['a member that every object has', 'constructor', '{}', undefined, undefined],
  ['the prototype', '__proto__', '{"__proto__":"web"}', undefined, 'web'],
  ['a member of a string', 'role.length', '{"role":"web"}', undefined, undefined],
  ['nobody, as anonymous', 'role', undefined, 'anon', 'anon'],
  ['no claim, as anonymous', 'role', '{"sub":"a"}', 'anon', 'anon'],
  ['a role', 'role', '{"role":"web"}', undefined, 'web'],
  ['a role inside', 'app.db.role', '{"app":{"db":{"role":"staff"}}}', 'anon', 'staff'],
  ['a name with dots', 'https://a.example/role', '{"https://a.example/role":"web"}', 'anon', 'web'],
  ['a role in a list', 'app.0', '{"app":["web"]}', 'anon', 'anon'],
  ['a role that is not so far inside', 'app.db.role', '{"app":{"db":1}}', 'anon', 'anon'],
];

t.test('which role a caller has', (t) => {
  for (const [what, claim, claims, anonymous, expected] of CASES) {
    const roles = new DatabaseRole({ claim, allowed: ['web', 'staff'], anonymous });
    const caller: Caller | undefined =
      claims === undefined
        ? undefined
        : {
            name: 'ann',
            scopes: new Set<string>(),
            claims,
            payload: JSON.parse(claims) as Record<string, unknown>,
            expires: Infinity,
          };
    for (const time of ['first', 'second']) {
      if (expected === undefined)
        t.throws(() => roles.of(caller), new ServiceError('permission_denied'), `${what}, ${time}`);
      else t.equal(roles.of(caller), expected, `${what}, ${time}`);
    }
  }
  t.end();
});
