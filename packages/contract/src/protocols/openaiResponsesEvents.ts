import type { OpenAnswer } from "../internal/JsonObject.ts"
import type { ResponsesResult } from "./openaiResponses.ts"
import type { ResponsesOutputItem, ResponsesOutputText, ResponsesRefusal } from "./openaiResponsesItems.ts"

interface Numbered extends OpenAnswer {
  /** Counts the events of the stream, from 0. */
  readonly sequence_number: number
}

interface InItem extends Numbered {
  readonly item_id: string
  readonly output_index: number
}

/** The state of the whole response. The last one has the whole answer and its usage. */
export interface ResponsesStateEvent extends Numbered {
  readonly type: "response.created" | "response.in_progress" | "response.completed" | "response.incomplete"
  readonly response: ResponsesResult
}

export interface ResponsesItemEvent extends Numbered {
  readonly type: "response.output_item.added" | "response.output_item.done"
  readonly output_index: number
  readonly item: ResponsesOutputItem
}

export interface ResponsesContentPartEvent extends InItem {
  readonly type: "response.content_part.added" | "response.content_part.done"
  readonly content_index: number
  readonly part: ResponsesOutputText | ResponsesRefusal
}

export interface ResponsesTextDeltaEvent extends InItem {
  readonly type: "response.output_text.delta"
  readonly content_index: number
  readonly delta: string
}

export interface ResponsesTextDoneEvent extends InItem {
  readonly type: "response.output_text.done"
  readonly content_index: number
  readonly text: string
}

export interface ResponsesRefusalDeltaEvent extends InItem {
  readonly type: "response.refusal.delta"
  readonly content_index: number
  readonly delta: string
}

export interface ResponsesArgumentsDeltaEvent extends InItem {
  readonly type: "response.function_call_arguments.delta"
  readonly delta: string
}

export interface ResponsesArgumentsDoneEvent extends InItem {
  readonly type: "response.function_call_arguments.done"
  readonly name: string
  readonly arguments: string
}

export interface ResponsesReasoningDeltaEvent extends InItem {
  readonly type: "response.reasoning_summary_text.delta" | "response.reasoning_text.delta"
  readonly delta: string
}

/** One event of a stream in the format of OpenAI's Responses. Models may send other types too. */
export type ResponsesEvent =
  | ResponsesStateEvent
  | ResponsesItemEvent
  | ResponsesContentPartEvent
  | ResponsesTextDeltaEvent
  | ResponsesTextDoneEvent
  | ResponsesRefusalDeltaEvent
  | ResponsesArgumentsDeltaEvent
  | ResponsesArgumentsDoneEvent
  | ResponsesReasoningDeltaEvent
