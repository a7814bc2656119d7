// Builds what the tests of the log compare with, before they run; a line where it cannot be had.
import { goPeer } from './go-peers.ts';

const found = await goPeer();
if ('missing' in found) console.log(found.missing);
