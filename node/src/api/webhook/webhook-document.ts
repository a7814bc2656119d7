import type { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { heatEventItem, scoreEventItem } from '../schema/changelog.ts';
import { otherDelivery, scoreDelivery } from '../schema/webhook.ts';

const HEADERS =
  'The headers `webhook-id`, `webhook-timestamp` and `webhook-signature` are those of Standard Webhooks: `v1` is an HMAC with your secret, `v1a` an Ed25519 signature by the report key in `/.well-known/assay-signer.json`. Any 2xx is a delivery; a message comes again under the same id until there is one.';

function delivery(
  id: string,
  summary: string,
  schema: z.ZodType,
  deprecated = false,
): ZodOpenApiPathsObject[string] {
  return {
    post: {
      operationId: id,
      tags: ['webhooks'],
      summary,
      description: HEADERS,
      ...(deprecated ? { deprecated: true } : {}),
      requestBody: { required: true, content: { 'application/json': { schema } } },
      responses: {
        '2XX': { description: 'It is delivered. The body does not matter.' },
        '410': { description: 'The receiver is gone: nothing is sent any more.' },
      },
    },
  };
}

/** The deliveries of webhooks, for the document. */
export function webhookObjects(): ZodOpenApiPathsObject {
  return {
    ScoreEvent: delivery(
      'scoreWebhookDelivery',
      'An event opened or closed',
      scoreDelivery('score_event', scoreEventItem),
    ),
    HeatEvent: delivery(
      'heatWebhookDelivery',
      'The deprecated twin of ScoreEvent, until 2026-12-31 at least',
      scoreDelivery('heat_event', heatEventItem),
      true,
    ),
    Message: delivery('messageWebhookDelivery', 'A message of any other type', otherDelivery),
  };
}
