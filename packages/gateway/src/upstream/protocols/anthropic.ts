import { read } from "@tollgate/contract/price/exact"
import { noTokens } from "@tollgate/contract/price/TokenKind"
import { isObject, type Json, listOr, objectOr, textOr } from "@tollgate/protocols/json"
import { messagesUsage } from "@tollgate/protocols/messages/usage"
import type { Protocol, ReportedUsage } from "../Protocol.ts"
import { extrasIn } from "../usage/anthropic.ts"
import { nameAt, withGaps } from "../usage/fields.ts"
import { outputsIn } from "./evidence.ts"
import { asksForStream, bodyWithModel, messageOf, pickHeaders } from "./message.ts"
import { jsonLengthOf, lengthOf, Tally } from "./Tally.ts"
import { talliedBy } from "./talliedBy.ts"

/** No provider has more tools. */
const mostTools = 100

/** Code runs under several names. */
const serverTool = (name = "?"): string => (name.endsWith("code_execution") ? "code_execution" : name)

class MessagesTally extends Tally {
  override readonly hasRepeatedEvents = true
  #isRefused = false
  /** A block that is neither text nor visible thinking. */
  #hasOtherBlock = false
  /** The first event's count of output is a placeholder: at the end it is no report of what was generated. */
  #hasOutput = false
  readonly #uses = new Map<string, number>()

  constructor() {
    super(messagesUsage)
  }

  override addAnswer({ content, model, stop_reason, usage }: Json): void {
    this.isWhole = true
    this.addServed({ model }, true)
    this.add({ delta: { stop_reason }, usage })
    const needsText = this.#isRefused || this.needsText(this.usage)
    for (const block of listOr(content)) {
      this.#addBlock(block)
      if (!needsText) continue
      this.textBytes += lengthOf(block["text"]) + lengthOf(block["thinking"]) + jsonLengthOf(block["input"])
    }
  }

  add(event: Json): void {
    const { content_block: block, delta, message, type } = event
    const { partial_json: input, stop_reason: reason, text, thinking } = objectOr(delta)
    const bytes = lengthOf(text) + lengthOf(thinking) + lengthOf(input)
    this.textBytes += bytes
    this.isStarted ||= type === "message_start" || bytes > 0
    this.isFinished ||= textOr(reason) !== ""
    this.#isRefused ||= reason === "refusal"
    this.isFailed ||= type === "error"
    this.isComplete ||= type === "message_stop"
    if (isObject(block)) this.#addBlock(block)
    if (isObject(message)) {
      this.addServed(message, true)
      this.#addUsage(message)
    }
    const reported = this.#addUsage(event)
    this.#hasOutput ||= reported?.output !== undefined
    this.isUsageFinal = this.isFinished && this.#hasOutput
  }

  override facts() {
    return { ...super.facts(), usage: this.#lastUsage() }
  }

  #addBlock(block: Json): void {
    const { type } = block
    this.#hasOtherBlock ||= type !== undefined && type !== "text" && type !== "thinking"
    if (type !== "server_tool_use") return
    const tool = serverTool(nameAt(block, "name"))
    if (this.#uses.has(tool) || this.#uses.size < mostTools) this.#uses.set(tool, (this.#uses.get(tool) ?? 0) + 1)
  }

  /** A later report may repeat only some counts. */
  #addUsage(answer: Json): ReportedUsage | undefined {
    const reported = this.reportedIn(answer)
    if (reported === undefined) return undefined
    const { gaps = [], ...extras } = extrasIn(answer["usage"])
    this.usage = { ...this.usage, ...withGaps({ ...reported, ...extras }, gaps) }
    return reported
  }

  #lastUsage(): ReportedUsage | undefined {
    const { usage = {} } = this
    // A request that was refused before any output is not billed, though it reports tokens. What else ran is.
    if (this.#isRefused && this.textBytes === 0 && !this.#hasOtherBlock) {
      const { details: _, uses: __, ...rest } = usage
      return { ...rest, ...noTokens }
    }
    if (usage.input === undefined && usage.output === undefined) return undefined
    // Of tools that the usage does not count, the blocks are counted.
    const { uses } = usage
    const all = this.#uses.size === 0 ? usage : { ...usage, uses: { ...Object.fromEntries(this.#uses), ...uses } }
    if (!this.isComplete || this.#hasOutput) return all
    const { output: _, ...others } = all
    return others
  }
}

const isBlock = (block: unknown): boolean => typeof read(block, ["type"]) === "string"

export const anthropic: Protocol = {
  id: "anthropic",
  request: (exchange, alias) =>
    messageOf(exchange, {
      path: alias.path,
      wantsStream: asksForStream(exchange),
      headers: pickHeaders(exchange, ["anthropic-version", "anthropic-beta"]),
      body: bodyWithModel(exchange, alias)
    }),
  ...talliedBy(
    () => new MessagesTally(),
    (answer) => outputsIn(read(answer, ["content"]), isBlock)
  )
}
