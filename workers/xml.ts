/** The program of the thread that converts plugins' responses to XML: one document at a time. */
import { xmlOf } from '#app/worker/tasks/plugin-xml.js';
import type { XmlOutcome } from '#app/messages/tasks.js';

export default function run(json: Uint8Array): XmlOutcome {
  return xmlOf(json);
}
