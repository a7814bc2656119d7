/** What the verifier of a whole log loads only where a log has opened sealed forecasts: the curve of their time lock. */
export { verifyBeacon } from '@assay/core/timelock/beacon-signature';
export { openSealed } from '@assay/core/timelock/sealed';
