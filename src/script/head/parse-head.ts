/**
 * Parses the head of a script. A directive is a line of the leading comment: `@`, the name, and what the directive takes.
 * What other comments say is no concern of it.
 */
import { nearest } from '../../base/nearest.js';
import { DIRECTIVES, HeadDraft, NO_STANDARDS, type Standards } from './directives.js';
import { NO_HEAD, type Head, type HeadWarning } from './head.js';
import { leadingComment } from './leading-comment.js';
import { parseRoute, type RoutePattern } from './route-pattern.js';

const DIRECTIVE = /^@([A-Za-z][\w-]*)(?!\S)\s*(.*)$/s;

/**
 * parseHead parses the head of a text whose verb has the HTTP methods `methods`; `standards` are the
 * values that the service gives parameters that were not sent. Throws HeadError. NO_HEAD itself if
 * there are no directives.
 */
export function parseHead(
  text: string,
  methods: readonly string[],
  standards: Standards = NO_STANDARDS,
): Head {
  if (!text.includes('@')) return NO_HEAD;
  const comment = leadingComment(text);
  const draft = new HeadDraft(text, methods, standards);
  const warnings: HeadWarning[] = [];
  let known = false;
  for (const { line, text: one } of comment) {
    const [, name, rest = ''] = DIRECTIVE.exec(one) ?? [];
    if (name === undefined) continue;
    const directive = DIRECTIVES.get(name);
    if (directive === undefined) {
      warnings.push({ line, message: unknownDirective(name) });
      continue;
    }
    known = true;
    draft.begin(name, line);
    if (rest.includes('{{')) throw draft.error('a directive takes no {{…}}');
    directive(draft, rest.trim());
  }
  warnings.push(...misplaced(text, comment.at(-1)?.line ?? 0));
  if (!known && warnings.length === 0) return NO_HEAD;
  return draft.finish(warnings);
}

/** routesIn gives the valid paths that a text declares, also where the text cannot be used. */
export function routesIn(text: string, methods: readonly string[]): readonly RoutePattern[] {
  return leadingComment(text).flatMap(({ text: one }) => {
    const [, name, rest = ''] = DIRECTIVE.exec(one) ?? [];
    try {
      return name === 'path' ? [parseRoute(rest.trim(), methods)] : [];
    } catch {
      return []; // the error of the text, or of another directive, says why
    }
  });
}

/** isDirective tells whether a line of a comment is a known directive. */
export function isDirective(line: string): boolean {
  const name = DIRECTIVE.exec(line)?.[1];
  return name !== undefined && DIRECTIVES.has(name);
}

function unknownDirective(name: string): string {
  return `unknown directive @${name}, which has no effect; the nearest one is @${nearest(name, [...DIRECTIVES.keys()])}`;
}

/** Directives in comments behind line `last`, where the leading comment ends. */
function* misplaced(text: string, last: number): Generator<HeadWarning> {
  for (const [i, line] of text.split('\n').entries()) {
    const one = i >= last ? /^\s*-{2,}\s*(@.*)$/.exec(line)?.[1] : undefined;
    if (one !== undefined && isDirective(one.trim()))
      yield {
        line: i + 1,
        message: `${one.split(/\s/)[0]} has no effect here: directives belong into the comment at the beginning of the script, without an empty line before them`,
      };
  }
}
