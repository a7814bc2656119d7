import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Assets } from '@assay/node/page/asset';
import { PageFailure, type PageRequest } from '@assay/node/page/page';
import { KeptTimes } from '@assay/node/page/record/kept-times';
import { type PublisherRecord, publisherRecord } from '@assay/node/page/record/publisher-record';
import { RECORD_PATH } from '@assay/node/page/record/record-route';
import { RECORD_PAGE } from '@assay/node/page/view/record';
import { recountedLog } from '../../../core/fixture/cosigner-fixture.ts';
import { layoffsRule, sha256 } from '../../../core/fixture/fixture.ts';

/** The text of the page of a record. */
async function textOf(record: PublisherRecord | undefined): Promise<string> {
  const view = await RECORD_PAGE.make({
    params: {},
    query: new URLSearchParams(),
    now: 0,
    publicUrl: null,
    assets: new Assets(),
    ask: (async (target: string) => {
      assert.equal(target, RECORD_PATH);
      return record === undefined
        ? { status: 503, body: undefined, detail: 'It cannot be read.' }
        : { status: 200, body: record, detail: undefined };
    }) as PageRequest['ask'],
    bytes: () => Promise.reject(new Error('not asked for')),
  });
  assert.ok('body' in view);
  return view.body.text.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');
}

function recordOf(change: Partial<PublisherRecord>): PublisherRecord {
  const log = recountedLog();
  log.append('rule/1', { rule: layoffsRule() });
  return { ...publisherRecord(log.views, new KeptTimes(sha256).of), ...change };
}

test('record page: what never came is named, and no figure that is not there is a number', async () => {
  const empty = await textOf(recordOf({}));
  assert.match(empty, /The log names no time yet, so that nothing can be judged\./);
  assert.match(empty, /LAYOFFS 0 — — — 0/);
  assert.match(empty, /Closes 0 — — — — —/);

  const [index] = recordOf({}).indices;
  assert.ok(index !== undefined);
  const after = { count: 2, median_s: 20, p95_s: 10_800, worst_s: 10_800, worst: '2026-08-01' };
  const days = { first: '2026-07-30', newest: '2026-08-01', days: 2, late: 1, after } as const;
  const shown = await textOf(
    recordOf({
      as_of: '2026-08-22T00:10:00Z' as never,
      indices: [{ ...index, overdue: ['2026-08-01', '2026-07-25'] as never }],
      closes: { ...days, missing: ['2026-07-31'] } as never,
    }),
  );
  assert.match(shown, /As of 22 August 2026, 00:10 UTC/);
  assert.match(shown, /Never came 3 2 overdue periods, 1 missing daily entries/);
  assert.match(shown, /LAYOFFS is overdue for week to 1 August 2026; week to 25 July 2026\./);
  assert.match(shown, /Closes 2 20 s 3 h 3 h 1 1/);
  assert.match(shown, /Closes are missing of 31 July 2026\./);
});

test('record page: where the log cannot be read, the page says so with that status', async () => {
  await assert.rejects(
    textOf(undefined),
    (error) => error instanceof PageFailure && error.status === 503,
  );
});
