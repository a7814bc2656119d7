import { formatBase64, parseBase64 } from '../bytes/base64.ts';
import { type Checkpoint, parseCheckpoint } from '../log/checkpoint.ts';
import { parseEntry } from '../log/entry.ts';
import { Fault } from '../fault.ts';
import { type HashHex, hashHex, leafHash, type Sha256, toHashHex } from '../hash/hash.ts';
import { formatNote, type NoteSignature, parseNote } from '../log/note.ts';
import { formatUtf8, parseUtf8 } from '../bytes/utf8.ts';
import { type Genesis, parseGenesis } from './genesis.ts';

/**
 * That a log goes on where another has ended: the text of the `note/1` that is entry 1 of the new log. Going on with
 * the old one would have been a fork, for a head of it that others hold covers entries that nobody has. The two
 * logs are not one: each keeps its id, its key and its history.
 *
 *     assay-succession/1
 *     genesis <entry 0 of the old log, base64>
 *     head <signed note of its last head whose entries are all there, base64>
 *     lost <signed note of its newest head, which covers entries that nobody holds, base64; or "none">
 *     by <id of the new log, 64 hex digits>
 *     (empty line)
 *     a sentence that follows from the lines above
 *
 * Where the old log's checkpoint key is at hand the text is a C2SP signed note by it: an empty line and its signature
 * line follow. The first line keeps it apart from every checkpoint.
 */
export interface Succession {
  /** Bytes of entry 0 of the old log. */
  readonly genesis: Uint8Array;
  /** Signed notes of the old log's checkpoints. */
  readonly head: Uint8Array;
  readonly lost: Uint8Array | null;
  /** Id of the new log. */
  readonly by: HashHex;
}

/** What the parts of a succession are about. No signature is checked here. */
export interface SuccessionFacts {
  /** Id of the old log. */
  readonly log: HashHex;
  readonly genesis: Genesis;
  readonly head: Checkpoint;
  readonly lost: Checkpoint | null;
}

const TYPE = 'assay-succession/1\n';
const SIGNED = '\n\n\u2014 ';
const TEXT = /^assay-succession\/1\ngenesis (\S+)\nhead (\S+)\nlost (\S+)\nby ([0-9a-f]{64})\n\n/;

/** The text, without a signature. Throws as `successionFacts`. */
export function formatSuccession(sha256: Sha256, succession: Succession): string {
  const { genesis, head, lost, by } = succession;
  const facts = successionFacts(sha256, succession);
  const lines = [
    `genesis ${formatBase64(genesis)}`,
    `head ${formatBase64(head)}`,
    `lost ${lost === null ? 'none' : formatBase64(lost)}`,
    `by ${by}`,
  ];
  return `${TYPE}${lines.join('\n')}\n\n${sentence(facts)}\n`;
}

function sentence({ log, genesis, head, lost }: SuccessionFacts): string {
  const gone =
    lost === null
      ? ''
      : ` Its entries ${head.size} to ${lost.size - 1} stand under a signed head of ${lost.size}, and nobody holds them.`;
  return (
    `This log succeeds ${genesis.origin}, log ${log}, whose last head that can be proven has ` +
    `${head.size} entries and root ${hashHex(head.root)}.${gone} The two logs are not one.`
  );
}

/** Throws `bad_note`, `malformed` and similar codes where the parts are invalid or not of one log. */
export function successionFacts(
  sha256: Sha256,
  succession: Pick<Succession, 'genesis' | 'head' | 'lost'>,
): SuccessionFacts {
  const { genesis: bytes, head: note, lost: lostNote } = succession;
  const genesis = parseGenesis(parseEntry(bytes).body, 'body');
  const head = checkpointIn(note);
  const lost = lostNote === null ? null : checkpointIn(lostNote);
  const origins = [head, ...(lost === null ? [] : [lost])].map(({ origin }) => origin);
  if (origins.some((origin) => origin !== genesis.origin)) {
    throw malformed(`heads of ${genesis.origin}`, origins.join(', '));
  }
  if (head.size < 1 || (lost !== null && lost.size <= head.size)) {
    throw malformed('a head, and a larger one of what is lost', `${head.size}, ${lost?.size}`);
  }
  return { log: hashHex(leafHash(sha256, bytes)), genesis, head, lost };
}

function checkpointIn(note: Uint8Array): Checkpoint {
  return parseCheckpoint(parseNote(note).text);
}

/** Whether a note's text begins like a succession. */
export function isSuccessionText(text: string): boolean {
  return text.startsWith(TYPE);
}

/** The same text with a signature over it, as a signed note. */
export function signedSuccession(text: string, signature: NoteSignature): string {
  return parseUtf8(formatNote({ text, signatures: [signature] }));
}

/**
 * The succession in a note's text, with the signed text and its signature lines, of which there may be none and which
 * are not checked here. Throws `malformed`, and the errors of the parts, for anything but what the functions above
 * write.
 */
export function parseSuccession(
  sha256: Sha256,
  text: string,
): {
  readonly succession: Succession;
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
} {
  const note = text.includes(SIGNED)
    ? parseNote(formatUtf8(text))
    : { text, signatures: [] as readonly NoteSignature[] };
  const [, genesis, head, lost, by] = TEXT.exec(note.text) ?? [];
  if (genesis === undefined || head === undefined || lost === undefined || by === undefined) {
    throw malformed(TYPE.trim(), JSON.stringify(text.slice(0, 80)));
  }
  const succession: Succession = {
    genesis: parseBase64(genesis),
    head: parseBase64(head),
    lost: lost === 'none' ? null : parseBase64(lost),
    by: toHashHex(by),
  };
  if (formatSuccession(sha256, succession) !== note.text) {
    throw malformed('the sentence that follows from its lines', 'another');
  }
  return { succession, text: note.text, signatures: note.signatures };
}

function malformed(expected: string, found: string): Fault {
  return new Fault('malformed', 'note of a succession', { expected, found });
}
