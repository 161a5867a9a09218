import { Typed } from "./Open.ts"

/** An answer that is not JSON: a picture, a document, a recording. */
export interface BinaryAnswer {
  readonly bytes: Uint8Array
  /** As the answer states it. Empty if it does not. */
  readonly contentType: string
}

/** For an operation whose answer is a file: `...binary("audio/mpeg")`. `image/*` stands for all images. */
export const binary = (contentType: string) =>
  ({ success: Typed<BinaryAnswer>(), contentType, bytes: "always" }) as const
