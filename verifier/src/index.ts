// What a program outside this repository may rely on. Everything else in this package can change with any release.
export { Fault, type FaultCode } from '@assay/core/fault';
export { httpReader, type Fetch } from './reader/http-reader.ts';
export type { Answer, LogReader } from './reader/log-reader.ts';
export type { FolderReader } from './reader/folder-reader.ts';
export type { ChainLookup } from './feed/chain-lookup.ts';
export type { HeaderLookup } from './bitcoin/header-lookup.ts';
export { type Environment, PORTABLE } from './verdict/environment.ts';
export type { Finding, FindingCode } from './verdict/finding.ts';
export { DEFAULT_LIMITS, type Limits } from './verdict/limits.ts';
export { OPEN_POLICY, parsePolicy, type Pin, type Policy } from './verdict/policy.ts';
export type { NumberFacts, Verdict } from './verdict/verdict.ts';
export { checkEvidence } from './evidence/evidence-check.ts';
export type { EvidenceVerdict } from './evidence/evidence-verdict.ts';
export { type Poll, Watch, type WatchParts } from './watch/watch.ts';
export type { WatchFinding } from './watch/watch-finding.ts';
export { type LogClient, open, type OpenOptions } from './open.ts';
export type { PinStorage } from './client/pinned-head.ts';
export type {
  NumberAnswer,
  ProvenNumber,
  Refusal,
  RefusalCode,
  SettlementLack,
} from './client/number-answer.ts';
export { type Subject, verify, type VerifyOptions } from './verify.ts';
