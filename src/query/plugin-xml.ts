/** The XML form of a plugin's answer, which is made here because it takes its time. Refuses nothing: what is no JSON has none. */
import { jsonToXml } from '../script/xml.js';

const UTF_8 = new TextDecoder('utf-8', { fatal: true });

/** xmlOf makes XML of JSON in UTF-8; null when it is something else, or nested too deeply. */
export function xmlOf(json: Uint8Array): string | null {
  try {
    return jsonToXml(UTF_8.decode(json));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return null;
    throw error;
  }
}
