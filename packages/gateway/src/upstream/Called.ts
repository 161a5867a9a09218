import type { Answer, Protocol, StreamedAnswer } from "./Protocol.ts"

/** An upstream's answer and the upstream that sent it. The answer is whole, or forwarded while it arrives. */
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
  readonly streaming: StreamedAnswer
  readonly protocol: Protocol
  readonly provider: string
}
