import { z } from 'zod';
import { API_VERSION } from '../document/openapi.ts';
import { eventData, positionData, tickData } from '../schema/event.ts';

type Json = Readonly<Record<string, unknown>>;

function message(name: string, title: string, summary: string, schema: z.ZodType): Json {
  const payload = z.toJSONSchema(schema, { unrepresentable: 'throw' });
  delete payload.$schema;
  return { name, title, summary, contentType: 'application/json', payload };
}

/** The AsyncAPI 3 document of the event stream, from the schemas of its messages. */
export function asyncDocument(): Json {
  const message$ref = (name: string): Json => ({ $ref: `#/channels/events/messages/${name}` });
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Assay events',
      version: API_VERSION,
      description:
        'The log as it is published, as Server-Sent Events at `GET /events`. `/openapi.json` has its parameters, and how a client goes on where it was.',
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    defaultContentType: 'application/json',
    channels: {
      events: {
        address: '/v1/events',
        title: 'The event stream',
        description:
          'Each message is one event of the form of WHATWG HTML, 9.2, and its payload is the `data` of that event.',
        messages: {
          entry: message(
            'entry',
            'An entry of the log',
            'Its event is the kind of the entry, and its id is `seq`, a hyphen, and the first 16 digits of `leaf_hash`.',
            eventData,
          ),
          position: message(
            'position',
            'The place in the log',
            'Its event is `position`. Its id is that of the newest entry that the filter let not through.',
            positionData,
          ),
          tick: message(
            'tick',
            'Live scores',
            'Its event is `tick`. It is no entry and has no id.',
            tickData,
          ),
        },
      },
    },
    operations: {
      sendEvents: {
        action: 'send',
        channel: { $ref: '#/channels/events' },
        summary: 'The service sends what it publishes.',
        messages: [message$ref('entry'), message$ref('position'), message$ref('tick')],
      },
    },
  };
}
