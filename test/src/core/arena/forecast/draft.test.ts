import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DraftInput, draftForecast, scaledValue } from '@assay/core/arena/forecast/draft';
import { plainCommitment, sealedValue } from '@assay/core/arena/forecast/forecast-message';
import { keyHandle, secretHandle } from '@assay/core/arena/forecast/handle';
import { formatHex, parseHex } from '@assay/core/bytes/hex';
import { signRound } from '@assay/core/timelock/beacon-key';
import { openSealed, sealTo } from '@assay/core/timelock/sealed';
import { sha256, SOME_HASH } from '../../fixture/fixture.ts';
import { OWN, OWN_SECRET } from '../../timelock/timelock-vectors.ts';

const SALT = new Uint8Array(32).fill(1);
const DRAND_ROUND = 1000;
const INPUT: DraftInput = {
  log: SOME_HASH,
  round: 'layoffs-2026-11-21',
  name: 'Ada',
  owner: { kind: 'secret', salt: SALT, secret: null },
  value: 231_000n,
  text: '231000',
  sealer: sealTo(OWN, DRAND_ROUND),
  nonce: new Uint8Array(32).fill(2),
  random: new Uint8Array(32).fill(3),
};

test('draft: a sealed forecast of a new name opens to its value, for its handle alone', () => {
  const { request, handle, sealed, commitment } = draftForecast(sha256, INPUT);
  assert.equal(handle, secretHandle(sha256, SALT, 'ada'));
  assert.deepEqual(Object.keys(request).sort(), [
    'handle',
    'handle_salt',
    'nonce',
    'question',
    'sealed',
  ]);
  assert.equal(request.handle, 'ada');
  assert.equal(request.handle_salt, formatHex(SALT));
  assert.equal(commitment, null);
  const message = openSealed(signRound(parseHex(OWN_SECRET), DRAND_ROUND), parseHex(sealed ?? ''));
  assert.ok(message !== undefined);
  const subject = { log: SOME_HASH, round: INPUT.round, handle };
  assert.equal(sealedValue(sha256, subject, message), 231_000n);
  const other = secretHandle(sha256, SALT, 'bob');
  assert.equal(sealedValue(sha256, { ...subject, handle: other }, message), undefined);
});

test('draft: a name that is known sends its secret and not its salt', () => {
  const owner = { kind: 'secret' as const, salt: SALT, secret: 'ef'.repeat(32) };
  const { request } = draftForecast(sha256, { ...INPUT, owner });
  assert.equal(request.secret, 'ef'.repeat(32));
  assert.equal(request.handle_salt, undefined);
});

test('draft: without a sealer the value is sent, and committed to', () => {
  const { request, handle, sealed, commitment } = draftForecast(sha256, {
    ...INPUT,
    sealer: undefined,
  });
  assert.equal(sealed, null);
  assert.deepEqual(
    [request.value, request.salt, request.sealed],
    ['231000', '03'.repeat(32), undefined],
  );
  const subject = { log: SOME_HASH, round: INPUT.round, handle };
  assert.equal(commitment, plainCommitment(sha256, subject, INPUT.random, 231_000n));
});

test('draft: a key signs what it forecasts, and its handle is that of the key', () => {
  const publicKey = new Uint8Array(32).fill(7);
  const seen: Uint8Array[] = [];
  const sign = (message: Uint8Array): Uint8Array => {
    seen.push(message);
    return new Uint8Array(64).fill(9);
  };
  const owner = { kind: 'key' as const, signer: { publicKey, sign }, counter: 5 };
  const { request, handle } = draftForecast(sha256, { ...INPUT, owner });
  assert.equal(handle, keyHandle(sha256, publicKey));
  assert.deepEqual(
    [request.key, request.counter, request.signature],
    [formatHex(publicKey), 5, '09'.repeat(64)],
  );
  draftForecast(sha256, { ...INPUT, owner: { ...owner, counter: 6 } });
  assert.equal(seen.length, 2);
  assert.notDeepEqual(seen[0], seen[1]);
});

test('draft: a value is scaled, and what is no number of the index is refused', () => {
  assert.equal(scaledValue('3.1', 1), 31n);
  assert.equal(scaledValue('-3', 2), -300n);
  for (const text of ['', '3.11', '1e6', ' 3', '0x10', '9'.repeat(20), '1,000']) {
    assert.throws(() => scaledValue(text, 1), /forecast/, text);
  }
});
