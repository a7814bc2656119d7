import { MemoryNoteSlot } from '@assay/node/ledger/guard/memory-note-slot';
import { noteSlotSuite } from './note-slot-suite.ts';

noteSlotSuite('MemoryNoteSlot', async () => new MemoryNoteSlot());
