import { arenaTool, submitForecastTool } from './arena-tools.ts';
import { baseRateTool } from './base-rate-tool.ts';
import { getBundleTool } from './bundle-tool.ts';
import { getIndexTool, listIndicesTool } from './index-tools.ts';
import type { Tool } from './tool.ts';

/** Every tool, in the order in which it is listed. */
export const TOOLS: readonly Tool[] = [
  listIndicesTool,
  getIndexTool,
  getBundleTool,
  baseRateTool,
  arenaTool,
  submitForecastTool,
];
