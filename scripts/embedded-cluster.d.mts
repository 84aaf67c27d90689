/** What tests use of embedded-cluster.mjs. */

/** The user that PostgreSQL runs as; `ids` is empty for the current user. `say` is told when root needs a new user. */
export function serverUser(say: (line: string) => void): {
  readonly uid: number;
  readonly ids: { readonly uid?: number; readonly gid?: number };
};
