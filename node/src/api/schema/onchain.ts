import { z } from 'zod';
import type { AttestationPayload, FeedPayload } from '@assay/core/answer/onchain';
import { COSIGNER } from './cosign.ts';
import { about, base58Text, hexText, named } from './field.ts';

const TRANSACTION =
  '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW';
const ACCOUNT = '6jBSQZ8V4cNqfXy6Sg1M5kP3mV9k7m9uM2d3rQ1cT4wE';

const place = {
  chain: about(z.string(), 'CAIP-2 id of the chain.', 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'),
  program: about(base58Text, 'The program that owns the accounts.', ACCOUNT),
  transaction: about(
    base58Text.nullable(),
    'First signature of the transaction that wrote it; null where somebody else brought it.',
    TRANSACTION,
  ),
  slot: about(z.int(), 'Slot of the chain at which it was written.', 361_245_873),
  seq: about(z.int(), 'The entry of the log that says so.', 66),
};

export const feed: z.ZodType<FeedPayload> = named(
  z.looseObject({
    ...place,
    account: about(base58Text, "The index's feed: permanent.", ACCOUNT),
    page: about(base58Text, "The feed's page that holds the period.", ACCOUNT),
    cosigners: about(z.array(hexText(32)), 'The co-signers that the page shows for it, hex.', [
      COSIGNER,
    ]),
  }),
  'Feed',
  'The on-chain account that holds the print. What an RPC node answers about it is only a claim of that node.',
);

export const attestation: z.ZodType<AttestationPayload> = named(
  z.looseObject({
    ...place,
    feed: about(base58Text, 'The feed that it is under.', ACCOUNT),
    account: about(base58Text, 'The account of the day.', ACCOUNT),
  }),
  'Attestation',
  'The on-chain account that holds the content hash of a Close.',
);
