/** The name of a caller, and the claims passed to the database. */
import t from 'tap';
import { TokenVerifier } from '#app/access/tokens/token-verifier.js';
import { log, secretKey, SECRET, settings, signed, seconds } from './tokens.js';

const key = secretKey('HS256', SECRET);
const verifier = new TokenVerifier(settings('HS256', { key: SECRET }), log);

t.test('names', async (t) => {
  const cases: [payload: string, name: string][] = [
    ['{}', ''],
    ['{"sub":"ann"}', 'ann'],
    ['{"sub":""}', ''],
    ['{"sub":7}', ''],
    ['{"sub":["ann"]}', ''],
    ['{"name":"ann","username":"ann"}', ''],
    ['{"UserInfo":{"username":"ann"},"sub":"bo"}', 'ann'],
    ['{"UserInfo":{"username":""},"sub":"bo"}', ''],
    ['{"UserInfo":{"username":7},"sub":"bo"}', ''],
    ['{"UserInfo":{"username":null},"sub":"bo"}', ''],
    ['{"UserInfo":{"username":{"a":1}},"sub":"bo"}', ''],
    ['{"UserInfo":{"name":"ann"},"sub":"bo"}', 'bo'],
    ['{"UserInfo":{"Username":"ann"},"sub":"bo"}', 'bo'],
    ['{"UserInfo":{},"sub":"bo"}', 'bo'],
    ['{"UserInfo":null,"sub":"bo"}', 'bo'],
    ['{"UserInfo":"ann","sub":"bo"}', 'bo'],
    ['{"UserInfo":[{"username":"ann"}],"sub":"bo"}', 'bo'],
    ['{"UserInfo":7,"sub":"bo"}', 'bo'],
    ['{"userinfo":{"username":"ann"},"sub":"bo"}', 'bo'],
    ['{"sub":"Ann "}', 'Ann '],
    ['{"sub":"Zoë"}', 'Zoë'],
    ['{"sub":"Zo\\u00eb"}', 'Zoë'],
    ['{"sub":"Zoe\\u0308"}', 'Zoe\u0308'],
    ['{"sub":"李 🐘"}', '李 🐘'],
    ['{"__proto__":{"sub":"root"}}', ''],
    ['{"__proto__":{"UserInfo":{"username":"root"}},"sub":"bo"}', 'bo'],
    ['{"UserInfo":{"__proto__":{"username":"root"}},"sub":"bo"}', 'bo'],
    ['{"constructor":{"prototype":{"sub":"root"}}}', ''],
  ];
  for (const [payload, name] of cases) {
    const caller = await verifier.verify(signed(key, payload));
    t.equal(caller.name, name, payload);
    t.equal(caller.claims, payload, 'claims are the payload');
    t.equal(JSON.stringify(caller.payload), JSON.stringify(JSON.parse(payload)));
  }
  t.equal(({} as { sub?: unknown }).sub, undefined, 'no prototype was changed');
});

t.test('names in a claim of another issuer', async (t) => {
  const cases: [claim: string, payload: string, name: string][] = [
    ['email', '{"email":"ann@a.example","sub":"7"}', 'ann@a.example'],
    ['email', '{"sub":"7","UserInfo":{"username":"bo"}}', ''],
    ['email', '{"email":["ann"]}', ''],
    ['email', '{"email":7}', ''],
    ['user.login', '{"user":{"login":"ann"}}', 'ann'],
    ['user.login', '{"user":[{"login":"ann"}]}', ''],
    ['user.0', '{"user":["ann"]}', ''],
    ['https://a.example/name', '{"https://a.example/name":"ann"}', 'ann'],
    ['toString.name', '{}', ''],
    ['__proto__.sub', '{"sub":"ann"}', ''],
  ];
  for (const [nameClaim, payload, name] of cases) {
    const other = new TokenVerifier(settings('HS256', { key: SECRET, nameClaim }), log);
    t.equal((await other.verify(signed(key, payload))).name, name, `${nameClaim} in ${payload}`);
  }
});

t.test('scopes', async (t) => {
  const cases: [payload: string, scopes: string[]][] = [
    ['{}', []],
    ['{"scope":""}', []],
    ['{"scope":"  a  b:c "}', ['a', 'b:c']],
    ['{"scope":"a\\tb"}', ['a\tb']],
    ['{"scope":["a","b c",7,"",null]}', ['a', 'b c']],
    ['{"scope":{"a":1}}', []],
    ['{"scope":7,"scp":"a"}', []],
    ['{"scp":"a b"}', ['a', 'b']],
    ['{"scp":["a","b"]}', ['a', 'b']],
    ['{"scope":"a","scp":["b"]}', ['a']],
    ['{"__proto__":{"scope":"a"}}', []],
  ];
  for (const [payload, scopes] of cases)
    t.strictSame([...(await verifier.verify(signed(key, payload))).scopes], scopes, payload);
});

t.test('claims are compact, and otherwise as they were sent', async (t) => {
  const cases: [payload: string, claims: string][] = [
    [' { "a" : [ 1 , 2 ] ,\n\t"b" : { } }\r\n', '{"a":[1,2],"b":{}}'],
    ['{"id":9007199254740993}', '{"id":9007199254740993}'],
    ['{"n":1.10,"m":1e2,"o":-0}', '{"n":1.10,"m":1e2,"o":-0}'],
    ['{"a":"x \\" } , y : ","b":"\\\\"}', '{"a":"x \\" } , y : ","b":"\\\\"}'],
    ['{"a":{"x":1},"b":{"x":1},"x":[{"x":1},{"x":2}]}', '{"a":{"x":1},"b":{"x":1},"x":[{"x":1},{"x":2}]}'], // prettier-ignore
    ['{"a":[true,false,null,"a","a"]}', '{"a":[true,false,null,"a","a"]}'],
  ];
  for (const [payload, claims] of cases)
    t.equal((await verifier.verify(signed(key, payload))).claims, claims, payload);
});

t.test('expiry', async (t) => {
  t.equal((await verifier.verify(signed(key, {}))).expires, Infinity);
  const exp = seconds(60);
  t.equal((await verifier.verify(signed(key, { exp }))).expires, exp * 1_000);
  const half = exp + 0.5;
  t.equal((await verifier.verify(signed(key, { exp: half }))).expires, half * 1_000);
});
