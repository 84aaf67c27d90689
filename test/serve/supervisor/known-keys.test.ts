/** KnownKeys: the last key set of each source, only for that source. */
import t from 'tap';
import type { TokenSettings } from '#app/messages/access-settings.js';
import { KnownKeys } from '#app/serve/supervisor/known-keys.js';
import { httpProcessSettings } from '../../support/http-process.js';
import { authSettings } from '../../support/tokens.js';

function tokens(place: Partial<TokenSettings>): TokenSettings {
  return authSettings({ tokens: place }).tokens;
}

function known(keys: KnownKeys, place: Partial<TokenSettings>): string | undefined {
  return keys.fill(httpProcessSettings({ auth: authSettings({ tokens: place }) })).auth?.tokens
    .lastKeys;
}

t.test('the last text of the same source', (t) => {
  const keys = new KnownKeys();
  const a = 'https://issuer.example/a';
  t.equal(known(keys, { jwks: a }), undefined);
  keys.learn(tokens({ jwks: a }), 'first');
  keys.learn(tokens({ jwks: a }), 'second');
  t.equal(known(keys, { jwks: a }), 'second');
  t.equal(known(keys, { jwks: a, algorithm: 'RS256', issuer: 'i' }), 'second');
  for (const other of [{ jwks: `${a}?b` }, { wellKnown: a }, { jwks: a, wellKnown: a }, {}])
    t.equal(known(keys, other), undefined, JSON.stringify(other));
  t.end();
});

t.test('without authentication there is nothing to add to', (t) => {
  const settings = httpProcessSettings();
  t.equal(new KnownKeys().fill(settings), settings);
  t.end();
});

t.test('sources are bounded, and the one in use stays', (t) => {
  const keys = new KnownKeys();
  keys.learn(tokens({ jwks: 'used' }), 'text');
  keys.learn(tokens({ jwks: 'unused' }), 'text');
  for (let i = 0; i < 10; i++) {
    t.equal(known(keys, { jwks: 'used' }), 'text');
    keys.learn(tokens({ jwks: `other${i}` }), 'text');
  }
  t.equal(known(keys, { jwks: 'unused' }), undefined);
  t.equal(known(keys, { jwks: 'other5' }), undefined);
  t.equal(known(keys, { jwks: 'other9' }), 'text');
  t.end();
});
