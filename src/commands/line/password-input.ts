/**
 * Reads a new password from standard input: on a terminal a prompt, twice and without echo, otherwise the first line, for
 * which it does not wait forever. It is never an argument, which other users of the machine could read. Refuses passwords that are too short or too long.
 */
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { BCRYPT_BYTES, fitsBcrypt, type Scheme } from '../../access/logins/password.js';
import { firstLine } from './first-line.js';

/** Minimum number of characters. */
const MIN_LENGTH = 8;

export class PasswordError extends Error {
  override readonly name = 'PasswordError';
}

/** readPassword resolves to a password that the scheme can hash. Rejects with PasswordError. */
export async function readPassword(scheme: Scheme): Promise<string> {
  const password = process.stdin.isTTY ? await askTwice() : await piped();
  if (Array.from(password).length < MIN_LENGTH)
    throw new PasswordError(`the password has fewer than ${MIN_LENGTH} characters`);
  if (scheme === 'bcrypt' && !fitsBcrypt(password))
    throw new PasswordError(
      `the password has a NUL or more than ${BCRYPT_BYTES} bytes, and bcrypt does not see what comes after that`,
    );
  return password;
}

async function piped(): Promise<string> {
  const waiting = (): void => {
    process.stderr.write('waiting for the password on standard input\n');
  };
  const read = await firstLine(process.stdin, { waiting });
  if (typeof read === 'object') return read.line;
  throw new PasswordError(`${NOT_READ[read]}: run it on a terminal, or pipe the password into it`);
}

const NOT_READ = {
  empty: 'no password was given: standard input is no terminal, and empty',
  late: 'no password was given: standard input is no terminal, and nothing came on it in a minute',
  long: 'the first line of standard input is too long for a password',
} as const;

/** Prompts on a terminal, without echo. */
async function askTwice(): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const input = createInterface({
    input: process.stdin,
    output: nowhere,
    terminal: true,
    historySize: 0,
  });
  const lines = input[Symbol.asyncIterator]();
  const ask = async (prompt: string): Promise<string> => {
    process.stderr.write(prompt);
    const line = await lines.next();
    process.stderr.write('\n');
    if (line.done) throw new PasswordError('no password was given'); // Ctrl-C, Ctrl-D
    return line.value;
  };
  try {
    const password = await ask('Password: ');
    if ((await ask('Again: ')) !== password) throw new PasswordError('the passwords differ');
    return password;
  } finally {
    input.close();
  }
}
