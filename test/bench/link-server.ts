// A thread of the subject `link`: serves the files of a log over a link with a delay.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import { delayedLink } from './delay-proxy.ts';
import type { Files, LinkTask } from './link.ts';

const { files, oneWayMs } = workerData as LinkTask;
const served: Files = files;
let requests = 0;

const server = createServer((request, response) => {
  requests += 1;
  const found = served.get(request.url ?? '');
  response.writeHead(found?.status ?? 404);
  response.end(found?.body);
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const link = await delayedLink((server.address() as AddressInfo).port, oneWayMs);
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
parentPort?.postMessage(link.port);
// Each question is answered with the number of requests since the last one.
parentPort?.on('message', () => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage(requests);
  requests = 0;
});
