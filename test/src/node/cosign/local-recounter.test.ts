import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setHash } from '@assay/core/report/cosigner-set';
import { parseHex } from '@assay/core/bytes/hex';
import { dissentMessage, formatPrint, printOf } from '@assay/core/report/print';
import type { Read } from '@assay/core/report/report';
import { ruleHash } from '@assay/core/rule/rule';
import { formatStatement, statementMessage } from '@assay/core/report/statement';
import { formatTime, parseTime } from '@assay/core/time/time';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { nodeVerifySignature } from '@assay/node/platform/node-signature';
import type { CosignerStatement } from '@assay/node/cosign/cosigner';
import { statementOf } from '@assay/node/cosign/admit';
import type { ReportRow } from '@assay/core/view/reports';
import { withheldRule } from '../../core/fixture/fixture.ts';
import { testSigner } from '../ledger/ledger-fixture.ts';
import { MIRROR, page, RECORD } from '../fixture/round-fixture.ts';
import {
  CosignedWorld,
  FROZEN,
  LATE,
  OTHER,
  RELEASE,
  said,
  setOf,
  SHOWN,
  WINDOW,
  withReport,
} from './cosigner-fixture.ts';

/** A world at the release, with its provisional. */
async function released(): Promise<{ world: CosignedWorld; provisional: ReportRow }> {
  const world = await CosignedWorld.open();
  world.at(RELEASE);
  const provisional = await world.round();
  assert.equal(provisional?.report.reason, 'freeze_window');
  return { world, provisional };
}

async function settled(world: CosignedWorld): Promise<ReportRow> {
  world.at(FROZEN);
  const final = await world.round();
  assert.equal(final?.report.status, 'final');
  return final;
}

const DOWN = { kind: 'failed', reason: 'unreachable', detail: 'down' } as const;

test('local recounter: it agrees with what its own read gives, by two signatures of one key', async () => {
  const { world, provisional } = await released();
  const { cosigner, source } = world.recounter();
  const word = await cosigner.recount(await world.asked(provisional));
  assert.equal(said(word), 'agree, own_read, provisional 197000, provisional 197000');
  assert.equal(source.asked.length, 2, 'every provider is read');
  assert.ok(word?.kind === 'agree');
  const { statement, signature, print_signature: print } = word.body;
  const key = parseHex(cosigner.key, 32);
  assert.ok(nodeVerifySignature(key, statementMessage(statement), parseHex(signature, 64)));
  const message = formatPrint(printOf(nodeSha256, provisional.report));
  assert.ok(nodeVerifySignature(key, message, parseHex(print, 64)));
  assert.deepEqual(
    statement.own?.reads.map(({ value }) => value),
    ['197000', '197000'],
  );
  assert.deepEqual(statement.set, provisional.report.cosigners.set);
  const final = await settled(world);
  assert.equal(
    said(await cosigner.recount(await world.asked(final))),
    'agree, own_read, final 197000, final 197000',
  );
});

test('local recounter: other bytes than its own at the publisher: it dissents from what they give', async () => {
  const { world, provisional } = await released();
  const { cosigner, source } = world.recounter();
  source.show(OTHER);
  const word = await cosigner.recount(await world.asked(provisional));
  assert.equal(said(word), 'dissent, value, own_read, provisional 198000, provisional 197000');
  assert.ok(word?.kind === 'dissent');
  const message = dissentMessage(printOf(nodeSha256, provisional.report));
  const signature = parseHex(word.body.dissent_signature, 64);
  assert.ok(nodeVerifySignature(parseHex(cosigner.key, 32), message, signature));
});

test('local recounter: a value that the kept bytes do not give is dissented from, whatever is read', async () => {
  const { world, provisional } = await released();
  const asked = await world.asked(provisional);
  const reads = asked.report.report.reads.map((read) => ({ ...read, value: '198000' }));
  const lie = withReport(asked, { value: '198000', reads });
  const honest = world.recounter();
  assert.equal(
    said(await honest.cosigner.recount(lie)),
    'dissent, kept, retained_bytes, provisional 197000, provisional 197000',
  );
  const fooled = world.recounter(22);
  fooled.source.show(OTHER);
  assert.equal(
    said(await fooled.cosigner.recount(lie)),
    'dissent, kept, retained_bytes, provisional 198000, provisional 197000',
  );
});

test('local recounter: without the publisher’s bytes it has its own read alone', async () => {
  const { world, provisional } = await released();
  const { cosigner, source } = world.recounter(21, { kept: () => Promise.resolve(undefined) });
  // Other bytes of the same figures, so that nothing is known by its hash.
  source.show({ ...SHOWN, '2026-07-11': 209_001 });
  const word = await cosigner.recount(await world.asked(provisional));
  assert.equal(said(word), 'agree, own_read, provisional 197000, nothing');
});

test('local recounter: of a publisher’s bytes it asks for no more under one report than there is room for', async () => {
  const { world, provisional } = await released();
  const kept = async (keptBytes?: number): Promise<readonly [number, string]> => {
    let asked = 0;
    const { cosigner, source } = world.recounter(21, {
      kept: (hash) => {
        asked += 1;
        return world.blobs.get(hash);
      },
      ...(keptBytes === undefined ? {} : { keptBytes }),
    });
    source.show({ ...SHOWN, '2026-07-11': 209_001 });
    const word = await cosigner.recount(await world.asked(provisional));
    return [asked, said(word)];
  };
  const [all, whole] = await kept();
  assert.ok(all > 1);
  assert.equal(whole, 'agree, own_read, provisional 197000, provisional 197000');
  assert.deepEqual(await kept(1), [1, 'agree, own_read, provisional 197000, nothing']);
});

test('local recounter: a source that revises after the window changes nothing', async () => {
  const { world, provisional } = await released();
  const { cosigner, source } = world.recounter();
  await cosigner.recount(await world.asked(provisional));
  const final = await settled(world);
  source.show(OTHER);
  const count = source.asked.length;
  const word = await cosigner.recount(await world.asked(final));
  assert.equal(said(word), 'agree, own_read, final 197000, final 197000');
  assert.equal(source.asked.length, count, 'it goes by what it read inside the window');
});

test('local recounter: read inside the window otherwise, it dissents from the final too', async () => {
  const { world, provisional } = await released();
  const { cosigner, source } = world.recounter();
  source.show(OTHER);
  await cosigner.recount(await world.asked(provisional));
  const final = await settled(world);
  source.show(SHOWN);
  const word = await cosigner.recount(await world.asked(final));
  assert.equal(said(word), 'dissent, value, own_read, final 198000, final 197000');
});

test('local recounter: a read of after the window may agree, and says nothing against', async () => {
  const { world } = await released();
  const final = await settled(world);
  const agreeing = world.recounter();
  assert.equal(
    said(await agreeing.cosigner.recount(await world.asked(final))),
    'agree, own_read, final 197000, final 197000',
  );
  const late = world.recounter(22);
  late.source.show(OTHER);
  assert.equal(said(await late.cosigner.recount(await world.asked(final))), 'nothing yet');
  world.clock.now = parseTime(LATE) + 1;
  assert.equal((await late.cosigner.recount(await world.asked(final)))?.kind, 'abstain');
});

test('local recounter: a source that is down is waited for, and at the end it abstains', async () => {
  const { world, provisional } = await released();
  const { cosigner, source } = world.recounter();
  source.say(RECORD, DOWN);
  source.say(MIRROR, DOWN);
  const asked = await world.asked(provisional);
  assert.equal(said(await cosigner.recount(asked)), 'nothing yet');
  world.at(WINDOW);
  assert.equal(said(await cosigner.recount(asked)), 'nothing yet');
  world.clock.now = parseTime(LATE) + 1;
  const word = await cosigner.recount(asked);
  assert.equal(said(word), 'abstain, unread, own_read, nothing, provisional 197000');
  assert.ok(word?.kind === 'abstain');
  const { statement, signature } = word;
  const key = parseHex(cosigner.key, 32);
  assert.ok(nodeVerifySignature(key, statementMessage(statement), parseHex(signature, 64)));
});

test('local recounter: half of its quorum makes no final', async () => {
  const { world } = await released();
  const final = await settled(world);
  const { cosigner, source } = world.recounter();
  source.say(MIRROR, DOWN);
  assert.equal(said(await cosigner.recount(await world.asked(final))), 'nothing yet');
  source.show(SHOWN);
  assert.equal((await cosigner.recount(await world.asked(final)))?.kind, 'agree');
});

test('local recounter: a read that comes too late to be a first print counts for nothing', async () => {
  const { world } = await released();
  const final = await settled(world);
  const { cosigner } = world.recounter();
  world.clock.now = parseTime(LATE) + 1;
  const word = await cosigner.recount(await world.asked(final));
  assert.equal(said(word), 'abstain, late, own_read, nothing, final 197000');
});

test('local recounter: a void that nothing of its own supports has no agreement', async () => {
  const { world } = await released();
  const { source } = world;
  const { cosigner, source: own } = world.recounter();
  // One of two is missing from then on: printed, and never with a quorum.
  source.show(OTHER);
  source.say(MIRROR, DOWN);
  world.at('2026-07-30T13:00:00Z');
  assert.equal((await world.round())?.report.reason, 'no_quorum');
  world.at(LATE);
  source.say(RECORD, DOWN);
  const row = await world.round();
  assert.equal(row?.report.status, 'void');
  own.say(RECORD, DOWN);
  own.say(MIRROR, DOWN);
  world.clock.now = parseTime(LATE) + 1;
  assert.equal((await cosigner.recount(await world.asked(row)))?.kind, 'abstain');
  own.say(RECORD, page('gone', 404));
  assert.equal(
    (await cosigner.recount(await world.asked(row)))?.kind,
    'abstain',
    'its word stands',
  );
  const other = world.recounter(22);
  other.source.say(RECORD, page('gone', 404));
  other.source.say(MIRROR, DOWN);
  assert.equal((await other.cosigner.recount(await world.asked(row)))?.kind, 'agree');
});

test('local recounter: a withheld level is nobody else’s to count', async () => {
  const { world, provisional } = await released();
  const { cosigner, source } = world.recounter();
  const asked = await world.asked(provisional);
  const rule = withheldRule();
  const hash = ruleHash(nodeSha256, rule);
  const withheld = withReport(asked, {
    ticker: rule.ticker,
    rule: { hash, version: rule.version },
    value: null,
    dispersion: null,
    withheld: true,
    commitment: hash,
    settleable: false,
    decimals: rule.decimals,
    grade: rule.grade,
    reads: rule.providers.map(({ id: provider, role, retain }) => {
      const read = asked.report.report.reads[0] as Read;
      return { ...read, provider, role, retain, value: null };
    }),
  });
  const word = await cosigner.recount({ ...withheld, rule: { ...asked.rule, rule, hash } });
  assert.equal(said(word), 'abstain, withheld, own_read, nothing, nothing');
  assert.equal(source.asked.length, 0);
});

test('local recounter: its statement stays, to the byte, whatever the source answers later', async () => {
  const { world, provisional } = await released();
  const { cosigner, source, memory } = world.recounter();
  const first = (await cosigner.recount(await world.asked(provisional))) as CosignerStatement;
  source.show(OTHER);
  world.at(WINDOW);
  assert.deepEqual(await cosigner.recount(await world.asked(provisional)), first);
  const again = world.recounter(21, { memory });
  again.source.show(OTHER);
  assert.deepEqual(await again.cosigner.recount(await world.asked(provisional)), first);
});

test('local recounter: nothing is signed before it is written, and a second print in a place never', async () => {
  const { world, provisional } = await released();
  const asked = await world.asked(provisional);
  const order: string[] = [];
  const signer = testSigner(21);
  const { cosigner, memory } = world.recounter(21, {
    signer: {
      publicKey: signer.publicKey,
      sign: (message) => {
        order.push('signed');
        return signer.sign(message);
      },
    },
  });
  const { write } = memory;
  Object.assign(memory, {
    write: async (statement: never) => {
      await write(statement);
      order.push('written');
    },
  });
  const word = await cosigner.recount(asked);
  assert.deepEqual(order, ['written', 'signed', 'signed']);
  const twin = withReport(asked, {
    published_at: formatTime(parseTime(asked.report.report.published_at) + 1),
  });
  world.at(WINDOW);
  await assert.rejects(cosigner.recount(twin), { code: 'refused' });
  assert.equal(order.length, 3, 'nothing was signed');
  const fresh = world.recounter(21, {
    memory: {
      said: () => Promise.resolve(undefined),
      write: () => Promise.reject(new Error('disk: EIO')),
      all: () => world.recounter().memory.all(),
    },
    signer: {
      publicKey: signer.publicKey,
      sign: (message) => {
        order.push('signed');
        return signer.sign(message);
      },
    },
  });
  await assert.rejects(fresh.cosigner.recount(asked), /EIO/);
  assert.equal(order.length, 3);
  assert.ok(word !== undefined && formatStatement(statementOf(word)).length > 0);
});

test('local recounter: what is not what it says it is, it does not read', async () => {
  const { world, provisional } = await released();
  const asked = await world.asked(provisional);
  const { cosigner, source } = world.recounter();
  const { report } = asked.report;
  const hash = 'ab'.repeat(32) as never;
  const others = setHash(nodeSha256, setOf([31, 32]));
  const other = { ...asked.set, ...setOf([31, 32]), hash: others };
  const cases: readonly (readonly [string, typeof asked])[] = [
    ['report', { ...asked, report: { ...asked.report, hash } }],
    ['rule', { ...asked, rule: { ...asked.rule, hash } }],
    ['report.log', { ...asked, log: hash }],
    ['set.hash', { ...asked, set: { ...asked.set, hash } }],
    ['report.cosigners', withReport(asked, { cosigners: { set: null, required: 0 } })],
    ['set.hash', { ...asked, set: { ...asked.set, cosigners: setOf([31, 32]).cosigners } }],
    ['set.hash', { ...asked, set: { ...asked.set, threshold: 1 } }],
    ['set', { ...withReport(asked, { cosigners: { set: others, required: 2 } }), set: other }],
    ['signature', withReport(asked, {}, testSigner(9))],
    ['report.rule', withReport(asked, { rule: { ...report.rule, hash } })],
    ['report.decimals', withReport(asked, { decimals: 2 })],
    ['report.settleable', withReport(asked, { settleable: true })],
    ['report.reads', withReport(asked, { reads: report.reads.slice(1) })],
    ['report.issue', withReport(asked, { issue: 1 })],
    ['report.supersedes', withReport(asked, { supersedes: hash })],
    [
      'report.status',
      {
        ...withReport(asked, { issue: 1, supersedes: asked.report.hash }),
        before: [{ ...asked.report, report: { ...report, status: 'final' } }],
      },
    ],
    ['report.published_at', withReport(asked, { published_at: formatTime(parseTime(WINDOW)) })],
  ];
  for (const [at, each] of cases) {
    await assert.rejects(cosigner.recount(each), { code: 'refused', at }, at);
  }
  assert.equal(source.asked.length, 0);
});

test('local recounter: ended between writing and signing, it goes on with the same statement', async () => {
  const { world, provisional } = await released();
  const asked = await world.asked(provisional);
  const signer = testSigner(21);
  const killed = world.recounter(21, {
    signer: {
      publicKey: signer.publicKey,
      sign: () => {
        throw new Error('the process ended');
      },
    },
  });
  await assert.rejects(killed.cosigner.recount(asked), /the process ended/);
  const written = await killed.memory.said(asked.report.hash);
  assert.equal(written?.verdict, 'agree');
  world.at(WINDOW);
  const { cosigner, source } = world.recounter(21, { memory: killed.memory });
  source.show(OTHER);
  const word = await cosigner.recount(asked);
  assert.deepEqual(word && statementOf(word), written);
  const twin = withReport(asked, { published_at: formatTime(parseTime(RELEASE) + 1) });
  source.show(SHOWN);
  await assert.rejects(cosigner.recount(twin), { code: 'refused' });
});
