import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseRule } from '@assay/core/rule/rule';
import { type DateText, parseDate } from '@assay/core/time/time';
import { wire } from '@assay/core/wire/wire';
import { systemClock } from '@assay/node/platform/clock';
import { parseConfig } from '@assay/node/production/config';
import { correct } from '@assay/node/production/correction';
import { dataFolder } from '@assay/node/platform/data-folder';
import { claimsCsv, claimsJson } from '../fixture/claims-pages.ts';
import { initData, NO_POLICIES } from '@assay/node/data/init';
import { makeLogger } from '@assay/node/production/logger';
import { Ledger } from '@assay/node/ledger/ledger';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { dataOf, nodeSource } from '@assay/node/production/production';
import { runRound } from '@assay/node/round/round';
import { enactRule } from '@assay/node/rule/rule-file';
import { CLAIMS_RULE, weeksOf } from '../fixture/round-fixture.ts';

const PERIOD = '2026-07-25' as DateText;
/** So that a week of July is still a first print today: the clock here is the real one. */
const ALWAYS = 34_560_000;
/** When the log begins and the rule is recorded: a rule that comes after a release does not govern its period. */
const beforeItsRelease = (): number => Date.parse('2026-07-20T00:00:00Z') / 1000;

test('correction: on the data of a stopped node, from sources that are asked again', async (t) => {
  let claims = 197_000;
  const server = createServer((request, response) => {
    const weeks = weeksOf({ '2026-07-18': 190_000, [PERIOD]: claims });
    const body = request.url === '/csv' ? claimsCsv(weeks) : claimsJson(weeks);
    response.writeHead(200, { 'content-length': body.length }).end(body);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const folder = await mkdtemp(join(tmpdir(), 'assay-correction-'));
  t.after(async () => {
    server.close();
    await rm(folder, { recursive: true, force: true });
  });
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const rule = parseRule(
    nodeSha256,
    wire({
      ...CLAIMS_RULE,
      release: { ...CLAIMS_RULE.release, deadline_s: ALWAYS, first_print_within_s: ALWAYS },
      providers: CLAIMS_RULE.providers.map((each, i) => ({
        ...each,
        request: { ...each.request, url: `${base}/${i === 0 ? 'csv' : 'json'}` },
      })),
    }),
  );
  const data = join(folder, 'data');
  await initData(dataFolder(data), nodeSha256, beforeItsRelease, {
    origin: 'development/correction',
    passphrase: undefined,
    policies: NO_POLICIES,
  });
  const config = parseConfig({ data, contact: 'a@example.org' }, {}, folder);
  const log = makeLogger('silent');
  const order = { index: 'layoffs', period: PERIOD, why: 'a stale cache was read' };

  const open = await dataOf(config, {});
  let clock = beforeItsRelease;
  const ledger = await Ledger.open({
    store: open.store,
    guard: open.guard,
    signed: open.signed,
    signer: open.checkpoints,
    askHeads: null,
    sha256: nodeSha256,
    now: () => clock(),
    onPublish: () => undefined,
  });
  await enactRule(ledger, nodeSha256, rule);
  clock = systemClock;
  const { report: final } = await runRound(rule.ticker, parseDate(PERIOD), {
    ledger,
    signer: open.report,
    source: nodeSource(config, {}, log, open),
    blobs: open.blobs,
    openings: open.openings,
    sha256: nodeSha256,
    now: systemClock,
    random: randomBytes,
  });
  assert.deepEqual([final?.status, final?.value], ['final', '197000']);
  await ledger.close();

  const same = await correct(config, {}, log, order);
  assert.equal(same.report, undefined, 'the same number is no correction');
  claims = 198_000;
  const { report } = await correct(config, {}, log, order);
  assert.deepEqual(
    [report?.status, report?.value, report?.issue, report?.settleable],
    ['corrected', '198000', 1, false],
  );
  await assert.rejects(correct(config, {}, log, { ...order, index: 'nope' }), {
    code: 'not_found',
  });
});
