/**
 * How pREST takes what its file and the environment say: it converts between numbers, texts and lists. What it would
 * silently make 0, false or empty is no value here.
 */

/** Reader converts what is written. */
export interface Reader {
  /** What is allowed, for messages. */
  readonly allowed: string;
  /** read gives the value, undefined for what pREST would drop. */
  read(written: unknown): unknown;
}

const TRUE = /^(1|t|T|TRUE|true|True)$/;
const FALSE = /^(0|f|F|FALSE|false|False)$/;

/** text takes a string, and writes numbers and booleans as one. */
export const text: Reader = { allowed: 'a string', read: asText };

/** path takes a text that names a file or folder. */
export const path: Reader = { allowed: 'a path', read: asText };

/** word takes a text in any case, with white space around it. */
export const word: Reader = {
  allowed: 'a word',
  read: (written) => asText(written)?.trim().toLowerCase(),
};

/** integer takes a number, without what is behind its point, or a text of digits. */
export const integer: Reader = {
  allowed: 'a whole number',
  read(written) {
    if (typeof written === 'boolean') return Number(written);
    if (typeof written === 'number') return Math.trunc(written);
    const digits = typeof written === 'string' ? written.trim() : '';
    return /^[+-]?\d{1,15}$/.test(digits) ? Number(digits) : undefined;
  },
};

/** boolean takes true and false, as Go writes them in a text, and numbers. */
export const boolean: Reader = {
  allowed: 'true or false',
  read(written) {
    if (typeof written === 'number') return written !== 0;
    if (typeof written !== 'string') return typeof written === 'boolean' ? written : undefined;
    if (TRUE.test(written)) return true;
    return FALSE.test(written) ? false : undefined;
  },
};

/** list takes a list of texts, and splits a text at white space. */
export const list: Reader = {
  allowed: 'a list of strings',
  read(written) {
    if (typeof written === 'string') return written.split(/\s+/).filter((item) => item !== '');
    if (!Array.isArray(written)) return undefined;
    const items = written.map(asText);
    return items.includes(undefined) ? undefined : items;
  },
};

/** tables takes a list of tables, which no variable can hold. Their names are in lower case then. */
export const tables: Reader = {
  allowed: 'a list of tables in the file',
  read(written) {
    if (!Array.isArray(written)) return undefined;
    return written.every(isTable) ? written.map(lowerNames) : undefined;
  },
};

/** isTable tells whether a value of TOML is a table. */
export function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
  );
}

function asText(written: unknown): string | undefined {
  if (typeof written === 'string') return written;
  return typeof written === 'number' || typeof written === 'boolean' ? String(written) : undefined;
}

function lowerNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(lowerNames);
  if (!isTable(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name.toLowerCase(), lowerNames(member)]),
  );
}
