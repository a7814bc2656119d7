// What a venue may rely on. Everything else in this package can change with any release.
export { Fault, type FaultCode } from '@assay/core/fault';
export { feedAddress, pageAddress } from './addresses.ts';
export {
  type FinalPrint,
  type FinalRequest,
  type ReadAccount,
  type ReadPeriod,
  type ReadPrint,
  readPrint,
  type ReadRequest,
  requireFinal,
} from './reader.ts';
export {
  type AccountsFetch,
  finalOf,
  finalThrough,
  type PeriodRequest,
  printOfPeriod,
  type ReadCommitment,
  type VenueOptions,
  type VenueRequest,
  type VenueRpc,
} from './venue.ts';
