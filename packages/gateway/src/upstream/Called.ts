import type { Answer, Protocol, Streaming } from "./Protocol.ts"

/** What came back from an upstream, and by whom: collected, or handed on while it arrives. */
export type Called = Whole | Streamed

export interface Whole {
  readonly kind: "whole"
  readonly answer: Answer
  readonly protocol: Protocol
  /** The name of the upstream. */
  readonly provider: string
}

export interface Streamed {
  readonly kind: "stream"
  readonly streaming: Streaming
  readonly protocol: Protocol
  readonly provider: string
}
