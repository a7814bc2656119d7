import { closeHash, closeMessage } from '@assay/core/close';
import { formatHex } from '@assay/core/hex';
import { parseCloseContent } from '@assay/core/close';
import { nodeSha256 } from '@assay/node/node-sha256';
import { toHashHex } from '@assay/core/hash';
import type { LatestClose, LatestFile } from '@assay/node/settlement-mirror';
import { REPORT_SIGNER } from './ledger/ledger-fixture.ts';

/** A mirror's index over a Close that names its files, signed. */
export function signedLatest(files: readonly LatestFile[], day = '2026-07-30'): LatestClose {
  const named = files
    .flatMap(({ path, sha256, csv }) => [{ path, sha256 }, csv])
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  const item = { ticker: 'LAYOFFS', period: '2026-07-25', report: '11'.repeat(32), value: '1' };
  const content = parseCloseContent({ day, items: [item], files: named } as never, 'content');
  const log = toHashHex('22'.repeat(32));
  const message = closeMessage(log, content.day, closeHash(nodeSha256, content));
  const signature = formatHex(REPORT_SIGNER.sign(message));
  const close = {
    log,
    content,
    version: 0,
    supersedes: null,
    signature,
    public_key: formatHex(REPORT_SIGNER.publicKey),
  };
  return { type: 'assay-settlement-index/1', day, version: 0, files, close };
}
