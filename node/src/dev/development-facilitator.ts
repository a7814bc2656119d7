import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { developmentPayer } from '@assay/chain/development/payment/payment-accounts';
import { DEVELOPMENT_NETWORK } from '@assay/chain/development/payment/payment-accounts';
import { messageOf } from '@assay/core/fault';

export interface DevelopmentFacilitatorOptions {
  /** The JSON-RPC address of the development chain. */
  readonly rpcUrl: string;
  /** 0, the default, takes any free port of loopback. */
  readonly port?: number;
  /** The name of the key that pays the fees. It needs lamports. */
  readonly payer?: string;
}

/** A facilitator of a development chain, on loopback. */
export interface DevelopmentFacilitator {
  readonly url: string;
  close(): Promise<void>;
}

/** Who pays the fees of a development chain. */
export const FACILITATOR = 'facilitator';

const MAX_BODY = 65_536;

type Answer = (body: Readonly<Record<string, never>>) => Promise<object>;

/**
 * Serves `/supported`, `/verify` and `/settle` of x402, version 2, by the facilitator of `@x402/core` and `@x402/svm`, which are loaded
 * with the first request.
 */
export async function startDevelopmentFacilitator({
  rpcUrl,
  port = 0,
  payer = FACILITATOR,
}: DevelopmentFacilitatorOptions): Promise<DevelopmentFacilitator> {
  let loading: Promise<ReadonlyMap<string, Answer>> | undefined;
  const server = createServer((request, response) => {
    loading ??= answersOf(rpcUrl, payer);
    serve(request, response, loading).catch((error: unknown) => {
      if (!response.headersSent) send(response, 500, { error: messageOf(error) });
      else response.destroy();
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const { port: at } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${at}`, close: () => closed(server) };
}

async function answersOf(rpcUrl: string, payer: string): Promise<ReadonlyMap<string, Answer>> {
  const [{ x402Facilitator }, { ExactSvmScheme }, { toFacilitatorSvmSigner }] = await Promise.all([
    import('@x402/core/facilitator'),
    import('@x402/svm/exact/facilitator'),
    import('@x402/svm'),
  ]);
  const signer = toFacilitatorSvmSigner(await developmentPayer(payer), { defaultRpcUrl: rpcUrl });
  const facilitator = new x402Facilitator();
  facilitator.register([DEVELOPMENT_NETWORK], new ExactSvmScheme(signer));
  return new Map<string, Answer>([
    ['GET /supported', () => Promise.resolve(facilitator.getSupported())],
    [
      'POST /verify',
      (body) =>
        facilitator.verify(body['paymentPayload'] as never, body['paymentRequirements'] as never),
    ],
    [
      'POST /settle',
      (body) =>
        facilitator.settle(body['paymentPayload'] as never, body['paymentRequirements'] as never),
    ],
  ]);
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  loading: Promise<ReadonlyMap<string, Answer>>,
): Promise<void> {
  const answer = (await loading).get(`${request.method} ${request.url}`);
  if (answer === undefined) {
    send(response, 404, { error: 'not_found' });
    return;
  }
  let text = '';
  for await (const part of request) {
    text += String(part);
    if (text.length > MAX_BODY) {
      send(response, 413, { error: 'content_too_large' });
      return;
    }
  }
  send(response, 200, await answer(text === '' ? {} : (JSON.parse(text) as Parameters<Answer>[0])));
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
