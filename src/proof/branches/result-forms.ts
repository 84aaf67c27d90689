/**
 * The forms of a script's result, one for each list of columns that its statements have, with what the analysis of these
 * statements shows: which columns can be NULL, and what the statements use. Only so many statements of a text are analysed.
 */
import type { AnalysedColumn, Analysis } from '../analysis/analysis.js';
import type { NeededRights } from '../analysis/dependencies.js';
import { exactly, type Conjunction } from './explanation.js';
import type { Path } from './option.js';
import { OutOfTime } from './interruption.js';
import type { Description, ParsedStatement } from './statement-check.js';
import { rightsOf, usesOf, type StatementUses } from './statement-uses.js';

/** Analyses a statement; undefined when that is not possible. Rejects with StatementFailure, and with OutOfTime. */
export type Analyse = (statement: ParsedStatement) => Promise<Analysis | undefined>;

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
  /** The combinations that give it. */
  readonly paths: Path[];
  /** Whether it has a statement beyond those that are analysed. */
  hasMore: boolean;
}

export class ResultForms {
  readonly #forms = new Map<string, Form>();
  readonly #statements = new Map<string, ParsedStatement>();
  readonly #analyses = new Map<string, Analysis | undefined>();
  #hasMore = false;
  #isAnalysed = false;

  /** add takes the statements of a rendered text, the one with those columns last, and the combinations that give it. */
  add(
    columns: Description['columns'],
    statements: readonly ParsedStatement[],
    paths: readonly Path[],
  ): void {
    const name = JSON.stringify(columns.map((column) => [column.name, column.type]));
    let form = this.#forms.get(name);
    if (form === undefined)
      this.#forms.set(name, (form = { columns, results: new Set(), paths: [], hasMore: false }));
    for (const path of paths) form.paths.push(path);
    const last = statements.map((statement) => this.#remember(statement)).at(-1);
    if (last === undefined) form.hasMore = true;
    else form.results.add(last);
  }

  /** analyse analyses `parallel` statements at a time. Resolves to whether there was time; rejects with StatementFailure. */
  async analyse(analyse: Analyse, parallel: number): Promise<boolean> {
    this.#isAnalysed = true;
    let isWhole = true;
    const left = this.#statements.entries();
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
      const known = [...form.results].map((key) => this.#analyses.get(key)?.columns);
      const isNullableAt = (i: number): boolean =>
        form.hasMore || known.some((columns) => isNullable(columns, form, i));
      return form.columns.map(({ name, type }, i) => ({
        name,
        type,
        nullable: this.#isAnalysed ? isNullableAt(i) : undefined,
      }));
    });
  }

  /** When a result has each form; undefined when no conjunction says exactly that. */
  conditions(): (Conjunction | undefined)[] {
    const forms = [...this.#forms.values()];
    if (forms.length === 1) return [[]];
    return forms.map((form) => {
      const others = forms.flatMap(({ paths }) => (paths === form.paths ? [] : paths));
      return exactly(form.paths, others);
    });
  }

  /** What all statements use; undefined when that is not known of one of them. */
  uses(): StatementUses | undefined {
    const analyses = [...this.#statements.keys()].map((key) => this.#analyses.get(key));
    const known = analyses.filter((one) => one !== undefined);
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
