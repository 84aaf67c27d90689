/**
 * Converts the keys of authentication. They are converted together, because in pREST some disable others: a missing or short
 * key disables authentication, `debug` disables `jwt.default`. Whatever the configuration protects stays protected.
 */
import { resolve } from 'node:path';
import { formOf } from '../../access/tokens/key-set-text.js';
import { convertKey, type RuleContext } from './rule.js';

export function convertAuthentication(context: RuleContext): void {
  const { draft, value, given } = context;
  const enabled = value('auth.enabled') === true;
  const everywhere = value('jwt.default') === true;
  convertKey('auth.enabled', context);
  convertKey('jwt.default', context);
  if (everywhere && value('debug') === true)
    draft.differs(
      given('jwt.default')!.at,
      'pREST asks for no token while debug is on; here one is needed',
    );
  if (enabled)
    draft.differs(
      given('auth.enabled')!.at,
      'every route but /auth, /_health, /_ready and jwt.whitelist needs a token; in pREST plugins and listings did not',
    );
  if (enabled || everywhere)
    draft.differs(
      'jwt.require_exp',
      'a token without expiry is refused here; jwt.require_exp = false takes it, as pREST does',
    );
  convertKeys(context, enabled, everywhere);
  convertAlgorithm(context, enabled, everywhere);
  convertWhitelist(context);
  reportMetadata(context);
}

function convertKeys(context: RuleContext, enabled: boolean, everywhere: boolean): void {
  const { draft, value, given, source } = context;
  const [key, set, discovery] = ['jwt.key', 'jwt.jwks', 'jwt.wellknownurl'].map(
    (name) => value(name) as string,
  ) as [string, string, string];
  const least = { HS384: 48, HS512: 64, HS256: 32, '': 32 }[
    (value('jwt.algo') as string).toUpperCase()
  ];
  if (enabled && (key === '' || Buffer.byteLength(key) < (least ?? 0)))
    draft.differs(
      given('auth.enabled')!.at,
      `pREST serves without authentication, because jwt.key ${key === '' ? 'is not set' : `has less than ${least} bytes`}; here nothing is served until it has a key`,
    );
  const bySet = everywhere && (set !== '' || discovery !== '');
  const setting = given('jwt.key');
  if (setting !== undefined && key !== '') {
    if (bySet && !enabled)
      draft.unused(setting.at, 'pREST checks tokens with the key set alone; it is not converted');
    else convertKey('jwt.key', context);
  }
  const jwks = given('jwt.jwks');
  const url = given('jwt.wellknownurl');
  const notUsed =
    'not converted: pREST uses it with jwt.default = true only; here tokens signed with its keys would be accepted';
  if (jwks !== undefined && set !== '') {
    if (!everywhere) draft.differs(jwks.at, notUsed);
    else if (formOf(set) === 'file') draft.set('jwt.jwks', resolve(source.base, set), jwks);
    else draft.set('jwt.jwks', set, jwks);
  }
  if (url !== undefined && discovery !== '') {
    if (!everywhere) draft.differs(url.at, notUsed);
    else if (set !== '') draft.unused(url.at, 'jwt.jwks counts, in pREST too');
    else convertKey('jwt.wellknownurl', context);
  }
}

function convertAlgorithm(context: RuleContext, enabled: boolean, everywhere: boolean): void {
  const { draft, value, given } = context;
  const setting = given('jwt.algo');
  if (setting === undefined) return;
  const name = value('jwt.algo') as string;
  if (name === '') return;
  if (!enabled || everywhere || name === 'HS256') draft.set('jwt.algo', name, setting);
  else
    draft.set(
      'jwt.algo',
      'HS256',
      setting,
      `pREST signs and checks with HS256 whatever it says, ${JSON.stringify(name)} there`,
    );
}

function convertWhitelist({ draft, value, given }: RuleContext): void {
  const setting = given('jwt.whitelist');
  if (setting === undefined) return;
  const patterns = value('jwt.whitelist') as string[];
  const usable = patterns.filter(compiles);
  draft.set('jwt.whitelist', usable, setting);
  for (const pattern of patterns) {
    const quoted = JSON.stringify(pattern);
    if (!usable.includes(pattern))
      draft.unsupported(
        setting.at,
        `${quoted} is left out: it is no regular expression of JavaScript; write it anew`,
      );
    else if (!pattern.startsWith('^') || !pattern.endsWith('$'))
      draft.differs(
        setting.at,
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

function reportMetadata({ draft, value, given }: RuleContext): void {
  const setting = given('auth.metadata');
  if (setting === undefined || (value('auth.metadata') as string[]).length === 0) return;
  draft.differs(
    setting.at,
    'not converted: pREST 2.4.2 does nothing with it, tokens hold the column metadata; here they would hold these columns instead. Set auth.metadata for that',
  );
}
