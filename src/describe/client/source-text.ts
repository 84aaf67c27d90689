/** Texts of others as parts of TypeScript: what they contain cannot end the literal or the comment that they are in. */

/** Characters that are not shown, or change how others are shown, and all white space but the plain space. */
const HIDDEN = /[\p{C}\p{Zl}\p{Zp}]|[^\S ]/gu;

/** literal writes a text as a string literal. */
export function literal(text: string): string {
  const escaped = text
    .replace(/[\\']/g, '\\$&')
    .replace(HIDDEN, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
  return `'${escaped}'`;
}

const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;

/** memberName writes the name of a member of an object type. */
export function memberName(name: string): string {
  return IDENTIFIER.test(name) ? name : literal(name);
}

/** Characters of a line of a comment. */
const WIDTH = 100;

/**
 * commentLines writes paragraphs as a JSDoc comment; none gives no lines. A word that begins with @ is not a tag: tags
 * are in `tags`.
 */
export function commentLines(
  paragraphs: readonly (string | undefined)[],
  tags: readonly string[] = [],
): string[] {
  const blocks = paragraphs
    .map((text) => plainWords(text ?? ''))
    .filter((words) => words.length > 0)
    .map((words) => wrapped(words));
  const lines = blocks.flatMap((block, i) => (i === 0 ? block : ['', ...block]));
  lines.push(...tags);
  if (lines.length === 0) return [];
  const [only] = lines;
  if (lines.length === 1) return [`/** ${only} */`];
  return ['/**', ...lines.map((line) => ` * ${line}`.trimEnd()), ' */'];
}

function plainWords(text: string): string[] {
  return text
    .replace(HIDDEN, ' ')
    .replaceAll('*/', '*\\/')
    .split(' ')
    .filter((word) => word !== '')
    .map((word) => (word.startsWith('@') ? `\\${word}` : word));
}

function wrapped(words: readonly string[]): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of words)
    if (line === '') line = word;
    else if (line.length + word.length < WIDTH) line += ` ${word}`;
    else {
      lines.push(line);
      line = word;
    }
  return [...lines, line];
}
