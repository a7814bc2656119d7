import { MemoryHeadGuard } from '@assay/node/ledger/memory-head-guard';
import { headGuardSuite } from './head-guard-suite.ts';

headGuardSuite('MemoryHeadGuard', async () => new MemoryHeadGuard());
