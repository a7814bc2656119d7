import { z } from 'zod';
import type { AnswerHeader, Content, Operation } from '../../http/operation.ts';
import { anchorList } from '../schema/anchors.ts';
import { nextLink } from './page-parameters.ts';
import { about, hashText, wholeNumber } from '../schema/field.ts';
import { proof } from '../schema/proof.ts';

const folded = { tag: 'proofs', basis: 'folded', freshness: 'etag' } as const;

/** The media type of a detached OpenTimestamps proof. */
export const OTS_TYPE = 'application/vnd.opentimestamps.ots';

const attachment: AnswerHeader = {
  name: 'Content-Disposition',
  description: 'With `format=ots`: the name under which to keep it.',
  example: 'attachment; filename="assay-7f998b4742166e6c.ots"',
  always: false,
};

type ProofQuery = z.ZodObject<{ format: z.ZodOptional<z.ZodEnum<{ ots: 'ots' }>> }>;

/** Asks for the file of a proof instead of what the log says of it. */
export const otsFormat: ProofQuery['shape']['format'] = about(
  z.enum(['ots'], 'not ots').optional(),
  '`ots` for the file; what the log says of it where it is not given.',
  'ots',
);

/** The file of a proof, beside its JSON. */
export const otsContent: Content = {
  type: OTS_TYPE,
  schema: about(
    z.string().meta({ contentMediaType: OTS_TYPE }),
    'A detached OpenTimestamps proof.',
    'bytes',
  ),
};

const proofQuery: ProofQuery = z.object({ format: otsFormat });

export const getProof: Operation<ProofQuery> = {
  ...folded,
  id: 'getProof',
  summary: 'What stamps a digest in Bitcoin',
  description:
    'How far the stamp of a digest is: the hash of a report, the content hash of a Close, or the digest of a checkpoint. With `?format=ots` the OpenTimestamps proof itself, for any client of that format (`ots verify -d <digest> file.ots`); it grows when a Bitcoin block holds it, so fetch it again while it is pending. 404 while no batch holds the digest.',
  params: z.object({
    digest: about(
      hashText,
      'The digest, 64 lower-case hex digits.',
      '7f998b4742166e6ce51f887ccb8493a67e777932b83b377af3ffc68988255752',
    ),
  }),
  query: proofQuery,
  success: 'The proof.',
  content: [{ type: 'application/json', schema: proof }, otsContent],
  headers: [attachment],
  problems: ['not_found', 'halted'],
};

type AnchorsQuery = z.ZodObject<{ before: z.ZodOptional<z.ZodString> }>;

const anchorsQuery: AnchorsQuery = z.object({
  before: wholeNumber(
    { from: 0, to: 999_999_999_999_999 },
    'Batches before this one: `next_before` of the page before. The newest where it is not given.',
    12,
    'not the number of a batch',
  ),
});

export const listAnchors: Operation<AnchorsQuery> = {
  ...folded,
  id: 'listAnchors',
  summary: 'The batches of stamps',
  description:
    'Every batch that was stamped, newest first, 30 to a page: which entries of the log it holds, the checkpoint at their end, who holds its tip, and the Bitcoin blocks that do.',
  query: anchorsQuery,
  success: 'A page of batches.',
  headers: [{ ...nextLink, example: '<?before=42>; rel="next"' }],
  content: { type: 'application/json', schema: anchorList },
  problems: ['halted'],
};
