/** A request to one of the development services, by whatever means it arrived. */
export interface DevelopmentRequest {
  readonly method: string;
  /** The path from its first slash, without the service's own address. */
  readonly path: string;
  readonly body: Uint8Array;
}

export interface DevelopmentResponse {
  readonly status: number;
  readonly contentType: string;
  readonly body: Uint8Array;
}

export function textResponse(status: number, text: string): DevelopmentResponse {
  return { status, contentType: 'text/plain', body: Buffer.from(text) };
}
