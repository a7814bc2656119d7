import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import {
  type Draft,
  draftForecast,
  type Owner,
  scaledValue,
} from '@assay/core/arena/forecast/draft';
import { foldName } from '@assay/core/arena/forecast/handle';
import type { HandleFile } from '@assay/core/arena/handle-file';
import { requireChain } from '@assay/core/arena/round-chain';
import type { ReceiptFile } from '@assay/core/arena/receipt-file';
import { receiptedForecast } from '@assay/core/arena/receipted-forecast';
import { formatHex } from '@assay/core/bytes/hex';
import { formatUtf8, parseUtf8 } from '@assay/core/bytes/utf8';
import { Fault } from '@assay/core/fault';
import {
  parseSubmissionReceipt,
  type SubmissionReceipt,
} from '@assay/core/intake/submission-receipt';
import { isObject } from '@assay/core/wire/schema';
import { formatWire, type WireObject, type WireValue } from '@assay/core/wire/wire';
import { boundedFetch } from '@assay/node/platform/bounded-fetch';
import { writeDurable } from '@assay/node/platform/durable-file';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { nodeVerifySignature } from '@assay/node/platform/node-signature';
import { openKey } from '@assay/node/key/keystore';
import { printable } from '@assay/verifier/verdict/printable';
import { command, type Command, type Environment, type Given } from '../command/command.ts';
import { EXIT, type ExitCode, UsageError } from '../command/exit.ts';
import { flag, option } from '../command/option.ts';
import type { Terminal } from '../command/tty.ts';
import { httpReader } from '../reader/http-reader.ts';
import { logUrl } from '../reader/log-url.ts';
import { TIE, textRows } from '../text/text-rows.ts';
import { openHandle, saltOf, writeHandle } from './handle-file.ts';
import { type OpenRound, readRound } from './open-round.ts';

const TIMEOUT_MS = 30_000;
const MAX_ANSWER_BYTES = 65_536;

const OPTIONS = {
  handle: option('NAME', { required: true })`
    The name under which the forecast stands: 3 to 24 letters, digits, _ and -.`,
  key: option('FILE')`
    The key of the handle, made by assay forecast key. Nobody else can forecast for it.`,
  secret: option('FILE')`
    Where the secret of the handle is kept. The first forecast creates the file.`,
  log: option('ID')`
    The id of the log that you know. Any other is refused.`,
  plain: flag`
    Do not seal the forecast: the operator can read it before the close.`,
} as const;

const MAKE_OPTIONS = {
  ...OPTIONS,
  receipt: option('FILE')`
    Where to write the receipt. The default is ROUND-PLACE.receipt.json.`,
} as const;

const OPERANDS = {
  url: { value: 'URL', about: 'The server of the log.' },
  round: { value: 'ROUND', about: 'The id of the round, such as layoffs-2026-11-21.' },
  value: { value: 'VALUE', about: 'The forecast, such as 231000 or 3.1.' },
} as const;

const VARIABLES = { ASSAY_PASSPHRASE: 'Unlocks the file of --key.' } as const;

export const makeCommand: Command = command({
  name: 'forecast make',
  summary: 'Make a forecast, and keep the receipt.',
  about: `Makes a forecast in a round that is open, checks the receipt that the server signs, and keeps it. A later forecast of the same handle replaces it until the round closes.

    The forecast is sealed on this machine: until the round is closed and its drand round is out, nobody can read it, the operator included. Members of the League of Entropy together could open it earlier, as could a quantum computer. If drand stops, the round is void.`,
  operands: OPERANDS,
  options: MAKE_OPTIONS,
  oneOf: [['key', 'secret']],
  variables: VARIABLES,
  exits: {
    0: 'The server has taken the forecast, and its receipt is good.',
    1: 'The server has refused it, or its receipt is not for it.',
  },
  examples: {
    'assay forecast make https://assay.example layoffs-2026-11-21 231000 --handle ada --key ada.json':
      'Forecast the claims of a week.',
  },
  run: make,
});

export const sealCommand: Command = command({
  name: 'forecast seal',
  summary: 'Print a forecast as it would be sent, and send nothing.',
  about:
    'Prints the JSON body that assay forecast make would send. It can be posted to /v1/arena/forecast by any other program before the round closes.',
  operands: OPERANDS,
  options: OPTIONS,
  oneOf: [['key', 'secret']],
  variables: VARIABLES,
  examples: {
    'assay forecast seal https://assay.example cpi-2026-11-01 3.1 --handle ada --key ada.json':
      'Prepare a forecast.',
  },
  run: async (given, terminal, environment) => {
    const { draft, handle, path } = await prepare(given, environment);
    if (handle !== undefined && path !== undefined) await writeHandle(path, handle);
    terminal.out(parseUtf8(formatWire(draft.request as unknown as WireObject)));
    return EXIT.ok;
  },
});

type Request = Given<typeof OPTIONS, typeof OPERANDS>;

interface Prepared {
  readonly url: string;
  readonly open: OpenRound;
  readonly draft: Draft;
  readonly random: Uint8Array;
  /** The handle with a secret and its file; undefined for one with a key. */
  readonly handle: HandleFile | undefined;
  readonly path: string | undefined;
}

async function prepare(given: Request, environment: Environment): Promise<Prepared> {
  const url = logUrl(given.url);
  if (url === undefined) throw new UsageError(`${given.url} is no address of a server`);
  const name = foldName(given.handle);
  const open = await readRound(httpReader(url), given.round, nodeSha256);
  const { round, log } = open;
  if (given.log !== undefined && given.log !== log) {
    throw new Fault('bad_proof', 'log', { at: url, expected: given.log, found: log });
  }
  const value = scaledValue(given.value, round.decimals);
  const path = given.secret === undefined ? undefined : resolve(given.secret);
  const handle = path === undefined ? undefined : await openHandle(path, name);
  const owner: Owner =
    handle === undefined
      ? await keyOwner(given.key as string, environment)
      : { kind: 'secret', salt: saltOf(handle), secret: handle.secret };
  const random = new Uint8Array(randomBytes(32));
  const sealer = given.plain
    ? undefined
    : (await import('@assay/core/timelock/sealed')).sealTo(
        requireChain(open, Math.floor(Date.now() / 1000)),
        round.drand_round,
      );
  const nonce = new Uint8Array(randomBytes(32));
  const input = { log, round: round.id, name, owner, value, text: given.value, sealer };
  const draft = draftForecast(nodeSha256, { ...input, nonce, random });
  return { url, open, draft, random, handle, path };
}

async function keyOwner(path: string, environment: Environment): Promise<Owner> {
  const signer = await openKey(resolve(path), { passphrase: environment['ASSAY_PASSPHRASE'] });
  // Milliseconds rise from one forecast to the next, on whichever machine they are made.
  return { kind: 'key', signer, counter: Date.now() };
}

async function make(
  given: Given<typeof MAKE_OPTIONS, typeof OPERANDS>,
  terminal: Terminal,
  environment: Environment,
): Promise<ExitCode> {
  const prepared = await prepare(given, environment);
  const { url, open, draft, handle, path } = prepared;
  const answer = await post(url, draft);
  if (typeof answer === 'string') {
    terminal.error(`assay forecast: the server refused it: ${answer}`);
    return EXIT.findings;
  }
  if (handle !== undefined && path !== undefined) {
    const secret = answer['secret'];
    await writeHandle(path, typeof secret === 'string' ? { ...handle, secret } : handle);
  }
  const receipt = parseSubmissionReceipt(answer['receipt'] ?? null, 'receipt');
  const tools = { sha256: nodeSha256, verifySignature: nodeVerifySignature };
  const { forecast, faults: wrong } = await receiptedForecast(tools, draft, receipt);
  const faults = [...wrong];
  if (receipt.log !== open.log) faults.push(`it is of the log ${receipt.log}, not ${open.log}`);
  if (!open.keys.includes(receipt.key)) faults.push(`${receipt.key} is no report key of the log`);
  const file: ReceiptFile = {
    type: 'assay-forecast/1',
    url,
    forecast,
    value: given.value,
    random: formatHex(prepared.random),
    receipt,
    key: draft.request.key ?? null,
  };
  const at = resolve(given.receipt ?? `${open.round.id}-${receipt.ordinal}.receipt.json`);
  await writeDurable(at, formatWire(file), { mode: 0o600 });
  if (faults.length > 0) {
    for (const fault of faults) terminal.error(`assay forecast: the receipt is not good: ${fault}`);
    return EXIT.findings;
  }
  printMade(terminal, prepared, receipt, at);
  return EXIT.ok;
}

function printMade(
  terminal: Terminal,
  { open, draft }: Prepared,
  receipt: SubmissionReceipt,
  at: string,
): void {
  const { round } = open;
  const held =
    receipt.held === 'second_machine'
      ? 'a witness has seen it'
      : "so far, only the operator's disk";
  const rows: readonly (readonly [string, string])[] = [
    ['forecast', `${round.id}, place ${receipt.ordinal}`],
    ['log', open.log],
    ['handle', `${draft.request.handle}, ${draft.handle}`],
    [
      'sealed',
      draft.sealed === null
        ? 'no: the operator can read it'
        : `to drand round ${round.drand_round}`,
    ],
    ['closes', round.closes_at],
    ['held by', held],
    ['receipt', at],
  ];
  for (const [label, text] of rows) {
    for (const line of textRows(label, text.replaceAll(', ', `,${TIE}`), terminal))
      terminal.out(line);
  }
}

/** The answer to a forecast; as text the reason for which the server refused it. Throws `unreachable` or `timeout`. */
async function post(url: string, { request }: Draft): Promise<WireObject | string> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), TIMEOUT_MS);
  try {
    const { status, body } = await boundedFetch({
      title: 'log server',
      method: 'POST',
      url: `${url}/v1/arena/forecast`,
      headers: { 'content-type': 'application/json', 'idempotency-key': request.nonce },
      body: formatUtf8(JSON.stringify(request)),
      maxBytes: MAX_ANSWER_BYTES,
      signal: controller.signal,
    });
    if (status >= 500) {
      throw new Fault('unreachable', 'log server', { expected: '201', found: `status ${status}` });
    }
    const answer = parseAnswer(body);
    if (status === 200 || status === 201) return answer;
    const why = [answer['error'], answer['detail']].filter((each) => typeof each === 'string');
    return printable([`status ${status}`, ...why].join(', '));
  } finally {
    clearTimeout(timer);
  }
}

function parseAnswer(body: Uint8Array): WireObject {
  let value: WireValue;
  try {
    value = JSON.parse(parseUtf8(body)) as WireValue;
  } catch (cause) {
    throw new Fault('malformed', 'answer', { expected: 'JSON', cause });
  }
  if (isObject(value)) return value;
  throw new Fault('malformed', 'answer', { expected: 'an object' });
}
