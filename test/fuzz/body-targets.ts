/**
 * Bodies of requests to scripts, for each type: what is read of one is what another reader finds in it, and an error has a
 * place in the body and nothing of what it contains.
 */
import { isUtf8 } from 'node:buffer';
import { MAX_DEPTH } from '#app/script/body/json-document.js';
import { MAX_PAIRS } from '#app/script/body/pairs.js';
import { readBody, RequestBody } from '#app/script/body/request-body.js';
import { ServiceError } from '#app/base/errors.js';
import {
  charactersOf,
  depthOf,
  hasRepeated,
  JSON_TEXTS,
  JSON_TOKENS,
  parsedOf,
  textsIn,
} from './json-texts.js';
import { Mutator } from './mutator.js';
import { attempt, expect, type Target } from './target.js';

interface Body {
  /** One character a byte. */
  readonly characters: string;
  readonly contentType: string;
}

/** In the bodies of the corpora, and in no message. */
const SECRET = 'hush';

function checkError(error: ServiceError, text: string): string {
  expect(error.code === 'invalid_body' || error.code === 'unsupported_media_type', 'a body is refused as such'); // prettier-ignore
  expect(!error.message.includes(SECRET), 'no message has a part of a body');
  const [, line, column] = / at line (\d+), column (\d+)$/.exec(error.message) ?? [];
  if (line !== undefined) {
    const found = text.split('\n')[Number(line) - 1];
    expect(found !== undefined && Number(column) <= charactersOf(found) + 1, 'a place is one of the body'); // prettier-ignore
  }
  return error.message.replace(/ at line.*/, '');
}

const latin1 = (text: string): string => Buffer.from(text).toString('latin1');

export function jsonTarget(): Target<Body> {
  const mutator = new Mutator(JSON_TEXTS, JSON_TOKENS);
  const types = ['application/json', 'application/merge-patch+json; charset=utf-8'];
  return {
    name: 'body: JSON',
    input(random) {
      const text = latin1(mutator.next(random));
      // Bytes that are no UTF-8.
      const characters = random.next() < 0.03 ? text.slice(1) + '\xe9' : text;
      return { characters, contentType: random.pick(types) };
    },
    run(body) {
      const bytes = Buffer.from(body.characters, 'latin1');
      const text = bytes.toString();
      const parsed = isUtf8(bytes) ? parsedOf(text) : undefined;
      const read = attempt(() => readBody(body, 'text'), ServiceError);
      const sound =
        parsed !== undefined && depthOf(text) <= MAX_DEPTH && !hasRepeated(text) && storable(parsed.value); // prettier-ignore
      if (read instanceof ServiceError) {
        expect(!sound, 'JSON is not refused');
        return checkError(read, text);
      }
      expect(sound && read instanceof RequestBody, 'what is no JSON is refused');
      expect(read.get('request.body') === text, 'the body is what was sent');
      return checkMembers(read, parsed.value);
    },
  };
}

function storable(value: unknown): boolean {
  return [...textsIn(value)].every((text) => text.isWellFormed() && !text.includes('\0'));
}

function checkMembers(read: RequestBody, value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'no object';
  for (const [name, member] of Object.entries(value)) {
    const found = read.get(`body.${name}`);
    if (typeof member === 'string' || member === null) expect(found === member, 'a text is itself');
    else if (typeof found === 'string')
      expect(Object.is(JSON.parse(found), member) || JSON.stringify(JSON.parse(found)) === JSON.stringify(member), 'a member is its text'); // prettier-ignore
    else expect(Array.isArray(member) && Array.isArray(found) && sameItems(found, member), 'a list is its items'); // prettier-ignore
  }
  expect([...read.texts()].length > 0, 'a body has a text');
  return 'object';
}

function sameItems(found: readonly (string | null)[], items: readonly unknown[]): boolean {
  return (
    found.length === items.length &&
    found.every(
      (one, i) => one === items[i] || (one !== null && Object.is(JSON.parse(one), items[i])),
    )
  );
}

export function formTarget(): Target<Body> {
  const corpus = ['a=1&b=2&b=3&c', 'name=hush&price=12%2E50&note=a+b%20c%26', 'a=%C3%A9&b=%F0%9F%98%80&a[]=1', '{"a":1}', '=&=&a=', 'x='.repeat(300)]; // prettier-ignore
  const tokens = ['&', '=', '+', '%', '%2', '%00', '%zz', '%C3', '%ed%a0%80', '%26', '\xff', '\0', 'hush', ';', '&a=b'.repeat(400), '[{']; // prettier-ignore
  const mutator = new Mutator(corpus, tokens, true);
  return {
    name: 'body: form',
    input: (random) => ({
      characters: mutator.next(random),
      contentType: 'application/x-www-form-urlencoded',
    }),
    run(body) {
      const bytes = Buffer.from(body.characters, 'latin1');
      const read = attempt(() => readBody(body, 'members'), ServiceError);
      if (read instanceof ServiceError) return checkError(read, bytes.toString());
      expect(isUtf8(bytes) && read instanceof RequestBody, 'a form is UTF-8');
      const browser = new URLSearchParams(`&${bytes.toString()}`);
      let pairs = 0;
      for (const name of new Set(browser.keys())) {
        const values = browser.getAll(name);
        pairs += values.length;
        const found = [read.get(`body.${name}`)].flat();
        expect(found.join('\n') === values.join('\n'), 'a form is read as browsers write it');
      }
      expect(pairs <= MAX_PAIRS, 'a form has a limit');
      expect(![...browser.values()].some((one) => one.includes('\0')), 'no value has a NUL');
      return `${Math.min(pairs, 5)} pairs`;
    },
  };
}

/** A body with the parts that it was made of, or one that was changed. */
interface Multipart extends Body {
  readonly parts: readonly (readonly [name: string, value: string])[] | undefined;
}

const BOUNDARY = 'b';

function partOf(name: string, value: string): string {
  return `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
}

export function multipartTarget(): Target<Multipart> {
  const file = `--b\r\nContent-Disposition: form-data; name="f"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\n\x00\xffhush\r\n`;
  const corpus = [`${partOf('a', '1')}${partOf('b', 'hush')}--b--\r\n`, `${file}${partOf('a', 'x')}--b--\r\n`, `preamble\r\n${partOf('a', '')}--b--`]; // prettier-ignore
  const tokens = ['\r\n', '--b', '--b--', '\r\n--b\r\n', '\r\n--b--\r\n', 'Content-Disposition: form-data', '; name="a"', '; filename="x"', "; filename*=utf-8''%e2", 'Content-Type: text/plain; charset=utf-16', 'Content-Transfer-Encoding: base64', '\0', '\xff', '\xc3\xa9', '"', '\\', ';', ':', '-']; // prettier-ignore
  const mutator = new Mutator(corpus, tokens, true);
  const values = new Mutator(['1', 'hush', '', 'a\r\nb', '--', '\r\n', 'é'], tokens.slice(0, 4));
  const types = ['multipart/form-data; boundary=b', 'multipart/form-data; boundary="b"; charset=utf-8', 'Multipart/Form-Data;boundary=b']; // prettier-ignore
  const oddTypes = ['multipart/form-data', 'multipart/form-data; boundary=', 'multipart/form-data; boundary="b', 'multipart/form-data; boundary=bb']; // prettier-ignore
  return {
    name: 'body: multipart',
    input(random) {
      if (random.next() < 0.3) {
        const parts = Array.from(
          { length: random.between(1, 6) },
          () =>
            [random.pick(['a', 'b', 'c.d', 'é', '__proto__']), values.next(random).replace(/\0|-/g, '').toWellFormed()] as const, // prettier-ignore
        );
        const text = `${parts.map(([name, value]) => partOf(name, value)).join('')}--b--\r\n`;
        return { parts, characters: latin1(text), contentType: random.pick(types) };
      }
      const contentType = random.pick(random.next() < 0.95 ? types : oddTypes);
      return { parts: undefined, characters: mutator.next(random), contentType };
    },
    async run({ parts, ...body }) {
      let read: RequestBody;
      try {
        read = await readBody(body, 'members');
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        expect(parts === undefined, `what is multipart is not refused: ${error.message}`);
        return checkError(error, body.characters);
      }
      const texts = [...read.texts()].slice(1); // the first one is the whole
      expect(
        texts.every((one) => one.isWellFormed() && !one.includes('\0')),
        'a field can be stored',
      );
      if (parts === undefined) return `${Math.min(texts.length, 5)} values`;
      for (const name of new Set(parts.map(([one]) => one))) {
        const sent = parts.filter(([one]) => one === name).map(([, value]) => value);
        const found = [read.get(`body.${name}`)].flat();
        expect(JSON.stringify(found) === JSON.stringify(sent), 'a field is what was sent');
      }
      return 'its parts';
    },
  };
}
