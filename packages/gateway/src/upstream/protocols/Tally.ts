import type { Refusal } from "@tollgate/contract/errors/Refused"
import { textBytes, utf8Length } from "@tollgate/contract/price/content"
import { type Json, isMissing, isObject, objectOr, valueAt } from "@tollgate/protocols/json"
import type { UsageTable } from "@tollgate/protocols/usage"
import * as Predicate from "effect/Predicate"
import type { Mutable } from "effect/Types"
import type { Facts, ReportedUsage, StreamReport } from "../Protocol.ts"
import { impossibleIn, nameIn, reportedIn, unusual } from "../usage/fields.ts"
import type { Verdict } from "./filterEvents.ts"

/** Bytes of a text. 0 for any other value. */
export const lengthOf = (value: unknown): number => (typeof value === "string" ? utf8Length(value) : 0)

/** No report is larger. */
const mostReportBytes = 64 * 1024

/** Bytes of a value that stands where a text is generated. */
export const jsonLengthOf = (value: unknown): number => {
  if (isMissing(value)) return 0
  try {
    return utf8Length(JSON.stringify(value))
  } catch {
    // Too deep for it.
    return mostReportBytes + textBytes(value)
  }
}

/** An error is told by an object or a text. */
export const isError = (error: unknown): boolean =>
  Predicate.isObject(error) || (Predicate.isString(error) && error !== "")

/** Bounds the memory that a stream can take: a higher index counts as 0. */
const mostOutputs = 256

/** The outputs of an answer, by their numbers. */
export class Outputs {
  readonly #areEnded = new Map<number, boolean>()
  #ended = 0

  add(index: unknown, isEnd: boolean): void {
    const at = typeof index === "number" && Number.isInteger(index) && index > 0 && index < mostOutputs ? index : 0
    const wasEnded = this.#areEnded.get(at)
    if (isEnd && wasEnded !== true) this.#ended++
    if (isEnd || wasEnded === undefined) this.#areEnded.set(at, isEnd)
  }

  get ended(): number {
    return this.#ended
  }

  /** Whether some have begun, and all of them have ended. */
  get areDone(): boolean {
    return this.areBegun && this.#ended === this.#areEnded.size
  }

  get areBegun(): boolean {
    return this.#areEnded.size > 0
  }
}

/** Adds up what the events of an answer tell. A protocol is a subclass. */
export abstract class Tally {
  /** What a stream ends with that is no event. */
  readonly endMark: string | undefined = undefined
  /** There is no last event: the finish reason and the usage end the stream, or its own end after the reason. */
  readonly hasNoLastEvent: boolean = false
  /** A stream may be one array instead of events. */
  readonly mayBeArray: boolean = false
  /** Text comes in events that are the same but for it. */
  readonly hasRepeatedEvents: boolean = false
  readonly errorEvent: ((error: Refusal) => Readonly<Record<string, unknown>>) | undefined = undefined

  isStarted = false
  isFinished = false
  isFailed = false
  isComplete = false
  /** The event that is added is larger than any report. */
  isLarge = false
  protected isWhole = false
  textBytes = 0
  protected usage: ReportedUsage | undefined
  isUsageFinal = false
  protected readonly served: Mutable<NonNullable<StreamReport["served"]>> = {}
  readonly #table: UsageTable
  #tier: string | undefined

  constructor(table: UsageTable) {
    this.#table = table
  }

  abstract add(event: Json): void

  /** All that events told but their text. */
  get told(): string {
    return JSON.stringify({
      ...this.report("open"),
      textBytes: 0,
      isFailed: this.isFailed,
      isComplete: this.isComplete
    })
  }

  addAnswer(answer: Json): void {
    this.isWhole = true
    this.add(answer)
  }

  verdict(_event: Json, _bytes: Uint8Array, _from: number, _to: number): Verdict {
    return "keep"
  }

  facts(): Required<Facts> {
    return { usage: this.usage, served: this.served, textBytes: this.textBytes }
  }

  report(state: StreamReport["state"]): StreamReport {
    const { served, textBytes, usage } = this.facts()
    const { isFinished: finished, isStarted: started, isUsageFinal: usageFinal } = this
    return { state, started, finished, usage, served, usageFinal, textBytes }
  }

  /** Who serves the answer. Of events that all tell it, the first counts, and the last. */
  protected addServed(answer: unknown, isLast: boolean): void {
    const { model, tier } = this.#table.answer
    if (model !== undefined && (isLast || this.served.model === undefined)) {
      const name = nameIn(valueAt(answer, model))
      if (name !== undefined) this.served.model = name
    }
    if (tier === undefined || !(isLast || this.#tier === undefined)) return
    const name = nameIn(valueAt(answer, tier))
    if (name === undefined) return
    this.#tier = name
    const own = unusual(name)
    if (own === undefined) delete this.served.tier
    else this.served.tier = own
  }

  /** What an object reports. `undefined`: nothing, or what is impossible. */
  protected reportedIn(answer: unknown): ReportedUsage | undefined {
    const report = objectOr(answer)[this.#table.at]
    if (!isObject(report) || (this.isLarge && jsonLengthOf(report) > mostReportBytes)) return undefined
    const reported = reportedIn(this.#table, report)
    if (reported === undefined && this.served.gaps === undefined) {
      const gaps = impossibleIn(this.#table, report)
      if (gaps.length > 0) this.served.gaps = gaps
    }
    return reported
  }

  /** The text of a whole answer counts only where the report lacks something. */
  protected needsText(reported: ReportedUsage | undefined): boolean {
    return !this.isWhole || reported?.input === undefined || reported.output === undefined
  }

  /** A report is final that comes with the end or after it, and after all text. */
  protected addText(bytes: number, reported: ReportedUsage | undefined): void {
    this.textBytes += bytes
    if (reported !== undefined) {
      this.usage = reported
      this.isUsageFinal = this.isFinished
    } else if (bytes > 0) this.isUsageFinal = false
  }
}
