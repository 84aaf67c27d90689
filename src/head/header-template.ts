/** A response header declared by `-- @header`; `{column}` in its value stands for a column of the row. */
export interface HeaderTemplate {
  readonly name: string;
  /** Literal texts, and between each two the name of a column. */
  readonly texts: readonly string[];
  readonly columns: readonly string[];
}
