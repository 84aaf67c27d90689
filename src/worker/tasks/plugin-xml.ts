/** The XML form of a plugin's response, made in a thread of its own (workers/xml.ts), as it may take long. */
import type { XmlOutcome } from '../../messages/tasks.js';
import { jsonToXml } from '../../script/xml.js';

/** Most characters of XML. */
const LIMIT = 32 << 20;

const UTF_8 = new TextDecoder('utf-8', { fatal: true });

/** xmlOf converts JSON in UTF-8; text that is not JSON, or would become too large, has no XML form. */
export function xmlOf(json: Uint8Array, limit = LIMIT): XmlOutcome {
  try {
    return { xml: jsonToXml(UTF_8.decode(json), limit) };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return 'no_json';
    if (error instanceof RangeError) return 'too_large';
    throw error;
  }
}
