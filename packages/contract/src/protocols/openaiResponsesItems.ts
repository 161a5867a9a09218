import type { OpenAnswer, Other, OtherAnswer, Word } from "../internal/JsonObject.ts"

export interface ResponsesTextPart {
  readonly type: "input_text"
  readonly text: string
}

export interface ResponsesImagePart {
  readonly type: "input_image"
  /** An address, or the image itself as a `data:` URL. */
  readonly image_url?: string | null
  readonly file_id?: string | null
  readonly detail?: Word<"auto" | "low" | "high">
}

export interface ResponsesFilePart {
  readonly type: "input_file"
  /** A `data:` URL. */
  readonly file_data?: string
  readonly file_url?: string
  readonly file_id?: string | null
  readonly filename?: string
}

export type ResponsesPart = ResponsesTextPart | ResponsesImagePart | ResponsesFilePart | Other

/** A message of the conversation. */
export interface ResponsesMessage {
  readonly type?: "message"
  readonly role: "user" | "assistant" | "system" | "developer"
  readonly content: string | ReadonlyArray<ResponsesPart>
}

export interface ResponsesOutputText extends OpenAnswer {
  readonly type: "output_text"
  readonly text: string
  readonly annotations: ReadonlyArray<OtherAnswer>
}

export interface ResponsesRefusal extends OpenAnswer {
  readonly type: "refusal"
  readonly refusal: string
}

export type ResponsesItemStatus = Word<"in_progress" | "completed" | "incomplete">

/** What the model says. */
export interface ResponsesOutputMessage extends OpenAnswer {
  readonly type: "message"
  readonly id: string
  readonly role: "assistant"
  readonly status: ResponsesItemStatus
  readonly content: ReadonlyArray<ResponsesOutputText | ResponsesRefusal>
}

/** The model asks the program to run a tool. The result is a `function_call_output` with the same `call_id`. */
export interface ResponsesFunctionCall extends OpenAnswer {
  readonly type: "function_call"
  readonly id?: string
  readonly call_id: string
  readonly name: string
  /** JSON, as the model wrote it. */
  readonly arguments: string
  readonly status?: ResponsesItemStatus
}

/** The result of a tool. */
export interface ResponsesFunctionCallOutput {
  readonly type: "function_call_output"
  readonly call_id?: string | null
  readonly output: string | ReadonlyArray<ResponsesPart>
}

/** What the model thought. Models show a summary at most. */
export interface ResponsesReasoning extends OpenAnswer {
  readonly type: "reasoning"
  readonly id: string
  readonly summary: ReadonlyArray<{ readonly type: "summary_text"; readonly text: string }>
  readonly content?: ReadonlyArray<{ readonly type: "reasoning_text"; readonly text: string }>
  /** With `include: ["reasoning.encrypted_content"]`. Send it back so that the model can go on from it. */
  readonly encrypted_content?: string | null
  readonly status?: ResponsesItemStatus
}

/** An item of the answer. Send the items of an answer back as input to go on with the conversation. */
export type ResponsesOutputItem = ResponsesOutputMessage | ResponsesFunctionCall | ResponsesReasoning

/** An item of a response that the gateway keeps. */
export interface ResponsesReference {
  readonly type?: "item_reference" | null
  readonly id: string
}

export type ResponsesInputItem =
  | ResponsesMessage
  | ResponsesFunctionCallOutput
  | ResponsesOutputItem
  | ResponsesReference
  | (Other & { readonly role?: "developer" })
