/** The tasks of worker threads, which an HTTP process runs through piscina, and their results. */
import type { Engine } from '../base/engine.js';
import type { ProofUpdate } from './proofs.js';

/** What becomes of the body of a request to a script with a method. */
export interface ScriptBody {
  readonly method: string;
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

export interface MadeUsersTable {
  readonly made: boolean;
  /** Missing columns without which logins fail. */
  readonly needed: readonly string[];
  /** Missing columns of `auth.metadata`. */
  readonly metadata: readonly string[];
}

export interface Probed {
  /** Why it does not answer; empty when it does. */
  readonly reason: string;
  /** What it is; undefined when that is not known yet. */
  readonly engine: Engine | undefined;
  /** The primary does not answer, but a replica does. */
  readonly readOnly?: true;
}

/** The tasks of a query worker: the argument and the result of each. */
export interface WorkerTasks {
  /** Take requests: gets the address of the mailbox for responses, gives the address of the mailbox for requests. */
  serve: (address: number) => number;
  /** Apply the numbers in WorkerSettings.connections, which have changed. */
  connections: () => void;
  /** Test within a few seconds whether a database answers. */
  probe: (alias: string) => Probed;
  /** Look a user up; null when there is no such user. */
  findUser: (user: {
    readonly username: string;
    readonly requestId: string;
  }) => TaskResult<StoredUser | null>;
  /** Replace the stored hash `from`, unless it has changed. */
  renewPassword: (change: {
    readonly username: string;
    readonly from: string;
    readonly to: string;
  }) => TaskResult<null>;
  /** Create the users table unless it exists. */
  makeUsersTable: () => TaskResult<MadeUsersTable>;
  /** Poll the stored scripts, which may have changed. */
  scripts: () => void;
  /** Apply what has changed in the proofs of the scripts: in the order in which it was proved. */
  proofs: (update: ProofUpdate) => void;
  /** Find out, for each method, what becomes of the bodies of a script's requests. */
  scriptBodies: (script: RouteScript) => readonly ScriptBody[];
  registry: (request: RegistryRequest) => RegistryResponse;
  /** Count the scripts, and find those that cannot be served. */
  foundScripts: () => FoundScripts;
  openapi: (request: OpenApiRequest) => OpenApiResponse;
  /**
   * List the databases with scripts that a caller may run: their aliases, the default one first in any case.
   */
  databases: (reader: DocumentReader) => readonly string[];
  /** List the paths that scripts declare; undefined while the list has that version. */
  routes: (version: string) => RouteList | undefined;
}

export type TaskName = keyof WorkerTasks;
export type TaskArguments<Name extends TaskName> = Parameters<WorkerTasks[Name]>;
export type ResultOf<Name extends TaskName> = ReturnType<WorkerTasks[Name]>;

/** A task as it travels to its thread. */
export interface WorkerTask<Name extends TaskName = TaskName> {
  readonly name: Name;
  readonly args: TaskArguments<Name>;
}

/** What a thread runs for each task. */
export type TaskHandlers = {
  readonly [Name in TaskName]: (
    ...args: TaskArguments<Name>
  ) => ResultOf<Name> | Promise<ResultOf<Name>>;
};

/** The document itself, or the client in TypeScript that is made of it. */
export type OpenApiForm = 'json' | 'typescript';

export interface OpenApiRequest {
  readonly form: OpenApiForm;
  /** Alias from the path; undefined when it has none. */
  readonly database: string | undefined;
  readonly reader: DocumentReader;
  /** Value of If-None-Match; empty when absent. */
  readonly ifNoneMatch: string;
}

export interface DocumentReader {
  /** The name of the caller; empty for one without a name. */
  readonly name: string;
  /** The scopes of its token. */
  readonly scopes: ReadonlySet<string>;
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
  /** What was proved before this thread started, in chunks, then `start`. */
  | { readonly type: 'known'; readonly update: ProofUpdate }
  /** `deadly` has the hashes of texts in whose proof a thread before this one died. */
  | { readonly type: 'start'; readonly deadly: ReadonlySet<string> }
  /** The numbers in ProverSettings.connections have changed. */
  | { readonly type: 'connections' }
  | { readonly type: 'scripts-changed' }
  /** End: the task then resolves. */
  | { readonly type: 'close' };

/** From the prover. */
export type ProverReport =
  /** In the order in which it was proved. */
  | { readonly type: 'update'; readonly update: ProofUpdate }
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
