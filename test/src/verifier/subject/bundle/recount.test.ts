import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseBase64 } from '@assay/core/bytes/base64';
import { type Bundle, formatBundle } from '@assay/core/proof/bundle';
import { setHash } from '@assay/core/report/cosigner-set';
import { parseEntry } from '@assay/core/log/entry';
import { formatHex } from '@assay/core/bytes/hex';
import { formatPrint, printOf } from '@assay/core/report/print';
import type { Report } from '@assay/core/report/report';
import { makeBundle } from '@assay/verifier/client/bundle-maker';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { numberWarnings } from '@assay/verifier/summary/number-warnings';
import type { AccountFacts, NumberFacts, QuorumFacts } from '@assay/verifier/verdict/verdict';
import {
  accountsOf,
  CHAIN,
  chained,
  keyOf,
  lookupOf,
  PROGRAM,
  READ_SLOT,
  SETS,
  TICKER,
  type Tweaks,
} from '../../fixture/chained-log.ts';
import { REPORT_SIGNER } from '../../../node/ledger/ledger-fixture.ts';
import { vectors } from '../../../core/fixture/fixture.ts';
import { assertFound, flip, places } from '../../fixture/flip.ts';
import { type Loose, wireBytes } from '../../fixture/forge.ts';
import { judgeBundle, makeGround } from '../../fixture/misdeeds.ts';
import { codesOf, judge, judgeSite, siteOf, siteReader } from '../../fixture/published.ts';
import { bundleFor, numberOf } from '../../fixture/recounted-bundle.ts';

const honest = chained();

const quorumOf = async (bundle: Bundle): Promise<QuorumFacts> =>
  numberOf(await judgeBundle(bundle as Loose)).quorum;

/** The kinds of a bundle's entries, in their order. */
const kindsOf = ({ entries }: Bundle): readonly string[] =>
  entries.map(({ bytes }) => parseEntry(parseBase64(bytes)).kind);

const disputed = await bundleFor(honest, '2026-07-04');

test('a recounted number: its set, its co-signers, its dissent, and its accounts', async () => {
  assert.deepEqual(kindsOf(disputed), [
    'rule/1',
    'cosigners/1',
    'report/1',
    'cosign/1',
    'cosign/1',
    'dissent/1',
    'print/1',
  ]);
  const { quorum, account, status, settled } = numberOf(await judgeBundle(disputed as Loose));
  assert.deepEqual([status, settled], ['final', true]);
  const named = (name: string): QuorumFacts['cosigners'][number] => ({ name, key: keyOf(name) });
  assert.deepEqual(quorum, {
    required: 2,
    have: 2,
    cosigners: [named('ada'), named('ben')],
    dissents: 1,
  });
  const record = honest.accounts.slots.get(20_638)?.settled;
  const expected: AccountFacts = {
    chain: CHAIN,
    program: PROGRAM,
    feed: disputed.account?.feed.address ?? '',
    page: disputed.account?.page.address ?? '',
    written: `${record?.slot}`,
    slot: READ_SLOT,
    cosigners: ['ada', 'ben'].map(keyOf).sort(),
    dissents: 1,
    dissent: true,
  };
  assert.deepEqual({ ...account, cosigners: account?.cosigners.toSorted() }, expected);
});

test('a recounted number: the committed bundle verifies', async () => {
  const [, recounted] = vectors<readonly { readonly bundle: Loose }[]>('bundle/bundles');
  const { quorum, account } = numberOf(await judgeBundle(recounted?.bundle ?? {}));
  assert.deepEqual([quorum.have, quorum.dissents, account?.cosigners.length], [2, 1, 2]);
});

test('a recounted number: what the bundle cannot show is named', async () => {
  const verdict = await judgeBundle(disputed as Loose);
  const named = verdict.not_checked.map(({ what, why }) => `${what}: ${why}`).join('\n');
  assert.match(
    named,
    /heads that co-signers name, and sets and statements that the bundle leaves out/,
  );
  assert.match(named, new RegExp(`that ${CHAIN} holds the accounts .*come from an RPC node`));
  const bare = { ...disputed, account: null };
  const without = await judgeBundle(bare as Loose);
  assert.equal(numberOf(without).account, null);
  assert.equal(
    without.not_checked.some(({ what }) => what.includes('holds the accounts')),
    false,
  );
});

test('a recounted number: of a later set the sets before it come too', async () => {
  const bundle = await bundleFor(honest, '2026-07-25');
  assert.equal(kindsOf(bundle).filter((kind) => kind === 'cosigners/1').length, 2);
  const { status, quorum } = numberOf(await judgeBundle(bundle as Loose));
  assert.deepEqual([status, quorum.required, quorum.have], ['corrected', 3, 3]);
});

test('a final without its quorum is verified, and says that it is not settled', async () => {
  const few = chained({ skip: (name) => /^2026-08-01 final 0 cosign (ada|ben)$/.test(name) });
  const bundle = await bundleFor(few, '2026-08-01', null);
  const { status, settleable, settled, quorum } = numberOf(await judgeBundle(bundle as Loose));
  assert.deepEqual([status, settleable, settled], ['final', true, false]);
  assert.deepEqual([quorum.required, quorum.have], [3, 1]);
});

test('a report that names no set: a bundle says that it cannot show whether there was one', async () => {
  const ground = await makeGround();
  const verdict = await judgeBundle(ground.bundle);
  const { status, settled, quorum } = numberOf(verdict);
  assert.deepEqual([status, settled, quorum.required], ['final', true, 0]);
  const named = verdict.not_checked.map(({ what }) => what);
  assert.ok(
    named.includes('whether co-signers were in force when the report was published: it names none'),
    named.join('\n'),
  );
});

test('accounts are asked for only where the log says that the print is on chain', async () => {
  await assert.rejects(bundleFor(honest, '2026-08-01'), { code: 'not_found' });
  const other = { ...lookupOf(accountsOf(honest)), chain: 'solana:other' };
  const reader = siteReader(siteOf(honest.published));
  const choice = { index: TICKER, period: '2026-07-04' };
  await assert.rejects(makeBundle(reader, choice, nodeSha256, other), { code: 'refused' });
  const none = lookupOf(new Map());
  await assert.rejects(makeBundle(reader, choice, nodeSha256, none), { code: 'not_found' });
});

/** What a verifier finds in the bundle of a log that a dishonest publisher made. */
async function foundIn(tweaks: Tweaks, period = '2026-07-04'): Promise<readonly string[]> {
  const log = chained(tweaks);
  return codesOf(await judgeBundle((await bundleFor(log, period, null)) as Loose));
}

const onStatement =
  (change: (statement: Loose) => void): NonNullable<Tweaks['statement']> =>
  (name, statement) => {
    if (name === '2026-07-04 final 0 cosign ben') change(statement);
  };

test('statements that are not about this report, or not by its co-signers: found', async () => {
  const cases: readonly (readonly [string, (statement: Loose) => void, string])[] = [
    ['another log', (said) => (said['log'] = '5e'.repeat(32)), 'statement_differs'],
    ['another entry', (said) => (said['entry'].leaf = '5e'.repeat(32)), 'statement_differs'],
    ['a head to come', (said) => (said['head'].size = 10_000), 'statement_differs'],
    ['another set', (said) => (said['set'] = '5e'.repeat(32)), 'statement_differs'],
    ['a stranger', (said) => (said['cosigner'] = keyOf('dora')), 'statement_differs'],
    ['another hand', (said) => (said['cosigner'] = keyOf('cleo')), 'statement_bad_signature'],
    ['a time before', (said) => (said['signed_at'] = '2026-07-01T00:00:00Z'), 'statement_differs'],
  ];
  for (const [name, change, code] of cases) {
    const found = await foundIn({ statement: onStatement(change) });
    assert.ok(found.includes(code), `${name}: ${found.join()}`);
  }
});

test('entries of the chain that may not be: found', async () => {
  const onEntry =
    (wanted: string, change: (body: Loose) => void): NonNullable<Tweaks['entry']> =>
    (name, draft) => {
      if (name === wanted) change(draft.body);
    };
  const cases: readonly (readonly [string, Tweaks, string])[] = [
    [
      'another page',
      {
        entry: onEntry('2026-07-04 final 0 print', (body) => (body['account'] = body['feed'])),
      },
      'feed_entry_wrong',
    ],
    [
      'a co-signer who did not sign',
      {
        entry: onEntry('2026-07-04 final 0 print', (body) => {
          body['cosigners'] = [...body['cosigners'], keyOf('dora')].toSorted((a, b) =>
            a < b ? -1 : 1,
          );
        }),
      },
      'feed_entry_wrong',
    ],
  ];
  for (const [name, tweaks, code] of cases) {
    const found = await foundIn(tweaks);
    assert.ok(found.includes(code), `${name}: ${found.join()}`);
  }
});
test('a report that names another set than was in force: found', async () => {
  const found = await foundIn(
    {
      entry(name, draft) {
        if (name !== '2026-07-25 corrected 1') return;
        const report = draft.body['report'] as Report;
        const [set] = SETS;
        assert.ok(set !== undefined);
        const cosigners = { set: setHash(nodeSha256, set), required: set.threshold };
        const changed = { ...report, cosigners };
        const print = formatPrint(printOf(nodeSha256, changed));
        draft.body = { report: changed, signature: formatHex(REPORT_SIGNER.sign(print)) };
      },
      skip: (name) => name.startsWith('2026-07-25 corrected 1 '),
    },
    '2026-07-25',
  );
  assert.deepEqual(found, ['report_not_reproduced']);
});

test('a bundle that names a set which was replaced, and leaves out the next: its first line says what it rests on', async () => {
  const week = '2026-08-01';
  const [first] = SETS;
  const log = chained({
    entry(name, draft) {
      if (name !== `${week} final 0` || first === undefined) return;
      const report = draft.body['report'] as Loose;
      report['cosigners'] = { set: setHash(nodeSha256, first), required: first.threshold };
      const print = formatPrint(printOf(nodeSha256, report as Report));
      draft.body['signature'] = formatHex(REPORT_SIGNER.sign(print));
    },
  });
  assert.ok(codesOf(await judgeSite(siteOf(log.published))).includes('report_not_reproduced'));
  const whole = await bundleFor(log, week, null);
  assert.deepEqual(codesOf(await judgeBundle(whole as Loose)), ['report_not_reproduced']);
  const next = kindsOf(whole).lastIndexOf('cosigners/1');
  const bytes = wireBytes({ ...whole, entries: whole.entries.filter((_, i) => i !== next) });
  const verdict = await judge({ kind: 'bundle', bytes });
  const number = numberOf(verdict);
  assert.deepEqual([number.settled, number.rests_on], [true, 'bundle']);
  const warned = (of: NumberFacts): string =>
    numberWarnings(of, 'bundle')
      .map(({ code, text }) => `${code} ${text}`)
      .join('\n');
  assert.match(warned(number), /^publishers_cosigners .*\nfile_alone .*still the one in force/);
  // Whoever names co-signers does not ask which set they stood in.
  const own = await judge(
    { kind: 'bundle', bytes },
    { cosigners: [{ operator: 'Ada', key: keyOf('ada') }], cosigners_required: 1 },
  );
  assert.deepEqual(numberOf(own).policy, { required: 1, operators: ['Ada'] });
  assert.equal(numberOf(own).rests_on, 'policy');
  assert.doesNotMatch(warned(numberOf(own)), /publishers_cosigners|still the one in force/);
});

test('a bundle without what its number rests on, or with more: found', async () => {
  const later = await bundleFor(honest, '2026-07-25', null);
  const without = (bundle: Bundle, kind: string, nth = 0): Loose => {
    const kinds = kindsOf(bundle);
    const at = kinds.flatMap((each, i) => (each === kind ? [i] : []))[nth];
    return { ...bundle, entries: bundle.entries.filter((_, i) => i !== at) };
  };
  const bare = { ...disputed, account: null };
  assert.ok(
    codesOf(await judgeBundle(without(bare, 'cosigners/1'))).includes('bundle_incomplete'),
    'no set',
  );
  const nextSet = later.entries.filter((_, i) => kindsOf(later)[i] === 'cosigners/1').at(-1);
  assert.ok(nextSet !== undefined);
  const more = [...bare.entries, nextSet].toSorted((a, b) => a.seq - b.seq);
  assert.deepEqual(codesOf(await judgeBundle({ ...bare, entries: more } as Loose)), [
    'bundle_malformed',
  ]);
  assertFound(await judgeBundle(without(later, 'cosigners/1')), 'no first set');
  assertFound(await judgeBundle(without(later, 'cosigners/1', 1)), 'no second set');
  assertFound(await judgeBundle(without(disputed, 'cosign/1')), 'a signature without its entry');
  assertFound(await judgeBundle(without(disputed, 'dissent/1')), 'a dissent on chain alone');
  const [publisher, ...others] = disputed.signatures;
  for (const signatures of [[publisher], others, [publisher, ...others.toReversed()]]) {
    assertFound(await judgeBundle({ ...disputed, signatures } as Loose), 'signatures');
  }
  const mixed = [...disputed.entries, ...later.entries].toSorted((a, b) => a.seq - b.seq);
  const entries = mixed.filter(({ seq }, i) => seq !== mixed[i - 1]?.seq);
  assertFound(await judgeBundle({ ...disputed, entries } as Loose), 'two reports');
});

test('what a bundle leaves out of dissents only the log shows: it verifies with fewer', async () => {
  const bare = { ...disputed, account: null };
  const entries = bare.entries.filter((_, i) => kindsOf(bare)[i] !== 'dissent/1');
  assert.equal((await quorumOf({ ...bare, entries })).dissents, 0);
});

test('bits all over a recounted bundle: found', { timeout: 3_600_000 }, async () => {
  const bytes = formatBundle({ ...disputed, account: null });
  for (const { at, bit } of places(bytes.length, 41)) {
    const verdict = await judge({ kind: 'bundle', bytes: flip(bytes, at, bit) });
    assertFound(verdict, `byte ${at} bit ${bit}`);
  }
});
