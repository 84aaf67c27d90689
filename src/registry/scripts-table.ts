/**
 * What is agreed on about stored scripts: how one is named, where changes are told, which folder there is none of.
 */

/** Where the registry is asked for, below `/_QUERIES`, and so no folder of scripts while it is offered. */
export const REGISTRY = 'registry';

/** Channel on which changes are told; the payload is the table's qualified name. */
export const CHANNEL = 'service_scripts';

/** A script as it is looked up: `database` is an alias, or empty for all databases. */
export interface ScriptKey {
  readonly database: string;
  readonly location: string;
  readonly name: string;
}
