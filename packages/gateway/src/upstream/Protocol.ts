import type { Evidence } from "@tollgate/contract/price/evidence"
import type * as Option from "effect/Option"
import type { HttpClientRequest } from "effect/http/HttpClientRequest"
import type { Decoded, Priced } from "../Exchange.ts"
import type { Provider } from "./Provider.ts"

/** An answer of an upstream, whole. */
export interface Answer {
  readonly status: number
  readonly contentType: string | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Uint8Array
}

/** The shape of what an upstream takes and gives. One file each in `protocols/`. */
export interface Protocol {
  readonly id: string
  readonly request: (exchange: Decoded, provider: Provider) => HttpClientRequest
  /** What the answer proves of its cost; `none` where it says nothing. */
  readonly evidence: (exchange: Priced, answer: Answer) => Option.Option<Evidence>
}
