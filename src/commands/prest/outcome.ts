/**
 * The outcome of a conversion, and its text for `migrate from-prest`. It contains no secret.
 */
import { counted } from '../../base/text.js';
import type { Finding, FindingKind, Variable } from './draft.js';

/** The outcome in the form of `migrate from-prest --json`. */
export interface ConversionOutcome {
  /** Whether everything was converted, or would be. */
  readonly ok: boolean;
  /** The prest.toml; null when there are only variables. */
  readonly from: string | null;
  /** The service.toml. */
  readonly to: string;
  readonly dryRun: boolean;
  /** Whether `to` was written. */
  readonly written: boolean;
  /** Errors that must be fixed; nothing is written then. */
  readonly problems: readonly string[];
  /** Warnings of `check`. */
  readonly warnings: readonly string[];
  readonly variables: readonly Variable[];
  readonly findings: readonly Finding[];
  readonly copied: Readonly<Record<string, number>>;
}

const HEADINGS: Readonly<Record<FindingKind, string>> = {
  taken: 'converted',
  renamed: 'under another name',
  differs: 'different here',
  unused: 'without effect',
  unsupported: 'not converted, needs attention',
};

export function writeOutcome(outcome: ConversionOutcome): string {
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
  section('must be fixed', problems);
  for (const [table, rows] of Object.entries(copied))
    lines.push(`${counted(rows, 'row')} copied into ${table}`);
  if (problems.length > 0)
    lines.push(dryRun ? 'it cannot be converted yet' : `${to} was not written`);
  else if (dryRun) lines.push('nothing was changed; without --dry-run it is');
  else if (written) lines.push(`${to} was written; look it over with sql-rest-service check`);
  // Names of scripts may contain control characters, which a terminal would obey.
  return `${lines.map((line) => line.replaceAll(/\p{Cc}/gu, '\ufffd')).join('\n')}\n`;
}
