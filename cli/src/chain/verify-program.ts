import { addressOption } from './options.ts';
import { connectChain } from './connection.ts';
import { readSigner } from './chain-log.ts';
import { ownProgram, programAt, sha256Hex } from './program-file.ts';
import { requireFeeds } from './target.ts';
import { authorityText, chainJson } from './chain-text.ts';
import { EXIT, type ExitCode } from '../command/exit.ts';
import { Fault } from '@assay/core/fault';
import { paint, type Terminal } from '../command/tty.ts';
import { count, textRows } from '../text/text-rows.ts';

export interface VerifyProgramOptions {
  readonly rpc: string;
  readonly url: string | undefined;
  readonly program: string | undefined;
  /** The file to compare with. The default is the package's own. */
  readonly elf: string | undefined;
  readonly json: boolean;
}

/** Compares a program on chain with an executable, byte for byte. */
export async function verifyChainProgram(
  options: VerifyProgramOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const { rpc: url, url: log } = options;
  const fed = log === undefined ? undefined : requireFeeds(await readSigner(log));
  const address = await addressOption(fed?.program ?? options.program, '--program');
  const file = options.elf === undefined ? await ownProgram() : await programAt(options.elf);
  const { rpc, chain, host } = await connectChain(url, fed?.chain);
  const { compareProgram, deployedFile, readProgram } =
    await import('@assay/chain/deploy/deployed-program');
  const standing = await readProgram(rpc, address);
  if (standing === undefined) throw new Fault('not_found', 'program', { at: address });
  const { elf, sha256 } = file;
  const comparison = compareProgram(standing.bytes, elf);
  const deployed = comparison.same ? elf : deployedFile(standing.bytes);
  const deployedSha256 = deployed === undefined ? null : sha256Hex(deployed);
  const { authority, deployedAt, programData, slot } = standing;
  if (options.json) {
    terminal.out(
      chainJson({
        same: comparison.same,
        first_difference: comparison.same ? null : comparison.at,
        chain,
        program: address,
        program_data: programData,
        upgrade_authority: authority,
        deployed_slot: Number(deployedAt),
        slot: Number(slot),
        deployed_sha256: deployedSha256,
        expected_sha256: sha256,
      }),
    );
    return comparison.same ? EXIT.ok : EXIT.findings;
  }
  const mark = comparison.same
    ? paint(terminal, 'green', 'SAME')
    : paint(terminal, 'red', 'DIFFERENT');
  const whose = options.elf === undefined ? "this package's program" : options.elf;
  const rows = [
    ...textRows('chain', chain, terminal),
    ...textRows(
      'deployed',
      `${count((deployed ?? standing.bytes).length, 'byte')} in slot ${deployedAt}`,
      terminal,
    ),
    ...textRows(
      '',
      deployedSha256 === null
        ? 'no sha256: where its file ends cannot be determined'
        : `sha256 ${deployedSha256}`,
      terminal,
    ),
    ...textRows('expected', `${count(elf.length, 'byte')}, ${whose}`, terminal),
    ...textRows('', `sha256 ${sha256}`, terminal),
    ...(comparison.same
      ? []
      : textRows('differs', `from byte ${comparison.at} on`, terminal, 'red')),
    ...textRows(
      'authority',
      authorityText(authority),
      terminal,
      authority === null ? undefined : 'yellow',
    ),
    ...textRows('by the word', `of ${host} alone, in its finalized slot ${slot}`, terminal),
  ];
  for (const line of [`${mark} ${address}`, ...rows]) terminal.out(line);
  return comparison.same ? EXIT.ok : EXIT.findings;
}
