import type { AnswerEvent, CallPart, Ending, Finish, Sealed } from "./Conversation.ts"
import { Malformed, wordIn } from "./json.ts"

/** How an answer ended, by the upstream's word for it. Some upstreams say that they stopped although they ask for tools. */
export const endingOf = (finishes: Readonly<Record<string, Finish>>, reason: string, hasCalls: boolean): Ending => {
  const finish = wordIn(finishes, reason) ?? "other"
  return { finish: finish === "stop" && hasCalls ? "calls" : finish, reason }
}

type Open = AnswerEvent & { readonly type: "open" }

/** Characters of calls that wait for one before. */
const mostHeld = 4_000_000

interface HeldCall {
  readonly open: Open
  text: string
}

/** Follows the arguments of a call to the end of their object. */
class Arguments {
  #depth = 0
  #isText = false
  #isEscaped = false
  isWhole = false

  add(text: string): void {
    for (const char of text) {
      if (this.#isEscaped) this.#isEscaped = false
      else if (this.#isText && char === "\\") this.#isEscaped = true
      else if (char === '"') this.#isText = !this.#isText
      else if (!this.#isText && char === "{") this.#depth++
      else if (!this.#isText && char === "}") this.isWhole ||= --this.#depth === 0
    }
  }
}

/** Opens and closes the parts of an answer in a protocol that only says what is new. */
export class OnePart {
  #open: Open | undefined
  /** Of the call that is open, or was last. */
  #index = -1
  #arguments = new Arguments()
  readonly #indices = new Set<number>()
  /** Some upstreams begin a call before the arguments of the one before are whole. */
  readonly #held = new Map<number, HeldCall>()
  #heldLength = 0

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
    const isOpen = this.#open?.part === "call"
    const held = this.#held.get(index)
    if (isOpen && this.#index === index) this.#more(events, text)
    else if (held !== undefined) held.text += this.#hold(text)
    else if (this.#indices.has(index)) throw new Malformed("tool_calls", "one call after the other")
    else {
      this.#indices.add(index)
      const open: Open = { type: "open", part: "call", id, name, ...(sealed === undefined ? {} : { sealed }) }
      if (isOpen && !this.#arguments.isWhole) this.#held.set(index, { open, text: this.#hold(text) })
      else this.#beginCall(events, index, { open, text })
    }
    for (const [next, call] of this.#held) {
      if (!this.#arguments.isWhole) break
      this.#beginCall(events, next, call)
    }
  }

  close(events: Array<AnswerEvent>): void {
    this.#closeOpen(events)
    for (const [index, call] of this.#held) this.#beginCall(events, index, call)
    this.#closeOpen(events)
  }

  #hold(text: string): string {
    this.#heldLength += text.length
    if (this.#heldLength > mostHeld) throw new Malformed("tool_calls", "one call after the other")
    return text
  }

  #closeOpen(events: Array<AnswerEvent>): void {
    if (this.#open !== undefined) events.push({ type: "close" })
    this.#open = undefined
  }

  #begin(events: Array<AnswerEvent>, open: Open): void {
    this.close(events)
    this.#open = open
    events.push(open)
  }

  #beginCall(events: Array<AnswerEvent>, index: number, { open, text }: HeldCall): void {
    this.#closeOpen(events)
    this.#held.delete(index)
    this.#open = open
    this.#index = index
    this.#arguments = new Arguments()
    events.push(open)
    this.#more(events, text)
  }

  #more(events: Array<AnswerEvent>, text: string): void {
    this.#arguments.add(text)
    if (text !== "") events.push({ type: "more", text })
  }
}
