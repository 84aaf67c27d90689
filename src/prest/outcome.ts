/**
 * What came of taking pREST's configuration over, and how it is written for people. Holds no secret.
 */
import type { Finding, Kind, Variable } from './draft.js';

/** Outcome is everything there is to say, in the form of `migrate from-prest --json`. */
export interface Outcome {
  /** Whether everything was taken over, or could be. */
  readonly ok: boolean;
  /** The prest.toml, null when there are only variables. */
  readonly from: string | null;
  /** The service.toml. */
  readonly to: string;
  readonly dryRun: boolean;
  /** Whether `to` was written. */
  readonly written: boolean;
  /** What has to be put right; nothing is written then. */
  readonly problems: readonly string[];
  /** What `check` warns of. */
  readonly warnings: readonly string[];
  /** Variables to be set for the service. */
  readonly variables: readonly Variable[];
  readonly findings: readonly Finding[];
  /** Rows that were copied, by table. */
  readonly copied: Readonly<Record<string, number>>;
}

const HEADINGS: Readonly<Record<Kind, string>> = {
  taken: 'taken over',
  renamed: 'under another name',
  differs: 'different here',
  unused: 'without effect',
  unsupported: 'not taken over, needs attention',
};

/** writeOutcome writes an outcome for people. */
export function writeOutcome(outcome: Outcome): string {
  const { from, to, dryRun, written, problems, warnings, variables, findings, copied } = outcome;
  const lines = [`${from ?? 'PREST_* variables'} → ${to}`];
  const section = (heading: string, items: readonly string[]): void => {
    if (items.length > 0) lines.push(`${heading}:`, ...items.map((item) => `  ${item}`));
  };
  for (const [kind, heading] of Object.entries(HEADINGS))
    section(
      heading,
      findings
        .filter((finding) => finding.kind === kind)
        .map(
          ({ subject, message }) => `${subject}${message.startsWith('=') ? ' ' : ': '}${message}`,
        ),
    );
  section('check warns', warnings);
  section(
    'set for the service',
    variables.map(({ name, from: place }) => `${name}, from ${place}`),
  );
  section('to be put right', problems);
  for (const [table, rows] of Object.entries(copied))
    lines.push(`${rows} row${rows === 1 ? '' : 's'} copied into ${table}`);
  if (problems.length > 0)
    lines.push(dryRun ? 'it cannot be taken over so' : `${to} was not written`);
  else if (dryRun) lines.push('nothing was changed; without --dry-run it is');
  else if (written) lines.push(`${to} was written; look it over with sql-rest-service check`);
  // Names of scripts may hold anything, and a terminal obeys some of it.
  return `${lines.map((line) => line.replaceAll(/\p{Cc}/gu, '\ufffd')).join('\n')}\n`;
}
