import { type DevelopmentBlock, DevelopmentChain } from '@assay/node/dev/bitcoin/development-chain';
import { DAY_S } from './calendar.ts';
import { BEGIN } from './sources.ts';

const BLOCK_S = 7200;
const DAYS = 90;

/** Blocks of the development network, two hours apart, from before any log begins. */
const BLOCKS: readonly DevelopmentBlock[] = mined();

function mined(): readonly DevelopmentBlock[] {
  const chain = new DevelopmentChain({ blockSeconds: BLOCK_S });
  chain.advance(BEGIN - DAY_S);
  chain.advance(BEGIN + DAYS * DAY_S);
  return Array.from({ length: chain.tip.height }, (_, i) => chain.block(i + 1) as DevelopmentBlock);
}

/** The newest block at a time, unix seconds. */
export function blockAt(time: number): DevelopmentBlock {
  return BLOCKS.findLast((block) => block.time <= time) ?? (BLOCKS[0] as DevelopmentBlock);
}
