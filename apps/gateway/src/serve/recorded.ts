import { KeyHash } from "@tollgate/gateway"
import { contractOf } from "@tollgate/contract/price/contracts"
import * as Rows from "@tollgate/ledger/store/rows"
import * as Trail from "@tollgate/ledger/trail/Trail"
import * as Effect from "effect/Effect"
import { isObject } from "effect/Predicate"
import { SqlClient } from "effect/sql/SqlClient"
import { createHmac, hash as digestOf } from "node:crypto"
import { isDeepStrictEqual } from "node:util"
import type { Config } from "../config/Config.ts"
import { formatPath, type Path } from "../config/text/Problem.ts"

/** Where a text of the file is shown as it is: elsewhere it may be a secret, such as a header or a part of an address. */
const shownSections: ReadonlySet<unknown> = new Set([
  "limits",
  "models",
  "names",
  "operators",
  "routes",
  "signupCredit"
])
const shownFields: ReadonlySet<unknown> = new Set(["env", "events", "file", "protocol"])
const decimal = /^\d+(\.\d+)?$/

/** The configuration as everybody may see it. Of other texts a keyed hash tells whether they changed. */
const withoutSecrets = (value: unknown, key: string, path: Path = []): unknown => {
  if (typeof value === "string") {
    if (shownSections.has(path[0]) || path.includes("prices") || shownFields.has(path.at(-1)) || decimal.test(value))
      return value
    const origin = /^https?:/.test(value) ? `${URL.parse(value)?.origin} ` : ""
    return `${origin}#${createHmac("sha256", key).update(value).digest("hex").slice(0, 8)}`
  }
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, key, path))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, withoutSecrets(part, key, [...path, name])])
  )
}

const shown = (value: unknown): string => {
  const text = typeof value === "string" ? value : JSON.stringify(value)
  return text.length > 300 ? `${text.slice(0, 300)}…` : text
}

const without = (all: ReadonlyArray<unknown>, others: ReadonlyArray<unknown>) =>
  all.filter((one) => !others.some((other) => isDeepStrictEqual(one, other)))

/** Prices of own operations may be in other files. */
const parts = ({ operations, written }: Config) => {
  if (operations.length === 0) return written
  const prices = operations.map(({ operation: { id, price } }) => [id, contractOf(price).written(price)])
  return { ...written, operations: { content: written.operations, prices: Object.fromEntries(prices) } }
}

/** What a new section is compared with, so that each of its entries is named. */
const nothingLike = (value: unknown) => (Array.isArray(value) ? [] : isObject(value) ? {} : undefined)

/** `prices.models["gpt-5"].output: 10 -> 12`, `upstreams.openai added: {…}`. */
const changesBetween = (was: unknown, is: unknown, path: Path = []): ReadonlyArray<string> => {
  if (isDeepStrictEqual(was, is)) return []
  const isSection = path.length < (path[0] === "prices" || path[0] === "operations" ? 3 : 2)
  const [before, after] = isSection ? [was ?? nothingLike(is), is ?? nothingLike(was)] : [was, is]
  const name = formatPath(path)
  if (Array.isArray(before) && Array.isArray(after)) {
    const changes = [
      ...without(before, after).map((one) => `${name} removed: ${shown(one)}`),
      ...without(after, before).map((one) => `${name} added: ${shown(one)}`)
    ]
    return changes.length > 0 ? changes : [`${name}: another order`]
  }
  if (isObject(before) && isObject(after)) {
    return Object.keys({ ...before, ...after }).flatMap((key) =>
      changesBetween(Reflect.get(before, key), Reflect.get(after, key), [...path, key])
    )
  }
  if (before === undefined) return [`${name} added: ${shown(after)}`]
  return [after === undefined ? `${name} removed` : `${name}: ${shown(before)} -> ${shown(after)}`]
}

const action = "configuration loaded"
/** What was recorded last, to say what differs from it. */
const factName = "recorded configuration"
const most = 200

/** Adds the configuration in force to the trail, unless it is what was recorded last. The gateway goes on if it cannot. */
export const recorder = Effect.gen(function* () {
  const sql = yield* SqlClient
  const hash = yield* KeyHash
  const { fact, lockName, query, setFact } = Rows.make(sql)
  const trail = Trail.make(sql, hash)
  const key = yield* hash.of("recorded configuration")
  const lastEntry = query`SELECT after FROM trail WHERE action = ${action} ORDER BY seq DESC LIMIT 1`
  const empty = digestOf("sha256", "{}").slice(0, 16)
  const last = Effect.map(lastEntry, ([row]) =>
    row === undefined ? empty : (JSON.parse(Rows.text(row, "after")) as { digest: string }).digest
  )

  return Effect.fnUntraced(
    function* (config: Config) {
      const text = JSON.stringify(withoutSecrets(parts(config), key))
      const digest = digestOf("sha256", text).slice(0, 16)
      if ((yield* last) === digest) return
      const record = Effect.gen(function* () {
        yield* lockName("tollgate configuration")
        const before = yield* last
        if (before === digest) return
        const changes = changesBetween(JSON.parse((yield* fact(factName)) ?? "{}"), JSON.parse(text))
        yield* setFact(factName, text)
        yield* trail.add({
          action,
          subject: "configuration",
          before: { digest: before },
          after: { digest, changed: changes.length, changes: changes.slice(0, most) }
        })
      })
      const cause = yield* Trail.CurrentCause
      const who = cause.who === "gateway" ? "configuration" : cause.who
      yield* Effect.provideService(sql.withTransaction(record), Trail.CurrentCause, { ...cause, who })
    },
    Effect.catchCause((cause) => Effect.logWarning("the trail does not have the configuration in force", cause))
  )
})
