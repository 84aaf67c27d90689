/** The texts that are proved: the stored scripts, and the files that are served or that the next start imports. */
import type { Config } from '../config/schema.js';
import { configuredDatabases } from '../config/databases.js';
import { scriptsTableOf } from '../config/settings.js';
import { targetDatabases } from '../../proof/prover/target-databases.js';
import type { ListedText } from '../../script/files/script-listing.js';
import type { ScriptSelection } from './script-selection.js';

/** A text to prove. */
export interface ProvableText extends ListedText {
  /** `<folder>/<script>`. */
  readonly script: string;
  /** The databases that it may be for; requests without an alias are for the first one. */
  readonly aliases: readonly string[];
}

/** The texts of a configuration. */
export interface ServedTexts {
  readonly stored: readonly ListedText[];
  /** `alias/folder/name` of each stored script; undefined when there is no table that can be read. */
  readonly keys: ReadonlySet<string> | undefined;
  readonly files: readonly ListedText[];
}

/** provableTexts gives stored ones first; with `isAgainst` those for the default database, which another one replaces. */
export function provableTexts(
  config: Config,
  { stored, keys = new Set(), files }: ServedTexts,
  selection: ScriptSelection | undefined,
  isAgainst = false,
): ProvableText[] {
  const all = configuredDatabases(config).map(({ alias }) => alias);
  const known = isAgainst ? all.slice(0, 1) : all;
  const imports = config['queries.import_on_startup'];
  const skips = config['queries.import_policy'] === 'skip';
  const isTable = scriptsTableOf(config) !== undefined;
  const forAll = new Set(stored.flatMap((one) => (one.alias === undefined ? textKey(one) : [])));
  // An import does not change the stored script by such a file.
  const isKept = (one: ListedText): boolean =>
    forAll.has(textKey(one)) || (skips && keys.has(`/${one.folder}/${one.name}`));
  const served = !isTable || imports ? files.filter((one) => !isKept(one)) : [];
  return [...stored, ...served].flatMap((one) => {
    const { alias, folder, name, text } = one;
    if (selection?.has(one) === false) return [];
    const script = `${folder}/${name}`;
    const chosen = selection?.alias;
    const aliases =
      alias === undefined
        ? targetDatabases(chosen === undefined ? known : [chosen], keys, script, text.head)
        : known.filter((each) => each === alias);
    return aliases.length === 0 ? [] : [{ ...one, script, aliases }];
  });
}

function textKey({ folder, name, verb, text }: ListedText): string {
  return `${folder}/${name}.${verb} ${text.template.text}`;
}
