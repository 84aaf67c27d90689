/**
 * The keys of authentication. They are looked at together, because in pREST some switch others off: authentication without
 * a key of enough bytes, `jwt.default` under `debug`. Nothing that pREST was told to protect is written as open.
 */
import { resolve } from 'node:path';
import { formOf } from '../auth/key-set-text.js';
import { takeOver, type Scene } from './rule.js';

/** authentication takes these keys over. */
export function authentication(scene: Scene): void {
  const { draft, value, given } = scene;
  const enabled = value('auth.enabled') === true;
  const everywhere = value('jwt.default') === true;
  takeOver('auth.enabled', scene);
  takeOver('jwt.default', scene);
  if (everywhere && value('debug') === true)
    draft.add(
      'differs',
      given('jwt.default')!.at,
      'pREST asks for no token while debug is on; here one is needed',
    );
  if (enabled)
    draft.add(
      'differs',
      given('auth.enabled')!.at,
      'every route but /auth, /_health, /_ready and jwt.whitelist needs a token; in pREST plugins and listings did not',
    );
  if (enabled || everywhere)
    draft.add(
      'differs',
      'jwt.require_exp',
      'a token without expiry is refused here; jwt.require_exp = false takes it, as pREST does',
    );
  keys(scene, enabled, everywhere);
  algorithm(scene, enabled, everywhere);
  whitelist(scene);
  metadata(scene);
}

function keys(scene: Scene, enabled: boolean, everywhere: boolean): void {
  const { draft, value, given, source } = scene;
  const [key, set, discovery] = ['jwt.key', 'jwt.jwks', 'jwt.wellknownurl'].map(
    (name) => value(name) as string,
  ) as [string, string, string];
  const least = { HS384: 48, HS512: 64, HS256: 32, '': 32 }[
    (value('jwt.algo') as string).toUpperCase()
  ];
  if (enabled && (key === '' || Buffer.byteLength(key) < (least ?? 0)))
    draft.add(
      'differs',
      given('auth.enabled')!.at,
      `pREST serves without authentication, because jwt.key ${key === '' ? 'is not set' : `has less than ${least} bytes`}; here nothing is served until it has a key`,
    );
  const bySet = everywhere && (set !== '' || discovery !== '');
  const said = given('jwt.key');
  if (said !== undefined && key !== '') {
    if (bySet && !enabled)
      draft.add(
        'unused',
        said.at,
        'pREST checks tokens with the key set alone; it is not taken over',
      );
    else takeOver('jwt.key', scene);
  }
  const jwks = given('jwt.jwks');
  const url = given('jwt.wellknownurl');
  const notUsed =
    'not taken over: pREST uses it with jwt.default = true only; here tokens signed with its keys would be accepted';
  if (jwks !== undefined && set !== '') {
    if (!everywhere) draft.add('differs', jwks.at, notUsed);
    else if (formOf(set) === 'file') draft.take('jwt.jwks', resolve(source.base, set), jwks);
    else draft.take('jwt.jwks', set, jwks);
  }
  if (url !== undefined && discovery !== '') {
    if (!everywhere) draft.add('differs', url.at, notUsed);
    else if (set !== '') draft.add('unused', url.at, 'jwt.jwks counts, in pREST too');
    else takeOver('jwt.wellknownurl', scene);
  }
}

function algorithm(scene: Scene, enabled: boolean, everywhere: boolean): void {
  const { draft, value, given } = scene;
  const said = given('jwt.algo');
  if (said === undefined) return;
  const name = value('jwt.algo') as string;
  if (name === '') return;
  if (!enabled || everywhere || name === 'HS256') draft.take('jwt.algo', name, said);
  else
    draft.take(
      'jwt.algo',
      'HS256',
      said,
      `pREST signs and checks with HS256 whatever it says, ${JSON.stringify(name)} there`,
    );
}

function whitelist({ draft, value, given }: Scene): void {
  const said = given('jwt.whitelist');
  if (said === undefined) return;
  const patterns = value('jwt.whitelist') as string[];
  const usable = patterns.filter(compiles);
  draft.take('jwt.whitelist', usable, said);
  for (const pattern of patterns) {
    const quoted = JSON.stringify(pattern);
    if (!usable.includes(pattern))
      draft.add(
        'unsupported',
        said.at,
        `${quoted} is left out: it is no regular expression of JavaScript; write it anew`,
      );
    else if (!pattern.startsWith('^') || !pattern.endsWith('$'))
      draft.add(
        'differs',
        said.at,
        `${quoted} must match all of a path here, not a part of the URL; widen it where more was meant`,
      );
  }
}

function compiles(pattern: string): boolean {
  try {
    new RegExp(pattern, 'u');
    return true;
  } catch {
    return false;
  }
}

function metadata({ draft, value, given }: Scene): void {
  const said = given('auth.metadata');
  if (said === undefined || (value('auth.metadata') as string[]).length === 0) return;
  draft.add(
    'differs',
    said.at,
    'not taken over: pREST 2.4.2 does nothing with it, tokens hold the column metadata; here they would hold these columns instead. Set auth.metadata for that',
  );
}
