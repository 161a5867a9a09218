import * as Effect from "effect/Effect"
import type { KeyHash } from "../credential/KeyHash.ts"
import type { Difference } from "../ledger/Difference.ts"
import type * as Rows from "../store/rows.ts"
import { number, text } from "../store/rows.ts"
import { begun, booked, type Entry, entryOf, factName, hashOf, unrecorded, written } from "./Trail.ts"

/** The end of the trail: what somebody writes down, to prove later that nothing was cut. */
export interface Head {
  readonly seq: number
  readonly hash: string
}

export const writeHead = ({ hash, seq }: Head): string => `${seq}:${hash}`
export const readHead = (text: string): Head => {
  const [seq = "", hash = ""] = text.replace("Trail: ", "").split(":")
  return { seq: Number(seq), hash }
}

const page = 1_000

interface Booked {
  readonly words: string
  readonly at: number
}

const wordsOf = (kind: string, amount: string, note: string): string => `${kind} ${amount} ${note}`

const bookedIn = (after: string, { at, why }: Pick<Entry, "at" | "why">): Booked => {
  const { amount, kind } = JSON.parse(after) as { readonly amount: number | string; readonly kind: string }
  return { words: wordsOf(kind, String(amount), why), at }
}

/** An entry and what the trail says of it read the clock one after the other. */
const slackMillis = 60_000

const unlike = (column: string, id: string, stored: bigint | string | null, expected: bigint | string): Difference => ({
  table: "trail",
  column,
  id,
  stored,
  expected
})

/**
 * Proves that no entry is missing or changed: each has the hash of the one before, the last one is the one that was written last,
 * and all money that was booked is in it with its amount. A gateway may add entries meanwhile.
 */
export const verify = Effect.fnUntraced(function* (rows: Rows.Rows, hash: KeyHash["Service"]) {
  const differences: Array<Difference> = []
  const last = yield* rows.fact(factName)
  let isLastThere = last === undefined
  let head: Head = { seq: 0, hash: "" }
  let before = ""
  for (;;) {
    const found = yield* rows.query`SELECT * FROM trail WHERE seq > ${head.seq} ORDER BY seq LIMIT ${page}`
    const recorded = new Map<string, Booked>()
    for (const row of found) {
      const entry = entryOf(row)
      const id = String(entry.seq)
      if (entry.seq !== head.seq + 1) differences.push(unlike("seq", id, id, String(head.seq + 1)))
      const isGenuine = (yield* hashOf(hash, head.hash, entry)) === entry.hash
      if (!isGenuine) differences.push(unlike("hash", id, entry.hash, "the hash of what it says"))
      // What somebody has changed may be no JSON.
      else if (entry.action === booked && entry.after !== null) {
        recorded.set(entry.subject, bookedIn(entry.after, entry))
      } else if (entry.action === begun) before = entry.after ?? ""
      head = entry
      if (last === `${entry.seq} ${entry.hash}`) isLastThere = true
    }
    const entries =
      recorded.size === 0 ? [] : yield* rows.byIds("id, kind, amount, note, at", "entries", [...recorded.keys()])
    const stored = new Map(entries.map((row) => [text(row, "id"), row]))
    for (const [id, { at, words }] of recorded) {
      const row = stored.get(id)
      const found = row && wordsOf(text(row, "kind"), text(row, "amount"), text(row, "note"))
      if (found !== words)
        differences.push({ table: "entries", column: "amount", id, stored: found ?? null, expected: words })
      else if (row && !(Math.abs(number(row, "at") - at) <= slackMillis)) {
        differences.push({ table: "entries", column: "at", id, stored: text(row, "at"), expected: String(at) })
      }
    }
    if (found.length < page) break
  }
  if (!isLastThere) differences.push(unlike("seq", "the last", String(head.seq), last!.split(" ")[0]!))
  if (last === undefined && head.seq > 0) differences.push(unlike("seq", "the last", String(head.seq), "a fact"))
  const unknown = written(yield* unrecorded(rows)) ?? ""
  if (head.seq > 0 && unknown !== before) differences.push(unlike("subject", "money without an entry", unknown, before))
  return { head, differences }
})

/** An entry that was the last one at an earlier audit is still there, unless the trail was cut or another store was restored. */
export const missing = Effect.fnUntraced(function* (rows: Rows.Rows, { hash, seq }: Head) {
  const [row] = yield* rows.query`SELECT hash FROM trail WHERE seq = ${seq}`
  if ((row === undefined ? "" : text(row, "hash")) === hash) return []
  return [unlike("hash", String(seq), row === undefined ? null : "another entry", "the entry that was there")]
})

export const withTrail = <A extends { readonly differences: ReadonlyArray<Difference> }, E, R>(
  books: Effect.Effect<A, E, R>,
  rows: Rows.Rows,
  hash: KeyHash["Service"]
) =>
  Effect.zipWith(books, verify(rows, hash), (found, { differences, head }) => ({
    ...found,
    differences: [...found.differences, ...differences],
    head
  }))
