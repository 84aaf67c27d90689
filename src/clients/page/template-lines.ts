/** The lines of a template, and whether each is rendered, from the pieces that the service gives. */

/** See src/template/coverage.ts. */
export interface Piece {
  readonly text: string;
  readonly state: 'rendered' | 'skipped' | 'control';
}

export interface Line {
  readonly pieces: readonly Piece[];
  /** White space does not count, and `control` only where a line has nothing else. */
  readonly state: Piece['state'] | 'partly';
}

export function linesOf(template: readonly Piece[]): readonly Line[] {
  const lines: Piece[][] = [[]];
  for (const { text, state } of template)
    for (const [i, part] of text.split('\n').entries()) {
      if (i > 0) lines.push([]);
      if (part !== '') lines.at(-1)!.push({ text: part, state });
    }
  return lines.map((pieces) => ({ pieces, state: stateOf(pieces) }));
}

function stateOf(pieces: readonly Piece[]): Line['state'] {
  const states = new Set(pieces.filter(({ text }) => text.trim() !== '').map(({ state }) => state));
  if (!states.has('skipped')) return states.has('rendered') ? 'rendered' : 'control';
  return states.has('rendered') ? 'partly' : 'skipped';
}
