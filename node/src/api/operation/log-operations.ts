import { z } from 'zod';
import type { AnswerHeader, Operation } from '../../http/operation.ts';
import { about, hashText } from '../schema/field.ts';

const tag = 'log';

const bytes = z.string().meta({ contentMediaType: 'application/octet-stream' });

/** Source bytes are somebody else's: a browser must never run them as a page of ours. */
const sandbox: readonly AnswerHeader[] = [
  {
    name: 'Content-Disposition',
    description: 'Kept as a file, not shown as a page.',
    example: 'attachment',
    always: true,
  },
  {
    name: 'Content-Security-Policy',
    description: 'Nothing in it may run.',
    example: "default-src 'none'; sandbox",
    always: true,
  },
];

const CHECKPOINT =
  'example.org/assay\n165\nGg4XcYrJpsz9Ks2lRG6H9fb4lzGSzzK0xWdNRXlQvCg=\n\n— example.org/assay bMs78hWpGk2O8vYJmXH1KxqZ0sJtV3r9dN7cLwA4eUfTyBiPoQ==\n';

export const getCheckpoint: Operation = {
  tag,
  id: 'getCheckpoint',
  summary: 'The signed tree head',
  description:
    'The newest checkpoint of the log: a C2SP tlog-checkpoint in a C2SP signed-note. Its lines are the origin, the size, and the root hash in base64; signatures follow after an empty line.',
  query: 'ignored',
  basis: 'live',
  freshness: 'revalidate',
  success: 'The checkpoint.',
  content: {
    type: 'text/plain',
    schema: about(z.string(), 'A signed note.'),
    example: CHECKPOINT,
  },
  problems: ['halted'],
};

export const getClosingHead: Operation = {
  tag,
  id: 'getClosingHead',
  summary: 'The last head of a checkpoint key that ended',
  description:
    'One signed note of a head that checkpoint key `number` signed and that covers the promise of the key after it: after a planned rotation the head that both keys signed. Whoever knows that key goes on from this note to the newest checkpoint, as docs/spec/checkpoint-key.md lays out. Key 0 is in the first entry, and the key in force has none.',
  params: z.object({
    number: about(
      z.string().regex(/^(0|[1-9]\d{0,4})$/, 'not the number of a key'),
      'Number of a checkpoint key that has ended.',
      '0',
    ),
  }),
  query: 'ignored',
  basis: 'live',
  freshness: 'immutable',
  success: 'The note.',
  content: { type: 'text/plain', schema: about(z.string(), 'A signed note.'), example: CHECKPOINT },
  problems: ['not_found', 'halted'],
};

export const getTile: Operation = {
  tag,
  id: 'getTile',
  summary: 'A tile of the log',
  description:
    'A hash tile (`<L>/<N>`) or an entry bundle (`entries/<N>`), full or partial (`.p/<W>`), as C2SP tlog-tiles names and lays them out. The path holds slashes as they are. A tile never changes.',
  params: z.object({
    '*': about(
      z
        .string()
        .regex(/^(entries|\d+)\/(x\d{3}\/)*\d{3}(\.p\/\d+)?$/, 'not a tile of C2SP tlog-tiles'),
      'Level or `entries`, and number in groups of three digits.',
      'entries/000.p/12',
    ),
  }),
  query: 'ignored',
  basis: 'live',
  freshness: 'immutable',
  success: 'The tile.',
  content: {
    type: 'application/octet-stream',
    schema: about(bytes, 'Hashes or entries.', 'bytes'),
  },
  problems: ['not_found', 'damaged', 'halted'],
};

export const getPack: Operation = {
  tag,
  id: 'getPack',
  summary: 'Kept bytes of 256 entries together',
  description:
    'A part (`<part>/<N>`, from part 0 on) of the pack of an entry bundle, full or partial (`.p/<W>`): the blobs that its entries lead to, each after its SHA-256 and its length, as docs/spec/pack.md lays them out. A reader hashes each blob, and asks under `/blob/{hash}` for what a pack does not hold. A part never changes, unless something was missing: then it is sent with `no-cache`.',
  params: z.object({
    '*': about(
      z.string().regex(/^\d{1,2}\/(x\d{3}\/)*\d{3}(\.p\/\d+)?$/, 'not a part of a pack'),
      'Part, and number of the bundle in groups of three digits.',
      '0/000.p/12',
    ),
  }),
  query: 'ignored',
  basis: 'live',
  freshness: 'immutable',
  success: 'The part.',
  content: {
    type: 'application/octet-stream',
    schema: about(bytes, 'Blobs with their hashes and lengths.', 'bytes'),
  },
  headers: sandbox,
  problems: ['not_found', 'damaged', 'halted'],
};

export const getBlob: Operation = {
  tag,
  id: 'getBlob',
  summary: 'Kept bytes by their SHA-256',
  description:
    "The manifest of a snapshot, or a page of a source's answer as it came. Hash what you get: it must be the name. Bytes that no longer have it are not served.",
  params: z.object({
    hash: about(
      hashText,
      'SHA-256 of the bytes, 64 lower-case hex digits.',
      '42c43205fa2d2a41ac84612b7f08b07cc783b37932640540003820ae0733611d',
    ),
  }),
  query: 'ignored',
  basis: 'live',
  freshness: 'etag',
  success: 'The bytes.',
  content: {
    type: 'application/octet-stream',
    schema: about(bytes, 'Bytes of that hash.', 'bytes'),
  },
  headers: sandbox,
  problems: ['not_found', 'damaged', 'halted'],
};
