import { nodeSha256 } from '@assay/node/node-sha256';
import { nodeVerifySignatureAsync } from '@assay/node/node-signature';
import type { Environment } from '@assay/verifier/environment';

/** Verification on OpenSSL, signatures on every core. */
export function nodeEnvironment(progress?: Environment['progress']): Environment {
  return {
    sha256: nodeSha256,
    verifySignature: nodeVerifySignatureAsync,
    ...(progress === undefined ? {} : { progress }),
  };
}
