/**
 * The proof of one text of a script: that every branch of its template renders a statement that PostgreSQL can parse, and
 * with which types. Nothing is run, and nothing is proved about what happens when it runs.
 */
import type { Position } from '../../base/position.js';
import type { Verdict } from '../../messages/proofs.js';
import type { ScriptText } from '../../script/script-text.js';
import { InvalidParameter, RefusedValue } from '../../template/template.js';
import { checkPrivileges, type AskPrivileges } from './denied-shapes.js';
import { whenText, type Conjunction } from './explanation.js';
import { explore, type Bounds, type Exploration, type Refusal } from './exploration.js';
import type { Path } from './option.js';
import { provedParameters, type ProvedParameter } from './parameters.js';
import type { Denial } from './privileges.js';
import { neverAccepted } from './refusals.js';
import { ResultForms, type Analyse, type ResultColumn } from './result-forms.js';
import type { Checking, Fault } from './shape-check.js';
import { checkShapes, type Checked } from './shape-checks.js';
import { Slices } from '../../base/slices.js';
import type { StatementUses } from './statement-uses.js';

export interface Finding {
  readonly message: string;
  /** An SQLSTATE, or a code of src/base/errors.ts. */
  readonly code: string;
  readonly hint: string | undefined;
  /** In the template. */
  readonly place: Position | undefined;
  /** The condition: `types` is sent twice. */
  readonly when: string;
}

/** What is open: a reason, and where in the template if it has a place. */
export interface OpenPoint {
  readonly what: string;
  readonly place: Position | undefined;
}

export interface Proof {
  readonly verdict: Verdict;
  readonly findings: readonly Finding[];
  readonly open: readonly OpenPoint[];
  /** In the order in which the template asks for them. */
  readonly parameters: readonly ProvedParameter[];
  /** The columns of each form that the result has, each form once. */
  readonly columns: readonly (readonly ResultColumn[])[];
  /** For each form, when a result has it; undefined when no conjunction says exactly that. */
  readonly columnsWhen: readonly (Conjunction | undefined)[];
  /** What its statements use; undefined when they were not to be analysed, or could not all be. */
  readonly uses?: StatementUses | undefined;
  /** The privileges that roles lack; undefined when the statements were not to be analysed. */
  readonly denied?: readonly Denial[] | undefined;
  readonly exploration: Exploration;
  /** Statements that PostgreSQL was asked about. */
  readonly asked: number;
  /** Whether the time was over before everything was tried. */
  readonly isCut: boolean;
}

/** How the statements of a script are built, described and analysed. */
export interface ProofSession extends Omit<Checking, 'verb' | 'head'> {
  /** Undefined for a proof without nullability and dependencies. */
  readonly analyse?: Analyse | undefined;
  /** Asks for the privileges that analysed statements need; undefined for a proof without them. */
  readonly privileges?: AskPrivileges | undefined;
  /** Texts that PostgreSQL is asked about, and statements that it analyses, at a time; 1 by default. */
  readonly parallel?: number;
}

/** prove rejects with StatementFailure when the database cannot be asked. */
export async function prove(
  script: ScriptText,
  session: ProofSession,
  bounds: Bounds,
  slices = new Slices(),
): Promise<Proof> {
  let isLate = false as boolean;
  const isOver = (part: number): boolean => (isLate ||= bounds.isOver(part));
  const exploration = await explore(script, { ...bounds, isOver }, slices);
  let asked = 0;
  const checking: Checking = {
    ...session,
    verb: script.verb,
    head: script.head,
    describe: (sql) => {
      asked++;
      return session.describe(sql);
    },
  };
  const { shapes, slots } = exploration;
  const { parallel = 1 } = session;
  const { checked: parsed, left } = await checkShapes(shapes, slots, checking, parallel, () =>
    bounds.isOver(1),
  );
  const forms = new ResultForms();
  for (const { shape, result } of parsed)
    if (result.columns !== undefined) forms.add(result.columns, result.statements, shape.paths);
  const { analyse, privileges } = session;
  const isAnalysed = analyse === undefined || (await forms.analyse(analyse, parallel));
  const { checked, denied } = await (privileges === undefined
    ? { checked: parsed, denied: undefined }
    : checkPrivileges(parsed, forms, privileges));
  await slices.next();
  const findings = findingsOf(checked, [...exploration.failed, ...neverAccepted(exploration)]);
  const isCut = isLate || left.length > 0;
  const open = openPoints(checked, exploration);
  if (isCut) open.push({ what: 'the rest: the time for this script was over', place: undefined });
  else if (exploration.extent === 'part')
    open.push({ what: 'combinations beyond the limit of those that are tried', place: undefined });
  await slices.next();
  const accepted = acceptedIn(checked);
  const undecided = checked.filter(({ result }) => (result.columns ?? result.fault) === undefined);
  const unknown = [...left, ...undecided.map(({ shape }) => shape)].flatMap(({ paths }) => paths);
  const types = typesOf(checked);
  return {
    verdict: isCut && findings.length === 0 ? 'unproved' : verdictOf(findings, open, exploration),
    findings,
    open,
    parameters: await provedParameters(exploration, accepted, unknown, types, slices),
    columns: forms.columns(),
    columnsWhen: forms.conditions(),
    uses: forms.uses(),
    denied,
    exploration,
    asked,
    isCut: isCut || !isAnalysed || exploration.extent === 'part',
  };
}

/** Those that cannot be decided are neither accepted nor failing. */
function acceptedIn(checked: readonly Checked[]): Path[] {
  return checked.flatMap(({ shape, result }) => (result.columns === undefined ? [] : shape.paths));
}

function verdictOf(
  findings: readonly Finding[],
  open: readonly OpenPoint[],
  { extent }: Exploration,
): Verdict {
  if (findings.length > 0) return 'broken';
  if (open.length > 0) return 'open';
  return extent === 'all' ? 'proved' : 'covered';
}

interface Failing {
  readonly fault: Fault;
  readonly paths: Path[];
}

/** One finding for each fault at each place. */
function findingsOf(checked: readonly Checked[], failed: readonly Refusal[]): Finding[] {
  const failing = new Map<string, Failing>();
  const add = (fault: Fault, paths: readonly Path[]): void => {
    const { code, place, message } = fault;
    const key =
      place === undefined ? `${code} ${message}` : `${code} ${place.line}:${place.column}`;
    const known = failing.get(key);
    if (known === undefined) failing.set(key, { fault, paths: [...paths] });
    else known.paths.push(...paths);
  };
  for (const { shape, result } of checked)
    if (result.fault !== undefined) add(result.fault, shape.paths);
  for (const { path, error } of failed) add(faultOf(error), [path]);
  const accepted = acceptedIn(checked);
  const groups = [...failing.values()];
  return groups.map(({ fault, paths }) => {
    const others = groups.flatMap((group) => (group.fault === fault ? [] : group.paths));
    const rest = [...accepted, ...others];
    return { ...fault, when: whenText(paths, rest) };
  });
}

/** faultOf gives the fault of a template for whose data nothing is rendered. */
export function faultOf(error: Refusal['error']): Fault {
  const code = error instanceof InvalidParameter ? 'invalid_parameter' : 'script_not_usable';
  if (error instanceof RefusedValue)
    return { message: error.message, code, hint: undefined, place: undefined };
  const { line, column, hint } = error;
  const message = error.safeMessage.replace(/^template: \S+ /, ''); // the position is a field of its own
  return { message, code, hint, place: { line, column } };
}

function openPoints(checked: readonly Checked[], exploration: Exploration): OpenPoint[] {
  const points = new Map<string, OpenPoint>();
  const add = (what: string, place: Position | undefined): void => {
    points.set(`${what} ${place?.line}:${place?.column}`, { what, place });
  };
  for (const { result } of checked) {
    for (const { keys, place } of result.open)
      add(`the text of ${keys.map((key) => `\`${key}\``).join(' and ')}`, place);
    for (const what of result.unproved) add(what, undefined);
  }
  for (const what of exploration.open) add(what, undefined);
  return [...points.values()];
}

function typesOf(checked: readonly Checked[]): ReadonlyMap<string, ReadonlySet<number>> {
  const types = new Map<string, Set<number>>();
  for (const { result } of checked)
    for (const [key, type] of result.types) {
      const known = types.get(key);
      if (known === undefined) types.set(key, new Set([type]));
      else known.add(type);
    }
  return types;
}
