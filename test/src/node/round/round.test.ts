import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseEntry } from '@assay/core/log/entry';
import { formatHex, parseHex } from '@assay/core/bytes/hex';
import { contentHash } from '@assay/core/hash/hash';
import { formatPrint, printOf } from '@assay/core/report/print';
import { setHash } from '@assay/core/report/cosigner-set';
import type { ReadFailure } from '@assay/core/rule/value';
import { parseSnapshot } from '@assay/core/read/snapshot';
import { formatDate, parseDate, parseTime, toTime } from '@assay/core/time/time';
import { periodRow, periodRows } from '@assay/core/view/periods';
import { reportsOf } from '@assay/core/view/reports';
import { claimsCsv, claimsJson } from '../fixture/claims-pages.ts';
import type { BlobStore } from '@assay/node/blob/blob-store';
import { MemoryBlobStore } from '@assay/node/blob/memory-blob-store';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { nodeVerifySignature } from '@assay/node/platform/node-signature';
import type { Signer } from '@assay/node/ledger/checkpoint-signer';
import { runRound } from '@assay/node/round/round';
import type { SourceAnswer } from '@assay/node/source/source';
import { cosignerSet, STRANGERS } from '../../core/fixture/cosigner-fixture.ts';
import { Gate, REPORT_SIGNER, requireSound, turns } from '../ledger/ledger-fixture.ts';
import {
  blobCount,
  CLAIMS_RULE,
  MIRROR,
  page,
  RECORD,
  requireVerified,
  type TestNode,
  testNode,
  weeksOf,
} from '../fixture/round-fixture.ts';

const WEEK = '2026-07-25';
/** Before the week's release, 2026-07-30 08:30 in New York. */
const BEFORE = '2026-07-30T12:29:59Z';
const RELEASE = '2026-07-30T12:30:00Z';
const WINDOW = '2026-07-30T14:29:59Z';
const FROZEN = '2026-07-30T14:30:00Z';
const OVERDUE = '2026-08-13T12:30:00Z';

const { ticker } = CLAIMS_RULE;
const SHOWN = { '2026-07-11': 209_000, '2026-07-18': 188_000, '2026-07-25': 197_000 };

/** A node whose log knows the weeks before the one that is due. */
async function prepared(): Promise<TestNode> {
  const node = await testNode('2026-07-23T12:30:00Z');
  const { '2026-07-25': due, ...earlier } = SHOWN;
  assert.equal(due, 197_000);
  node.source.show(earlier);
  await node.round('2026-07-18');
  node.at('2026-07-23T14:30:00Z');
  await node.round('2026-07-18');
  assert.equal(periodRow(node.ledger.tip, ticker, dateText('2026-07-18'))?.status, 'final');
  node.at(RELEASE);
  node.source.show(SHOWN);
  return node;
}

function dateText(text: string): ReturnType<typeof formatDate> {
  return formatDate(parseDate(text));
}

const statuses = ({ ledger }: TestNode, week = WEEK): readonly string[] =>
  reportsOf(ledger.tip, ticker, dateText(week)).map(({ report }) =>
    `${report.status} ${report.reason ?? ''} ${report.value ?? ''}`.replaceAll(/ +/g, ' ').trim(),
  );

test('round: a report names the very time of its entry, though the clock goes on while it is made', async () => {
  const node = await prepared();
  // The clock of the round stands a second before that of the ledger.
  const now = (): number => parseTime(toTime(RELEASE));
  node.at('2026-07-30T12:30:01Z');
  const { report } = await runRound(ticker, parseDate(WEEK), { ...node.parts, now });
  const [row] = reportsOf(node.ledger.tip, ticker, dateText(WEEK));
  const entry = parseEntry((await node.place.store.entry(row?.seq ?? 0)) as Uint8Array);
  assert.equal(entry.kind, 'report/1');
  assert.equal(report?.published_at, entry.at);
});

test('round: provisional at the release, final after the window, once each', async () => {
  const node = await prepared();
  const { ledger } = node;
  const size = ledger.nextSeq;
  node.at(BEFORE);
  assert.equal((await node.round(WEEK)).report, undefined);
  assert.equal(ledger.nextSeq, size, 'before the release nothing is said');
  node.at(RELEASE);
  const first = await node.round(WEEK);
  assert.equal(first.report?.status, 'provisional');
  assert.equal(first.report.value, '197000');
  assert.equal(ledger.nextSeq, size + 1);
  const again = await node.round(WEEK);
  assert.deepEqual([again.report, again.revisions], [undefined, 0], 'nothing new');
  node.at(WINDOW);
  assert.equal((await node.round(WEEK)).report, undefined);
  node.at(FROZEN);
  const last = await node.round(WEEK);
  assert.deepEqual(
    [last.report?.status, last.report?.value, last.report?.settleable, last.report?.issue],
    ['final', '197000', true, 0],
  );
  assert.equal(ledger.nextSeq, size + 2);
  for (const time of [FROZEN, OVERDUE]) {
    node.at(time);
    assert.equal((await node.round(WEEK)).report, undefined, 'the round is over');
  }
  assert.equal(ledger.nextSeq, size + 2);
  assert.deepEqual(statuses(node), ['provisional freeze_window 197000', 'final 197000']);
  await requireVerified(node);
});

test('round: a clock that went back writes no report older than the log', async () => {
  const node = await prepared();
  const { ledger } = node;
  node.at(WINDOW);
  await ledger.write(() => [{ kind: 'note/1', body: { text: 'before' } }]);
  const last = ledger.nextAt;
  node.at(RELEASE);
  assert.equal((await node.round(WEEK)).report?.published_at, last);
  await requireVerified(node);
});

test('round: the report names its reads, and the signature is over its print message', async () => {
  const node = await prepared();
  const { report, reads } = await node.round(WEEK);
  assert.ok(report !== undefined);
  assert.deepEqual(
    report.reads.map(({ provider, role, outcome, value, retain, read_at: at }) => [
      provider,
      role,
      outcome,
      value,
      retain,
      at,
    ]),
    [
      [RECORD.id, 'record', 'ok', '197000', 'bytes', RELEASE],
      [MIRROR.id, 'mirror', 'ok', '197000', 'bytes', RELEASE],
    ],
  );
  for (const [i, { snapshot }] of report.reads.entries()) {
    const manifest = parseSnapshot((await node.blobs.get(snapshot as never)) as Uint8Array);
    const bytes = reads[i]?.pages[0]?.bytes as Uint8Array;
    assert.equal(manifest.provider, report.reads[i]?.provider);
    assert.equal(manifest.pages[0]?.sha256, formatHex(contentHash(nodeSha256, bytes)));
    assert.deepEqual(await node.blobs.get(manifest.pages[0].sha256), Uint8Array.from(bytes));
  }
  const [row] = reportsOf(node.ledger.tip, ticker, dateText(WEEK));
  const message = formatPrint(printOf(nodeSha256, report));
  const signature = parseHex(row?.signature ?? '');
  assert.ok(nodeVerifySignature(REPORT_SIGNER.publicKey, message, signature));
});

test('round: what a print is revised to later is recorded beside it, in the commit of the next print', async () => {
  const node = await prepared();
  await node.round(WEEK);
  node.at(FROZEN);
  await node.round(WEEK);
  node.at('2026-08-06T12:30:00Z');
  node.source.show({
    ...SHOWN,
    '2026-07-11': 210_000,
    '2026-07-25': 198_000,
    '2026-08-01': 205_000,
  });
  const commits = node.place.store.commits.length;
  const next = await node.round('2026-08-01');
  assert.deepEqual([next.report?.value, next.revisions], ['205000', 2]);
  assert.deepEqual(node.place.store.commits.slice(commits), [2], 'one commit of two entries');
  const rows = new Map(periodRows(node.ledger.tip, ticker));
  const week = rows.get(dateText(WEEK));
  assert.deepEqual(
    [week?.value, week?.settlement_value, week?.revised, week?.revised_on],
    ['197000', '197000', '198000', '2026-08-06'],
  );
  const history = rows.get(dateText('2026-07-11'));
  assert.deepEqual([history?.value, history?.settlement_value], ['210000', null]);
  await requireVerified(node);
});

function readsOf({ get, read, checked, has, verify, list }: BlobStore): Omit<BlobStore, 'put'> {
  return { get, read, checked, has, verify, list };
}

test('round: kept bytes are there before an entry names them', async () => {
  const order: string[] = [];
  const gate = new Gate();
  gate.shut();
  const inner = new MemoryBlobStore();
  const blobs: BlobStore = {
    ...readsOf(inner),
    async put(bytes) {
      await gate.pass();
      order.push('put');
      return inner.put(bytes);
    },
  };
  const node = await testNode(RELEASE, { blobs });
  node.source.show(SHOWN);
  const before = node.ledger.nextSeq;
  const round = node.round(WEEK).then((result) => {
    order.push('appended');
    return result;
  });
  await turns(10);
  assert.equal(node.ledger.nextSeq, before, 'no entry before the bytes are durable');
  gate.open();
  await round;
  assert.deepEqual(order, ['put', 'put', 'put', 'put', 'appended']);
  assert.ok(node.ledger.nextSeq > before);
});

test('round: a report is of the log and the time at which it is written, and signed once', async () => {
  const inner = new MemoryBlobStore();
  const meanwhile: (() => unknown)[] = [];
  const blobs: BlobStore = {
    ...readsOf(inner),
    async put(bytes) {
      await meanwhile.pop()?.();
      return inner.put(bytes);
    },
  };
  let signed = 0;
  const signer: Signer = {
    publicKey: REPORT_SIGNER.publicKey,
    sign(message) {
      signed += 1;
      return REPORT_SIGNER.sign(message);
    },
  };
  const node = await testNode(RELEASE, { blobs, signer });
  node.source.show(SHOWN);
  const cosigners = STRANGERS.map(({ key }, i) => ({ name: `stranger-${i}`, key }));
  const body = cosignerSet({ cosigners });
  // In force at once, and recorded after the round has drafted what it is to keep the bytes for.
  meanwhile.push(() => node.ledger.write(() => [{ kind: 'cosigners/1', body }]));
  const { report } = await node.round(WEEK);
  assert.equal(report?.cosigners.set, setHash(nodeSha256, body));
  assert.equal(signed, 1);
  await requireVerified({ place: node.place, blobs: inner });
  node.at(FROZEN);
  const later = '2026-07-30T14:30:07Z';
  meanwhile.push(() => node.at(later));
  const { report: final } = await node.round(WEEK);
  assert.equal(final?.published_at, later);
  assert.equal(signed, 2);
});

test('round: a blob store that fails leaves no entry, and the next round is whole', async () => {
  const inner = new MemoryBlobStore();
  let broken = true;
  let puts = 0;
  const blobs: BlobStore = {
    ...readsOf(inner),
    async put(bytes) {
      puts += 1;
      if (broken && puts === 3) throw new Error('ENOSPC');
      return inner.put(bytes);
    },
  };
  const node = await testNode(RELEASE, { blobs });
  node.source.show(SHOWN);
  const before = node.ledger.nextSeq;
  await assert.rejects(node.round(WEEK), /ENOSPC/);
  assert.equal(node.ledger.nextSeq, before);
  assert.equal(node.ledger.blocked, undefined);
  broken = false;
  const { report } = await node.round(WEEK);
  assert.equal(report?.value, '197000');
  await requireVerified({ ...node, blobs: inner });
});

test('round: a ledger that fails tells nobody of a report', async () => {
  const node = await prepared();
  node.place.guard.fail = 'failed';
  await assert.rejects(node.round(WEEK), { name: 'Fault', code: 'stopped' });
  assert.deepEqual(
    reportsOf(node.ledger.shown, ticker, dateText(WEEK)),
    [],
    'readers are shown nothing of it',
  );
});

test('round: a period before the first rule has no round', async () => {
  const node = await prepared();
  await assert.rejects(node.round('2014-12-27'), { name: 'Fault', code: 'not_found' });
});

test('round: the signal reaches the source, and what it throws ends the round', async () => {
  const abort = new AbortController();
  const node = await testNode(RELEASE, { signal: abort.signal });
  node.source.show(SHOWN);
  const thrown = new Error('given up');
  node.source.say(MIRROR, Promise.reject(thrown));
  await assert.rejects(node.round(WEEK), thrown);
  assert.equal(node.source.signal, abort.signal);
});

/** An answer that no rule should believe, for the CSV source and the JSON one. */
interface Hostile {
  readonly name: string;
  readonly csv: SourceAnswer;
  readonly json: SourceAnswer;
  readonly outcome: ReadFailure;
}

const good = weeksOf(SHOWN);
const csvText = Buffer.from(claimsCsv(good)).toString();
const jsonText = Buffer.from(claimsJson(good)).toString();

function hostile(
  name: string,
  csv: SourceAnswer | string | Uint8Array,
  json: SourceAnswer | string | Uint8Array,
  outcome: ReadFailure = 'malformed',
): Hostile {
  return { name, csv: answerOf(csv), json: answerOf(json), outcome };
}

function answerOf(given: SourceAnswer | string | Uint8Array): SourceAnswer {
  return typeof given === 'string' || given instanceof Uint8Array ? page(given) : given;
}

/** The due week's figure written as `text`. */
function figure(name: string, text: string, outcome: ReadFailure = 'malformed'): Hostile {
  return hostile(
    `a figure ${name}`,
    csvText.replace('197000', text),
    jsonText.replace('197,000', text),
    outcome,
  );
}

const failed = (reason: 'timeout' | 'too_large' | 'unreachable' | 'redirect_refused'): Hostile => {
  const answer: SourceAnswer = { kind: 'failed', reason, detail: 'scripted' };
  return hostile(`a read that failed: ${reason}`, answer, answer, reason);
};

const HTML =
  '<!doctype html><html><head><title>Maintenance</title></head><body>week_ending,claims</body></html>';
const DUE_CSV = '2026-07-25,197000\n';
const DUE_JSON = '{"week_ending":"07/25/2026","initial_claims_sa":"197,000"}';

const HOSTILE: readonly Hostile[] = [
  hostile('an empty body', '', ''),
  hostile('HTML with status 200', HTML, HTML),
  hostile('blanks alone', ' \n\n', ' \n'),
  failed('too_large'),
  failed('timeout'),
  failed('unreachable'),
  failed('redirect_refused'),
  ...[204, 301, 404, 500, 503].map((status) =>
    hostile(
      `the right body with status ${status}`,
      page(csvText, status),
      page(jsonText, status),
      'bad_status',
    ),
  ),
  hostile('two pages for one', twice(csvText), twice(jsonText)),
  hostile('UTF-16', Buffer.from(csvText, 'utf16le'), Buffer.from(jsonText, 'utf16le')),
  hostile(
    'Latin-1',
    Buffer.from(
      csvText.replace('claims\n', 'claims,où\n').replaceAll('000\n', '000,1\n'),
      'latin1',
    ),
    Buffer.from(jsonText.replace('{"weeks"', '{"où":1,"weeks"'), 'latin1'),
  ),
  hostile('a NUL byte', csvText.replace('197000', '197000\0'), jsonText.replace('197,', '197\0,')),
  hostile('nested without an end', `"${'['.repeat(100_000)}`, `"${'['.repeat(100_000)}`),
  hostile('the week twice', csvText + DUE_CSV, jsonText.replace(']', `,${DUE_JSON}]`)),
  hostile(
    'the week twice with two figures',
    csvText + DUE_CSV.replace('197', '179'),
    jsonText.replace(']', `,${DUE_JSON.replace('197', '179')}]`),
  ),
  hostile(
    'a changed name of the week',
    csvText.replace('week_ending', 'week'),
    jsonText.replaceAll('week_ending', 'week'),
  ),
  hostile(
    'a changed name of the figure',
    csvText.replace('claims', 'claims_nsa'),
    jsonText.replaceAll('initial_claims_sa', 'initial_claims_nsa'),
  ),
  hostile(
    'the figure’s name twice',
    csvText.replace('claims', 'claims,claims').replaceAll('000\n', '000,1\n'),
    jsonText.replace(
      '"initial_claims_sa":"197,000"',
      '"initial_claims_sa":"1","initial_claims_sa":"197,000"',
    ),
  ),
  hostile(
    'a row with a field too few',
    csvText.replace('2026-07-18,188000', '2026-07-18'),
    jsonText.replace(',"initial_claims_sa":"188,000"', ''),
  ),
  hostile('cut off inside a row', csvText.slice(0, -14), jsonText.slice(0, -14)),
  hostile('more behind the end', `${csvText}\n\nTotal`, `${jsonText} x`),
  hostile(
    'a day that is no Saturday',
    csvText.replace('2026-07-18', '2026-07-19'),
    jsonText.replace('07/18/2026', '07/19/2026'),
  ),
  hostile(
    'a day that is none',
    csvText.replace('2026-07-18', '2026-02-30'),
    jsonText.replace('07/18/2026', '02/30/2026'),
  ),
  hostile(
    'days the other way round',
    csvText.replaceAll(/(\d{4})-(\d\d)-(\d\d)/g, '$2/$3/$1'),
    jsonText.replaceAll(/(\d\d)\/(\d\d)\/(\d{4})/g, '$3-$1-$2'),
  ),
  figure('1e5', '1e5'),
  figure('12,34', '12,34'),
  figure('in quotes with one group wrong', '"1,97,000"'),
  figure('with a plus', '+197000'),
  figure('with a blank inside', '197 000'),
  figure('with a zero before it', '0197000'),
  figure('in hexadecimal', '0x30188'),
  figure('NaN', 'NaN'),
  figure('in full-width digits', '１９７０００'),
  figure('in words', 'n/a'),
  figure('of 200 digits', '9'.repeat(200)),
  figure('beyond 64 bits', '9223372036854775808', 'out_of_range'),
  hostile(
    'the week left out',
    csvText.replace(DUE_CSV, ''),
    jsonText.replace(`,${DUE_JSON}`, ''),
    'not_published',
  ),
  hostile('no week at all', 'week_ending,claims\n', '{"weeks":[]}', 'not_published'),
  hostile(
    'a dash for the week',
    csvText.replace('197000', '-'),
    jsonText.replace('197,000', '-'),
    'no_source',
  ),
  hostile(
    'a later week behind it',
    `${csvText}2026-08-01,1\n`,
    jsonText.replace(']', `,${DUE_JSON.replace('07/25', '08/01')}]`),
    'superseded',
  ),
  hostile(
    'weeks of next year made up',
    `${csvText}2027-01-02,1\n2027-01-09,2\n`,
    jsonText.replace(
      ']',
      `,${DUE_JSON.replace('07/25/2026', '01/02/2027')},${DUE_JSON.replace('07/25/2026', '01/09/2027')}]`,
    ),
    'superseded',
  ),
];

function twice(text: string): SourceAnswer {
  const one = { status: 200, contentType: null, bytes: Buffer.from(text) };
  return { kind: 'pages', pages: [one, one] };
}

/** Whether a document that is in order may still show figures of other weeks. */
const SOUND: ReadonlySet<string> = new Set(['not_published', 'no_source', 'superseded']);

for (const { name, csv, json, outcome } of HOSTILE) {
  test(`round: ${name} is ${outcome}, and nothing wrong comes of it`, async () => {
    const node = await prepared();
    const { ledger, source } = node;
    const size = ledger.nextSeq;
    const blobs = await blobCount(node);
    const outcomes = (result: Awaited<ReturnType<typeof node.round>>): readonly string[] =>
      result.reads.map(({ read }) => read.outcome);

    source.say(RECORD, csv);
    source.say(MIRROR, json);
    const both = await node.round(WEEK);
    assert.deepEqual(outcomes(both), [outcome, outcome]);
    assert.deepEqual([both.report, both.revisions], [undefined, 0]);
    assert.equal(ledger.nextSeq, size, 'nothing is written');
    assert.equal(await blobCount(node), blobs, 'nothing is kept');

    source.show(SHOWN);
    source.say(RECORD, csv);
    const record = await node.round(WEEK);
    assert.deepEqual(outcomes(record), [outcome, 'ok']);
    assert.deepEqual(
      [record.report?.status, record.report?.reason, record.report?.value],
      ['provisional', 'no_quorum', '197000'],
    );
    assert.deepEqual(
      record.report?.reads.map((read) => [read.outcome, read.value]),
      [
        [outcome, null],
        ['ok', '197000'],
      ],
      'the report names what became of each read',
    );
    assert.equal(record.revisions, 0, 'no figure of such a document revises anything');
    assert.equal(ledger.nextSeq, size + 1);

    source.show(SHOWN);
    source.say(MIRROR, json);
    const mirror = await node.round(WEEK);
    assert.deepEqual(outcomes(mirror), ['ok', outcome]);
    assert.equal(mirror.report, undefined, 'one source is still one source');
    assert.equal(ledger.nextSeq, size + 1);

    node.at(OVERDUE);
    const late = await node.round(WEEK);
    assert.deepEqual([late.report?.status, late.report?.value], ['void', null]);
    assert.deepEqual(statuses(node).length, 2);
    for (const [period, row] of periodRows(ledger.tip, ticker)) {
      const shown = SHOWN[period as keyof typeof SHOWN];
      assert.ok(shown !== undefined, `${period} is no week of the source`);
      const value = row.revised ?? row.value ?? `${shown}`;
      assert.equal(value, `${shown}`, period);
    }
    assert.ok(SOUND.has(outcome) || late.report?.reason === 'no_quorum');
    await requireSound(node.place.store, ledger.nextSeq);
    await requireVerified(node);
  });
}

test('round: JSON nested deeper than any rule reads is too large, without an end or with one', async () => {
  for (const text of [
    '['.repeat(5_000_000),
    `${'{"weeks":'.repeat(100)}1${'}'.repeat(100)}`,
    `{"weeks":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
  ]) {
    const node = await prepared();
    node.source.say(MIRROR, page(text));
    const { report, reads } = await node.round(WEEK);
    assert.deepEqual(
      reads.map(({ read }) => read.outcome),
      ['ok', 'too_large'],
    );
    assert.deepEqual([report?.status, report?.reason], ['provisional', 'no_quorum']);
  }
});

test('round: error pages in the place of both sources to the end say nothing about the week', async () => {
  const node = await prepared();
  const size = node.ledger.nextSeq;
  for (const time of [RELEASE, FROZEN, OVERDUE, '2026-09-30T00:00:00Z']) {
    node.at(time);
    node.source.say(RECORD, page(HTML));
    node.source.say(MIRROR, page(HTML));
    await node.round(WEEK);
  }
  assert.equal(node.ledger.nextSeq, size, 'no void that nobody watched');
});

test('round: sources that turn hostile once the print was agreed change nothing of it', async () => {
  for (const { name, csv, json } of HOSTILE) {
    const node = await prepared();
    await node.round(WEEK);
    node.source.say(RECORD, csv);
    node.source.say(MIRROR, json);
    node.at(WINDOW);
    await node.round(WEEK);
    node.at(FROZEN);
    await node.round(WEEK);
    assert.deepEqual(statuses(node).at(-1), 'final 197000', name);
    assert.equal(periodRow(node.ledger.tip, ticker, dateText(WEEK))?.settlement_value, '197000');
  }
});

test('round: an extra column, a byte order mark, CRLF or plain digits are no reason to refuse', async () => {
  const fine: readonly (readonly [string, string, string])[] = [
    ['a byte order mark', `\uFEFF${csvText}`, `\uFEFF${jsonText}`],
    ['CRLF', csvText.replaceAll('\n', '\r\n'), jsonText.replaceAll(',{', ',\r\n{')],
    [
      'one column more',
      csvText.replace('claims\n', 'claims,note\n').replaceAll('000\n', '000,x\n'),
      jsonText.replaceAll('"initial', '"note":"x","initial'),
    ],
    ['other digits of the same number', csvText, jsonText.replace('197,000', '197000')],
    ['a JSON number', csvText, jsonText.replace('"197,000"', '197000')],
  ];
  for (const [name, csv, json] of fine) {
    const node = await prepared();
    node.source.say(RECORD, page(csv));
    node.source.say(MIRROR, page(json));
    const { report } = await node.round(WEEK);
    assert.deepEqual([report?.reason, report?.value], ['freeze_window', '197000'], name);
  }
});

test('round: sources that differ are never final: open inside the deadline, void at it', async () => {
  for (const csv of [
    csvText.replace('197000', '197001'),
    csvText.replace('197000', '-197000'),
    // Cut off inside the figure.
    csvText.slice(0, -4),
  ]) {
    const node = await prepared();
    node.source.say(RECORD, page(csv));
    const { report } = await node.round(WEEK);
    assert.deepEqual([report?.status, report?.reason], ['provisional', 'dispersion']);
    node.at(FROZEN);
    await node.round(WEEK);
    node.at(OVERDUE);
    await node.round(WEEK);
    assert.equal(statuses(node).at(-1), 'void dispersion');
    const row = periodRow(node.ledger.tip, ticker, dateText(WEEK));
    assert.deepEqual([row?.value, row?.settlement_value], [null, null]);
    await requireVerified(node);
  }
});

test('round: what both declare absent is void after the window, not before', async () => {
  const node = await prepared();
  node.source.say(RECORD, page(csvText.replace('197000', '-')));
  node.source.say(MIRROR, page(jsonText.replace('197,000', '-')));
  await node.round(WEEK);
  assert.deepEqual(statuses(node), []);
  node.at(FROZEN);
  const { report } = await node.round(WEEK);
  assert.deepEqual([report?.status, report?.reason, report?.value], ['void', 'no_source', null]);
  await requireVerified(node);
});

test('round: a source with more weeks than an entry holds is history in several entries of one commit', async () => {
  const node = await testNode(RELEASE);
  const newest = parseDate(WEEK);
  const weeks: Record<string, number> = {};
  for (let back = 2300; back >= 0; back -= 1) {
    weeks[formatDate(newest - 7 * back)] = 100_000 + back;
  }
  node.source.show(weeks);
  const commits = node.place.store.commits.length;
  const { report, revisions } = await node.round(WEEK);
  assert.equal(report?.value, '100000');
  assert.equal(revisions, 2300);
  assert.deepEqual(node.place.store.commits.slice(commits), [4]);
  assert.equal(periodRows(node.ledger.tip, ticker).length, 2301);
  await requireVerified(node);
});

test('round: two rounds of one week at once print it once', async () => {
  const node = await prepared();
  const rounds = await Promise.all([node.round(WEEK), node.round(WEEK), node.round(WEEK)]);
  assert.equal(rounds.filter(({ report }) => report !== undefined).length, 1);
  assert.deepEqual(statuses(node), ['provisional freeze_window 197000']);
  await requireVerified(node);
});

test('round: a ticker without a rule has no round', async () => {
  const node = await prepared();
  await assert.rejects(runRound('NOTHING' as never, parseDate(WEEK), node.parts), {
    code: 'not_found',
  });
});
