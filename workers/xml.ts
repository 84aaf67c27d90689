/** The program of the thread that converts plugins' responses to XML: one document at a time. */
import { xmlOf } from '#app/query/plugin-xml.js';
import type { XmlOutcome } from '#app/tasks.js';

export default function run(json: Uint8Array): XmlOutcome {
  return xmlOf(json);
}
