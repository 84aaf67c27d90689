/** Finds the texts of a script that nobody has the privileges to run, and which roles lack some. */
import type { Denial, MissingPrivileges, Uses } from './privileges.js';
import type { ResultForms } from './result-forms.js';
import type { Checked } from './shape-checks.js';

/** Asks PostgreSQL which privileges are missing. Rejects with StatementFailure. */
export type AskPrivileges = (texts: readonly Uses[]) => Promise<MissingPrivileges>;

export interface CheckedPrivileges {
  /** The texts, with a fault where nobody can run one. */
  readonly checked: readonly Checked[];
  readonly denied: readonly Denial[];
}

/**
 * checkPrivileges leaves alone what was not analysed, and where callers choose a part of the text. `analyseRest` is called
 * when something is wrong: under which condition shows in the texts that were not analysed.
 */
export async function checkPrivileges(
  checked: readonly Checked[],
  forms: ResultForms,
  ask: AskPrivileges,
  analyseRest: () => Promise<unknown>,
): Promise<CheckedPrivileges> {
  const first = await checkOnce(checked, forms, ask);
  if (first.checked.every((one, i) => one === checked[i])) return first;
  await analyseRest();
  return checkOnce(checked, forms, ask);
}

async function checkOnce(
  checked: readonly Checked[],
  forms: ResultForms,
  ask: AskPrivileges,
): Promise<CheckedPrivileges> {
  const used = new Map<Checked, Uses>();
  for (const one of checked) {
    const { columns, open, statements } = one.result;
    const uses = columns === undefined || open.length > 0 ? undefined : forms.rightsOf(statements);
    if (uses !== undefined) used.set(one, uses);
  }
  const texts = [...used.values()];
  const missing = await ask(texts);
  return {
    checked: checked.map((one) => {
      const uses = used.get(one);
      const fault = uses && missing.faultOf(uses);
      // Without columns it counts as one that is not accepted.
      if (fault === undefined) return one;
      return { ...one, result: { ...one.result, fault, columns: undefined } };
    }),
    denied: missing.denials(texts),
  };
}
