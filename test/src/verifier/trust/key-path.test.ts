import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashHex, leafHash } from '@assay/core/hash/hash';
import { rootOf } from '@assay/core/log/tree';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { formatNoteKey } from '@assay/core/log/note';
import { OPEN_POLICY, type KnownPin, type Policy } from '@assay/verifier/verdict/policy';
import type { Verdict } from '@assay/verifier/verdict/verdict';
import { ORIGIN, testSigner } from '../../node/ledger/ledger-fixture.ts';
import { formatBundle, type Bundle, parseBundle } from '@assay/core/proof/bundle';
import { makeBundle } from '@assay/verifier/client/bundle-maker';
import { PinnedHead } from '@assay/verifier/client/pinned-head';
import { tilesOf } from '@assay/verifier/client/proven-log';
import { Findings } from '@assay/verifier/verdict/finding';
import { CLAIMS_RULE } from '../../node/fixture/round-fixture.ts';
import {
  codesOf,
  ENVIRONMENT,
  judge,
  judgeFolder,
  judgeSite,
  siteReader,
} from '../fixture/published.ts';
import {
  CHECKPOINT_KEYS,
  CHECKPOINT_RECOVERY,
  CHECKPOINT_VKEYS,
  checkpointRotation1,
  PLACES,
  promiseOf1,
  type Replaced,
  replaced,
  replacedFolder,
  replacedSite,
} from '../fixture/replaced-log.ts';
import { hexOf, promised, RECOVERY_KEYS, REPORT_KEYS, signedKey } from '../fixture/rotated-log.ts';

const whole = replaced();
const { rotation1, recovery2, rotation3, size } = PLACES;
const [key0, key1, key2, key3] = CHECKPOINT_KEYS;
const LOG_ID = hashHex(leafHash(nodeSha256, whole.entries[0] as Uint8Array));
const STRANGER = testSigner(9);
const STRANGER_VKEY = formatNoteKey(nodeSha256, ORIGIN, STRANGER.publicKey);

function pinAt(of: number, key: number, change: Partial<KnownPin> = {}): KnownPin {
  return {
    type: 'assay-pin/1',
    origin: ORIGIN,
    checkpoint_vkey: CHECKPOINT_VKEYS[key] as string,
    log_id: LOG_ID,
    size: of,
    root: hashHex(rootOf(nodeSha256, whole.leaves.slice(0, of))),
    ...change,
  };
}

/** The log with other closing heads, or another newest head. */
function changed(change: (log: Replaced) => Partial<Replaced>): Replaced {
  const copy = { ...whole, closing: new Map(whole.closing) };
  return { ...copy, ...change(copy) };
}

async function verdicts(
  log: Replaced,
  policy: Partial<Policy> = {},
  pin?: KnownPin,
): Promise<readonly Verdict[]> {
  const options = pin === undefined ? {} : { pins: () => Promise.resolve(pin) };
  return [
    await judgeSite(replacedSite(log), policy, options),
    await judgeFolder(replacedFolder(log), policy, options),
  ];
}

async function verified(
  log: Replaced,
  policy: Partial<Policy> = {},
  pin?: KnownPin,
): Promise<void> {
  for (const verdict of await verdicts(log, policy, pin)) {
    assert.equal(verdict.outcome, 'verified', JSON.stringify(verdict, null, 1));
  }
}

async function finds(
  code: string,
  log: Replaced,
  policy: Partial<Policy> = {},
  pin?: KnownPin,
): Promise<void> {
  for (const verdict of await verdicts(log, policy, pin)) {
    assert.ok(
      codesOf(verdict).includes(code as never),
      `${verdict.subject}: ${codesOf(verdict).join()}`,
    );
    assert.equal(verdict.outcome, 'findings');
  }
}

test('key path: three keys that followed one another lead from genesis to the newest head', async () => {
  await verified(whole);
  await verified(whole, { log_id: LOG_ID });
  for (const vkey of CHECKPOINT_VKEYS)
    await verified(whole, { checkpoint_keys: [vkey], strict: true });
  const [verdict] = await verdicts(whole);
  assert.ok(verdict?.outcome === 'verified');
  assert.equal(verdict.log.checkpoint_vkey, CHECKPOINT_VKEYS[3]);
  assert.equal(verdict.log.checkpoint_key, 3);
  assert.equal(verdict.log.checkpoint_since, rotation3);
  assert.equal(verdict.pin?.checkpoint_vkey, CHECKPOINT_VKEYS[3]);
});

test('key path: at each size the key in force for it, and at the end of a term the old one', async () => {
  for (let of = rotation1; of <= size; of += 1) {
    const log = replaced(undefined, of);
    await verified(log);
    const [verdict] = await verdicts(log);
    assert.ok(verdict?.outcome === 'verified');
    const due = of <= rotation1 + 1 ? 0 : of <= recovery2 ? 1 : of <= rotation3 + 1 ? 2 : 3;
    assert.equal(verdict.pin?.checkpoint_vkey, CHECKPOINT_VKEYS[due], `${of}`);
  }
});

test('key path: a policy that names no key of the log', async () => {
  await finds('key_not_trusted', whole, { checkpoint_keys: [STRANGER_VKEY] });
});

test('key path: a branch of a thief of the old key, for whoever has the new key in the policy beside the old one', async () => {
  const of = rotation1 + 6;
  const branch = replaced((drafts) => {
    for (const draft of drafts.slice(rotation1)) {
      draft.kind = 'note/1';
      draft.body = { text: 'of a thief' };
    }
  }, of);
  const log = { ...branch, checkpoint: branch.head(of, [key0]), closing: new Map() };
  await verified(log, { checkpoint_keys: CHECKPOINT_VKEYS.slice(0, 1) });
  await finds('key_not_trusted', log, { checkpoint_keys: CHECKPOINT_VKEYS.slice(0, 2) });
  await verified(whole, { checkpoint_keys: CHECKPOINT_VKEYS });
});

test('key path: a closing head that is needed is missing, and one that is not is not missed', async () => {
  for (const number of [0, 1, 2]) {
    const log = changed(({ closing }) => {
      closing.delete(number);
      return {};
    });
    await finds('closing_head_missing', log, { log_id: LOG_ID });
    await verified(log, { checkpoint_keys: [CHECKPOINT_VKEYS[number + 1] as string] });
  }
});

test('key path: a closing head of another size, history or key', async () => {
  const other = replaced((drafts) => {
    (drafts[rotation1 - 1] as { body: object }).body = { text: 'another history' };
  });
  const cases: readonly (readonly [string, number, Uint8Array])[] = [
    ['closing_head_differs', 0, whole.head(rotation1, [key0, key1])],
    ['closing_head_differs', 0, whole.head(rotation1 + 2, [key0, key1])],
    ['closing_head_differs', 0, other.head(rotation1 + 1, [key0, key1])],
    // It covers the rotation that promises key 2 only from there on.
    ['closing_head_differs', 1, whole.head(rotation1, [key1])],
    ['closing_head_differs', 1, whole.head(recovery2 + 1, [key1])],
    ['checkpoint_unsigned', 0, whole.head(rotation1 + 1, [key0])],
    ['checkpoint_unsigned', 0, whole.head(rotation1 + 1, [key1])],
    ['checkpoint_unsigned', 0, whole.head(rotation1 + 1, [STRANGER])],
    ['checkpoint_unsigned', 1, whole.head(recovery2 - 1, [STRANGER])],
    ['key_not_in_force', 1, whole.head(recovery2 - 1, [key1, key2])],
    ['checkpoint_malformed', 2, new TextEncoder().encode('not a note\n')],
  ];
  for (const [code, number, note] of cases) {
    const log = changed(({ closing }) => {
      closing.set(number, note);
      return {};
    });
    await finds(code, log, { checkpoint_keys: [CHECKPOINT_VKEYS[3] as string] });
  }
});

test('key path: the closing head of a recovered key may be its handover head, and any later one', async () => {
  for (let of = rotation1 + 1; of <= recovery2; of += 1) {
    const signers = of === rotation1 + 1 ? [key0, key1] : [key1];
    const log = changed(({ closing, head }) => {
      closing.set(1, head(of, signers));
      return {};
    });
    await verified(log);
  }
});

test('key path: a head that the key in force did not sign', async () => {
  await finds(
    'checkpoint_unsigned',
    changed(({ head }) => ({ checkpoint: head(size, [key0]) })),
  );
  await finds(
    'checkpoint_unsigned',
    changed(({ head }) => ({ checkpoint: head(size, [key2]) })),
  );
  await finds(
    'key_not_in_force',
    changed(({ head }) => ({ checkpoint: head(size, [key3, key2]) })),
  );
  const named = { checkpoint_keys: CHECKPOINT_VKEYS, strict: true };
  await finds(
    'key_not_in_force',
    changed(({ head }) => ({ checkpoint: head(size, [key3, key0]) })),
    named,
  );
  const handover = replaced(undefined, rotation1 + 1);
  for (const [signers] of [[[key0]], [[key1]]] as const) {
    await finds('checkpoint_unsigned', {
      ...handover,
      checkpoint: handover.head(rotation1 + 1, signers),
    });
  }
});

test('key path: a pin leads on from its key, and covers a promise in the place of a closing head', async () => {
  await verified(whole, {}, pinAt(PLACES.promise, 0));
  await verified(whole, {}, pinAt(rotation1 + 1, 0));
  await verified(whole, {}, pinAt(recovery2, 1));
  await verified(whole, {}, pinAt(size, 3));
  const without1 = changed(({ closing }) => {
    closing.delete(1);
    return {};
  });
  await verified(without1, {}, pinAt(recovery2 - 2, 1));
  const without0 = changed(({ closing }) => {
    closing.delete(0);
    return {};
  });
  await verified(without0, {}, pinAt(PLACES.promise + 1, 0));
  await finds('closing_head_missing', without0, {}, pinAt(PLACES.promise, 0));
});

test('key path: a pin of a key that did not sign its head, of another root, or of no key of the log', async () => {
  await finds('key_not_trusted', whole, {}, pinAt(PLACES.promise, 1));
  await finds('key_not_trusted', whole, {}, pinAt(size, 0));
  await finds('key_not_trusted', whole, {}, pinAt(size, 3, { checkpoint_vkey: STRANGER_VKEY }));
  await finds(
    'history_changed',
    whole,
    {},
    pinAt(recovery2, 1, { root: 'ab'.repeat(32) as never }),
  );
});

async function bundleOfLog(log: Replaced): Promise<Bundle> {
  const reader = siteReader(replacedSite(log));
  const choice = { index: CLAIMS_RULE.ticker, period: undefined };
  return parseBundle(await makeBundle(reader, choice, nodeSha256));
}

test('key path: a bundle has what leads to the key of its head, for whoever knows any of the keys', async () => {
  const bundle = await bundleOfLog(whole);
  assert.deepEqual(
    bundle.closing_heads?.map(({ number }) => number),
    [0, 1, 2],
  );
  for (const policy of [
    {},
    { log_id: LOG_ID },
    ...CHECKPOINT_VKEYS.map((vkey) => ({ checkpoint_keys: [vkey], strict: true })),
  ]) {
    const verdict = await judge({ kind: 'bundle', bytes: formatBundle(bundle) }, policy);
    assert.equal(verdict.outcome, 'verified', JSON.stringify(verdict, null, 1));
    assert.equal(verdict.log.checkpoint_vkey, CHECKPOINT_VKEYS[3]);
    const isNamed =
      'checkpoint_keys' in policy && policy.checkpoint_keys[0] === CHECKPOINT_VKEYS[3];
    const named = verdict.not_checked.filter(({ what }) => what.includes('recovery key by which'));
    assert.equal(named.length, isNamed ? 0 : 1);
  }
});

test('key path: a bundle has a promise whose key has not come, which a later recovery key follows', async () => {
  const { promise } = PLACES;
  const log = replaced((drafts, id) => {
    const said = {
      number: 3,
      cause: 'recovery',
      replaces: hexOf(REPORT_KEYS[2]),
      revoked: false,
      key: hexOf(testSigner(40)),
      next_key_sha256: promised(testSigner(41)),
      recovery_key: hexOf(CHECKPOINT_RECOVERY[1]),
      next_recovery_key_sha256: promised(testSigner(42)),
    } as const;
    const by = { new: testSigner(40), recovery: CHECKPOINT_RECOVERY[1] };
    Object.assign(drafts[promise + 1] as object, { kind: 'key/1', body: signedKey(id, said, by) });
  }, promise + 2);
  const bundle = await bundleOfLog(log);
  assert.ok(bundle.entries.some(({ seq }) => seq === promise));
  const verdict = await judge({ kind: 'bundle', bytes: formatBundle(bundle) });
  assert.equal(verdict.outcome, 'verified', JSON.stringify(verdict, null, 1));
});

test('key path: a bundle without a closing head, or with one that proves nothing, or without a key', async () => {
  const bundle = await bundleOfLog(whole);
  const heads = bundle.closing_heads ?? [];
  const keys = [PLACES.promise, rotation1, recovery2, rotation3];
  const cases: readonly (readonly [string, Partial<Bundle>])[] = [
    ['closing_head_missing', { closing_heads: heads.slice(1) }],
    ['closing_head_differs', { closing_heads: heads.map((each) => ({ ...each, proof: [] })) }],
    [
      'checkpoint_unsigned',
      {
        entries: bundle.entries.filter(({ seq }) => !keys.includes(seq)),
        closing_heads: heads,
      },
    ],
    ['key_not_allowed', { entries: bundle.entries.filter(({ seq }) => seq !== PLACES.promise) }],
    [
      'bundle_malformed',
      { closing_heads: [...heads, { ...(heads[0] as object), number: 3 } as never] },
    ],
  ];
  for (const [code, change] of cases) {
    const bytes = formatBundle({ ...bundle, ...change });
    const verdict = await judge({ kind: 'bundle', bytes });
    assert.ok(codesOf(verdict).includes(code as never), `${code}: ${codesOf(verdict).join()}`);
  }
});

test('key path: a client that was given the first key, or a later one, and one that has gone on', async () => {
  for (const key of CHECKPOINT_VKEYS) {
    const storage = new Map<string, string>();
    const head = (log: Replaced): PinnedHead => {
      const reader = siteReader(replacedSite(log));
      return new PinnedHead({
        vkey: key,
        policy: { ...OPEN_POLICY, checkpoint_keys: [key] },
        environment: ENVIRONMENT,
        tiles: tilesOf(reader),
        reader,
        storage: {
          getItem: (name) => storage.get(name) ?? null,
          setItem: (name, text) => void storage.set(name, text),
        },
        now: () => 0,
      });
    };
    const findings = new Findings();
    assert.ok(
      await head(whole).accept(whole.checkpoint, 0, findings),
      JSON.stringify(findings.list),
    );
    // The next visit begins with the newest key, whatever else its server has by then.
    const again = changed(() => ({ closing: new Map() }));
    assert.ok(
      await head(again).accept(whole.checkpoint, 0, findings),
      JSON.stringify(findings.list),
    );
    const stolen = whole.head(size, [key0]);
    assert.equal(await head(whole).accept(stolen, 0, findings), undefined);
  }
});

test('key path: a client still knows the key/1 that replaced a recovery key, where the server leaves it out', async () => {
  const { promise } = PLACES;
  const [thief, next, after] = [testSigner(90), testSigner(91), testSigner(92)];
  const evil = replaced((drafts, id) => {
    const told = {
      next_checkpoint_sha256: promised(thief),
      recovery_key: hexOf(RECOVERY_KEYS[0]),
      next_recovery_key_sha256: promised(after),
    };
    const said = {
      key: hexOf(thief),
      next_checkpoint_sha256: promised(next),
      next_recovery_key_sha256: promised(after),
    };
    Object.assign(drafts[promise] as object, { body: promiseOf1(id, told, RECOVERY_KEYS[0]) });
    Object.assign(drafts[rotation1] as object, {
      body: checkpointRotation1(id, rotation1, said, { new: thief }),
    });
  }, rotation1 + 3);
  const site = replacedSite({
    ...evil,
    checkpoint: evil.head(rotation1 + 3, [thief]),
    closing: new Map([[0, evil.head(rotation1 + 1, [key0, thief])]]),
  });
  const listed = { keys: [{ from_seq: rotation1, promised_by: promise }] };
  site.set('/.well-known/assay-signer.json', {
    status: 200,
    body: new TextEncoder().encode(JSON.stringify(listed)),
    logSize: undefined,
  });
  const storage = new Map<string, string>();
  const vkey = CHECKPOINT_VKEYS[0] as string;
  const head = (of: typeof site): PinnedHead => {
    const reader = siteReader(of);
    return new PinnedHead({
      vkey,
      policy: { ...OPEN_POLICY, checkpoint_keys: [vkey] },
      environment: ENVIRONMENT,
      tiles: tilesOf(reader),
      reader,
      storage: {
        getItem: (name) => storage.get(name) ?? null,
        setItem: (name, text) => void storage.set(name, text),
      },
      now: () => 0,
    });
  };
  const findings = new Findings();
  const honest = replaced(undefined, promise);
  assert.ok(await head(replacedSite(honest)).accept(honest.checkpoint, 0, findings));
  const note = evil.head(rotation1 + 3, [thief]);
  assert.equal(await head(site).accept(note, promise, findings), undefined);
  assert.ok(findings.list.some(({ code }) => code === 'key_not_allowed'));
});
