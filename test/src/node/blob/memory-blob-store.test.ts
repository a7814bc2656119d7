import { MemoryBlobStore } from '@assay/node/blob/memory-blob-store';
import { blobStoreSuite } from '../fixture/blob-store-suite.ts';

blobStoreSuite('MemoryBlobStore', async () => new MemoryBlobStore());
