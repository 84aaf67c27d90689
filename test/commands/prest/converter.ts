/** Converts configurations of pREST in a temporary folder. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Finding, FindingKind, Variable } from '#app/commands/prest/draft.js';
import type { TablesMode } from '#app/commands/prest/rule.js';
import { openSource, type Environment } from '#app/commands/prest/source.js';
import { checkDraft, configurationText, convert } from '#app/commands/prest/convert.js';
import type { Test } from 'tap';

/** A converted configuration. */
export interface Converted {
  /** The findings of one kind, as `subject: message`. */
  readonly lines: (kind: FindingKind) => string[];
  readonly settings: Readonly<Record<string, unknown>>;
  readonly findings: readonly Finding[];
  readonly variables: readonly Variable[];
  readonly problems: readonly string[];
  readonly text: string;
}

/** Converts a prest.toml (undefined: none) with an environment, in `folder`. */
export interface Converter {
  readonly folder: string;
  readonly convert: (
    toml: string | Buffer | undefined,
    env?: Environment,
    mode?: TablesMode,
  ) => Converted;
}

/** makeConverter makes a converter, whose folder is removed after the test. */
export function makeConverter(t: Pick<Test, 'teardown'>): Converter {
  const folder = mkdtempSync(join(tmpdir(), 'prest '));
  t.teardown(() => rmSync(folder, { recursive: true }));
  return {
    folder,
    convert(toml, env = {}, mode = 'adopt') {
      rmSync(join(folder, 'prest.toml'), { force: true });
      if (toml !== undefined) writeFileSync(join(folder, 'prest.toml'), toml);
      const issues = { errors: [] as string[], warnings: [] };
      const source = openSource(undefined, { HOME: folder, ...env }, folder, issues);
      if (source === undefined)
        return {
          lines: () => [],
          settings: {},
          findings: [],
          variables: [],
          problems: issues.errors,
          text: '',
        };
      const { draft } = convert(source, mode);
      const text = configurationText(draft, 'prest.toml');
      checkDraft(draft, join(folder, 'service.toml'), text, folder);
      const { findings, variables, problems } = draft;
      const lines = (kind: FindingKind): string[] =>
        findings
          .filter((finding) => finding.kind === kind)
          .map(({ subject, message }) => `${subject}: ${message}`);
      return {
        lines,
        settings: Object.fromEntries(draft.settings),
        findings,
        variables,
        problems,
        text,
      };
    },
  };
}
