import type { Names } from "@tollgate/contract/Names"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { Scenario } from "./Scenario.ts"

/** How much of each thing is billed. Nothing at all is free, and stands in no book. */
export type Counts = Readonly<Record<string, number>>

interface Done {
  /** The id of the contract's operation, with the names filled in. */
  readonly operation: string
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
}

interface Json extends Done {
  readonly body: Readonly<Record<string, unknown>>
  readonly billed: Counts
}

interface Bytes extends Done {
  readonly bytes: Uint8Array
  readonly contentType: string
  readonly billed: Counts
}

/** One event of a stream. */
export interface Piece {
  readonly data: string
  readonly event?: string
  /** Of output, that are written with this piece. */
  readonly tokens: number
  /** Part of the regular end, which a stream that breaks off does not reach. */
  readonly final?: true
}

/** How pieces are set on the wire. */
export interface Framing {
  readonly contentType: string
  readonly frame: (piece: Piece, index: number) => string
  /** After the last of `sent` pieces. */
  readonly close: (sent: number) => string
}

export interface Events {
  readonly framing: Framing
  /** From the start each time; a piece is made when it is taken. */
  readonly pieces: () => Iterable<Piece>
  /** How the protocol says that something broke. */
  readonly failure: Piece
}

export interface Streamed extends Done {
  readonly events: Events
  /** By the output that was written until the stream ended. */
  readonly billed: (output: number) => Counts
}

/** What an upstream did, and what it bills for it. */
export type Work = Json | Bytes | Streamed

export class InvalidInput extends Data.TaggedError("InvalidInput")<{
  readonly message: string
  /** 400 unless it says otherwise. */
  readonly status?: number
  readonly code?: string
  /** The field at fault. */
  readonly param?: string
}> {}

export interface Context {
  /** What stands in the path for each `{parameter}`. */
  readonly parameters: Readonly<Record<string, string>>
  readonly scenario: Scenario
  readonly names: Names
}

/** An upstream's side of one operation. */
export type Handler = (request: HttpServerRequest, context: Context) => Effect.Effect<Work, InvalidInput>
