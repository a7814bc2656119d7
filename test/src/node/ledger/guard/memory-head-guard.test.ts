import { MemoryHeadGuard } from '@assay/node/ledger/guard/memory-head-guard';
import { headGuardSuite } from './head-guard-suite.ts';

headGuardSuite('MemoryHeadGuard', async () => {
  const shared = { row: undefined, pending: [] };
  return async () => new MemoryHeadGuard(shared);
});
