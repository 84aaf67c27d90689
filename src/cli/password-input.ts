/**
 * A new password from standard input, never from an argument, which other users of the machine could read: asked for
 * twice, without echo, on a terminal; otherwise its first line. Refuses what is too short, or longer than can be stored.
 */
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { BCRYPT_BYTES, fitsBcrypt, type Scheme } from '../auth/password.js';

/** Least number of characters. */
const LEAST = 8;

/** PasswordError says why there is no password. */
export class PasswordError extends Error {
  override readonly name = 'PasswordError';
}

/** readPassword resolves to a password that can be stored in that form; rejects with PasswordError. */
export async function readPassword(scheme: Scheme): Promise<string> {
  const password = process.stdin.isTTY ? await askTwice() : await firstLine();
  if (Array.from(password).length < LEAST)
    throw new PasswordError(`the password has fewer than ${LEAST} characters`);
  if (scheme === 'bcrypt' && !fitsBcrypt(password))
    throw new PasswordError(
      `the password has a NUL or more than ${BCRYPT_BYTES} bytes, and bcrypt does not see what comes after that`,
    );
  return password;
}

async function firstLine(): Promise<string> {
  const [line = ''] = (await text(process.stdin)).split('\n', 1);
  return line.replace(/\r$/, '');
}

/** Asks on a terminal, which shows nothing of what is typed. */
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
