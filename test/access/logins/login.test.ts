/** Responses of logins, and the work each one does. */
import { createHash } from 'node:crypto';
import bcrypt from 'bcrypt';
import t from 'tap';
import { Login } from '#app/access/logins/login.js';
import { Passwords } from '#app/access/logins/password.js';
import type { TokenUser } from '#app/access/tokens/token-issuer.js';
import { ServiceError } from '#app/base/errors.js';
import { createLogger } from '#app/observe/log.js';
import type { AttemptKeys } from '#app/messages/ipc.js';
import type { LoginSettings } from '#app/messages/access-settings.js';
import type { LoginLimits } from '#app/messages/supervisor-settings.js';
import type { StoredUser } from '#app/messages/tasks.js';
import { LoginAttempts } from '#app/serve/supervisor/login-attempts.js';
import { countedBcrypt, type CountedBcrypt } from '../counted-bcrypt.js';
import { until } from '../../support/until.js';

const md5 = (password: string): string => createHash('md5').update(password).digest('hex');
const HASH = bcrypt.hashSync('123456', 4);
const USERS: readonly StoredUser[] = [
  { id: 1, name: 'N', username: 'bcrypt', password: HASH, metadata: { a: 1 } },
  { id: 3, name: 'M', username: 'md5', password: md5('123456'), metadata: null },
  { id: 4, name: '', username: 'plain', password: '123456', metadata: null },
  { id: 5, name: '', username: 'none', password: null, metadata: null },
];
const UNLIMITED = { perUser: 1_000, perAddress: 1_000, window: 1_000 };

interface Tried {
  readonly login: (body: unknown, authorization?: string, address?: string) => Promise<string>;
  readonly bcrypt: CountedBcrypt;
  readonly attempts: LoginAttempts;
  /** Looked up names. */
  readonly found: string[];
  /** Renewed hashes. */
  readonly renewed: [username: string, from: string, to: string][];
  readonly issued: TokenUser[];
}

interface TriedOptions {
  readonly settings?: Partial<LoginSettings>;
  readonly limits?: LoginLimits;
  readonly find?: (username: string) => Promise<StoredUser | null>;
  readonly renew?: () => Promise<void>;
  readonly begin?: (keys: AttemptKeys) => Promise<number>;
}

function tried(options: TriedOptions = {}): Tried {
  const counted = countedBcrypt();
  const attempts = new LoginAttempts(options.limits ?? UNLIMITED);
  const [found, renewed, issued]: [string[], Tried['renewed'], TokenUser[]] = [[], [], []];
  const login = new Login(
    { type: 'body', encrypt: 'bcrypt', ...options.settings },
    {
      findUser: async (username) => {
        found.push(username);
        if (options.find !== undefined) return options.find(username);
        return USERS.find((user) => user.username === username) ?? null;
      },
      renewPassword: async (...change) => {
        renewed.push(change);
        await options.renew?.();
      },
    },
    {
      begin: options.begin ?? ((keys) => Promise.resolve(attempts.begin(keys))),
      end: (keys, end) => attempts.end(keys, end),
    },
    new Passwords(counted),
    {
      issue: (user) => {
        issued.push(user);
        return Promise.resolve('a.b.c');
      },
    },
    createLogger({ level: 'silent', pretty: false }, {}),
  );
  return {
    login: (body, authorization = '', address = '127.0.0.1') => {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      return login.respond({
        authorization,
        body: Buffer.isBuffer(body) ? body : body === undefined ? undefined : Buffer.from(text),
        address,
        requestId: 'r',
      });
    },
    bcrypt: counted,
    attempts,
    found,
    renewed,
    issued,
  };
}

/** The error code of a refused login, or its response. */
async function outcome(login: Promise<string>): Promise<string> {
  try {
    return await login;
  } catch (error) {
    return error instanceof ServiceError ? `${error.status} ${error.code}` : String(error);
  }
}

const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;
const ANSWER =
  '{"user_info":{"id":1,"name":"N","username":"bcrypt","metadata":{"a":1}},"token":"a.b.c"}';
const MD5 = '{"user_info":{"id":3,"name":"M","username":"md5","metadata":null},"token":"a.b.c"}';
const FAILED = '401 login_failed';

t.test('bodies', async (t) => {
  const cases: [name: string, body: unknown, outcome: string][] = [
    ['bcrypt', { username: 'bcrypt', password: '123456' }, ANSWER],
    ['md5', { username: 'md5', password: '123456' }, MD5],
    ['another case', { username: 'BCrypt', password: '123456' }, ANSWER],
    ['a member more', { extra: 1, username: 'bcrypt', password: '123456' }, ANSWER],
    ['wrong password', { username: 'bcrypt', password: 'x' }, FAILED],
    ['another case of the password', { username: 'md5', password: '123456 ' }, FAILED],
    ['the hash', { username: 'bcrypt', password: HASH }, FAILED],
    ['stored as it is', { username: 'plain', password: '123456' }, FAILED],
    ['nothing stored', { username: 'none', password: '' }, FAILED],
    ['unknown', { username: 'nobody', password: 'x' }, FAILED],
    ['empty', { username: '', password: '' }, FAILED],
    ['NUL in the password', { username: 'bcrypt', password: '123456\0' }, FAILED],
    ['no password', { username: 'bcrypt' }, FAILED],
    ['no name', { password: '123456' }, FAILED],
    ['a number', { username: 'bcrypt', password: 123456 }, FAILED],
    ['lists', { username: ['bcrypt'], password: ['123456'] }, FAILED],
    ['null', 'null', FAILED],
    ['a list', '["bcrypt","123456"]', FAILED],
    ['a text', '"bcrypt"', FAILED],
    ['not JSON', '{', FAILED],
    ['a form', 'username=bcrypt&password=123456', FAILED],
    ['two values', '{"username":"bcrypt","password":"123456"} {}', FAILED],
    ['a prototype', '{"__proto__":{"username":"bcrypt","password":"123456"}}', FAILED],
    ['not UTF-8', Buffer.from('{"username":"bcrypt\xff","password":"123456"}', 'latin1'), FAILED],
    ['nothing', undefined, FAILED],
    ['no bytes', '', FAILED],
  ];
  for (const [name, body, expected] of cases) {
    const { login, bcrypt } = tried();
    t.equal(await outcome(login(body, basic('bcrypt:123456'))), expected, name);
    t.equal(bcrypt.compared.length, 1, `${name}: the same work`);
  }
});

t.test('type basic', async (t) => {
  const cases: [name: string, authorization: string, outcome: string][] = [
    ['good', basic('bcrypt:123456'), ANSWER],
    ['another case', basic('BCRYPT:123456').replace('Basic', 'bAsIc'), ANSWER],
    ['wrong', basic('bcrypt:x'), FAILED],
    ['a colon in the password', basic('bcrypt:123456:'), FAILED],
    ['no colon', basic('bcrypt'), FAILED],
    ['not base64', 'Basic *', FAILED],
    ['not UTF-8', `Basic ${Buffer.from('\xff:x', 'latin1').toString('base64')}`, FAILED],
    ['nothing', 'Basic', FAILED],
    ['another scheme', 'Bearer a.b.c', '400 login_missing'],
    ['no header', '', '400 login_missing'],
  ];
  for (const [name, authorization, expected] of cases) {
    const { login, bcrypt } = tried({ settings: { type: 'basic' } });
    const body = { username: 'bcrypt', password: '123456' };
    t.equal(await outcome(login(body, authorization)), expected, name);
    t.equal(bcrypt.compared.length, expected.startsWith('400') ? 0 : 1, name);
  }
  const { login } = tried({ settings: { type: 'basic' } });
  t.match(await outcome(login(undefined, basic('nobody:a:b'))), FAILED);
});

t.test('the token contains what the response does, and no more', async (t) => {
  const { login, issued } = tried();
  await login({ username: 'bcrypt', password: '123456' });
  t.strictSame(issued, [{ id: 1, name: 'N', username: 'bcrypt', metadata: { a: 1 } }]);
});

t.test('old hashes are renewed', async (t) => {
  const body = { username: 'MD5', password: '123456' };
  const { login, renewed } = tried();
  await login(body);
  await until(() => renewed.length > 0);
  const [[username, from, to] = ['', '', '']] = renewed;
  t.strictSame([username, from], ['md5', md5('123456')]);
  t.ok(await bcrypt.compare('123456', to));
  t.test('not', async (t) => {
    const cases: [name: string, options: TriedOptions, body: object][] = [
      ['when md5 is wanted', { settings: { encrypt: 'md5' } }, body],
      ['when the password is wrong', {}, { ...body, password: 'x' }],
      ['when it is bcrypt', {}, { username: 'bcrypt', password: '123456' }],
    ];
    for (const [name, options, body] of cases) {
      const { login, renewed, bcrypt } = tried(options);
      await outcome(login(body));
      await new Promise((resolve) => setTimeout(resolve, 20));
      t.strictSame([renewed, bcrypt.hashed], [[], 0], name);
    }
    const long = 'x'.repeat(73);
    const { login, bcrypt } = tried({
      find: () => Promise.resolve({ ...USERS[1]!, password: md5(long) }),
    });
    t.equal(await outcome(login({ username: 'md5', password: long })), MD5);
    t.equal(bcrypt.hashed, 0, 'when bcrypt cannot hold it');
  });
  t.test('a login does not fail over it', async (t) => {
    const { login, renewed } = tried({ renew: () => Promise.reject(new Error('too long')) });
    t.equal(await outcome(login(body)), MD5);
    await until(() => renewed.length > 0);
    t.equal(await outcome(login(body)), MD5);
  });
});

t.test('limits', async (t) => {
  const limits = { perUser: 3, perAddress: 5, window: 60_000 };
  const wrong = { username: 'bcrypt', password: 'x' };
  const right = { username: 'bcrypt', password: '123456' };

  await t.test('of a user, at the same time', async (t) => {
    const { login, bcrypt, found } = tried({ limits });
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        outcome(login({ ...wrong, username: i % 2 ? 'bcrypt' : 'BCRYPT' }, '', `10.0.0.${i}`)),
      ),
    );
    t.equal(outcomes.filter((text) => text === FAILED).length, 3);
    t.equal(outcomes.filter((text) => text === '429 too_many_logins').length, 17);
    t.strictSame([bcrypt.compared.length, found.length], [3, 3], 'the rest was not looked at');
    t.equal(await outcome(login(right)), '429 too_many_logins', 'nor with the right password');
    const refused = (await login(right).catch((error: unknown) => error)) as ServiceError;
    t.ok(refused.retryAfter! > 50 && refused.retryAfter! <= 60);
  });

  await t.test('of unknown users just the same', async (t) => {
    const { login } = tried({ limits });
    const unknown = { ...wrong, username: 'nobody' };
    for (let i = 0; i < 3; i++) t.equal(await outcome(login(unknown, '', `1.1.1.${i}`)), FAILED);
    t.equal(await outcome(login(unknown, '', '1.1.1.9')), '429 too_many_logins');
  });

  await t.test('of an address, a broken body included', async (t) => {
    const { login } = tried({ limits });
    for (let i = 0; i < 5; i++)
      t.equal(await outcome(login(i % 2 ? '{' : { ...wrong, username: `u${i}` })), FAILED);
    t.equal(await outcome(login(right)), '429 too_many_logins');
    t.equal(await outcome(login(right, '', '::ffff:127.0.0.1')), '429 too_many_logins');
    t.equal(await outcome(login(right, '', '127.0.0.2')), ANSWER);
  });

  await t.test('a success clears the failures of the user', async (t) => {
    const { login, attempts } = tried({ limits: { ...limits, perAddress: 100 } });
    for (let i = 0; i < 5; i++) {
      await outcome(login(wrong));
      await outcome(login(wrong));
      t.equal(await outcome(login(right)), ANSWER);
    }
    t.equal(attempts.size, 10, 'those of the address stay');
  });

  await t.test('attempts that were not checked do not count', async (t) => {
    const { login, attempts } = tried({
      limits,
      find: () => Promise.reject(new ServiceError('busy')),
    });
    for (let i = 0; i < 10; i++) t.equal(await outcome(login(right)), '503 busy');
    t.equal(attempts.size, 0);
  });

  await t.test('without a counter all logins are refused', async (t) => {
    const { login, bcrypt, found } = tried({
      begin: () => Promise.reject(new ServiceError('busy')),
    });
    t.equal(await outcome(login(right)), '503 busy');
    t.strictSame([bcrypt.compared.length, found.length], [0, 0]);
  });
});

t.test('names of any length are counted by a short key', async (t) => {
  const counted: AttemptKeys[] = [];
  const { login } = tried({
    begin: (keys) => {
      counted.push(keys);
      return Promise.resolve(0);
    },
  });
  for (const username of ['x'.repeat(100_000), 'X'.repeat(100_000), 'y', '\ud800', '\ud801'])
    t.equal(await outcome(login({ username, password: '' })), FAILED);
  t.ok(JSON.stringify(counted).length < 500);
  t.equal(counted[0]!.user, counted[1]!.user);
  t.not(counted[0]!.user, counted[2]!.user);
});
