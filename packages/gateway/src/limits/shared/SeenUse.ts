import type { Use } from "../KeyLimits.ts"
import type { Answer, Command, Raise } from "./Command.ts"

const perUnit = 60_000

/** Beyond this many keys, the one that was seen first is forgotten. */
const maxKeys = 20_000

interface Seen {
  since: number
  at: number
  rpm: number
  tpm: number
  requests: number
  tokens: number
  groups: Map<string, { rpm: number; used: number; at: number }> | undefined
}

const refilled = (used: number, limit: number, millis: number): number =>
  Math.max(0, used - limit * Math.max(0, millis))

/** What the store has last told of each key, so that a store which has lost its counts can be told. */
export class SeenUse {
  readonly #keys = new Map<string, Seen>()
  /** The time of the store beyond that of this process. */
  #ahead = 0

  /** Of commands that the store has carried out, in their order. */
  note(commands: ReadonlyArray<Command>, answers: ReadonlyArray<Answer>, now: number): void {
    commands.forEach((command, i) => {
      const answer = answers[i]
      if (command.kind === "raise" || answer === undefined) return
      const seen = this.#keys.get(command.key)
      if (command.kind === "end") {
        if (seen !== undefined) seen.tokens = Math.max(0, seen.tokens + (command.correction ?? 0) * perUnit)
        return
      }
      this.#ahead = answer.now - now
      const { group, key, request, rpm, tokens = 0, tpm } = command
      const took = answer.isGranted && request ? perUnit : 0
      const next = seen ?? this.#add(key)
      next.since = answer.since
      next.at = answer.now
      next.rpm = rpm
      next.tpm = tpm
      next.requests = answer.requestsUsed + took
      next.tokens = answer.tokensUsed + (answer.isGranted ? Math.min(tokens, tpm) * perUnit : 0)
      if (group === undefined) return
      next.groups ??= new Map()
      next.groups.set(group.id, { rpm: group.rpm, used: answer.groupUsed + took, at: answer.now })
    })
  }

  /** Since when the store has counted for the key. Undefined if nothing of it is in use: then nothing can be lost. */
  since(key: string, now: number): number | undefined {
    const seen = this.#keys.get(key)
    if (seen === undefined) return undefined
    const millis = now + this.#ahead - seen.at
    // Requests are full again after a minute. Tokens may be owed for longer.
    return millis >= 60_000 && seen.tokens <= seen.tpm * millis ? undefined : seen.since
  }

  /** What is used by now. */
  use(key: string, now: number): Use | undefined {
    const seen = this.#keys.get(key)
    if (seen === undefined) return undefined
    const { at, groups = [], requests, rpm, tokens, tpm } = seen
    const time = now + this.#ahead
    return {
      rpm,
      tpm,
      requests: refilled(requests, rpm, time - at),
      tokens: refilled(tokens, tpm, time - at),
      groups: Array.from(groups, ([id, group]) => ({
        id,
        rpm: group.rpm,
        used: refilled(group.used, group.rpm, time - group.at)
      }))
    }
  }

  /** The keys of which something may be in use. */
  keys(now: number): ReadonlyArray<string> {
    return [...this.#keys.keys()].filter((key) => this.since(key, now) !== undefined)
  }

  #add(key: string): Seen {
    if (this.#keys.size >= maxKeys) this.#keys.delete(this.#keys.keys().next().value ?? "")
    const seen: Seen = { since: 0, at: 0, rpm: 0, tpm: 0, requests: 0, tokens: 0, groups: undefined }
    this.#keys.set(key, seen)
    return seen
  }
}

/** One command for each group. */
export const raisesOf = (key: string, { groups, ...use }: Use): ReadonlyArray<Raise> =>
  (groups.length === 0 ? [undefined] : groups).map((group) => ({ kind: "raise", key, ...use, group }))
