import type * as Redacted from "effect/Redacted"

/** Where an upstream is and how it knows the gateway. What it speaks is its protocol's matter. */
export interface Provider {
  readonly name: string
  /** Without a slash at the end. */
  readonly baseUrl: string
  readonly protocol: string
  readonly credential?: { readonly header: string; readonly value: Redacted.Redacted }
  /** From the first byte sent to the last received. */
  readonly deadlineMillis: number
  /** The scenario header goes to this upstream, and to no other. */
  readonly sandbox: boolean
}
