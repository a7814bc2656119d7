import { resolve } from 'node:path';
import { Fault } from '@assay/core/fault';
import { formatTime } from '@assay/core/time/time';
import type { Subscription } from '@assay/node/webhook/subscription';
import type { SubscriptionStore } from '@assay/node/webhook/subscription-store';
import { command, type Environment, group, type Group } from '../command/command.ts';
import { EXIT, type ExitCode } from '../command/exit.ts';
import { flag } from '../command/option.ts';
import type { Terminal } from '../command/tty.ts';
import { requireDataFolder } from '../reader/data-reader.ts';

const DATA = {
  value: 'DATA',
  about: 'The data folder of the log, whose node is stopped.',
} as const;

const VARIABLES = {
  ASSAY_WEBHOOK_KEY: 'The key under which the subscriptions are encrypted, as the node has it.',
};

const listCommand = command({
  name: 'webhooks list',
  summary: 'List who is told what is published.',
  about: `Lists the subscriptions of a stopped node: who they are for, where their messages go, and how far they are. No secret is shown.`,
  operands: { data: DATA },
  variables: VARIABLES,
  options: {
    json: flag`
      Write the subscriptions as JSON.`,
  },
  exits: { 0: 'They are listed.' },
  examples: { 'assay webhooks list data': 'Who is told, and where each of them is.' },
  run: ({ data, json }, terminal, environment) =>
    withStore(resolve(data), environment, (store) => list(store, json, terminal)),
});

const removeCommand = command({
  name: 'webhooks remove',
  summary: 'Remove a subscription.',
  about: `Removes the subscription of an e-mail address with everything that is stored of it, such as for somebody who has lost the secret: the address can subscribe again then.

    Without --yes the command only says what it would do.`,
  operands: {
    data: DATA,
    email: { value: 'EMAIL', about: 'The e-mail address that subscribed, in any case.' },
  },
  options: {
    yes: flag`
      Remove it. Without it the command only says what it would do.`,
  },
  variables: VARIABLES,
  exits: {
    0: 'The subscription is removed, or would be.',
    1: 'The address has no subscription.',
  },
  examples: {
    'assay webhooks remove data ops@example.com --yes': 'Forget a subscriber who lost the secret.',
  },
  run: ({ data, email, yes }, terminal, environment) =>
    withStore(resolve(data), environment, (store) => remove(store, email, yes, terminal)),
});

export const webhooksCommand: Group = group({
  name: 'webhooks',
  summary: 'List and remove the subscriptions to webhooks.',
  about: 'Works on the subscriptions to webhooks, which stand beside the log of a stopped node.',
  commands: [listCommand, removeCommand],
});

function list(store: SubscriptionStore, json: boolean, terminal: Terminal): ExitCode {
  const rows = [...store.all()].sort((a, b) => a.created_ms - b.created_ms).map(shownOf);
  if (json) {
    terminal.out(JSON.stringify(rows, null, 2));
    return EXIT.ok;
  }
  for (const row of rows) {
    terminal.out(row.email);
    terminal.out(`  to ${row.url}`);
    terminal.out(`  ${row.state}, since ${row.created_at}; next: entry ${row.next_seq}`);
  }
  terminal.out(rows.length === 1 ? 'One subscription.' : `${rows.length} subscriptions.`);
  return EXIT.ok;
}

/** What is shown of a subscription: all but its secrets. */
interface ShownSubscription {
  readonly id: string;
  readonly email: string;
  readonly url: string;
  readonly types: readonly string[];
  readonly tickers: readonly string[] | null;
  readonly symbols: readonly string[] | null;
  /** The state, with the reason where it is not active. */
  readonly state: string;
  readonly created_at: string;
  readonly next_seq: number;
}

function shownOf({
  id,
  email,
  url,
  filter,
  created_ms,
  progress,
}: Subscription): ShownSubscription {
  const { state, reason, cursor } = progress;
  return {
    id,
    email,
    url,
    types: filter.types,
    tickers: filter.tickers,
    symbols: filter.symbols,
    state: reason === null ? state : `${state} (${reason})`,
    created_at: formatTime(Math.floor(created_ms / 1000)),
    next_seq: cursor.seq,
  };
}

async function remove(
  store: SubscriptionStore,
  email: string,
  yes: boolean,
  terminal: Terminal,
): Promise<ExitCode> {
  const known = store.byEmail(email);
  if (known === undefined) {
    terminal.error(`assay webhooks: ${email} has no subscription`);
    return EXIT.findings;
  }
  if (!yes) {
    const what = `The subscription of ${known.email}, to ${known.url}, would be removed`;
    terminal.out(`${what}: --yes does it.`);
    return EXIT.ok;
  }
  await store.remove(known.id);
  terminal.out(`The subscription of ${known.email} is removed.`);
  return EXIT.ok;
}

/** Opens the subscriptions of a folder. Its ledger is opened meanwhile, which a running node does not let happen. */
async function withStore(
  root: string,
  environment: Environment,
  work: (store: SubscriptionStore) => ExitCode | Promise<ExitCode>,
): Promise<ExitCode> {
  await requireDataFolder(root);
  const [{ SubscriptionStore: Store }, cipher, { dataFolder }, { openLevelStore }] =
    await Promise.all([
      import('@assay/node/webhook/subscription-store'),
      import('@assay/node/webhook/subscription-cipher'),
      import('@assay/node/platform/data-folder'),
      import('@assay/node/ledger/store/level-store'),
    ]);
  const { SubscriptionCipher, WEBHOOK_KEY_VARIABLE, parseWebhookKey } = cipher;
  const text = environment[WEBHOOK_KEY_VARIABLE];
  if (text === undefined || text === '') {
    throw new Fault('key_missing', 'webhook key', {
      expected: `the variable ${WEBHOOK_KEY_VARIABLE}`,
    });
  }
  const key = new SubscriptionCipher(parseWebhookKey(text));
  const folder = dataFolder(root);
  const ledger = await openLevelStore(folder.ledger);
  try {
    const store = await Store.open(folder.webhooks, { cipher: key });
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  } finally {
    await ledger.close();
  }
}
