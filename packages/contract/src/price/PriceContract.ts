import type * as Schema from "effect/Schema"
import type { NanoUsd } from "../Money.ts"
import type { Amount, DecidingField, FieldPath, Multiplier } from "./Amount.ts"
import type { Evidence } from "./evidence.ts"
import type { PriceFactors } from "./PriceFactors.ts"

/** What a call costs at the list price, in the unit of `exact.ts`. */
export interface Costs {
  readonly likely: bigint
  readonly most: bigint
  /** The expected number of tokens, input and output together, where the price depends on it. */
  readonly tokens?: number
  /** The field by which the upstream may read more than the request holds. The most is then all that the model can read. */
  readonly reads?: string
}

/** A field of the answer, or one of its headers, in lower case. */
export type ReportedAt = { readonly field: FieldPath } | { readonly header: string }

/** What one unit costs: the amounts that are set for it, in any order. */
export interface UnitAmounts {
  readonly per: string
  readonly amounts: ReadonlyArray<Amount>
}

/** Something that a request asks for and that has no price. */
export interface Unpriced {
  readonly at: FieldPath
  /** What the operator would add to the model's entry, or the model to add. */
  readonly add: string
  readonly isModel?: true
}

/** How an operator writes the price of an operation of their own. */
export interface OwnForm<P> {
  /** The field that says that this form is meant. */
  readonly key: string
  readonly example: string
  /** What is written, for an upstream of this protocol. */
  readonly schema: (protocol: string) => Schema.Codec<P, unknown>
}

/** One way to bill. `P` are the terms of a price, as plain data. What is left out means no, none or nothing. */
export interface PriceContract<P, Own = P> {
  /** It bills a task, when that succeeds. */
  readonly startsTask?: true
  /** It bills tokens, which then count towards limits as they were reported. */
  readonly billsTokens?: true
  readonly canBeFree: (price: P) => boolean
  /** The amount of a call or task, if it does not depend on the answer. */
  readonly fixedAmount?: (price: P) => Amount

  // The request.
  /** The price for this request, without what depends on its fields. */
  readonly resolve?: (price: P, request: unknown) => P
  /** `undefined`: the operation or the model has no price. `limit` replaces the request's own limit of the output. */
  readonly estimate: (
    price: P,
    request: unknown,
    model: string | undefined,
    limit: number | undefined
  ) => Costs | undefined
  /** What the request asks for that may need a price of its own: models, tools, tiers. `undefined`: nothing. */
  readonly asked?: (price: P, request: unknown) => PriceFactors | undefined
  /** What of it this model's price does not cover. */
  readonly unpriced?: (price: P, asked: PriceFactors, model: string) => ReadonlyArray<Unpriced>
  /** The price at this time. */
  readonly at?: (price: P, millis: number) => P
  readonly decidingFields?: (price: P) => ReadonlyArray<DecidingField>
  readonly needsBody?: (price: P) => boolean
  /**
   * The most tokens of each answer that the cap pays for after the highest price of the input, at most what the model can
   * make. 0: it pays for none. `undefined`: the price has no output to limit, or the request limits it itself.
   */
  readonly outputBound?: (
    price: P,
    request: unknown,
    cap: NanoUsd,
    multiplier: Multiplier,
    model: string | undefined
  ) => number | undefined
  /** The field for such a bound. `preferred` is the upstream's own name for it. */
  readonly boundField?: (price: P, request: unknown, preferred?: string) => FieldPath | undefined

  // The answer.
  /** Every answer of the operation proves the cost, also one that is not JSON. */
  readonly isProvenByAnswer?: (price: P) => boolean
  /**
   * The evidence in a parsed answer. Of model tokens and tasks the protocols read it instead. `reported` is what stands at
   * `reportedAt`, as written: a number that was parsed may have been rounded.
   */
  readonly evidence: (price: P, answer: unknown, reported?: string) => Evidence | undefined
  /** The fields of an answer that `evidence` reads. Of a large one only these are parsed. Left out: it is parsed whole. */
  readonly answerFields?: (price: P) => ReadonlyArray<FieldPath>
  /** Where an answer, or the last report of a stream, says what it cost. */
  readonly reportedAt?: (price: P) => ReportedAt
  /** The evidence of a stream that its caller left before it reported its cost. */
  readonly unreported?: Evidence
  /** A field that is evidence only if it is written as an integer. */
  readonly integerField?: (price: P) => string | undefined
  /** What is counted in the request if the answer does not report it. */
  readonly counted?: (price: P, request: unknown) => Evidence | undefined
  /** Whether the evidence is that of a failure. */
  readonly isFailure?: (price: P, evidence: Evidence) => boolean
  /** `undefined`: the price is pending, or the evidence is of another kind than it needs. */
  readonly settle: (price: P, evidence: Evidence) => bigint | undefined
  /** What the evidence reports that the price does not cover, by the names that an operator would add. */
  readonly gaps?: (price: P, evidence: Evidence) => ReadonlyArray<string>
  /** What is recorded of the evidence of a call at a resolved price, so that other prices can be applied to it later. */
  readonly recorded?: (price: P, evidence: Evidence) => Evidence
  /** The price for a recorded call. `undefined`: the evidence does not tell it. */
  readonly forRecorded?: (price: P, evidence: Evidence) => Own | undefined

  // Words.
  /** How a price is calculated. `times` is the account's factor, in words. */
  readonly basis: (price: P, times: string, model: string | undefined) => string
  readonly units: (price: P) => ReadonlyArray<UnitAmounts>
  /** What the amounts of `units` depend on. */
  readonly dependsOn?: (price: P) => string
  /** The fields of the request on which a price depends. */
  readonly namedFields?: (price: P) => ReadonlyArray<FieldPath>
  readonly pendingWords?: string

  // The configuration file.
  /** Prices an operation of the contract: its own terms, with amounts of the file. Only a body has fields to depend on. */
  readonly section: (price: P, hasBody: boolean) => Schema.Codec<P, unknown>
  /** What such a section looks like. */
  readonly example: string
  readonly own?: OwnForm<Own>
  /** Why an upstream of this protocol cannot be billed so. */
  readonly problem?: (protocol: string, price: P) => string | undefined
  /** The section for this price. `null`: an amount of it is not set. */
  readonly written: (price: P) => unknown
  /** The price with this amount, if it is pending. */
  readonly withAmount?: (price: P, amount: NanoUsd) => P
}
