import type { Page } from '../page.ts';
import { ARENA_PAGE } from './arena.ts';
import { ASSET_PAGE } from './asset.ts';
import { BASE_RATES_PAGE } from './base-rates.ts';
import { BOARD_PAGE } from './board.ts';
import { ENTRY_PAGE } from './entry.ts';
import { HOME_PAGE } from './home.ts';
import { INDEX_PAGE } from './index-page.ts';
import { LOG_PAGE } from './log.ts';
import { RECEIPTS_PAGE } from './receipts.ts';
import { REFEREE_PAGE } from './referee.ts';
import { RECORD_PAGE } from './record.ts';
import { STATUS_PAGE } from './status.ts';
import { VERIFY_PAGE } from './verify.ts';

/** Every page of the service. */
export const PAGES: readonly Page[] = [
  HOME_PAGE,
  INDEX_PAGE,
  BOARD_PAGE,
  ASSET_PAGE,
  BASE_RATES_PAGE,
  RECEIPTS_PAGE,
  REFEREE_PAGE,
  ARENA_PAGE,
  LOG_PAGE,
  ENTRY_PAGE,
  RECORD_PAGE,
  STATUS_PAGE,
  VERIFY_PAGE,
];
