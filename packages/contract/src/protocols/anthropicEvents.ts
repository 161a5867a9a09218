import type { OpenAnswer } from "../internal/JsonObject.ts"
import type { Message, MessageStopReason, MessageUsage } from "./anthropic.ts"
import type { MessageBlock } from "./anthropicBlocks.ts"

export interface MessageStartEvent extends OpenAnswer {
  readonly type: "message_start"
  /** Without content yet. */
  readonly message: Message
}

export interface MessageBlockStartEvent extends OpenAnswer {
  readonly type: "content_block_start"
  readonly index: number
  readonly content_block: MessageBlock
}

/** What an event adds to a block. `partial_json` is a part of a tool's input as JSON. */
export type MessageBlockDelta =
  | { readonly type: "text_delta"; readonly text: string; readonly [field: string]: unknown }
  | { readonly type: "input_json_delta"; readonly partial_json: string; readonly [field: string]: unknown }
  | { readonly type: "thinking_delta"; readonly thinking: string; readonly [field: string]: unknown }
  | { readonly type: "signature_delta"; readonly signature: string; readonly [field: string]: unknown }
  | { readonly type: "citations_delta"; readonly citation: unknown; readonly [field: string]: unknown }

export interface MessageBlockDeltaEvent extends OpenAnswer {
  readonly type: "content_block_delta"
  readonly index: number
  readonly delta: MessageBlockDelta
}

export interface MessageBlockStopEvent extends OpenAnswer {
  readonly type: "content_block_stop"
  readonly index: number
}

/** Its `usage` is the total so far. */
export interface MessageDeltaEvent extends OpenAnswer {
  readonly type: "message_delta"
  readonly delta: OpenAnswer & {
    readonly stop_reason: MessageStopReason | null
    readonly stop_sequence?: string | null
  }
  readonly usage: Partial<MessageUsage> & Pick<MessageUsage, "output_tokens">
}

export interface MessageStopEvent extends OpenAnswer {
  readonly type: "message_stop"
}

export interface MessagePingEvent extends OpenAnswer {
  readonly type: "ping"
}

/** One event of a stream in the Anthropic format. Models may send other types too. */
export type MessageStreamEvent =
  | MessageStartEvent
  | MessageBlockStartEvent
  | MessageBlockDeltaEvent
  | MessageBlockStopEvent
  | MessageDeltaEvent
  | MessageStopEvent
  | MessagePingEvent
