/** Translates configurations of pREST that are written in a test. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Finding, Kind, Variable } from '#app/prest/draft.js';
import type { TablesMode } from '#app/prest/rule.js';
import { openSource, type Environment } from '#app/prest/source.js';
import { checkDraft, configurationText, translate } from '#app/prest/translate.js';
import type { Test } from 'tap';

/** What came of a configuration. */
export interface Translated {
  /** The lines of one kind, as `subject: message`. */
  readonly lines: (kind: Kind) => string[];
  readonly settings: Readonly<Record<string, unknown>>;
  readonly findings: readonly Finding[];
  readonly variables: readonly Variable[];
  readonly problems: readonly string[];
  readonly text: string;
}

/** Translator translates a prest.toml (undefined: none) with an environment, in `folder`. */
export interface Translator {
  readonly folder: string;
  readonly translate: (
    toml: string | Buffer | undefined,
    env?: Environment,
    mode?: TablesMode,
  ) => Translated;
}

/** makeTranslator gives a translator whose folder is removed with the test. */
export function makeTranslator(t: Pick<Test, 'teardown'>): Translator {
  const folder = mkdtempSync(join(tmpdir(), 'prest '));
  t.teardown(() => rmSync(folder, { recursive: true }));
  return {
    folder,
    translate(toml, env = {}, mode = 'adopt') {
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
      const { draft } = translate(source, mode);
      const text = configurationText(draft, 'prest.toml');
      checkDraft(draft, join(folder, 'service.toml'), text, folder);
      const { findings, variables, problems } = draft;
      const lines = (kind: Kind): string[] =>
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
