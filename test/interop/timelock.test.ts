// Sealed messages against software that was not written here: drand's own library in Go, npm's tlock-js, and a second
// implementation in Python from the page of the specification alone.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { formatHex, parseHex } from '@assay/core/bytes/hex';
import { type BeaconChain, QUICKNET } from '@assay/core/timelock/beacon-chain';
import { beaconPublicKey, signRound } from '@assay/core/timelock/beacon-key';
import { openSealed, sealTo } from '@assay/core/timelock/sealed';
import { ROOT, vectors } from '../src/core/fixture/fixture.ts';
import {
  OWN,
  type SealedVector,
  SEALED,
  type SignatureVector,
  SIGNATURES,
  vectorChain,
  vectorSignature,
} from '../src/core/timelock/timelock-vectors.ts';
import { kyberPeer, tlockJsPeer } from './timelock-peers.ts';

const PROGRAM = join(ROOT, 'test', 'interop', 'timelock.py');
const REFUSED_SEALED: readonly Pick<
  SealedVector & SignatureVector,
  'name' | 'signature' | 'sealed'
>[] = vectors('timelock/refused-sealed');
const REFUSED_SIGNATURES: readonly (SignatureVector & { readonly name: string })[] = vectors(
  'timelock/refused-signatures',
);

/** Messages to rounds of a new chain, sealed here, and the signatures that open them. */
interface Fresh {
  readonly chain: BeaconChain;
  readonly round: number;
  readonly message: Uint8Array;
  readonly signature: Uint8Array;
  readonly sealed: Uint8Array;
}

function fresh(count: number): readonly Fresh[] {
  const secret = new Uint8Array(randomBytes(32));
  secret[0] = (secret[0] as number) & 0x3f;
  const chain: BeaconChain = { ...OWN, public_key: beaconPublicKey(secret) };
  return Array.from({ length: count }, (_, i) => {
    const round = 1 + 1_000_003 * i;
    const message = new Uint8Array(randomBytes(32));
    const sealed = sealTo(chain, round).seal(message, new Uint8Array(randomBytes(32)));
    return { chain, round, message, sealed, signature: signRound(secret, round) };
  });
}

/** Whether python3 is here; skips the test with a word where it is not. */
function hasPython(t: TestContext): boolean {
  if (spawnSync('python3', ['--version']).status === 0) return true;
  t.skip('python3 is not here');
  return false;
}

function python(args: readonly string[], input = ''): string {
  const { status, stdout, stderr } = spawnSync('python3', ['-I', PROGRAM, ...args], {
    input,
    encoding: 'utf8',
  });
  assert.deepEqual([status, stderr], [0, ''], stdout);
  return stdout;
}

test('timelock: the vectors come out the same in Python, written from the specification', (t) => {
  if (!hasPython(t)) return;
  assert.equal(python(['vectors', join(ROOT, 'vectors')]), '90 compared, 0 differ\n');
});

test('timelock: Python opens what is sealed here, and nothing that was changed', (t) => {
  if (!hasPython(t)) return;
  const cases = fresh(4).flatMap(({ signature, sealed, message }, i) => {
    const changed = sealed.slice();
    const at = 40 * i + 39;
    changed[at] = (changed[at] as number) ^ 1;
    const line = (bytes: Uint8Array): string => `${formatHex(signature)} ${formatHex(bytes)}`;
    return [
      { line: line(sealed), expected: formatHex(message) },
      { line: line(changed), expected: 'refused' },
    ];
  });
  const found = python(['open'], cases.map(({ line }) => `${line}\n`).join(''));
  assert.equal(found, cases.map(({ expected }) => `${expected}\n`).join(''));
});

type KyberAnswer = Readonly<Record<string, unknown>>;

/** Answers of drand's library to requests; undefined, with the test skipped, where it cannot be had. */
async function kyber(
  t: TestContext,
  requests: readonly object[],
): Promise<readonly KyberAnswer[] | undefined> {
  const found = await kyberPeer();
  if ('missing' in found) {
    t.skip(found.missing);
    return undefined;
  }
  const input = requests.map((each) => `${JSON.stringify(each)}\n`).join('');
  const { status, stdout, stderr } = spawnSync(found.command, { input, encoding: 'utf8' });
  assert.deepEqual([status, stderr], [0, '']);
  const answers = stdout.trim().split('\n');
  assert.equal(answers.length, requests.length);
  return answers.map((each) => JSON.parse(each) as KyberAnswer);
}

test('timelock: drand’s own library opens what is sealed here, and the vectors', async (t) => {
  const given = [
    ...fresh(5),
    ...SEALED.map(({ chain, round, message, sealed }) => ({
      message: parseHex(message),
      sealed: parseHex(sealed),
      signature: parseHex(vectorSignature(chain, round)),
    })),
  ];
  const requests = given.map(({ signature, sealed }) => ({
    open: { signature: formatHex(signature), sealed: formatHex(sealed) },
  }));
  const answers = await kyber(t, requests);
  if (answers === undefined) return;
  assert.deepEqual(
    answers,
    given.map(({ message }) => ({ message: formatHex(message) })),
  );
});

test('timelock: what drand’s own library seals opens here', async (t) => {
  const cases = fresh(5);
  const requests = cases.map(({ chain, round, message }) => ({
    seal: { public_key: chain.public_key, round, message: formatHex(message) },
  }));
  const answers = await kyber(t, requests);
  if (answers === undefined) return;
  for (const [i, { message, signature }] of cases.entries()) {
    const sealed = parseHex(String(answers[i]?.['sealed']));
    assert.deepEqual(openSealed(signature, sealed), message);
  }
});

test('timelock: drand’s own library verifies the signatures of the vectors', async (t) => {
  const requests = SIGNATURES.map(({ chain, round, signature }) => ({
    verify: { public_key: vectorChain(chain).public_key, round, signature },
  }));
  const answers = await kyber(t, requests);
  if (answers === undefined) return;
  assert.deepEqual(
    answers,
    SIGNATURES.map(() => ({ verified: true })),
  );
});

/**
 * What drand's library takes although the specification refuses it: it opens with the point at infinity what was made for
 * that. Drand itself verifies a signature before it opens with it, and that refuses infinity.
 */
const KYBER_TAKES: readonly string[] = ['made for the signature at infinity, with it'];

test('timelock: drand’s own library refuses what is refused here, but for what is named', async (t) => {
  const requests = [
    ...REFUSED_SEALED.map(({ signature, sealed }) => ({ open: { signature, sealed } })),
    ...REFUSED_SIGNATURES.map(({ chain, round, signature }) => ({
      verify: { public_key: vectorChain(chain).public_key, round, signature },
    })),
  ];
  const answers = await kyber(t, requests);
  if (answers === undefined) return;
  const names = [...REFUSED_SEALED, ...REFUSED_SIGNATURES].map(({ name }) => name);
  const taken = names.filter((_, i) => answers[i]?.['refused'] === undefined);
  assert.deepEqual(taken, KYBER_TAKES);
});

test('timelock: npm’s tlock-js opens what is sealed here, and seals what opens here', async (t) => {
  const found = await tlockJsPeer();
  if ('missing' in found) {
    t.skip(found.missing);
    return;
  }
  const { tlock } = found;
  for (const { chain, round, message, signature, sealed } of fresh(3)) {
    const [U, V, W] = [sealed.slice(0, 96), sealed.slice(96, 128), sealed.slice(128)];
    const opened = await tlock.decryptOnG2(signature, { U, V, W });
    assert.equal(formatHex(opened), formatHex(message));
    const number = Buffer.alloc(8);
    number.writeBigUInt64BE(BigInt(round));
    const identity = createHash('sha256').update(number).digest();
    const theirs = await tlock.encryptOnG2RFC9380(chain.public_key, identity, message);
    const whole = Buffer.concat([theirs.U, theirs.V, theirs.W]);
    assert.equal(formatHex(openSealed(signature, whole) ?? new Uint8Array(0)), formatHex(message));
  }
  const [first] = SEALED;
  assert.equal(first?.chain, 'quicknet');
  const real = parseHex(first.sealed);
  const parts = { U: real.slice(0, 96), V: real.slice(96, 128), W: real.slice(128) };
  const opened = await tlock.decryptOnG2(parseHex(vectorSignature('quicknet', 1000)), parts);
  assert.equal(formatHex(opened), first.message);
  assert.equal(QUICKNET.public_key, vectorChain('quicknet').public_key);
});
