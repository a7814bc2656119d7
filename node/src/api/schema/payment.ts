import { z } from 'zod';
import { about, base58Text, integerText, named } from './field.ts';

const NETWORK = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';

const accepts = named(
  z.looseObject({
    scheme: about(z.literal('exact'), 'How it is paid: a transfer of exactly the amount.', 'exact'),
    network: about(z.string(), 'The chain, as CAIP-2 names it.', NETWORK),
    amount: about(integerText, 'The price, in the smallest unit of the asset.', '10000'),
    asset: about(
      base58Text,
      'The mint of the tokens.',
      'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
    ),
    payTo: about(base58Text, 'Who is paid.', '2wKupLR9q6wXYppw8Gr2NvWxKBUqm4PPJKkQfoxHDBg4'),
    maxTimeoutSeconds: about(z.int(), 'Seconds for which the terms are honoured.', 60),
    extra: about(
      z.looseObject({
        feePayer: about(
          base58Text,
          "Who pays the network's fee.",
          'EwWqGE4ZFKLofuestmU4LDdK7XM1N4ALgdZccwYugwGd',
        ),
        memo: about(
          z.string(),
          'The text of the one memo that the transfer must have: the SHA-256, in base64url, of the canonical JSON of `type` (`assay-payment/1`), `key` (the key of the shop, hex), `nonce` and `resourceUrl`.',
          'bhzLn5BpD-MWKpeXYbYQVIKVHXWRZSKMDrAj8ZtO31k',
        ),
        nonce: about(
          z.string(),
          'A new one for each answer, which the payment repeats.',
          'mVtB6mjGBVRvSn2bTe9iXQ',
        ),
      }),
      'What the scheme needs. `environment` is `development` on a chain whose tokens have no value.',
    ),
  }),
  'PaymentTerms',
  'What is asked for (`PaymentRequirements` of x402).',
);

/** The body of a 402, which its header PAYMENT-REQUIRED has too. */
export const paymentRequiredBody: z.ZodType<object> = named(
  z.looseObject({
    x402Version: about(z.literal(2), 'The version of x402.', 2),
    error: about(z.string(), 'Why it was not served.', 'payment required'),
    resource: about(
      z.looseObject({
        url: about(z.string(), 'Its address.', 'https://assay.example/history/ETH?days=30'),
        description: about(z.string(), 'What it is.', 'Every stored tick of an asset.'),
        mimeType: about(z.string(), 'The type of its body.', 'application/json'),
        serviceName: about(z.string(), 'Whose it is.', 'Assay'),
      }),
      'What is bought.',
    ),
    accepts: about(z.array(accepts), 'The terms, of which one has to be met.'),
    extensions: about(
      z.looseObject({
        'payment-identifier': about(
          z.looseObject({
            info: about(
              z.looseObject({ required: about(z.boolean(), 'Whether it is needed.', true) }),
              'What the buyer puts `id` into: 16 to 128 letters, digits, hyphens or underscores.',
            ),
          }),
          'The name that the buyer gives to its purchase, so that it is never charged twice.',
        ),
        'offer-receipt': about(
          z.looseObject({
            info: about(
              z.looseObject({
                offers: about(
                  z.array(
                    z.looseObject({
                      format: about(z.literal('jws'), 'What the signature is.', 'jws'),
                      signature: about(
                        z.string(),
                        'A compact JWS over the terms and the time until which they are honoured.',
                        'eyJhbGciOiJFZERTQSJ9.eyJhbW91bnQiOiIxMDAwMCJ9.c2lnbmF0dXJl',
                      ),
                    }),
                  ),
                  'The terms, signed by the key in `/.well-known/did.json`.',
                ),
              }),
              'The offers.',
            ),
          }),
          'Signed offers. A payment that brings one back is taken for its amount until it is over.',
        ),
      }),
      'Extensions of x402. A payment repeats them.',
    ),
  }),
  'PaymentRequired',
  'What has to be paid (x402, version 2).',
);
