import type { Clock } from '../../platform/clock.ts';
import { type HeaderSource, requireRange } from '../../bitcoin/header-source.ts';
import type { DevelopmentChain } from './development-chain.ts';

/** The headers of a development chain in this process, which is first advanced to `now`. */
export function developmentSource(chain: DevelopmentChain, now: Clock): HeaderSource {
  return {
    name: 'development chain',
    async tip() {
      chain.advance(now());
      return chain.tip.height;
    },
    async headers(from, count) {
      requireRange(from, count);
      const blocks = Array.from({ length: count }, (_, i) => chain.block(from + i));
      return blocks.flatMap((block) => (block === undefined ? [] : [block.header.slice()]));
    },
  };
}
