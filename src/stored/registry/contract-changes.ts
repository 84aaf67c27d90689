/** What the new texts of a stored script change for its callers, and what of that cannot be known. */
import type { Change } from '../../describe/contract/change.js';
import { diffContracts } from '../../describe/contract/contract-diff.js';
import { contractOf, type ContractSource } from '../../describe/contract/script-contract.js';
import { NO_HEAD } from '../../script/head/head.js';
import type { AnalysedRecord } from '../../proof/branches/proof-record.js';
import { NOTHING_SHOWN } from '../../messages/proofs.js';
import type { ScriptText } from '../../script/script-text.js';
import { VERBS, type Verb } from '../../script/verb.js';
import type { RecordContent } from './records.js';
import type { Validation, VerbProofs } from './script-proofs.js';
import { compileOne, TemplateRejected, type Texts } from './template-check.js';

export type TextChange = Omit<Change, 'script'>;

/** What is not known of the changes of a text. */
export interface UnknownChange {
  readonly verb: Verb;
  readonly what: string;
}

export interface ContractChanges {
  /** Those that break callers first. */
  readonly changes: readonly TextChange[];
  readonly unknown: readonly UnknownChange[];
  /** Whether there was no time to compare a text. */
  readonly isCut: boolean;
}

/** The texts of a stored script that others replace. */
export interface ReplacedTexts {
  /** Verbs whose texts are not the same. */
  readonly verbs: ReadonlySet<Verb>;
  /** Those that have to be proved: valid templates that get another text. */
  readonly texts: Texts;
}

/** replacedTexts compares a stored script, `<folder>/<script>`, with new texts; undefined is one that is new. */
export function replacedTexts(
  script: string,
  stored: RecordContent | undefined,
  now: Texts,
): ReplacedTexts {
  const verbs = new Set<Verb>();
  const texts = new Map<Verb, ScriptText>();
  for (const verb of VERBS) {
    const old = stored?.[`${verb}_sql`] ?? '';
    const text = now.get(verb);
    if (old === '' || old === text?.template.text) continue;
    verbs.add(verb);
    const compiled = text && compiledOrNone(script, verb, old);
    if (compiled !== undefined) texts.set(verb, compiled);
  }
  return { verbs, texts };
}

function compiledOrNone(script: string, verb: Verb, text: string): ScriptText | undefined {
  try {
    return compileOne(script, verb, text);
  } catch (error) {
    if (!(error instanceof TemplateRejected)) throw error;
    return undefined;
  }
}

const NOT_NULL_UNKNOWN =
  'which columns can be null: this needs PostgreSQL 14, a server that takes writes, the right to make temporary objects, and not more than 32 different statements';

/** contractChanges compares the texts of the script, `[alias/]folder/name`. */
export function contractChanges(
  script: string,
  stored: RecordContent,
  before: ReplacedTexts,
  now: Texts,
  { proofs, replaced, cut }: Validation,
): ContractChanges {
  const [olds, news]: [ContractSource[], ContractSource[]] = [[], []];
  const unknown: UnknownChange[] = [];
  let isCut = false;
  for (const verb of VERBS) {
    const [was, is] = [before.texts.get(verb), now.get(verb)];
    const hasOld = (stored[`${verb}_sql`] ?? '') !== '';
    if (!before.verbs.has(verb)) {
      if (!hasOld && is !== undefined) news.push({ ...NOTHING_KNOWN, script, verb });
    } else if (is === undefined) olds.push({ ...NOTHING_KNOWN, script, verb });
    else if (was === undefined || replaced.get(verb)?.verdict === 'broken')
      unknown.push({ verb, what: 'what changes for callers: the stored text is broken' });
    else if (cut.has(was) || cut.has(is)) {
      unknown.push({ verb, what: 'what changes for callers: the time for the proofs was over' });
      isCut = true;
    } else {
      const source = ({ head }: ScriptText, all: VerbProofs): ContractSource => {
        return { script, verb, head, proof: all.get(verb)! };
      };
      const [old, current] = [source(was, replaced), source(is, proofs)];
      const isKnown = hasNullability(old.proof) && hasNullability(current.proof);
      if (!isKnown) unknown.push({ verb, what: NOT_NULL_UNKNOWN });
      olds.push(isKnown ? old : withoutNullability(old));
      news.push(isKnown ? current : withoutNullability(current));
    }
  }
  const changes = diffContracts(contractOf(olds), contractOf(news));
  return { changes: changes.map(withoutScript), unknown, isCut };
}

function withoutScript({ verb, breaking, kind, name, message }: Change): TextChange {
  return { verb, breaking, kind, name, message };
}

/** A text that is gone, or new, needs no more than its name. */
const NOTHING_KNOWN: Pick<ContractSource, 'head' | 'proof'> = {
  head: NO_HEAD,
  proof: { ...NOTHING_SHOWN, verdict: 'open' },
};

/** Whether its statements could all be analysed, or return nothing. */
function hasNullability({ columns, volatility }: AnalysedRecord): boolean {
  return volatility !== undefined || columns.every((form) => form.length === 0);
}

/** A column that may be null counts as such in both texts, so that this is no change. */
function withoutNullability(source: ContractSource): ContractSource {
  const { proof } = source;
  const columns = proof.columns.map((form) =>
    form.map((column) => ({ ...column, nullable: true })),
  );
  return { ...source, proof: { ...proof, columns } };
}
