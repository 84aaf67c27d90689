/** The flags of all commands, other than configuration keys. Help, completions and the man page are made from them. */

export interface Flag {
  /** One letter, for `-h`. */
  readonly letters?: readonly string[];
  /** Name of its value in the help; undefined when it takes none. */
  readonly value?: string;
  readonly words?: readonly string[];
  /** What its value names. */
  readonly names?: 'file';
}

export const FLAGS = {
  help: { letters: ['h'] },
  version: { letters: ['v', 'V'] },
  json: {},
  yes: {},
  'dry-run': {},
  'no-prove': {},
  privileges: {},
  breaking: {},
  once: {},
  config: { value: 'FILE', names: 'file' },
  name: { value: 'TEXT' },
  metadata: { value: 'JSON' },
  from: { value: 'FILE', names: 'file' },
  tables: { value: 'WORD', words: ['adopt', 'copy'] },
  database: { value: 'ALIAS' },
  policy: { value: 'WORD', words: ['skip', 'update', 'error'] },
  prove: { value: 'full', words: ['full'] },
  script: { value: 'FOLDER/SCRIPT' },
  against: { value: 'URL' },
  url: { value: 'URL' },
  out: { value: 'FILE', names: 'file' },
} as const satisfies Record<string, Flag>;

export type FlagName = keyof typeof FLAGS;

/** Flags that every command accepts. */
export const COMMON_FLAGS = {
  config:
    'Read this configuration file; otherwise the file of SERVICE_CONF, otherwise ./service.toml',
  help: 'Print the help of the command',
  version: 'Print the version',
} as const satisfies Partial<Record<FlagName, string>>;

/** flagOf gives a flag by its name. */
export function flagOf(name: FlagName): Flag {
  return FLAGS[name];
}
