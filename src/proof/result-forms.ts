/**
 * The forms of a script's result, one for each list of columns that its statements have, with what the analysis of these
 * statements shows: which columns can be NULL, and what the statements use. Only so many statements of a text are analysed.
 */
import type { AnalysedColumn, Analysis } from '../analysis/analysis.js';
import type { NeededRights } from '../analysis/rights.js';
import { OutOfTime } from './out-of-time.js';
import type { Description, ParsedStatement } from './statement-check.js';
import { rightsOf, usesOf, type StatementUses } from './statement-uses.js';

/** Analyses a statement; undefined when that is not possible. Rejects with StatementFailure, and with OutOfTime. */
export type Analyse = (statement: ParsedStatement) => Promise<Analysis | NeededRights | undefined>;

export interface ResultColumn {
  readonly name: string;
  /** OID. */
  readonly type: number;
  /** Also when that cannot be known; undefined when the statements are not analysed. */
  readonly nullable: boolean | undefined;
}

/** Most statements of a text that are analysed. */
export const MOST_ANALYSED = 32;

interface Form {
  readonly columns: Description['columns'];
  /** The statements with these columns. */
  readonly results: Set<string>;
  /** Whether it has a statement beyond those that are analysed. */
  hasMore: boolean;
}

export class ResultForms {
  readonly #forms = new Map<string, Form>();
  readonly #statements = new Map<string, ParsedStatement>();
  readonly #analyses = new Map<string, Analysis | NeededRights | undefined>();
  #hasMore = false;
  /** Whether more is known than the rights that statements need. */
  #isAnalysed = false;

  /** add takes the statements of a rendered text, the one with those columns last. */
  add(columns: Description['columns'], statements: readonly ParsedStatement[]): void {
    const name = JSON.stringify(columns.map((column) => [column.name, column.type]));
    let form = this.#forms.get(name);
    if (form === undefined)
      this.#forms.set(name, (form = { columns, results: new Set(), hasMore: false }));
    const last = statements.map((statement) => this.#remember(statement)).at(-1);
    if (last === undefined) form.hasMore = true;
    else form.results.add(last);
  }

  /**
   * analyse analyses `parallel` statements at a time; with `rights` only the rights that they need are known then, and only
   * of those that have not just words of another one. Resolves to whether there was time; rejects with StatementFailure.
   */
  async analyse(analyse: Analyse, parallel: number, rights = false): Promise<boolean> {
    this.#isAnalysed = !rights;
    const all = [...this.#statements];
    return this.#analyseEach(rights ? withMostWords(all) : all, analyse, parallel);
  }

  /** analyseRest analyses the statements whose rights were thought to be those of others; it resolves as analyse does. */
  analyseRest(analyse: Analyse, parallel: number): Promise<boolean> {
    const rest = [...this.#statements].filter(([key]) => !this.#analyses.has(key));
    return this.#analyseEach(rest, analyse, parallel);
  }

  async #analyseEach(
    statements: readonly Keyed[],
    analyse: Analyse,
    parallel: number,
  ): Promise<boolean> {
    let isWhole = true;
    const left = statements.values();
    const lane = async (): Promise<void> => {
      for (const [key, statement] of left) {
        try {
          this.#analyses.set(key, await analyse(statement));
        } catch (error) {
          if (!(error instanceof OutOfTime)) throw error;
          isWhole = false;
        }
      }
    };
    await Promise.all(Array.from({ length: parallel }, lane));
    return isWhole;
  }

  /** rightsOf gives what these statements need; undefined when that is not known of one of them. */
  rightsOf(statements: readonly ParsedStatement[]): NeededRights | undefined {
    const known = statements.flatMap((statement) => this.#analyses.get(keyOf(statement)) ?? []);
    return known.length < statements.length || known.length === 0 ? undefined : rightsOf(known);
  }

  /** The columns of each form. */
  columns(): ResultColumn[][] {
    return [...this.#forms.values()].map((form) => {
      const known = [...form.results].map((key) => columnsOf(this.#analyses.get(key)));
      const isNullableAt = (i: number): boolean =>
        form.hasMore || known.some((columns) => isNullable(columns, form, i));
      return form.columns.map(({ name, type }, i) => ({
        name,
        type,
        nullable: this.#isAnalysed ? isNullableAt(i) : undefined,
      }));
    });
  }

  /** What all statements use; undefined when that is not known of one of them. */
  uses(): StatementUses | undefined {
    const analyses = [...this.#statements.keys()].map((key) => this.#analyses.get(key));
    const known = analyses.filter((one) => one !== undefined && 'columns' in one);
    if (this.#hasMore || known.length < analyses.length || known.length === 0) return undefined;
    return usesOf(known);
  }

  /** The key of a statement; undefined for one beyond those that are analysed. */
  #remember(statement: ParsedStatement): string | undefined {
    const key = keyOf(statement);
    if (this.#statements.has(key)) return key;
    if (this.#statements.size === MOST_ANALYSED) {
      this.#hasMore = true;
      return undefined;
    }
    this.#statements.set(key, statement);
    return key;
  }
}

type Keyed = readonly [key: string, statement: ParsedStatement];

/** A word, a name in quotes, or all columns. */
const WORDS = /[\p{L}_][\p{L}\p{N}_$]*|"[^"]*"|\*/gu;

/** The statements without those whose words all occur in another one, which then needs their rights too. */
function withMostWords(statements: readonly Keyed[]): Keyed[] {
  const sorted = statements
    .map((keyed) => ({ keyed, words: new Set(keyed[1].sql.match(WORDS)) }))
    .sort((a, b) => b.words.size - a.words.size);
  const kept: typeof sorted = [];
  for (const one of sorted)
    if (!kept.some(({ words }) => [...one.words].every((word) => words.has(word)))) kept.push(one);
  return kept.map(({ keyed }) => keyed);
}

function columnsOf(
  analysis: Analysis | NeededRights | undefined,
): readonly AnalysedColumn[] | undefined {
  return analysis !== undefined && 'columns' in analysis ? analysis.columns : undefined;
}

function keyOf({ parameters, sql }: ParsedStatement): string {
  return `${parameters.join()} ${sql}`;
}

function isNullable(
  columns: readonly AnalysedColumn[] | undefined,
  form: Form,
  i: number,
): boolean {
  if (columns?.length !== form.columns.length) return true;
  return columns[i]!.name !== form.columns[i]!.name || columns[i]!.nullable;
}
