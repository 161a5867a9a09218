import { textBytes } from "@tollgate/contract/price/content"
import { read } from "@tollgate/contract/price/exact"
import { converseUsage } from "@tollgate/protocols/converse/usage"
import { isObject, type Json, listOr } from "@tollgate/protocols/json"
import type { Protocol } from "../Protocol.ts"
import { outputsIn } from "./evidence.ts"
import { messageOf } from "./message.ts"
import { Tally } from "./Tally.ts"
import { talliedBy } from "./talliedBy.ts"

const generated = [["text"], ["toolUse", "input"], ["reasoningContent", "text"], ["reasoningContent", "reasoningText"]]

/** The bytes of generated text in a block, or in what is new of it. */
const bytesIn = (block: unknown): number => generated.reduce((sum, path) => sum + textBytes(read(block, path)), 0)

const blocksOf = (answer: unknown): unknown => read(answer, ["output", "message", "content"])

/** Each event is an object whose only field is the event's name. */
class ConverseTally extends Tally {
  /** The report of the usage is the last event, and a stream may lack it. */
  override readonly hasNoLastEvent = true

  constructor() {
    super(converseUsage)
  }

  override addAnswer(answer: Json): void {
    this.textBytes = listOr(blocksOf(answer)).reduce((sum, block) => sum + bytesIn(block), 0)
    this.add({ metadata: answer })
  }

  add({ contentBlockDelta: delta, messageStart, messageStop, metadata }: Json): void {
    const bytes = bytesIn(read(delta, ["delta"]))
    this.isStarted ||= bytes > 0 || isObject(messageStart)
    this.isFinished ||= typeof read(messageStop, ["stopReason"]) === "string"
    this.addServed(metadata, true)
    this.addText(bytes, this.reportedIn(metadata))
  }
}

export const converse: Protocol = {
  id: "converse",
  request: (exchange, { path }) => messageOf(exchange, { path }),
  ...talliedBy(
    () => new ConverseTally(),
    (answer) => outputsIn(blocksOf(answer), isObject)
  )
}
