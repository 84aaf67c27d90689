/** What completions of shells offer: words after words of commands, flags of commands, and values. */
import { KEYS, NAMES } from '../config/schema.js';
import { COMMAND_LIST, commandOf, flagsOf, type Command, type CommandName } from './commands.js';
import { FLAGS, flagOf, type FlagName } from './flags.js';

/** A word that may follow, and its meaning. */
export interface Choice {
  readonly word: string;
  readonly meaning: string;
}

/** nextWords gives the words of commands that may follow each prefix of words; '' is the beginning. */
export function nextWords(): ReadonlyMap<string, readonly Choice[]> {
  const next = new Map<string, Map<string, string>>();
  for (const [, { words, summary }] of COMMAND_LIST)
    words.forEach((word, i) => {
      const prefix = words.slice(0, i).join(' ');
      const choices = next.get(prefix) ?? new Map<string, string>();
      next.set(prefix, choices);
      const isWhole = i === words.length - 1;
      if (isWhole || !choices.has(word)) choices.set(word, isWhole ? summary : groupMeaning(word));
    });
  return new Map(
    [...next].map(([prefix, choices]) => [
      prefix,
      [...choices].map(([word, meaning]) => ({ word, meaning })),
    ]),
  );
}

function groupMeaning(word: string): string {
  return `Commands that begin with ${word}`;
}

/** commandFlags gives the flags of a command, without its keys. */
export function commandFlags(name: CommandName): readonly Choice[] {
  return flagsOf(commandOf(name)).map(([flag, meaning]) => ({ word: `--${flag}`, meaning }));
}

export const KEY_FLAGS: readonly Choice[] = NAMES.filter(
  (name) => !KEYS[name].secret && KEYS[name].kind.name !== 'tables',
).map((name) => ({ word: `--${name}`, meaning: KEYS[name].meaning.replaceAll('`', '') }));

interface ValuedFlag {
  readonly flag: string;
  readonly words: readonly string[];
  readonly isFile: boolean;
}

/** The flags with a value: their words, or whether the value is a file. */
export const VALUED: readonly ValuedFlag[] = (Object.keys(FLAGS) as FlagName[]).flatMap((name) => {
  const { value, words = [], names } = flagOf(name);
  return value === undefined ? [] : [{ flag: `--${name}`, words, isFile: names === 'file' }];
});

/** Of these, the flags whose value is a file, one of some words, or any text. */
export const FILE_FLAGS = VALUED.filter(({ isFile }) => isFile).map(({ flag }) => flag);
export const WORD_FLAGS = VALUED.filter(({ words }) => words.length > 0);
export const TEXT_FLAGS = VALUED.filter(({ words, isFile }) => words.length === 0 && !isFile).map(
  ({ flag }) => flag,
);

/** Flags whose value is the next word: flags for keys with a dot are left to a pattern, `--*.*`. */
export const WITH_VALUE: readonly string[] = [
  ...VALUED.map(({ flag }) => flag),
  ...KEY_FLAGS.map(({ word }) => word).filter((word) => !word.includes('.')),
  '--*.*',
];

/** All commands and beginnings of commands: `user`, `user add`. */
export const POSITIONS: readonly string[] = [
  ...new Set(
    COMMAND_LIST.flatMap(([, { words }]) => words.map((_, i) => words.slice(0, i + 1).join(' '))),
  ),
];

export const OPERANDS: readonly (readonly [CommandName, readonly string[]])[] =
  COMMAND_LIST.flatMap(([name, { choices }]) => (choices === undefined ? [] : [[name, choices]]));

export function operandsBy(kind: Command['names']): readonly CommandName[] {
  return COMMAND_LIST.filter(([, command]) => command.names === kind).map(([name]) => name);
}

/** casePattern is the pattern of a case in bash and zsh that matches these words, each as a whole. */
export function casePattern(words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join('|');
}
