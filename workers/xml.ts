/** The program of the thread that makes XML of plugins' answers: one document at a time. */
import { xmlOf } from '#app/query/plugin-xml.js';
import type { XmlOutcome } from '#app/protocol.js';

/** Makes one. */
export default function run(json: Uint8Array): XmlOutcome {
  return xmlOf(json);
}
