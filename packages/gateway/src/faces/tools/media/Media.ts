import { sniff, type Sniffed } from "./sniff.ts"

/** The most bytes of a block. A larger one becomes a link. */
export const mostBlockBytes = 1536 * 1024

/** A picture, sound or file of an answer. It stands in the answer's JSON where its bytes were. */
export class Media {
  readonly bytes: Uint8Array
  readonly type: Sniffed
  /** There is room for it in the result. */
  isBlock = false
  /** Its place among the blocks of a result, from 1. */
  number = 0
  /** Where it can be opened, and until when, if it is too large for a block. */
  link: { readonly uri: string; readonly until: string } | undefined

  constructor(bytes: Uint8Array, claimed: string | undefined) {
    this.bytes = bytes
    this.type = sniff(bytes, claimed)
  }

  toJSON(): string {
    const what = `${this.type.mimeType}, ${this.bytes.length} bytes`
    return this.number === 0 ? `${what}; too large to return` : `block ${this.number}: ${what}`
  }
}

/** An address in an answer that leads to a picture, a video or a file. */
export interface Address {
  readonly uri: string
  readonly name: string
  readonly mimeType?: string
  readonly description?: string
}

export type Attached = Media | Address
