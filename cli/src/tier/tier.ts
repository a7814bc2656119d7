import { command, type Environment, group, type Group } from '../command/command.ts';
import { UsageError } from '../command/exit.ts';
import { flag, option } from '../command/option.ts';
import { positive } from '../command/options.ts';

const CONFIG = option('FILE')`
  The configuration of the node.`;
const JSON_OPTION = flag`
  Print what was found as JSON.`;
const VARIABLES = { ASSAY_CONFIG: 'The configuration, where --config is not given.' };
const COPY =
  'It reads a copy of the payments as they are on the disk, so the node may run. Nothing is changed.';

const statusCommand = command({
  name: 'tier status',
  summary: 'Show what the tier sells, and how many payments there are in each state.',
  about: `Shows what the machine tier of a node sells and who is paid, and how many payments there are in each state. ${COPY}`,
  operands: {},
  options: { config: CONFIG, json: JSON_OPTION },
  variables: VARIABLES,
  examples: { 'assay tier status --config data/assay.json': 'Look at the money of a node.' },
  run: async ({ config, json }, terminal, environment) => {
    const { tierStatus } = await import('./tier-status.ts');
    return tierStatus({ config: configOf(config, environment), json }, terminal, environment);
  },
});

const STATES = ['settling', 'settled', 'confirmed', 'final', 'failed', 'lost'] as const;

const paymentsCommand = command({
  name: 'tier payments',
  summary: 'List payments, the newest first.',
  about: `Lists the payments of a machine tier, the newest first. docs/tier-operators.md says what each state means. ${COPY}`,
  operands: {},
  options: {
    config: CONFIG,
    state: option('STATE', {
      parse: (text: string, name: string): (typeof STATES)[number] => {
        const state = STATES.find((each) => each === text);
        if (state === undefined) throw new UsageError(`${name} is one of ${STATES.join(', ')}`);
        return state;
      },
    })`
      Only payments in this state: ${STATES.join(', ')}.`,
    limit: option('N', { parse: positive, fallback: 20 })`
      How many at most.`,
    json: JSON_OPTION,
  },
  variables: VARIABLES,
  examples: {
    'assay tier payments --config data/assay.json --state lost': 'List what was not paid.',
  },
  run: async ({ config, state, limit, json }, terminal, environment) => {
    const { tierPayments } = await import('./tier-payments.ts');
    const options = { config: configOf(config, environment), state, limit, json };
    return tierPayments(options, terminal, environment);
  },
});

const reconcileCommand = command({
  name: 'tier reconcile',
  summary: 'Hold every payment against the chain, to the last unit.',
  about: `Holds the payments of a machine tier against every finalized transaction of the token accounts of who is paid: whether each final payment has come, in full, what is still open, what came without a payment, and what could not be read. ${COPY} A node that runs reconciles its payments by itself.`,
  operands: {},
  options: {
    config: CONFIG,
    'since-slot': option('SLOT', { parse: positive })`
      Compare what was paid since this slot. By default, since the first payment, and
      with no payments, everything that the accounts ever received.`,
    json: JSON_OPTION,
  },
  variables: VARIABLES,
  exits: {
    0: 'Every payment is decided, what is due has come, and nothing else.',
    1: 'A payment is open or did not come in full, something came without a payment, or something could not be read.',
  },
  examples: { 'assay tier reconcile --config data/assay.json': 'Close the books of a day.' },
  run: async ({ config, 'since-slot': sinceSlot, json }, terminal, environment) => {
    const { tierReconcile } = await import('./tier-reconcile.ts');
    const options = { config: configOf(config, environment), sinceSlot, json };
    return tierReconcile(options, terminal, environment);
  },
});

export const tierCommand: Group = group({
  name: 'tier',
  summary: 'Look at the payments of the machine tier.',
  about: 'Shows what the machine tier of a node sells, its payments, and whether the money came.',
  commands: [statusCommand, paymentsCommand, reconcileCommand],
});

function configOf(given: string | undefined, environment: Environment): string {
  const path = given ?? environment['ASSAY_CONFIG'];
  if (path === undefined || path === '') {
    throw new UsageError('the option --config FILE is missing');
  }
  return path;
}
