// Installs what the OpenTimestamps tests compare with, before they run; a line for each that cannot be had.
import { bcoinFolder, debianPython, opentimestampsFolder, referenceClient } from './ots-peers.ts';

for (const find of [debianPython, opentimestampsFolder, bcoinFolder, referenceClient]) {
  const found = await find();
  if ('missing' in found) console.log(found.missing);
}
