import { Fault, messageOf } from '@assay/core/fault';
import { type NoteKey, parseNote } from '@assay/core/log/note';
import type { CheckpointSigner } from '../ledger/checkpoint-signer.ts';
import type { KnownHead } from '../ledger/start.ts';
import { checkedCosignature } from '../witness/client/witness-client.ts';
import { type FetchNote, type HeadWitness, witnessHeads } from '../witness/client/mirror-heads.ts';

/** Why a promotion may go on. */
export type Grounds =
  | { readonly kind: 'fenced'; readonly words: string }
  | { readonly kind: 'witnesses'; readonly answered: number; readonly of: number };

/** The grounds, and the heads that were shown with them. */
export interface Shown {
  readonly grounds: Grounds;
  readonly heads: readonly KnownHead[];
}

export interface ThirdVoter {
  /** Each with its key, whose line has to be on what is shown as its head. */
  readonly witnesses: readonly (HeadWitness & { readonly key: NoteKey })[];
  /** How many lines of witnesses the log promises for each head; 0: none. */
  readonly required: number;
  readonly signer: Pick<CheckpointSigner, 'origin' | 'open' | 'sign' | 'vkey'>;
  readonly fetchNote: FetchNote;
  /** The number of entries that are stored here. */
  readonly size: number;
  /** The newest note that was accepted from the publisher, with the lines of its witnesses; undefined for none. */
  readonly cosigned: Uint8Array | undefined;
}

/**
 * Asks all witnesses for the newest head that they cosigned. Where a head is believed with `required` lines, it may be that
 * only so many witnesses know it: enough have answered when the others are fewer than that. Without the words of an operator
 * who has fenced the old writer, `not_fenced` is thrown then, and also where a witness of the publisher is not listed here.
 */
export async function groundsOf(fenced: string | undefined, voter: ThirdVoter): Promise<Shown> {
  const heads: KnownHead[] = [];
  const silent: string[] = [];
  let answered = 0;
  await Promise.all(
    voter.witnesses.map(async (each) => {
      try {
        // Any server can show an old head: without the line of the witness it is not its word.
        let isCosigned = true;
        const fetchNote: FetchNote = async (url) => {
          const note = await voter.fetchNote(url);
          isCosigned = hasLine(each.key, note);
          return note;
        };
        heads.push(...(await witnessHeads([each], voter.signer, fetchNote)(voter.size)));
        if (isCosigned) answered += 1;
        else silent.push(`${each.url}: no line of ${each.key.name} is on the head that it shows`);
      } catch (error) {
        silent.push(messageOf(error));
      }
    }),
  );
  // What witnesses hold is compared whoever says that the old writer is off.
  if (fenced !== undefined) return { grounds: { kind: 'fenced', words: fenced }, heads };
  const of = voter.witnesses.length;
  const unlisted = unlistedLines(voter);
  if (unlisted.length > 0) {
    throw new Fault('not_fenced', 'promotion', {
      expected: '--fenced, or the list of witnesses that the publisher has',
      found: `the newest copied head has lines of ${unlisted.join(', ')}, which the config of this standby does not list`,
    });
  }
  if (voter.required > 0 && of >= voter.required && of - answered < voter.required) {
    return { grounds: { kind: 'witnesses', answered, of }, heads };
  }
  const expected =
    '--fenced with words that say how the old writer was shut out, or enough witnesses';
  const found =
    voter.required === 0
      ? 'a log that promises no witnesses'
      : `${answered} of ${of} witnesses answered, where ${Math.max(of - voter.required + 1, voter.required)} are needed${silent.length === 0 ? '' : `: ${silent.join('; ')}`}`;
  throw new Fault('not_fenced', 'promotion', { expected, found });
}

/**
 * The names on the newest copied head that are of no listed witness. Such a witness may be the only one that knows of a
 * longer log, so that the answers of the others prove nothing.
 */
function unlistedLines({ cosigned, signer, witnesses }: ThirdVoter): readonly string[] {
  if (cosigned === undefined) return [];
  const listed = new Set(witnesses.map(({ key }) => `${key.name} ${key.keyId}`));
  return parseNote(cosigned)
    .signatures.filter(
      ({ name, keyId }) => name !== signer.origin && !listed.has(`${name} ${keyId}`),
    )
    .map(({ name }) => name);
}

function hasLine(key: NoteKey, note: Uint8Array): boolean {
  const { text, signatures } = parseNote(note);
  return signatures.some((line) => checkedCosignature(key, text, line) !== undefined);
}
