// Installs the servers that the tests of buckets write to, before they run; a line for each that cannot be had.
import { motoPython, s3rverProgram, versitygwProgram } from './s3-peers.ts';

for (const find of [motoPython, s3rverProgram, versitygwProgram]) {
  const found = await find();
  if ('missing' in found) console.log(found.missing);
}
