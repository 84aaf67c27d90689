/** Bodies with a Content-Encoding: what zlib decodes at once is what arrives in pieces, within the limit; the budget is given back. */
import { brotliCompressSync, brotliDecompressSync, constants, deflateSync, gunzipSync, gzipSync, inflateSync } from 'node:zlib'; // prettier-ignore
import { ServiceError } from '#app/base/errors.js';
import { BodyBudget } from '#app/serve/http/transport/body-budget.js';
import { ContentDecoder } from '#app/serve/http/routes/content-decoder.js';
import type { HttpRequest } from '#app/serve/http/transport/http-request.js';
import type { Random } from '../../bench/random.js';
import { Mutator } from './mutator.js';
import { expect, type Target } from './target.js';

interface Input {
  /** One character a byte. */
  readonly body: string;
  readonly coding: string;
}

/** Bytes that a decoded body may have. */
const LIMIT = 8_192;

/** More than bodies of a few kilobytes can be decoded to. */
const MOST = 16 << 20;

const SYNC: Readonly<Record<string, (body: Buffer) => Buffer>> = {
  gzip: (body) => gunzipSync(body, { maxOutputLength: MOST }),
  deflate: (body) => inflateSync(body, { maxOutputLength: MOST }),
  br: (body) => brotliDecompressSync(body, { maxOutputLength: MOST }),
};

const TEXTS = ['', 'a', '{"a": 1}', 'a=1&b=2', 'x'.repeat(LIMIT), 'y'.repeat(LIMIT + 1), 'z'.repeat(20_000), 'abc'.repeat(900)]; // prettier-ignore

export function decoderTarget(): Target<Input> {
  const encoders: Readonly<Record<string, (text: string) => Buffer>> = {
    gzip: (text) => gzipSync(text),
    deflate: (text) => deflateSync(text),
    br: (text) => brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
  };
  const bodies = Object.entries(encoders).map(([coding, encode]): [string, Mutator] => {
    const corpus = TEXTS.map((text) => encode(text).toString('latin1'));
    return [coding, new Mutator(corpus, ['\0', '\x1f\x8b', '\xff', ...corpus.slice(0, 2)], true)];
  });
  const budget = new BodyBudget(LIMIT);
  const decoder = new ContentDecoder(budget);
  const whole = 32 << 20;
  return {
    name: 'content encoding',
    input(random) {
      const [coding, mutator] = random.pick(bodies);
      return { body: mutator.next(random), coding: spelled(random, coding) };
    },
    async run({ body, coding }) {
      const bytes = Buffer.from(body, 'latin1');
      const request = requestOf(bytes);
      const found = await decoder.decode(request, coding, LIMIT).catch((error: unknown) => error);
      request.ended?.();
      expect(budget.reserve(whole, true), 'a request that has ended keeps no memory');
      budget.release(whole);
      const name = coding.toLowerCase();
      const sync = SYNC[name === 'x-gzip' ? 'gzip' : name];
      if (found instanceof ServiceError) {
        if (sync === undefined) expect(found.code === 'unsupported_media_type', 'it is named');
        else checkRefusal(found, bytes, sync);
        return `${name}: ${found.code}`;
      }
      expect(Buffer.isBuffer(found), 'a body is decoded or refused');
      expect(found.length <= LIMIT, 'a body is within its limit');
      expect(found.equals(sync?.(bytes) ?? bytes), 'a body is what zlib decodes at once');
      return `${name}: decoded`;
    },
  };
}

function spelled(random: Random, coding: string): string {
  const chance = random.next();
  if (chance < 0.02) return 'identity';
  if (chance < 0.04) return 'zstd';
  if (chance < 0.1) return coding.toUpperCase();
  return chance < 0.15 && coding === 'gzip' ? 'x-gzip' : coding;
}

function checkRefusal({ code }: ServiceError, body: Buffer, sync: (body: Buffer) => Buffer): void {
  let decoded: Buffer | undefined;
  let sound = true;
  try {
    decoded = sync(body);
  } catch {
    sound = false;
  }
  if (code === 'invalid_body') expect(!sound, 'a sound body is decoded');
  // A body may be too large before it is unsound.
  else
    expect(
      code === 'body_too_large' && (decoded?.length ?? Infinity) > LIMIT,
      'a small body is not too large',
    );
}

/** What the decoder uses of a request. */
function requestOf(body: Buffer): HttpRequest {
  const request = { body, ended: undefined, response: { addHeader: () => undefined } };
  return request as unknown as HttpRequest;
}
