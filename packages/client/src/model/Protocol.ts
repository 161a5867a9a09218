import type { Event } from "../events/Event.ts"
import type { Dialect } from "./jsonSchema.ts"

/** Why the model stopped. `pause`: it waits for its turn to go on. */
export type Finish = "stop" | "tools" | "length" | "refusal" | "pause" | "other"

/** A tool that the model asks for. */
export interface Requested {
  /** Missing if the protocol has none. */
  readonly id: string | undefined
  readonly name: string
  /** Parsed; the text itself if it is not JSON. */
  readonly arguments: unknown
}

/** A model's answer, independent of the protocol. */
export interface Answer {
  readonly text: string
  readonly requested: ReadonlyArray<Requested>
  readonly finish: Finish
}

/** A tool as the model sees it. */
export interface Declaration {
  readonly name: string
  readonly description?: string
  readonly parameters: Event
}

/** What a requested tool returned, or why it failed. */
export interface ToolResult {
  readonly requested: Requested
  readonly output: unknown
  readonly isError: boolean
}

/** JSON of a schema, as the answer. */
export interface Format {
  readonly name: string
  readonly schema: Event
  /** The schema says all that the protocol requires of it. */
  readonly isStrict: boolean
}

/** How a protocol writes a conversation. An input is the client function's own. */
export interface Protocol {
  readonly dialect: Dialect
  readonly read: (answer: Event) => Answer
  readonly withFormat: (input: Event, format: Format) => Event
  readonly withTools: (input: Event, tools: ReadonlyArray<Declaration>) => Event
  /** Adds the model's answer, and then what the user says to it, if anything. */
  readonly withReply: (input: Event, answer: Event, text: string | undefined) => Event
  /** Adds the model's answer, and the results of all tools it asked for. */
  readonly withResults: (input: Event, answer: Event, results: ReadonlyArray<ToolResult>) => Event
}

/** The output as text: a string as it is, other values as JSON. */
export const textOfOutput = (output: unknown): string =>
  typeof output === "string" ? output : (JSON.stringify(output) ?? "")
