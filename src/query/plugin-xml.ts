/**
 * The XML form of a plugin's answer. Made in a thread of its own (workers/xml.ts), for it takes its time. Refuses nothing:
 * what is no JSON has none, and what would be too large is not made.
 */
import type { XmlOutcome } from '../protocol.js';
import { jsonToXml } from '../script/xml.js';

/** Most characters of XML. */
const LIMIT = 32 << 20;

const UTF_8 = new TextDecoder('utf-8', { fatal: true });

/** xmlOf makes XML of JSON in UTF-8. */
export function xmlOf(json: Uint8Array, limit = LIMIT): XmlOutcome {
  try {
    return { xml: jsonToXml(UTF_8.decode(json), limit) };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return 'no_json';
    if (error instanceof RangeError) return 'too_large';
    throw error;
  }
}
