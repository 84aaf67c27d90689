/** The tasks of worker threads, which an HTTP process runs through piscina, and their results. */
import type { Engine } from '../base/engine.js';
import type { ProofNews } from './proofs.js';

/** What becomes of the body of a request to a script with a method. */
export interface ScriptBody {
  readonly method: string;
  /** Whether the script uses it. */
  readonly kept: boolean;
  /** Its largest size (bytes); undefined for `http.max_body`. */
  readonly limit: number | undefined;
}

/** The row of the users table that a login needs. */
export interface StoredUser {
  /** 0 where the table has no id; a string where a number would be rounded. */
  readonly id: unknown;
  readonly name: string;
  readonly username: string;
  /** As stored: never logged, and never part of a response. */
  readonly password: string | null;
  /** Any JSON. */
  readonly metadata: unknown;
}

/** The result of creating the users table. */
export interface MadeUsersTable {
  readonly made: boolean;
  /** Missing columns without which logins fail. */
  readonly needed: readonly string[];
  /** Missing columns of `auth.metadata`. */
  readonly metadata: readonly string[];
}

/** The result of a probe of a database. */
export interface Probed {
  /** Why it does not answer; empty when it does. */
  readonly reason: string;
  /** What it is; undefined when that is not known yet. */
  readonly engine: Engine | undefined;
  /** The primary does not answer, but a replica does. */
  readonly readOnly?: true;
}

/**
 * A task of a query worker. `serve` gives the address of the mailbox for responses and resolves to that of the mailbox for
 * requests: only these travel outside of piscina.
 */
export type WorkerTask =
  | { readonly type: 'serve'; readonly address: number }
  /** Apply the numbers in WorkerSettings.connections, which have changed. */
  | { readonly type: 'connections' }
  /** Test whether a database answers: resolves to a Probed within a few seconds. */
  | { readonly type: 'probe'; readonly alias: string }
  /** Look a user up: resolves to a TaskResult<StoredUser | null>, null when there is none. */
  | { readonly type: 'user'; readonly username: string; readonly requestId: string }
  /** Replace the stored hash `from`, unless it has changed: resolves to a TaskResult<null>. */
  | {
      readonly type: 'renew';
      readonly username: string;
      readonly from: string;
      readonly to: string;
    }
  /** Create the users table unless it exists: resolves to a TaskResult<MadeUsersTable>. */
  | { readonly type: 'migrate-users' }
  /** Poll the stored scripts, which may have changed. */
  | { readonly type: 'scripts' }
  /** Apply what has changed in the proofs of the scripts: in the order in which it was proved. */
  | { readonly type: 'proofs'; readonly news: ProofNews }
  /** Find out what becomes of the bodies of a script's requests: resolves to a ScriptBody for each method. */
  | {
      readonly type: 'script-bodies';
      readonly alias: string;
      readonly folder: string;
      readonly name: string;
    }
  /** Answer a request to the registry of scripts: resolves to a RegistryResponse. */
  | { readonly type: 'registry'; readonly request: RegistryRequest }
  /** Count the scripts, and find those that cannot be served: resolves to FoundScripts. */
  | { readonly type: 'found-scripts' }
  /** Give the OpenAPI document of a database: resolves to an OpenApiResponse. */
  | { readonly type: 'openapi'; readonly request: OpenApiRequest }
  /** List the databases with scripts that a caller may run: resolves to their aliases, the default one first. */
  | { readonly type: 'databases'; readonly reader: DocumentReader }
  /** List the paths that scripts declare: resolves to a RouteList, undefined while it has that version. */
  | { readonly type: 'routes'; readonly version: string };

/** The document itself, or the client in TypeScript that is made of it. */
export type OpenApiForm = 'json' | 'typescript';

/** A request for the OpenAPI document of a database. */
export interface OpenApiRequest {
  readonly form: OpenApiForm;
  /** Alias from the path; undefined when it has none. */
  readonly database: string | undefined;
  readonly reader: DocumentReader;
  /** Value of If-None-Match; empty when absent. */
  readonly ifNoneMatch: string;
}

/** Who reads a document, which has what they may run. */
export interface DocumentReader {
  /** The name of the caller; empty for one without a name. */
  readonly user: string;
  /** Whether there is a caller. */
  readonly isIdentified: boolean;
  /** Whether there is a role of the database for the caller's statements. */
  readonly isAdmitted: boolean;
}

export interface OpenApiResponse {
  /** Undefined when If-None-Match has it. */
  readonly text: string | undefined;
  readonly etag: string;
}

/** To the prover. Its task is permanent and gets a port: messages are sent to the thread and received from it over that. */
export type ProverMessage =
  /** What was proved before this thread started, in pieces, then `start`. */
  | { readonly type: 'known'; readonly news: ProofNews }
  /** `deadly` has the hashes of texts in whose proof a thread before this one died. */
  | { readonly type: 'start'; readonly deadly: ReadonlySet<string> }
  /** The numbers in ProverSettings.connections have changed. */
  | { readonly type: 'connections' }
  /** Stored scripts may have changed. */
  | { readonly type: 'scripts-changed' }
  /** End: the task then resolves. */
  | { readonly type: 'close' };

/** From the prover. */
export type ProverReport =
  /** In the order in which it was proved. */
  | { readonly type: 'news'; readonly news: ProofNews }
  /** The text whose proof begins, as its hash; undefined when it has ended. */
  | { readonly type: 'proving'; readonly text: string | undefined }
  /** What is lent of the worker's connections has changed. */
  | { readonly type: 'lend' };

/** The scripts of the folder or the table at one time; `unreadable` is the reason why it cannot be read. */
export type FoundScripts =
  | {
      /** Number of texts that can be served: one for each verb of a script. */
      readonly count: number;
      /** Number of those that cannot be served. */
      readonly broken: number;
      /** The reasons, unless they are logged already. */
      readonly problems: readonly { readonly place: string; readonly message: string }[];
    }
  | { readonly unreadable: string };

/** The paths that scripts declare, as one worker knows them. */
export interface RouteList {
  /** Differs from every other list of any worker. */
  readonly version: string;
  readonly routes: readonly ScriptRoute[];
}

/** A path that a script declares, for some methods. */
export interface ScriptRoute {
  readonly methods: readonly string[];
  /** As declared. */
  readonly path: string;
  /** Literal segments are decoded. */
  readonly segments: readonly (string | { readonly parameter: string })[];
  /** Undefined: several scripts declare it, and none serves it. */
  readonly script: RouteScript | undefined;
}

export interface RouteScript {
  readonly alias: string;
  readonly folder: string;
  readonly name: string;
}

/** The result of converting JSON to XML; JSON that is nested too deeply counts as `no_json`. */
export type XmlOutcome = { readonly xml: string } | 'no_json' | 'too_large';

/** A request to the registry of scripts, by a user who may use it. */
export interface RegistryRequest {
  /** As sent, upper case. */
  readonly method: string;
  /** Alias from the path; undefined when it has none. */
  readonly database: string | undefined;
  /** Undefined when the path names no script. */
  readonly script: { readonly location: string; readonly name: string } | undefined;
  /** Raw query string, without the question mark. */
  readonly query: string;
  /** Undefined for methods without a body. */
  readonly body: Uint8Array | undefined;
  /** Values of If-Match and If-None-Match; empty when absent. */
  readonly ifMatch: string;
  readonly ifNoneMatch: string;
  /** The name of the caller. */
  readonly user: string;
  readonly requestId: string;
}

export interface RegistryResponse {
  readonly status: number;
  /** JSON; empty for 204 and 304. */
  readonly body: string;
  /** Further headers: ETag, Allow, Warning, Location (without `context`). */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Leaves Retry-After out: the request must not simply be repeated. */
  readonly final?: true;
}

/** The result of a task on users. An Error would lose its class on the way between threads. */
export type TaskResult<T> = { readonly value: T } | { readonly failure: TaskFailure };

/** Why a task failed in the database. */
export interface TaskFailure {
  /** For the log; contains no values. */
  readonly reason: string;
  /** Whether a later attempt may succeed: the database is unreachable or busy. */
  readonly passing: boolean;
}
