// Reads framed proofs on stdin with our own codec; a line of JSON for each, and for all of them the
// most memory that this process ever had.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { readOurs } from './ots-reading.ts';

const input = readFileSync(0);
const before = process.resourceUsage().maxRSS;
for (let at = 0; at < input.length;) {
  const length = input.readUInt32BE(at);
  const line = `${JSON.stringify(readOurs(new Uint8Array(input.subarray(at + 4, at + 4 + length))))}\n`;
  if (!process.stdout.write(line)) await once(process.stdout, 'drain');
  at += 4 + length;
}
const grown = Math.round((process.resourceUsage().maxRSS - before) / 1024);
process.stdout.write(`${JSON.stringify({ grown })}\n`);
