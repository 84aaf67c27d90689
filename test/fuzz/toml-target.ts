/**
 * Configurations: one is loaded or refused, each message names a place in the file or a key, and none has a secret.
 */
import { loadConfig, ConfigError } from '#app/commands/config/load.js';
import { BY_SPELLING, KEYS, NAMES, SECTIONS } from '#app/commands/config/schema.js';
import { parseToml } from '#app/commands/config/toml.js';
import { examplesOf } from './corpus.js';
import { Mutator } from './mutator.js';
import { attempt, expect, type Target } from './target.js';

const SECRET = 'hush';

const FILE = '/etc/service/service.toml';

const VALUES = ['true', 'false', '0', '1', '-1', '8080', '1.5', '""', '"x"', "'x'", '"10s"', '"500ms"', '"1MiB"', '"16KiB"', '[]', '["a"]', '["10.0.0.0/8"]', '{}', '{ a = 1 }', '2020-01-01', '"hush"', '"127.0.0.1:9187"', '"require"', '"postgres://u:hush@h:5432/d?sslmode=require"', 'inf', 'nan', '0xff', '"(a"', '"/x"', '"\\u0000"', '99999999999999999999']; // prettier-ignore

const SYNTAX = ['[', ']', '[[', ']]', '[pg]\n', '[http]\n', '[jwt]\n', '[access]\n', '[[databases]]\nalias = "b"\n', '[[access.tables]]\nname = "a"\n', '=', '.', '"', "'", '"""', "'''", '\\', '#', '\n', ',', '{', '}', '__proto__', 'constructor', 'url', 'pass', 'alias', 'nope']; // prettier-ignore

export function tomlTarget(): Target<string> {
  const secrets = NAMES.filter((name) => KEYS[name].secret);
  const corpus = [
    ...examplesOf('toml'),
    ...secrets.map((name) => `${name} = "hush"`),
    '[pg]\nhost = "h"\nport = 5432\npass = "hush"\nurl = "postgres://u:hush@h:5432/d"\nreplicas = ["postgres://u:hush@h/d"]\n',
    '[[databases]]\nalias = "a"\nurl = "postgres://u:hush@h:5432/d"\n[[databases]]\nalias = "b"\nhost = "x"\npass = "hush"\n',
    '[jwt]\nkey = "hush"\nalgo = "HS256"\n[auth]\nenabled = true\n[metrics]\nlisten = "127.0.0.1:9187"\ntoken = "hush"\n',
    '[access]\nrestrict = true\n[[access.tables]]\nname = "a"\npermissions = ["read"]\nfields = ["*"]\n',
  ];
  const spellings = [...BY_SPELLING.keys()];
  const lines = spellings.flatMap((name, i) => [`\n${name} = `, `\n${name} = ${VALUES[i % VALUES.length]!}\n`]); // prettier-ignore
  const mutator = new Mutator(corpus, [...VALUES, ...VALUES, ...SYNTAX, ...SYNTAX, ...lines]);
  return {
    name: 'TOML',
    input: (random) => mutator.next(random),
    run(text) {
      const found = attempt(() => loadConfig({ env: {}, cwd: '/etc/service', file: FILE, text }), ConfigError); // prettier-ignore
      const refused = found instanceof ConfigError;
      const messages = refused ? [...found.problems, ...found.warnings] : [...found.warnings];
      const document = parseToml(text, FILE, { errors: [], warnings: [] });
      for (const message of messages) checkMessage(message, text);
      if (onlyInSecrets(document, false))
        expect(!messages.some((message) => message.includes(SECRET)), 'no message has a secret');
      if (document === undefined) return `no TOML: ${messages[0]!.replace(/^.*?: /, '').slice(0, 60)}`; // prettier-ignore
      if (!refused) checkValues(found.config);
      return `${refused ? 'refused' : 'loaded'}, ${Math.min(messages.length, 4)} messages`;
    },
  };
}

/** A message begins with a place in the file, or names a key. */
function checkMessage(message: string, text: string): void {
  expect(/^[^\n]+$/.test(message) && message.length < 6_000, `a message is a line: ${message}`);
  const [, line, column] = /^\/etc\/service\/service\.toml:(\d+):(\d+): \S/.exec(message) ?? [];
  if (line !== undefined) {
    const lines = text.split('\n');
    const found = lines[Number(line) - 1];
    expect(found !== undefined && Number(column) <= found.length + 1, `a place is one of the file: ${message}`); // prettier-ignore
    return;
  }
  const lower = message.toLowerCase();
  const named = lower.startsWith('without effect') || KNOWN.some((name) => lower.includes(name));
  expect(named, `a message names a key: ${message}`);
}

const KNOWN: readonly string[] = [...BY_SPELLING.keys(), ...SECTIONS];

/** The last words of keys with secrets. */
const SECRET_MEMBERS = new Set(
  NAMES.filter((name) => KEYS[name].secret).map((name) => name.replace(/^.*\./, '')),
);

/** Whether the word is a value of keys with secrets alone, and in no name; so in a text that is no TOML. */
function onlyInSecrets(value: unknown, secret: boolean): boolean {
  if (typeof value === 'string') return secret || !value.includes(SECRET);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(
    ([name, one]) =>
      !name.includes(SECRET) &&
      onlyInSecrets(one, secret || SECRET_MEMBERS.has(name.toLowerCase())),
  );
}

/** Every key without a default that is nothing has a value. */
function checkValues(config: object): void {
  expect(Object.isFrozen(config), 'a configuration does not change');
  expect(
    NAMES.every((name) => name in config),
    'a configuration has all keys',
  );
}
