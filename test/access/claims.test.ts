/** The caller's name in the claims of a token. */
import t from 'tap';
import { nameInClaims } from '#app/access/claims.js';

const CASES: readonly (readonly [claims: string, name: string])[] = [
  ['null', ''],
  ['[]', ''],
  ['"ann"', ''],
  ['{}', ''],
  ['{"sub":7}', ''],
  ['{"sub":null}', ''],
  ['{"sub":["ann"]}', ''],
  ['{"username":"ann"}', ''],
  ['{"UserInfo":"ann"}', ''],
  ['{"userinfo":{"username":"ann"}}', ''],
  // A username that is not a string means no name; the subject is not used instead.
  ['{"sub":"ann","UserInfo":{"username":""}}', ''],
  ['{"sub":"ann","UserInfo":{"username":null}}', ''],
  ['{"sub":"ann","UserInfo":{"username":1}}', ''],
  ['{"__proto__":{"sub":"ann"}}', ''],
  ['{"UserInfo":{"__proto__":{"username":"ann"}}}', ''],
  ['{"sub":"ann"}', 'ann'],
  ['{"sub":"ann","UserInfo":{}}', 'ann'],
  ['{"sub":"ann","UserInfo":null}', 'ann'],
  ['{"sub":"ann","UserInfo":["bob"]}', 'ann'],
  ['{"sub":"ann","UserInfo":{"username":"Bob"}}', 'Bob'],
  ['{"UserInfo":{"username":" ann "}}', ' ann '],
];

for (const [claims, name] of CASES)
  t.test(claims, (t) => {
    t.equal(nameInClaims(JSON.parse(claims)), name);
    t.end();
  });
