import type * as Redacted from "effect/Redacted"

/** Where an upstream is and how it knows the gateway. What it speaks is its protocol's matter. */
export interface Provider {
  readonly name: string
  /** Without a slash at the end. */
  readonly baseUrl: string
  readonly protocol: string
  readonly credential?: { readonly header: string; readonly value: Redacted.Redacted }
  /** Sent with every call. Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Names, in lower case, of the caller's headers that are passed on. All others stay with the gateway. */
  readonly forwardedHeaders: ReadonlyArray<string>
  /** From the first byte sent to the head of the answer, and to its last byte where it is collected. */
  readonly deadlineMillis: number
  /** The longest silence within an answer that is handed on as it arrives. */
  readonly idleMillis: number
  /** Requests that it takes in a minute, whoever they are for. */
  readonly rpm?: number
  /** May be at an address that is not public. */
  readonly private: boolean
  /** Whether it is left alone for a while after repeated failures. */
  readonly breaker: boolean
}
