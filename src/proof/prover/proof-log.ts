/** What is logged about proofs: what is broken, once; what is good again; and what there is after each round. */
import { excerpt } from '../../base/excerpt.js';
import type { Logger } from '../../observe/log.js';
import { maskQuoted } from '../../postgres/statement/sql-failure.js';
import {
  VERDICTS,
  type RecordedFinding,
  type ServedProof,
  type Verdict,
} from '../../messages/proofs.js';

/** Most findings of a text that are logged one by one. */
const MOST = 20;

export class ProofLog {
  readonly #log: Logger;
  readonly #development: boolean;

  /** In `development` what is found is logged again with each new text, whole and with the lines around it. */
  constructor(log: Logger, development: boolean) {
    this.#log = log;
    this.#development = development;
  }

  /**
   * proved logs what a proof shows that the one before did not; `since` says why the text was proved again, `source` is the
   * text.
   */
  proved(
    before: ServedProof | undefined,
    proof: ServedProof,
    since: string | undefined,
    source: string | undefined,
  ): void {
    const { alias, script, verb, record } = proof;
    const place = { script, verb, database: alias };
    const isNew = this.#development && before?.text !== proof.text;
    const known = new Set(isNew ? [] : before?.record.findings.map(nameOf));
    const found = record.findings.filter((finding) => !known.has(nameOf(finding)));
    const reason = since === undefined ? '' : `, since ${since}`;
    for (const { message, code, hint, line, column, when } of found.slice(0, MOST)) {
      const position = [script, line, column].filter((part) => part !== undefined).join(':');
      const lines =
        this.#development && source !== undefined && line !== undefined
          ? { source: excerpt(source, { line, column }) }
          : {};
      this.#log.warn(
        { ...place, position, code, when, hint, ...lines },
        `the script is broken${reason}: ${this.#development ? message : masked(message, code)}`,
      );
    }
    if (found.length > MOST)
      this.#log.warn(place, `the script is broken in ${found.length - MOST} more ways`);
    if (before?.record.verdict === 'broken' && record.verdict !== 'broken')
      this.#log.info(place, 'the script is not broken any more');
  }

  /** round logs how many texts have which verdict; `time` is what the round took, ms. */
  round(proofs: Iterable<ServedProof>, time: number): void {
    const zeros = VERDICTS.map((verdict): [Verdict, number] => [verdict, 0]);
    const counts = Object.fromEntries(zeros) as Record<Verdict, number>;
    for (const { record } of proofs) counts[record.verdict]++;
    this.#log.info({ ...counts, ms: Math.round(time) }, 'the scripts were proved');
  }
}

/** The message without constants of the SQL: other errors quote names, or are the service's own. */
function masked(message: string, code: string): string {
  if (code.startsWith('22')) return maskQuoted(message);
  return message.replace(/ at or near "[a-z]?&?'.*$/is, ' at or near "…"');
}

/** Two findings with the same name are one to the reader of the log. */
function nameOf({ message, code, line, column, when }: RecordedFinding): string {
  return JSON.stringify([line, column, when, code, message]);
}
