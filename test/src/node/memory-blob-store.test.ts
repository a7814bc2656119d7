import { MemoryBlobStore } from '@assay/node/memory-blob-store';
import { blobStoreSuite } from './blob-store-suite.ts';

blobStoreSuite('MemoryBlobStore', async () => new MemoryBlobStore());
