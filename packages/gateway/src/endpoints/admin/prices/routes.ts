import type {
  PriceFile,
  PricePreviewRequest,
  prices as routes,
  PriceChange,
  PriceLine
} from "@tollgate/contract/admin/Prices"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import type { AccountsError } from "@tollgate/ledger/account/Accounts"
import type { Gateway } from "../../../call/Gateway.ts"
import { refuse, type Refused } from "@tollgate/contract/errors/Refused"
import type * as Rows from "@tollgate/ledger/store/rows"
import { recordedGaps } from "@tollgate/ledger/usage/recordedGaps"
import * as Window from "@tollgate/ledger/usage/Query"
import type { Handlers } from "../../managementApi/ApiRouter.ts"
import type { Trail } from "@tollgate/ledger/trail/Trail"
import { gapShape, openGaps } from "./gaps.ts"
import { preview } from "./preview.ts"
import type { FindPrice } from "./recorded.ts"
import type { Bound } from "@tollgate/contract/Operation"
import { contractOf } from "@tollgate/contract/price/contracts"
import { modelInWords, writtenModel } from "@tollgate/contract/price/contracts/modelSection"
import { isByModel } from "@tollgate/contract/price/Price"
import { type PriceBook, priceText } from "../../../exchange/Prices.ts"

/** The operations, and what they cost. */
type Book = Pick<Gateway, "catalogue" | "prices">

const upstreamsOf = ({ servedBy }: PriceBook, { id, upstream }: Bound, model?: string): PriceLine["upstreams"] =>
  upstream === "gateway" || model?.endsWith("*") === true
    ? null
    : (servedBy?.(id, model).map(({ upstream }) => upstream) ?? null)

/** The prices in force, in the order of the catalogue. `isInSection`: whether the file's section `prices` can hold it. */
const priceLines = (
  { catalogue, prices }: Book,
  isInSection: (operation: string) => boolean
): ReadonlyArray<PriceLine> => {
  const linesOf = (operation: Bound): ReadonlyArray<PriceLine> => {
    const price = prices.all?.(operation) ?? prices.of(operation)
    const { contract } = price
    const { category, id } = operation
    const upstreams = upstreamsOf(prices, operation)
    const line = { operation: id, category, model: null, contract, words: priceText(price).words, upstreams }
    if (!isByModel(price)) {
      return [{ ...line, config: isInSection(id) ? contractOf(price).written(price) : null }]
    }
    const models = Object.entries(price.models)
    if (models.length === 0) return [{ ...line, config: null }]
    return models.map(([model, tokens]) => ({
      ...line,
      model,
      words: modelInWords(tokens),
      upstreams: upstreamsOf(prices, operation, model),
      config: isInSection(id) ? writtenModel(tokens) : null
    }))
  }
  return catalogue.bound.flatMap(linesOf)
}

/** More are counted and not listed. */
const most = 1_000
/** Those that the trail lists. */
const mostRecorded = 100

const idOf = ({ model, operation }: PriceLine): string => JSON.stringify([operation, model])

const shown = (line: PriceLine | undefined): PriceChange["before"] =>
  line === undefined ? null : { words: line.words, config: line.config }

/** The prices that differ. Words leave out details, so the written prices are compared too. */
const changesBetween = (before: ReadonlyArray<PriceLine>, after: ReadonlyArray<PriceLine>) => {
  const old = new Map(before.map((line) => [idOf(line), line]))
  const next = new Map(after.map((line) => [idOf(line), line]))
  const changes: Array<PriceChange> = []
  for (const id of new Set([...old.keys(), ...next.keys()])) {
    const [was, is] = [old.get(id), next.get(id)]
    const { model = null, operation = "" } = is ?? was ?? {}
    const change = { operation, model, before: shown(was), after: shown(is) }
    if (JSON.stringify(change.before) !== JSON.stringify(change.after)) changes.push(change)
  }
  return { changed: changes.length, changes: changes.slice(0, most) }
}

export interface PriceSection {
  /** The prices of a section `prices`, or what is wrong with it, a line for each problem. */
  readonly read: (section: unknown) => Result.Result<Book, ReadonlyArray<string>>
  readonly holds: (operation: string) => boolean
}

/** The section `prices` where the program keeps it. */
export interface PriceStore {
  readonly read: Effect.Effect<PriceFile>
  /** Writes and reloads. Returns the new fingerprint. A conflict: nothing was changed, and its message says why. */
  readonly replace: (section: unknown, fingerprint: string) => Effect.Effect<string, AccountsError | Refused>
}

const findIn =
  ({ catalogue, prices }: Book): FindPrice =>
  (id, model) => {
    const operation = catalogue.byId.get(id)
    return operation && prices.of(operation, model)
  }

const daySeconds = 86_400
const maxMillis = 7 * daySeconds * 1000
const defaultMost = 200_000

const windowOf = ({ end_time, start_time }: PricePreviewRequest, now: number): Result.Result<Window.Window, string> => {
  const end = end_time ?? Math.floor(now / 1000) + 1
  const window = Window.parse({ start_time: start_time ?? end - daySeconds, end_time: end }, now)
  return Result.flatMap(window, (window) =>
    window.end - window.start > maxMillis ? Result.fail("the window is longer than 7 days") : Result.succeed(window)
  )
}

export interface PriceParts {
  readonly gateway: () => Gateway
  readonly section: PriceSection
  readonly store: PriceStore
}

/** A preview reads at most `most` calls, and one runs at a time. */
export const priceHandlers = (
  { gateway, section, store }: PriceParts,
  rows: Rows.Rows,
  trail: Trail,
  most = defaultMost
): Handlers<typeof routes> => {
  const turn = Semaphore.makeUnsafe(1)
  const read = (prices: unknown): Effect.Effect<Book, Refused> =>
    Effect.mapError(Effect.fromResult(section.read(prices)), (problems) =>
      refuse("invalid_request", problems.join("\n"), { param: "prices" })
    )
  const changesTo = (next: Book) =>
    changesBetween(priceLines(gateway(), section.holds), priceLines(next, section.holds))
  return {
    prices: () => Effect.sync(() => ({ prices: priceLines(gateway(), section.holds) })),
    gaps: () =>
      Effect.map(recordedGaps(rows), (recorded) => ({ gaps: openGaps(recorded, findIn(gateway())).map(gapShape) })),
    previewPrices: Effect.fnUntraced(function* ({ body }) {
      const window = windowOf(body, yield* Clock.currentTimeMillis)
      if (Result.isFailure(window)) return yield* refuse("invalid_request", window.failure)
      const book = yield* read(body.prices)
      const shown = yield* turn.withPermits(1)(preview(rows, window.success, findIn(book), most))
      return { ...shown, ...changesTo(book) }
    }),
    priceFile: () => store.read,
    applyPrices: Effect.fnUntraced(function* ({ body: { fingerprint, note, prices } }) {
      const changes = changesTo(yield* read(prices))
      const after = { changed: changes.changed, changes: changes.changes.slice(0, mostRecorded) }
      const change = { action: "prices applied", subject: "configuration", after, why: note }
      return { fingerprint: yield* trail.around(change, store.replace(prices, fingerprint)), ...changes }
    })
  }
}
