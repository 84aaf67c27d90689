/** The findings of the proof in the report of `check`, and their text. */
import type { AnalysedRecord } from '../../proof/branches/proof-record.js';
import type { RecordedFinding, RecordedParameter, RecordedPoint } from '../../messages/proofs.js';
import type { Verb } from '../../script/verb.js';
import type { Denial } from '../../proof/branches/privileges.js';
import { oneLine } from '../../base/text.js';
import { printable } from '../line/printable.js';

/** The proof of a text. */
export interface ProvedScript extends AnalysedRecord {
  /** `<folder>/<script>`. */
  readonly script: string;
  readonly verb: Verb;
  /** The file below the directory of scripts, or `[alias/]folder/name (verb)` for a stored text. */
  readonly file: string;
  /** Alias of the database that it was proved on. */
  readonly database: string;
}

/** Findings of the proof. */
export interface ProofFindings {
  readonly ok: boolean;
  /** Whether every combination was to be proved, whatever time that takes. */
  readonly full: boolean;
  /** The database that took the place of the default one, as `host:port/name`. */
  readonly against: string | null;
  /** Databases that stopped answering. */
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
  /** Numbers of texts by verdict. */
  readonly proved: number;
  readonly covered: number;
  readonly open: number;
  readonly broken: number;
  /** With those whose database did not answer. */
  readonly unproved: number;
  /** Files of which not everything was tried. */
  readonly cut: readonly string[];
  /** In the order of their names; stored ones first. */
  readonly scripts: readonly ProvedScript[];
}

/** Most findings, and most open points, that are printed. */
const MOST = 20;

/** proofLines prints the findings; `whole` prints all of them, and what is known of each text. */
export function proofLines(findings: ProofFindings, whole: boolean): string[] {
  const { ok, against, errors, warnings, scripts } = findings;
  const most = whole ? Infinity : MOST;
  const broken = scripts.flatMap((script) =>
    script.findings.map((finding) => findingLines(script, finding)),
  );
  const open = scripts.flatMap((script) => script.open.map((point) => openLine(script, point)));
  const denied = scripts.flatMap(deniedLines);
  const covered = scripts.filter(({ verdict }) => verdict === 'covered');
  return [
    `proof ${against === null ? '' : `against ${printable(against)} `}${ok ? 'ok' : 'not ok'}: ${countsOf(findings)}`,
    ...errors.map((error) => `  error: ${oneLine(error)}`),
    ...bounded(
      warnings.map((warning) => `  warning: ${line(warning)}`),
      most,
      'warnings',
    ),
    ...bounded(broken, most, 'errors').flat(),
    ...bounded(open, most, 'open points'),
    ...bounded(denied, most, 'scripts that a role may not run'),
    ...bounded(covered.map(coveredLine), most, 'covered scripts'),
    ...(whole ? scripts.flatMap(detailLines) : []),
  ];
}

function countsOf(findings: ProofFindings): string {
  const { proved, covered, open, broken, unproved, scripts } = findings;
  const ended = scripts.filter(({ verdict }) => verdict === 'unproved').length;
  const all = proved + covered + open + broken + unproved;
  const parts = [
    [proved, 'proved'],
    [covered, 'covered by pairs'],
    [open, 'open'],
    [broken, 'broken'],
    [ended, 'not proved'],
    [unproved - ended, 'not proved, because the database does not answer'],
  ] as const;
  const counts = parts.filter(([count]) => count > 0).map(([count, what]) => `, ${count} ${what}`);
  return counted(all, 'script') + counts.join('');
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function findingLines({ file }: ProvedScript, finding: RecordedFinding): string[] {
  const { message, code, hint, when } = finding;
  return [
    `  error: ${placed(file, finding)}: ${line(message)} (${code})`,
    `    ${when === 'always' ? when : `when ${line(when)}`}`,
    ...(hint === undefined ? [] : [`    hint: ${line(hint)}`]),
  ];
}

function openLine({ file, verdict }: ProvedScript, point: RecordedPoint): string {
  return `  ${verdict === 'unproved' ? 'not proved' : 'open'}: ${placed(file, point)}: ${line(point.what)}`;
}

/** A line for each role; nothing for a script that is broken, where the error says it. */
function deniedLines({ file, verdict, denied = [] }: ProvedScript): string[] {
  if (verdict === 'broken') return [];
  const lacks = new Map<string, Denial[]>();
  for (const one of denied) lacks.set(one.role, [...(lacks.get(one.role) ?? []), one]);
  return [...lacks].map(([role, found]) => {
    const list = found.map(({ right, object }) => `${right} on ${object}`).join(', ');
    return `  denied: ${printable(file)}: ${line(`the role ${role} lacks ${list}`)}`;
  });
}

function coveredLine({ file, combinations }: ProvedScript): string {
  return `  covered by pairs: ${printable(file)}: ${combinations} combinations and not all; --prove=full tries them`;
}

function detailLines(script: ProvedScript): string[] {
  const { file, database, verdict, parameters, columns, combinations, texts } = script;
  const forms = columns.map((form) => form.map(({ name, type }) => `${name} ${type}`).join(', '));
  return [
    `${printable(file)} is ${verdict === 'unproved' ? 'not proved' : verdict} on ${printable(database)}: ${counted(texts, 'text')} of ${counted(combinations, 'combination')}`,
    ...parameters.map((parameter) => `  ${line(parameterText(parameter))}`),
    ...forms.map((form, i) => `  ${i === 0 ? 'columns' : 'or'}: ${line(form)}`),
  ];
}

function parameterText({ name, types, list, required, neededWhen }: RecordedParameter): string {
  const needed = required
    ? ', required'
    : neededWhen === undefined
      ? ''
      : `, needed when ${neededWhen}`;
  return `${name}: ${types.join(' or ') || 'text'}${list ? ', several' : ''}${needed}`;
}

function placed(file: string, { line, column }: Partial<RecordedPoint>): string {
  return [printable(file), line, column].filter((part) => part !== undefined).join(':');
}

function line(text: string): string {
  return printable(oneLine(text));
}

function bounded<Line extends string | string[]>(
  lines: readonly Line[],
  most: number,
  what: string,
): (Line | string)[] {
  if (lines.length <= most) return [...lines];
  const more = `  and ${lines.length - most} more ${what}; --json lists all`;
  return [...lines.slice(0, most), more];
}
