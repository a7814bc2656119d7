import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeBundle } from '@assay/verifier/client/bundle-maker';
import { closeHash, closeMessage } from '@assay/core/report/close';
import { formatHex } from '@assay/core/bytes/hex';
import { recomputeIndex } from '@assay/core/view/completeness-fold';
import { bodyParser } from '@assay/core/kind/kinds';
import type { HashHex } from '@assay/core/hash/hash';
import { formatPrint, printOf } from '@assay/core/report/print';
import type { Report } from '@assay/core/report/report';
import { toTime } from '@assay/core/time/time';
import { foldEntry } from '@assay/core/view/fold';
import { MemoryViews } from '@assay/core/view/state';
import type { Signer } from '@assay/node/ledger/checkpoint-signer';
import { formatWire } from '@assay/core/wire/wire';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { parsePolicy } from '@assay/verifier/verdict/policy';
import type { Verdict } from '@assay/verifier/verdict/verdict';
import { CHECKPOINTS, REPORT_SIGNER, testSigner } from '../../node/ledger/ledger-fixture.ts';
import { CLAIMS_RULE } from '../../node/fixture/round-fixture.ts';
import type { LooseDraft } from '../fixture/forge.ts';
import {
  codesOf,
  folderOf,
  judge,
  judgeFolder,
  judgeSite,
  siteOf,
  siteReader,
} from '../fixture/published.ts';
import {
  hexOf,
  NEXT_KEYS,
  placeOf,
  promised,
  RECOVERY_KEYS,
  recoveryTo2,
  REPORT_KEYS,
  rotated,
  rotationTo1,
  signedKey,
} from '../fixture/rotated-log.ts';

type Change = (drafts: LooseDraft[], log: HashHex) => void;

const verdictOn = (change: Change): Promise<Verdict> => judgeSite(siteOf(rotated(change)));

function put(drafts: LooseDraft[], n: number, body: object): void {
  (drafts[placeOf(drafts, 'key/1', n)] as { body: object }).body = body;
}

/** A point of order 8 added to an honest key: its signatures may pass, and it is no key of this format. */
const TORSIONED = '44b356db59d3728449a9ea27287dd8d79391503e001788ba78ee0bd32a3a42d6';

test('three keys one after another, at a URL and at rest', async () => {
  const published = rotated();
  const verdict = await judgeSite(siteOf(published));
  assert.equal(verdict.outcome, 'verified', JSON.stringify(verdict, null, 1));
  assert.equal(verdict.log.report_key, hexOf(REPORT_KEYS[2]));
  assert.equal((await judgeFolder(folderOf(published))).outcome, 'verified');
});

test('a key that may not follow is a finding, whoever signed it', async () => {
  const stranger = testSigner(9);
  const cases: readonly (readonly [string, Change])[] = [
    ['number', (drafts, log) => put(drafts, 0, rotationTo1(log, { number: 2 }))],
    ['replaces', (drafts, log) => put(drafts, 0, rotationTo1(log, { replaces: hexOf(stranger) }))],
    [
      'key',
      (drafts, log) => {
        const { signatures: _, ...said } = rotationTo1(log, { key: hexOf(stranger) });
        put(drafts, 0, signedKey(log, said, { old: REPORT_SIGNER, new: stranger }));
      },
    ],
    [
      'recovery_key',
      (drafts, log) => {
        const { signatures: _, ...said } = recoveryTo2(log, { recovery_key: hexOf(stranger) });
        put(drafts, 1, signedKey(log, said, { new: REPORT_KEYS[2], recovery: stranger }));
      },
    ],
    [
      'next_recovery_key_sha256',
      (drafts, log) =>
        put(drafts, 0, rotationTo1(log, { next_recovery_key_sha256: promised(stranger) })),
    ],
    [
      'next_key_sha256',
      (drafts, log) =>
        put(drafts, 0, rotationTo1(log, { next_key_sha256: promised(REPORT_SIGNER) })),
    ],
    // A key that the log has used, that of its checkpoints, and one that is none.
    ['key', (drafts, log) => put(drafts, 1, recoveryTo2(log, { key: hexOf(REPORT_SIGNER) }))],
    ['key', (drafts, log) => put(drafts, 1, recoveryTo2(log, { key: hexOf(testSigner(2)) }))],
    ['key', (drafts, log) => put(drafts, 1, recoveryTo2(log, { key: hexOf(RECOVERY_KEYS[0]) }))],
    ['key', (drafts, log) => put(drafts, 1, recoveryTo2(log, { key: TORSIONED }))],
    ['key', (drafts, log) => put(drafts, 1, recoveryTo2(log, { key: '01'.padEnd(64, '0') }))],
  ];
  for (const [member, change] of cases) {
    const verdict = await verdictOn(change);
    assert.ok(verdict.outcome === 'findings', member);
    const places = verdict.findings
      .filter(({ code }) => code === 'key_not_allowed')
      .map(({ place }) => place.split('/')[1]);
    assert.ok(places.includes(member), `${member}: ${places.join()}`);
  }
});

test('a co-signer is no publisher', async () => {
  const cosigners = [{ name: 'ada', key: hexOf(REPORT_KEYS[2]) }];
  const verdict = await verdictOn((drafts) => {
    const at = (drafts[1] as LooseDraft).at;
    drafts.splice(2, 0, {
      at,
      kind: 'cosigners/1',
      body: { number: 0, threshold: 1, cosigners } as never,
    });
  });
  assert.ok(codesOf(verdict).includes('key_not_allowed'));
});

test('both signatures of a key are checked', async () => {
  const stranger = testSigner(9);
  const cases: readonly (readonly [string, Change])[] = [
    [
      'old',
      (drafts, log) => {
        const { signatures: _, ...said } = rotationTo1(log);
        put(drafts, 0, signedKey(log, said, { old: stranger, new: REPORT_KEYS[1] }));
      },
    ],
    [
      'new',
      (drafts, log) => {
        const { signatures: _, ...said } = rotationTo1(log);
        put(drafts, 0, signedKey(log, said, { old: REPORT_SIGNER, new: stranger }));
      },
    ],
    [
      'recovery',
      (drafts, log) => {
        const { signatures: _, ...said } = recoveryTo2(log);
        put(drafts, 1, signedKey(log, said, { new: REPORT_KEYS[2], recovery: stranger }));
      },
    ],
    // What is said for one log says nothing for another.
    ['new', (drafts) => put(drafts, 0, rotationTo1('cd'.repeat(32) as HashHex))],
  ];
  for (const [name, change] of cases) {
    const verdict = await verdictOn(change);
    assert.deepEqual(codesOf(verdict), ['key_bad_signature'], name);
    assert.ok(verdict.outcome === 'findings');
    assert.ok(
      verdict.findings.some(({ place }) => place.endsWith(`/signatures/${name}`)),
      name,
    );
  }
});

test('a member changed after it was signed', async () => {
  const verdict = await verdictOn((drafts, log) => {
    put(drafts, 0, { ...rotationTo1(log), revoked: true });
  });
  assert.deepEqual(codesOf(verdict), ['key_bad_signature']);
});

function resignReport(drafts: LooseDraft[], n: number, signer: Signer): void {
  const { body } = drafts[placeOf(drafts, 'report/1', n)] as { body: Record<string, unknown> };
  const message = formatPrint(printOf(nodeSha256, body['report'] as Report));
  body['signature'] = formatHex(signer.sign(message));
}

test('a key that has ended, or has not begun, signs nothing', async () => {
  const [first, second, third] = REPORT_KEYS;
  // Reports come in pairs, one pair with each key.
  for (const [n, signer, found] of [
    [3, first, 'one by key 0, which entry'],
    [5, second, 'one by key 1, which entry'],
    [1, second, 'one that does not verify'],
    [5, testSigner(9), 'one that does not verify'],
  ] as const) {
    const verdict = await verdictOn((drafts) => resignReport(drafts, n, signer));
    assert.ok(verdict.outcome === 'findings');
    // Settlement files hold the signature: their Close is another then, too.
    const said = verdict.findings.filter(({ code }) => code === 'report_bad_signature');
    assert.equal(said.length, 1);
    assert.ok(said[0]?.found.startsWith(found), said[0]?.found);
  }
  for (const [n, signer] of [
    [1, first],
    [2, second],
    [0, third],
  ] as const) {
    const verdict = await verdictOn((drafts, log) => {
      const { body } = drafts[placeOf(drafts, 'close/1', n)] as unknown as {
        body: { content: { day: string }; signature: string };
      };
      const hash = closeHash(nodeSha256, body.content as never);
      body.signature = formatHex(signer.sign(closeMessage(log, body.content.day as never, hash)));
    });
    assert.deepEqual(codesOf(verdict), ['close_bad_signature'], `Close ${n}`);
  }
});

test('without the entry that brought it a key signs nothing', async () => {
  const verdict = await verdictOn((drafts) => {
    drafts.splice(placeOf(drafts, 'key/1', 1), 1);
  });
  for (const code of ['close_bad_signature', 'report_bad_signature'] as const) {
    assert.ok(codesOf(verdict).includes(code), code);
  }
});

test('a bundle has the keys that its report needs', async () => {
  const published = rotated();
  const site = siteOf(published);
  for (const [period, signer] of [
    ['2026-07-04', REPORT_KEYS[0]],
    ['2026-07-11', REPORT_KEYS[1]],
    ['2026-07-18', REPORT_KEYS[2]],
  ] as const) {
    const choice = { index: CLAIMS_RULE.ticker, period };
    const bytes = await makeBundle(siteReader(site), choice, nodeSha256);
    const bundle = JSON.parse(Buffer.from(bytes).toString()) as {
      entries: { seq: number }[];
      signatures: { key: string }[];
    };
    assert.equal(bundle.signatures[0]?.key, hexOf(signer));
    const verdict = await judge({ kind: 'bundle', bytes });
    assert.equal(verdict.outcome, 'verified', JSON.stringify(verdict, null, 1));
    assert.equal(verdict.log.report_key, hexOf(REPORT_KEYS[2]));
    // Without one of the keys before its report it proves nothing; those after may be missing.
    const keys = published.entries.flatMap((entry, seq) =>
      Buffer.from(entry).includes('"kind":"key/1"') ? [seq] : [],
    );
    const kept = { ...bundle, entries: bundle.entries.filter(({ seq }) => seq !== keys[0]) };
    const cut = await judge({ kind: 'bundle', bytes: formatWire(kept as never) });
    assert.ok(codesOf(cut).includes('key_not_allowed'), period);
  }
});

test('a final by a revoked key is found where its bundle leaves out the entry that revoked it', async () => {
  const thief = REPORT_KEYS[1];
  const published = rotated((drafts, log) => {
    const kept = drafts.splice(0).filter(({ kind }) => kind !== 'close/1');
    const views = new MemoryViews();
    for (const draft of kept) {
      const report = draft.body['report'] as Report | undefined;
      if (report?.period === '2026-07-18') {
        const print = formatPrint(printOf(nodeSha256, report));
        draft.body['signature'] = formatHex(thief.sign(print));
      }
      const seq = drafts.push(draft) - 1;
      const known = bodyParser(nodeSha256)(draft.kind, draft.body);
      if (known === undefined) continue;
      const entry = { ...known, seq, at: toTime(draft.at), log };
      views.write(foldEntry(entry, views, nodeSha256));
    }
    const size = drafts.length;
    const body = { day: '2026-07-24', size, ...recomputeIndex(views, nodeSha256, size) };
    drafts.push({ at: '2026-07-25T00:10:00Z', kind: 'index/1', body });
  });
  const choice = { index: CLAIMS_RULE.ticker, period: '2026-07-18' };
  const bytes = await makeBundle(siteReader(siteOf(published)), choice, nodeSha256);
  const bundle = JSON.parse(Buffer.from(bytes).toString()) as {
    entries: { seq: number }[];
    signatures: { key: string }[];
  };
  const whole = await judge({ kind: 'bundle', bytes });
  assert.deepEqual(codesOf(whole), ['report_bad_signature']);
  const [, revoked] = published.entries.flatMap((entry, seq) =>
    Buffer.from(entry).includes('"kind":"key/1"') ? [seq] : [],
  );
  const cut = {
    ...bundle,
    entries: bundle.entries.filter(({ seq }) => seq !== revoked),
    signatures: bundle.signatures.map((each) => ({ ...each, key: hexOf(thief) })),
  };
  const verdict = await judge({ kind: 'bundle', bytes: formatWire(cut as never) });
  assert.deepEqual(codesOf(verdict), ['index_differs'], JSON.stringify(verdict, null, 1));
});

test('which log is meant is the policy of whoever verifies, and no report key of it', async () => {
  const policy = parsePolicy(nodeSha256, {
    type: 'assay-policy/1',
    checkpoint_keys: [CHECKPOINTS.vkey],
    log_id: null,
    strict: true,
  });
  const verdict = await judgeSite(siteOf(rotated()), policy);
  assert.ok(verdict.outcome === 'verified' && verdict.trust === 'policy');
  assert.equal(promised(NEXT_KEYS[0]), promised(REPORT_KEYS[1]));
});
