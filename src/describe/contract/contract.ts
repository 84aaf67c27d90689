/**
 * The contract of scripts: what each takes and gives, as its callers see it. Plain data, sorted, the same for the same
 * scripts and tables wherever it is made.
 */
import type { ParameterBounds } from '../../script/head/declared-parameter.js';
import type { Shape } from '../../script/head/head.js';
import type { Verdict } from '../../messages/proofs.js';
import type { Verb } from '../../script/verb.js';

/** The version of the format. */
export const FORMAT = 1;

export interface Contract {
  readonly format: typeof FORMAT;
  /** Sorted by name and verb. */
  readonly scripts: readonly ScriptContract[];
}

/** What a script takes and gives for one verb. */
export interface ScriptContract {
  /** `[alias/]folder/name`, with an alias for a script of one of the further databases. */
  readonly script: string;
  readonly verb: Verb;
  readonly verdict: Verdict;
  /** The day since which it is deprecated; true when that was not said. */
  readonly deprecated: boolean | string;
  /** Whether parameters that it does not know are refused. */
  readonly strict: boolean;
  /** Without `context`, sorted. */
  readonly paths: readonly PathContract[];
  /** Sorted by name. */
  readonly parameters: readonly ParameterContract[];
  readonly response: ResponseContract;
  /** Sorted by name; null when they are not known. */
  readonly columns: readonly ColumnContract[] | null;
}

export interface PathContract {
  readonly path: string;
  readonly methods: readonly string[];
}

export interface ParameterContract extends ParameterBounds {
  /** With its prefix: `header.`, `body.`, `claims.`. */
  readonly name: string;
  /** The declared type, or those of the placeholders that it is bound to; none for one that is only text or looked at. */
  readonly types: readonly string[];
  readonly required: boolean;
  /** When it is needed although it is not required. */
  readonly neededWhen?: string | undefined;
  /** Whether it may be sent more than once. */
  readonly list: boolean;
  /** The values of an enum. */
  readonly values?: readonly string[] | undefined;
  readonly default?: string | readonly string[] | undefined;
}

export interface ResponseContract {
  readonly shape: Shape;
  readonly status: number;
  /** Names of declared headers, sorted. */
  readonly headers: readonly string[];
}

export interface ColumnContract {
  readonly name: string;
  /** More than one where the forms of the result differ. */
  readonly types: readonly string[];
  readonly nullable: boolean;
  /** Whether every form of the result has it. */
  readonly always: boolean;
}
