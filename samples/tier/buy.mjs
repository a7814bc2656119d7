// Buys one answer of the machine tier on a development chain, with the official client of x402. See docs/tier-buyers.md.
//
//     node samples/tier/buy.mjs PATH [--base URL] [--rpc URL] [--id IDENTIFIER]
//
// The identifier is what makes a repeat of this command free: with the same one it gives the same answer and pays nothing.
import { createHash, randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { createKeyPairSignerFromPrivateKeyBytes } from '@solana/kit';
import { x402Client, x402HTTPClient } from '@x402/core/client';
import { ExactSvmScheme } from '@x402/svm/exact/client';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    base: { type: 'string', default: 'http://127.0.0.1:8787' },
    rpc: { type: 'string' },
    id: { type: 'string', default: `purchase-${randomUUID()}` },
  },
});
const [path] = positionals;
if (path === undefined || values.rpc === undefined) {
  console.error('usage: node samples/tier/buy.mjs PATH --rpc URL [--base URL] [--id IDENTIFIER]');
  process.exit(2);
}
const address = new URL(path, values.base);

/** Waits for as long as an answer says. */
const pause = (answer) =>
  new Promise((resolve) => setTimeout(resolve, 1000 * Number(answer.headers.get('retry-after') ?? 2)));

// 1. Without a payment, the answer is 402 with the terms, or 503 with a Retry-After while the facilitator cannot be asked.
let unpaid = await fetch(address);
for (let attempt = 1; unpaid.status === 503 && unpaid.headers.has('retry-after') && attempt < 10; attempt += 1) {
  await pause(unpaid);
  unpaid = await fetch(address);
}
if (unpaid.status !== 402) {
  console.error(`${unpaid.status}, and no terms: ${await unpaid.text()}`);
  process.exit(1);
}
const required = await unpaid.json();
const [terms] = required.accepts;
if (terms.extra.environment !== 'development') {
  console.error('These terms are not of a development chain, and this key is known to everybody.');
  process.exit(1);
}
console.error(`${required.resource.url} costs ${terms.amount} units of ${terms.asset}`);

// 2. A transfer of exactly that amount is signed. Everybody can make this key, whose tokens have no value.
const seed = createHash('sha256').update('assay/development-payer/v1\0buyer').digest();
const buyer = await createKeyPairSignerFromPrivateKeyBytes(new Uint8Array(seed));
const client = new x402HTTPClient(
  x402Client.fromConfig({
    schemes: [{ network: terms.network, client: new ExactSvmScheme(buyer, { rpcUrl: values.rpc }) }],
    // The client's own limits know no tokens of a development chain.
    spendControls: false,
  }),
);
required.extensions['payment-identifier'].info.id = values.id;
const headers = client.encodePaymentSignatureHeader(await client.createPaymentPayload(required));

// 3. The same request with the payment, and again while nobody can say whether it was made: it is charged once.
for (let attempt = 1; ; attempt += 1) {
  const paid = await fetch(address, { headers });
  const body = await paid.text();
  if (paid.status === 503 && attempt < 60) {
    await pause(paid);
    continue;
  }
  if (paid.status !== 200) {
    console.error(`${paid.status}: ${body}`);
    process.exit(1);
  }
  // An answer that turned out to have no row is free.
  if (paid.headers.get('payment-response') === null) {
    console.error('200, and nothing was charged: the answer has no row');
    console.log(body);
    break;
  }
  const receipt = client.getPaymentSettleResponse((name) => paid.headers.get(name));
  console.error(`paid by transaction ${receipt.transaction}, identifier ${values.id}`);
  console.log(body);
  break;
}
