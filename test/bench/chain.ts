import { svmPackage } from '../src/chain/fixture/world.ts';
import { type Cost, measure } from '../src/chain/fixture/units.ts';

/** What a final with 3 of 5 co-signers should take: a figure, not an invariant. */
const GOAL = { name: 'final, 3 of 5', units: 1200 } as const;

/** What others have published of themselves, compute units. None is measured here, and none does the same. */
const PUBLISHED: readonly (readonly [what: string, units: number, of: string])[] = [
  ['Pyth, a VAA verified', 350_000, 'the budget of a transaction'],
  ['Pyth, an update posted', 35_000, 'the budget of a transaction'],
  ['Pyth, a price feed updated', 55_000, 'the budget of a transaction'],
  ['Switchboard on demand, a stateless quote', 485, 'its documentation'],
  ['Doppler, one number of one hard-coded admin', 21, 'its own figure'],
];

const count = (value: number | bigint): string => value.toLocaleString('en-US');

/** The section of the page on the program: what each instruction costs, beside what others publish. */
export async function chainSection(): Promise<string> {
  if (svmPackage === undefined) return '## On chain\n\nskipped: litesvm is not installed here\n';
  const costs = await measure();
  return `## On chain

Each instruction once, on litesvm. Units and fees are counts, and come out the same anywhere; only where an account is made
the units hang on its keys, 1,500 more for each bump seed that has no address. Bytes are of the whole transaction, of
which 1,232 fit. The fee is 5,000 lamports a signature, those of the Ed25519 precompile included, without a priority
fee. Rent stays in the accounts that are made.

${table(['instruction', 'compute units', 'bytes', 'fee, lamports', 'rent, lamports'], costs.map(cells))}

${goalLine(costs)}

${table(
  ['published figure, not measured here', 'compute units', 'what it is'],
  PUBLISHED.map(([what, units, of]) => [what, count(units), of]),
)}
`;
}

function cells({ name, units, bytes, fee, rent }: Cost): readonly string[] {
  return [name, count(units), count(bytes), count(fee), count(rent)];
}

function goalLine(costs: readonly Cost[]): string {
  const found = costs.find(({ name }) => name === GOAL.name);
  if (found === undefined) throw new Error(`nothing was measured as "${GOAL.name}"`);
  const verdict = found.units <= GOAL.units ? 'reached' : 'missed';
  return `Goal for a final with 3 of 5 co-signers: about ${count(GOAL.units)} units. ${count(found.units)}: ${verdict}.`;
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [heads, heads.map(() => '---'), ...rows];
  return lines.map((line) => `| ${line.join(' | ')} |`).join('\n');
}
