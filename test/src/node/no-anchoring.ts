import { DEVELOPMENT } from '@assay/core/bitcoin/bitcoin-network';
import { DEFAULT_TIMING } from '@assay/node/anchor/anchor-parts';
import { MemoryOpenBatch } from '@assay/node/anchor/open-batch';
import type { NodeParts } from '@assay/node/node';

/** A node that stamps nothing and follows no headers. */
export const NO_ANCHORING: Pick<NodeParts, 'anchor' | 'anchorMs'> = {
  anchor: {
    calendars: undefined,
    headers: undefined,
    network: DEVELOPMENT,
    timing: DEFAULT_TIMING,
    openBatch: new MemoryOpenBatch(),
  },
  anchorMs: 3_600_000,
};
