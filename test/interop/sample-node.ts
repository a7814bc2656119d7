import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { parseEntry } from '@assay/core/log/entry';
import { parseTime } from '@assay/core/time/time';
import { MemoryOpenings } from '@assay/node/data/openings';
import { SettlementFolder } from '@assay/node/day/settlement-mirror';
import { startNode } from '@assay/node/node';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { makeLogger } from '@assay/node/production/logger';
import { NO_ANCHORING } from '../src/node/fixture/no-anchoring.ts';
import { makeSampleLog } from '../src/verifier/fixture/sample-log.ts';

/** A node that serves the sample log on a clock that stands at its end. */
export async function serveSample(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-settlements-'));
  // Its own: a node closes the store that it was given.
  const log = await makeSampleLog();
  const end = parseTime(parseEntry(log.entries.at(-1) as Uint8Array).at);
  const node = await startNode({
    ledger: {
      store: log.store,
      guard: log.guard,
      signed: log.signed,
      signer: log.checkpoints,
      // Read-only, so that it makes no Close and the log stays as it is.
      askHeads: () => Promise.reject(new Error('no mirror is here')),
    },
    blobs: log.blobStore,
    openings: new MemoryOpenings(),
    settlements: new SettlementFolder(folder),
    places: { publicUrl: null, mirrorUrl: null },
    ...NO_ANCHORING,
    limits: { degradedAfterS: 7200, haltedAfterS: 604_800 },
    source: { read: async () => ({ kind: 'failed', reason: 'unreachable', detail: 'none' }) },
    reportSigner: log.keys.report,
    sha256: nodeSha256,
    now: () => end,
    log: makeLogger('silent'),
    host: '127.0.0.1',
    port: 0,
    transport: 'node',
    server: {},
    quotas: { default: 60_000, log: 60_000 },
    metrics: false,
    pollMs: 3_600_000,
    notice: null,
    prepare: async () => undefined,
  });
  t.after(async () => {
    await node.close();
    await rm(folder, { recursive: true, force: true });
  });
  return `http://127.0.0.1:${node.port}`;
}
