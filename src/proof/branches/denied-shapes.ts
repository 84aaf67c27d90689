/** Finds the texts of a script that no role has the privileges to run, and the roles that lack some. */
import type { NeededRights } from '../analysis/dependencies.js';
import type { Denial, MissingPrivileges } from './privileges.js';
import type { ResultForms } from './result-forms.js';
import type { Checked } from './shape-checks.js';

/** Asks PostgreSQL which privileges are missing. Rejects with StatementFailure. */
export type AskPrivileges = (texts: readonly NeededRights[]) => Promise<MissingPrivileges>;

export interface CheckedPrivileges {
  /** The texts; one that no role can run has a fault. */
  readonly checked: readonly Checked[];
  readonly denied: readonly Denial[];
}

/** checkPrivileges leaves alone what was not analysed, and where callers choose a part of the text. */
export async function checkPrivileges(
  checked: readonly Checked[],
  forms: ResultForms,
  ask: AskPrivileges,
): Promise<CheckedPrivileges> {
  const needed = new Map<Checked, NeededRights>();
  for (const one of checked) {
    const { columns, open, statements } = one.result;
    const rights =
      columns === undefined || open.length > 0 ? undefined : forms.rightsOf(statements);
    if (rights !== undefined) needed.set(one, rights);
  }
  const texts = [...needed.values()];
  const missing = await ask(texts);
  return {
    checked: checked.map((one) => {
      const rights = needed.get(one);
      const fault = rights && missing.faultOf(rights);
      // Without columns it counts as one that is not accepted.
      if (fault === undefined) return one;
      return { ...one, result: { ...one.result, fault, columns: undefined } };
    }),
    denied: missing.denials(texts),
  };
}
