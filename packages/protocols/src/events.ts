import type { AnswerEvent, CallPart, Sealed } from "./Conversation.ts"
import { Malformed } from "./json.ts"

type Open = AnswerEvent & { readonly type: "open" }

/** Opens and closes the parts of an answer in a protocol that only says what is new. */
export class OnePart {
  #open: Open | undefined
  /** The call that is open, or was last. Calls arrive one after the other. */
  #index = -1

  /** Text of a kind. */
  say(events: Array<AnswerEvent>, part: "text" | "reasoning" | "refusal", text: string): void {
    if (text === "") return
    if (this.#open?.part !== part) this.#begin(events, { type: "open", part })
    events.push({ type: "more", text })
  }

  seal(events: Array<AnswerEvent>, sealed: Sealed): void {
    if (this.#open?.part !== "reasoning") this.#begin(events, { type: "open", part: "reasoning" })
    events.push({ type: "sealed", sealed })
  }

  /** What is new of the call at `index`. Its first piece has its id, its name and its signature. */
  call(events: Array<AnswerEvent>, index: number, { arguments: text, id, name, sealed }: CallPart): void {
    const isCurrent = this.#open?.part === "call" && this.#index === index
    if (!isCurrent && index <= this.#index) throw new Malformed("tool_calls", "one call after the other")
    if (!isCurrent) {
      this.#index = index
      this.#begin(events, { type: "open", part: "call", id, name, ...(sealed === undefined ? {} : { sealed }) })
    }
    if (text !== "") events.push({ type: "more", text })
  }

  close(events: Array<AnswerEvent>): void {
    if (this.#open !== undefined) events.push({ type: "close" })
    this.#open = undefined
  }

  #begin(events: Array<AnswerEvent>, open: Open): void {
    this.close(events)
    this.#open = open
    events.push(open)
  }
}
