// Builds what the tests of the log and of sealed messages compare with, before they run; a line for each that cannot be had.
import { goPeer, goVerifierPeer } from './go-peers.ts';
import { kyberPeer, tlockJsPeer } from './timelock-peers.ts';

for (const find of [goPeer, goVerifierPeer, kyberPeer, tlockJsPeer]) {
  const found = await find();
  if ('missing' in found) console.log(found.missing);
}
