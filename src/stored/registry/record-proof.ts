/** The proof of a stored record, in which a text that is no valid template is broken too. */
import type { AnalysedRecord } from '../../proof/branches/proof-record.js';
import { NOTHING_SHOWN } from '../../messages/proofs.js';
import type { ScriptText } from '../../script/script-text.js';
import { VERBS, type Verb } from '../../script/verb.js';
import type { RecordContent } from './records.js';
import type { ProofTarget, ScriptProofs, VerbProofs } from './script-proofs.js';
import { compileOne, TemplateRejected } from './template-check.js';

/** proveRecord rejects as ScriptProofs.prove does. */
export async function proveRecord(
  content: RecordContent,
  { script, alias, database }: Omit<ProofTarget, 'texts'>,
  proofs: ScriptProofs,
): Promise<VerbProofs> {
  const texts = new Map<Verb, ScriptText>();
  const invalid = new Map<Verb, AnalysedRecord>();
  for (const verb of VERBS) {
    const text = content[`${verb}_sql`] ?? '';
    if (text === '') continue;
    try {
      texts.set(verb, compileOne(script, verb, text));
    } catch (error) {
      if (!(error instanceof TemplateRejected)) throw error;
      invalid.set(verb, brokenBy(error));
    }
  }
  const proved = await proofs.prove({ script, texts, alias, database });
  const all = new Map([...proved, ...invalid]);
  return new Map(VERBS.flatMap((verb) => (all.has(verb) ? [[verb, all.get(verb)!]] : [])));
}

function brokenBy({ message, code, place }: TemplateRejected): AnalysedRecord {
  const { line, column } = place;
  const position = line === undefined ? {} : { line, ...(column === undefined ? {} : { column }) };
  const finding = { message, code, ...position, when: 'always' };
  return { ...NOTHING_SHOWN, verdict: 'broken', findings: [finding] };
}
