import { addressOption } from './options.ts';
import { connectChain } from './connection.ts';
import { openSender, openTransactionSigner } from './payer.ts';
import { ownProgram, programAt } from './program-file.ts';
import { authorityText, sol } from './chain-text.ts';
import { EXIT, type ExitCode, UsageError } from '../command/exit.ts';
import { Fault } from '@assay/core/fault';
import { paint, slowProgress, type Terminal } from '../command/tty.ts';
import { count, textRows } from '../text/text-rows.ts';

export interface DeployOptions {
  readonly rpc: string;
  readonly payer: string;
  readonly programKey: string;
  readonly authority: string | undefined;
  /** Whether nobody will be able to replace the program. */
  readonly final: boolean;
  readonly yes: boolean;
  readonly elf: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Deploys the program, or continues a run that was interrupted. Without `yes` it prints what that would do and
 * cost, and sends nothing.
 */
export async function deployChainProgram(
  options: DeployOptions,
  terminal: Terminal,
  environment: Environment,
): Promise<ExitCode> {
  const named =
    options.authority === undefined
      ? undefined
      : await addressOption(options.authority, '--authority');
  const { elf, sha256 } =
    options.elf === undefined ? await ownProgram() : await programAt(options.elf);
  const payer = await openTransactionSigner(options.payer, environment);
  const program = await openTransactionSigner(options.programKey, environment);
  if (payer.address === program.address) {
    throw new UsageError('the key of the program is not that of the payer');
  }
  const authority = options.final ? null : (named ?? payer.address);
  const { rpc, chain } = await connectChain(options.rpc);
  const [deployment, { readProgram }, { fetchBalance }] = await Promise.all([
    import('@assay/chain/deploy/deployment'),
    import('@assay/chain/deploy/deployed-program'),
    import('@assay/chain/deploy/fetched-account'),
  ]);
  const { bufferAddress, deploymentCost, deployProgram, planDeployment } = deployment;
  const cost = await deploymentCost(rpc, elf.length);
  const before = await fetchBalance(rpc, payer.address);
  const standing = await readProgram(rpc, program.address);
  terminal.out(`Program ${program.address}`);
  const show = (...row: readonly [string, string]): void => {
    for (const line of textRows(...row, terminal)) terminal.out(line);
  };
  show('chain', chain);
  show('bytes', count(elf.length, 'byte'));
  show('sha256', sha256);
  show('payer', `${payer.address} has ${sol(before)}`);
  if (standing === undefined) {
    show('will cost', `${sol(cost.rent)} of rent, which stays, for program and data`);
    show('', `${sol(cost.fees)} for ${cost.transactions} transactions, without priority fees`);
    show('', `of it up to ${sol(cost.held)} are in a buffer meanwhile`);
  } else {
    show('stands', `since slot ${standing.deployedAt}`);
    show('authority', authorityText(standing.authority));
  }
  if (standing?.authority !== authority) {
    show(standing === undefined ? 'authority' : 'asked for', authorityText(authority));
  }
  const plan = await planDeployment({ rpc, payer, program, authority, elf });
  for (const [i, words] of planText(plan, authority, payer.address).entries()) {
    show(i === 0 ? 'will' : '', words);
  }
  // What an earlier run paid for the buffer is returned with the deployment.
  const buffered = await fetchBalance(rpc, await bufferAddress(payer.address, program.address));
  const needed = cost.rent + cost.fees - buffered;
  if (standing === undefined && before < needed) {
    throw new Fault('refused', 'payer', {
      at: payer.address,
      expected: `${sol(needed)} and something for priority fees`,
      found: sol(before),
    });
  }
  if (plan !== 'there' && !options.yes) {
    terminal.out('');
    terminal.out('Nothing was sent. Add --yes to do it.');
    return EXIT.ok;
  }
  const sender = await openSender(rpc, options.rpc, payer);
  const progress = slowProgress(terminal, () => performance.now());
  const done = await deployProgram({
    rpc,
    sender,
    payer,
    program,
    authority,
    elf,
    progress: (written, total) => progress.tell(written, total, 'bytes written'),
  }).finally(progress.end);
  const after = await fetchBalance(rpc, payer.address);
  const words = {
    deployed: 'DEPLOYED',
    there: 'THERE ALREADY',
    handed_over: authority === null ? 'BURNED' : 'HANDED OVER',
  };
  terminal.out(`${paint(terminal, 'green', words[done.outcome])} ${done.program}`);
  show('data', done.programData);
  show('authority', authorityText(authority));
  show(
    'cost',
    done.transactions === 0
      ? 'nothing'
      : `${sol(before - after)} in this run, ${sol(done.fees)} of it fees of ${count(done.transactions, 'transaction')}`,
  );
  return EXIT.ok;
}

/** What a run is going to do, one row for each step. */
function planText(
  plan: 'deployed' | 'there' | 'handed_over',
  authority: string | null,
  payer: string,
): readonly string[] {
  const given =
    authority === null
      ? 'burn the authority permanently: no error in the program could ever be corrected'
      : `hand the authority over to ${authority}, which alone could give it back`;
  switch (plan) {
    case 'there':
      return ['do nothing: the same program is there, under this authority'];
    case 'handed_over':
      return [given];
    case 'deployed':
      return ['deploy the program', ...(authority === payer ? [] : [given])];
  }
}
